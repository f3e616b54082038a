"""The independent second reader: the same cells, read by other code than the grids, for proof.

Workbooks are read by python-calamine, or by openpyxl where single cells are read again from the original; CSV by Python's own csv
module. Encoding and dialect of a CSV are decided once, for both readers.

The text form of a value, by kind:

- `number`: plain decimal notation without trailing zeros after the point, of the shortest decimal that gives back the stored
  double ("0.342", "-12.5", "1247890"): Decimal(text) equals RawCell.value of the first reader, except for integers beyond 15
  digits, which doubles do not hold. Percent and currency formats are not looked at: 34.2 % is "0.342".
- `text`: the text as stored. Every CSV cell is of this kind; an apostrophe that protects a number is left out.
- `date`: ISO, "2024-10-15", or "2024-10-15T09:30:00" with a time of day.
- `boolean`: "true" or "false".
- `duration`: a time of day or elapsed time in days, good to the millisecond only: not to be compared exactly.
- `error`: "#REF!" and the like (openpyxl only; calamine takes error cells for empty ones).

Empty cells, formulas without a stored result and blank CSV fields are absent. Values under merged areas are not left out here.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from datetime import time, timedelta
from decimal import Decimal
from pathlib import Path
from types import ModuleType

from parsers.address import cell_address, parse_address
from parsers.calamine_book import CalamineValue, open_calamine, sheet_cells
from parsers.csv_dialect import find_dialect, sep_line
from parsers.csv_encoding import decode
from parsers.stored_number import decimal_of_double

SecondCell = tuple[int, int, str, str]
"""(row, column, kind, text), row and column 1-based."""

_PROTECTED = re.compile(r"'[\s+(-]*[€$£]?\s*[0-9]")


def second_read(path: Path, kind: str, *, encoding: str | None = None) -> Iterator[tuple[str | None, Iterator[SecondCell]]]:
    """(sheet name, its cells row by row) in workbook order; None as the name for CSV. `kind` as `read_grids` gave it.

    The cells of a sheet must be taken before the next sheet is asked for. Raises UnreadableFile.
    """
    if kind in ("csv", "tsv"):
        yield None, _csv_cells(path, encoding)
        return
    with open_calamine(path, path.name) as book:
        for entry in book.sheets_metadata:
            if str(entry.typ).endswith("WorkSheet"):
                yield entry.name, _calamine_cells(book.get_sheet_by_name(entry.name))


def reread_cells(
    path: Path, kind: str, sheet: str | None, addresses: Sequence[str], *, encoding: str | None = None
) -> dict[str, str | None]:
    """The text form of the cells at these A1 addresses, read again from the file; None where there is none.

    XLSX and XLSM through openpyxl, or calamine where openpyxl cannot open the file or finds no such sheet (strict OOXML); the
    rest as `second_read`. Raises UnreadableFile, ValueError for an address that is none.
    """
    wanted = {parse_address(address): address for address in addresses}
    found: dict[str, str | None] = dict.fromkeys(addresses)
    if not wanted:
        return found
    cells = _openpyxl_cells(path, sheet, list(wanted)) if kind in ("xlsx", "xlsm") and sheet is not None else None
    if cells is None:
        cells = [
            cell
            for name, inner in second_read(path, kind, encoding=encoding)
            if name == sheet
            for cell in inner
            if (cell[0], cell[1]) in wanted
        ]
    texts = {cell_address(row, column): text for row, column, _, text in cells}
    return {address: texts.get(cell_address(*parse_address(address))) for address in addresses}


def _calamine_cells(sheet: object) -> Iterator[SecondCell]:
    for row, column, value in sheet_cells(sheet):
        yield row, column, *_text_form(value)


def _text_form(value: CalamineValue) -> tuple[str, str]:
    """(kind, text) of one value as calamine and openpyxl give it."""
    if isinstance(value, str):
        return "text", value
    if isinstance(value, bool):
        return "boolean", "true" if value else "false"
    if isinstance(value, int):
        return "number", str(value)
    if isinstance(value, float):
        return "number", format(decimal_of_double(value), "f")
    if isinstance(value, time | timedelta):
        return "duration", format(_days_of(value), "f")
    text = value.isoformat()
    return "date", text.removesuffix("T00:00:00")


def _days_of(value: time | timedelta) -> Decimal:
    if isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
    return decimal_of_double(value / timedelta(days=1))


def _openpyxl_cells(path: Path, sheet: str, wanted: list[tuple[int, int]]) -> list[SecondCell] | None:
    """The wanted cells through openpyxl's streaming mode; None if it cannot read this file."""
    import openpyxl  # here, because it takes 0.2 s to load and only verification needs it

    rows = {row for row, _ in wanted}
    places = set(wanted)
    with warnings.catch_warnings(action="ignore"):  # about charts and extensions that it leaves out
        return _openpyxl_found(openpyxl, path, sheet, rows, places)


def _openpyxl_found(
    openpyxl: ModuleType, path: Path, sheet: str, rows: set[int], places: set[tuple[int, int]]
) -> list[SecondCell] | None:
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        try:
            if sheet not in book.sheetnames:
                return None
            page = book[sheet]
            columns = [column for _, column in places]
            found: list[SecondCell] = []
            span = page.iter_rows(min_row=min(rows), max_row=max(rows), min_col=min(columns), max_col=max(columns))
            for row, cells in enumerate(span, start=min(rows)):
                if row not in rows:
                    continue
                for column, cell in enumerate(cells, start=min(columns)):
                    if (row, column) in places and cell.value is not None and cell.value != "":
                        kind, text = _text_form(cell.value)
                        found.append((row, column, "error" if cell.data_type == "e" else kind, text))
            return found
        finally:
            book.close()
    except Exception:  # openpyxl raises anything on unusual but valid files; calamine then reads them
        return None


def _csv_cells(path: Path, encoding: str | None) -> Iterator[SecondCell]:
    text = decode(path.read_bytes(), encoding).text
    stream = io.StringIO(text, newline="")
    head = text[: 1 << 20]
    dialect = find_dialect(head)
    if sep_line(head.splitlines()[:1]):
        stream.readline()
        skipped = 1
    else:
        skipped = 0
    reader = csv.reader(
        stream,
        delimiter=dialect.delimiter or "\0",
        quotechar='"',
        doublequote=True,
        escapechar="\\" if dialect.backslash else None,
    )
    row = 1
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error:  # a field beyond the module's limit: what follows stays unproved
            return
        for column, field in enumerate(fields, start=1):
            if field and not field.isspace():
                yield row + skipped, column, "text", field[1:] if _PROTECTED.match(field) else field
        row = reader.line_num + 1
