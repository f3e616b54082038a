"""The independent second reader: the same cells, read by other code than the grids, for proof.

Workbooks are read by python-calamine, or by openpyxl where single cells are read again from the original and where a sheet's
cells lie too far apart for calamine; CSV by Python's own csv module. Encoding and dialect of a CSV are decided once, for both
readers.

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

from parsers.address import parse_address
from parsers.calamine_book import CalamineValue, open_calamine, sheet_rows
from parsers.csv_dialect import find_dialect, sep_line
from parsers.csv_encoding import decode
from parsers.dense_area import LARGEST_AREA, binary_area, sheet_area
from parsers.file_kind import container_of, kind_of_package
from parsers.limits import DEFAULT_LIMITS
from parsers.problem import UnreadableFile
from parsers.read_ods import read_ods
from parsers.stored_number import decimal_of_double
from parsers.xlsx_package import Package, unreadable
from parsers.xlsx_workbook import read_workbook

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
    streamed = _sheets_to_stream(path)
    with open_calamine(path, path.name) as book:
        for entry in book.sheets_metadata:
            if str(entry.typ).endswith("WorkSheet"):
                if entry.name in streamed:
                    yield entry.name, _openpyxl_sheet(path, entry.name)
                else:
                    yield entry.name, _calamine_cells(book.get_sheet_by_name(entry.name))


def _sheets_to_stream(path: Path) -> frozenset[str]:
    """Names of XLSX sheets whose cells span too large a rectangle for calamine. Raises UnreadableFile for such an XLSB or
    ODS; an XLS cannot span one."""
    if container_of(path, path.name) != "zip":
        return frozenset()
    with Package(path, path.name, DEFAULT_LIMITS) as package:
        kind, part = kind_of_package(package)
        if (kind == "xlsb" and binary_area(package) > LARGEST_AREA) or (
            kind == "ods" and _ods_area(package, part) > LARGEST_AREA
        ):
            raise unreadable(path.name, "limit", "Die Zellen liegen zu weit auseinander, um sie ein zweites Mal zu lesen.")
        if kind not in ("xlsx", "xlsm"):
            return frozenset()
        workbook = read_workbook(package, part)
        return frozenset(sheet.name for sheet in workbook.sheets if sheet_area(package, sheet.part) > LARGEST_AREA)


def _ods_area(package: Package, part: str) -> int:
    grids, _ = read_ods(package, part)
    return max(grid.last_row * grid.last_column for grid in grids)


def reread_cells(
    path: Path, kind: str, sheet: str | None, addresses: Sequence[str], *, encoding: str | None = None
) -> dict[str, str | None]:
    """The text form of the cells at these A1 addresses, read again from the file; None where there is none.

    XLSX and XLSM through openpyxl; what it does not find (it sees nothing in some strict workbooks) and all other kinds as
    `second_read`. Raises UnreadableFile, ValueError for an address that is none.
    """
    wanted = {parse_address(address) for address in addresses}
    texts: dict[tuple[int, int], str] = {}
    if kind in ("xlsx", "xlsm") and sheet is not None and wanted:
        texts = {(row, column): text for row, column, _, text in _openpyxl_cells(path, sheet, wanted)}
    missing = wanted - texts.keys()
    if missing:
        for name, cells in second_read(path, kind, encoding=encoding):
            if name == sheet:
                texts.update(((row, column), text) for row, column, _, text in cells if (row, column) in missing)
    return {address: texts.get(parse_address(address)) for address in addresses}


def _calamine_cells(sheet: object) -> Iterator[SecondCell]:
    for row, first_column, values in sheet_rows(sheet):
        for column, value in enumerate(values, first_column):
            if isinstance(value, float):
                yield row, column, "number", _plain_decimal(value)
            elif value != "":
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
        return "number", _plain_decimal(value)
    if isinstance(value, time | timedelta):
        return "duration", format(_days_of(value), "f")
    text = value.isoformat()
    return "date", text.removesuffix("T00:00:00")


def _plain_decimal(number: float) -> str:
    text = repr(number)
    if "e" in text or "n" in text or text == "-0.0":
        return format(decimal_of_double(number), "f")
    return text.removesuffix(".0")


def _days_of(value: time | timedelta) -> Decimal:
    if isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
    return decimal_of_double(value / timedelta(days=1))


def _openpyxl_cells(path: Path, sheet: str, wanted: set[tuple[int, int]]) -> list[SecondCell]:
    """The wanted cells as far as openpyxl's streaming mode finds them; none if it cannot read the file."""
    try:
        import openpyxl  # here, because it takes 0.2 s to load and only verification needs it

        with warnings.catch_warnings(action="ignore"):  # about charts and extensions that it leaves out
            book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        if sheet not in book.sheetnames:
            return []
        rows = {row for row, _ in wanted}
        columns = {column for _, column in wanted}
        found: list[SecondCell] = []
        span = book[sheet].iter_rows(min_row=min(rows), max_row=max(rows), min_col=min(columns), max_col=max(columns))
        for row, cells in enumerate(span, start=min(rows)):
            if row not in rows:
                continue
            for column, cell in enumerate(cells, start=min(columns)):
                if (row, column) in wanted and cell.value is not None and cell.value != "":
                    kind, text = _text_form(cell.value)
                    found.append((row, column, "error" if cell.data_type == "e" else kind, text))
        book.close()
        return found
    except Exception:  # openpyxl raises anything on unusual but valid files; calamine then reads them
        return []


def _openpyxl_sheet(path: Path, sheet: str) -> Iterator[SecondCell]:
    """All cells of a sheet through openpyxl's streaming mode. Raises UnreadableFile."""
    import openpyxl

    try:
        with warnings.catch_warnings(action="ignore"):
            book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        page = book[sheet]
        page.reset_dimensions()
        for cells in page.iter_rows():
            for cell in cells:
                if cell.value is not None and cell.value != "":
                    kind, text = _text_form(cell.value)
                    yield cell.row, cell.column, "error" if cell.data_type == "e" else kind, text
        book.close()
    except UnreadableFile:
        raise
    except Exception as error:
        raise unreadable(path.name, "no_second_reading", "Der zweite Leser kann das Blatt nicht lesen.") from error


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
