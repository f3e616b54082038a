"""XLS, XLSB and ODS through python-calamine.

What these readings cannot give, by format:

- all three: formulas, comments, bold, indentation, hidden rows and columns, error cells and formulas without a stored result (both
  look like empty cells), number format codes (so percent and currency formats are not seen: 0.342 shown as 34.2 % reads as 0.342);
- XLSB and ODS: merged areas;
- ODS: hidden sheets.

Numbers are the shortest decimals of the stored doubles. Times of day and durations are numbers of days with the format "[h]:mm:ss".
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import Path

import python_calamine as calamine

from parsers.calamine_book import CalamineValue, open_calamine, sheet_cells
from parsers.grid import Grid, RawCell
from parsers.limits import DEFAULT_LIMITS, ReadLimits
from parsers.problem import Problem
from parsers.stored_number import decimal_of_double
from parsers.xlsx_package import unreadable

DURATION_FORMAT = "[h]:mm:ss"
_MICROSECONDS = Decimal(86_400_000_000)


def read_legacy(
    path: Path, kind: str, file: str, *, limits: ReadLimits = DEFAULT_LIMITS, progress: Callable[[str, int], None] | None = None
) -> tuple[tuple[Grid, ...], tuple[Problem, ...]]:
    """Grids in workbook order and what the format keeps from us. Raises UnreadableFile."""
    grids: list[Grid] = []
    problems: list[Problem] = []
    remaining = limits.cells
    with open_calamine(path, file) as book:
        for entry in book.sheets_metadata:
            if entry.typ is not calamine.SheetTypeEnum.WorkSheet:
                problems.append(Problem("sheet_skipped", entry.name, "Das Blatt ist kein Tabellenblatt und wird nicht gelesen."))
                continue
            sheet = book.get_sheet_by_name(entry.name)
            cells: dict[tuple[int, int], RawCell] = {}
            for row, column, value in sheet_cells(sheet):
                cells[row, column] = raw_cell(value)
                if len(cells) > remaining:
                    raise unreadable(
                        file, "limit", f"Das Blatt „{entry.name}“ hat mehr als {remaining} Zellen; so viele werden nicht gelesen."
                    )
                if progress is not None and column == 1 and row % 5000 == 0:
                    progress(entry.name, row)
            remaining -= len(cells)
            merges = tuple(
                (top + 1, left + 1, bottom + 1, right + 1) for (top, left), (bottom, right) in sheet.merged_cell_ranges or ()
            )
            grids.append(
                Grid(
                    name=entry.name,
                    cells=cells,
                    last_row=max((row for row, _ in cells), default=0),
                    last_column=max((column for _, column in cells), default=0),
                    merges=merges,
                    hidden=entry.visible is not calamine.SheetVisibleEnum.Visible,
                )
            )
    return tuple(grids), tuple(problems)


def raw_cell(value: CalamineValue) -> RawCell:
    """The cell for one calamine value."""
    if isinstance(value, bool):
        return RawCell(value, "boolean", str(int(value)))
    if isinstance(value, int):
        return RawCell(Decimal(value), "number", str(value))
    if isinstance(value, float):
        number = decimal_of_double(value)
        return RawCell(number, "number", str(number))
    if isinstance(value, str):
        return RawCell(value, "text", value)
    if isinstance(value, date):
        return RawCell(value, "date", value.isoformat())
    days = days_of(value)
    return RawCell(days, "number", str(days), DURATION_FORMAT)


def days_of(value: time | timedelta) -> Decimal:
    """A time of day or a duration as a number of days, to the microsecond."""
    if isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
    microseconds = value // timedelta(microseconds=1)
    return decimal_of_double(float(Decimal(microseconds) / _MICROSECONDS))
