"""The one door to python-calamine: opening with true sentences, sheets row by row, dense areas bounded.

calamine holds each sheet as a full rectangle, gives no error cells and no formulas, and numbers only as doubles.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import python_calamine as calamine

from parsers.xlsx_package import unreadable

CalamineValue = int | float | str | bool | date | datetime | time | timedelta


@contextmanager
def open_calamine(path: Path, file: str) -> Iterator[Any]:
    """The workbook. Raises UnreadableFile if it is encrypted or broken, also when that shows while its sheets are read."""
    try:
        with calamine.CalamineWorkbook.from_path(str(path)) as book:
            yield book
    except calamine.PasswordError as error:
        raise unreadable(
            file,
            "encrypted",
            "Die Arbeitsmappe ist mit einem Kennwort verschlüsselt.",
            "Bitte ohne Kennwort speichern und neu einlesen.",
        ) from error
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise _broken(file) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # the native library's own failure, no Exception in Python's sense
            raise _broken(file) from error
        raise


def _broken(file: str) -> Exception:
    return unreadable(
        file,
        "file_corrupt",
        "Die Arbeitsmappe ist beschädigt oder unvollständig.",
        "Bitte die Datei in Excel öffnen, prüfen und als XLSX speichern.",
    )


def sheet_rows(sheet: Any) -> Iterator[tuple[int, int, list[CalamineValue]]]:
    """(row, column of the first value, values) row by row, 1-based; "" where a cell is empty."""
    if sheet.start is None:
        return
    first_column = sheet.start[1] + 1  # iter_rows begins in row 1, but in the first used column
    for row, values in enumerate(sheet.iter_rows(), start=1):
        yield row, first_column, values
