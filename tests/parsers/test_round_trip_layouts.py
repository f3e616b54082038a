"""Random sheets written by two libraries and read back: every cell as it was written; tables beside and below each other with
banners and formats: every value with its address, type and unit, or a problem that names the place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from openpyxl.styles import Font

from parsers.address import cell_address, parse_range
from parsers.inspection import printed_tables
from parsers.parse import parse_file
from parsers.read_file import read_grids
from parsers.table import Column, ParsedFile, ParsedTable

QUIET = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
WRITERS = st.sampled_from(["openpyxl", "xlsxwriter"])
FIRST_DAY = date(2015, 1, 1)
FORMATS = {
    "decimal": "#,##0.00", "euro": '#,##0.00 "€"', "zloty": '#,##0.00 "zł"', "percent": "0.0%", "date": "dd.mm.yyyy", "plain": "",
}  # fmt: skip
UNITS = {"euro": "EUR", "zloty": "PLN", "percent": "%"}


@dataclass(frozen=True)
class Written:
    """One cell: its value as written and its number format."""

    value: Any
    format: str = ""


def write(path: Path, writer: str, cells: dict[tuple[int, int], Written], merges: list[tuple[int, int, int, int]]) -> Path:
    """One sheet; bounds of merges 1-based, both ends included."""
    if writer == "openpyxl":
        own = openpyxl.Workbook()
        page = own.active
        assert page is not None
        for (row, column), cell in cells.items():
            target = page.cell(row, column, cell.value)
            if isinstance(cell.value, str):
                target.data_type = "s"
            if cell.format:
                target.number_format = cell.format
                target.font = Font(bold=False)
        for top, left, bottom, right in merges:
            page.merge_cells(start_row=top, start_column=left, end_row=bottom, end_column=right)
        own.save(path)
        return path
    book = xlsxwriter.Workbook(str(path), {"strings_to_numbers": False, "strings_to_formulas": False, "strings_to_urls": False})
    sheet = book.add_worksheet()
    styles = {code: book.add_format({"num_format": code}) for code in {cell.format for cell in cells.values()} if code}
    for top, left, bottom, right in merges:
        sheet.merge_range(top - 1, left - 1, bottom - 1, right - 1, "")
    for (row, column), cell in cells.items():
        put = sheet.write_datetime if isinstance(cell.value, date) else sheet.write
        put(row - 1, column - 1, cell.value, *([styles[cell.format]] if cell.format else []))
    book.close()
    return path


# ---- any cells anywhere

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co")), min_size=1, max_size=12)
NUMBERS = st.one_of(
    st.integers(-(10**14), 10**14),
    st.integers(-(10**14), 10**14).map(lambda units: units / 10**4),
    st.floats(-1e307, 1e307, allow_nan=False),  # with 16 digits the largest double is infinite
)
MOMENTS = st.datetimes(datetime(1901, 1, 1), datetime(2100, 1, 1)).map(lambda moment: moment.replace(microsecond=0))
ANY_CELL = st.one_of(
    st.builds(Written, TEXTS),
    st.builds(Written, NUMBERS, st.sampled_from(["", "0.00", "0%", '#,##0.00 "€"', "[Red]0;-0"])),
    st.builds(Written, st.booleans()),
    st.builds(Written, MOMENTS, st.sampled_from(["dd.mm.yyyy", "yyyy-mm-dd hh:mm:ss", "d. mmmm yyyy"])),
)
PLACES = st.tuples(st.integers(1, 30), st.integers(1, 30))


@QUIET
@given(st.dictionaries(PLACES, ANY_CELL, min_size=1, max_size=25), WRITERS)
def test_cells(tmp_path_factory: pytest.TempPathFactory, cells: dict[tuple[int, int], Written], writer: str) -> None:
    path = write(tmp_path_factory.mktemp("zellen") / "datei.xlsx", writer, cells, [])
    _, (grid,), _ = read_grids(path)
    assert set(grid.cells) == set(cells) == {place for place, _ in grid.cells.items()}
    assert (grid.last_row, grid.last_column) == (max(row for row, _ in cells), max(column for _, column in cells))
    for place, written in cells.items():
        read, value = grid.cells[place], written.value
        assert read.number_format == written.format, place
        if isinstance(value, bool | str):
            assert read.value == value and read.kind == ("text" if isinstance(value, str) else "boolean"), place
        elif isinstance(value, datetime):
            whole = value.date() if (value.hour, value.minute, value.second) == (0, 0, 0) else value
            assert read.value == whole and read.kind == "date", place
        else:
            stored = float(f"{value:.16g}")  # both libraries write 16 digits
            assert read.kind == "number" and float(str(read.value)) == stored, place


# ---- tables

HEADERS = ["Kunde", "Ort", "Betrag", "Menge", "Datum", "Bemerkung", "Preis", "Artikel", "Kategorie", "Marge", "Umsatz", "Rabatt"]
WORDS = ["Kabel", "Rohre", "Danzig", "Łódź", "Köln", "Alpha GmbH", "Gesamtbau AG", "süß", "Übersee", "Totalisator", "Summit"]


@dataclass(frozen=True)
class Layout:
    """`banner`: the number of last columns that stand under one merged banner, 0 for none."""

    headers: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    banner: int


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    headers = draw(st.lists(st.sampled_from(HEADERS), min_size=3, max_size=6, unique=True))
    kinds = ["text", *(draw(st.sampled_from(["text", "integer", "date", *FORMATS])) for _ in headers[1:])]
    kinds[-1] = draw(st.sampled_from(["decimal", "euro", "percent"]))
    kinds = ["decimal" if kind == "plain" else kind for kind in kinds]
    count = draw(st.integers(3, 7))
    rows = tuple(tuple(draw(_values(kind)) for kind in kinds) for _ in range(count))
    return Layout(tuple(headers), tuple(kinds), rows, draw(st.sampled_from([0, 0, 2])))


def _values(kind: str) -> st.SearchStrategy[Any]:
    if kind == "text":
        return st.sampled_from(WORDS)
    if kind == "integer":
        return st.integers(-99_999, 99_999)
    if kind == "date":
        return st.integers(0, 3000).map(lambda days: FIRST_DAY + timedelta(days=days))
    if kind == "percent":
        return st.integers(-999, 999).map(lambda tenths: Decimal(tenths) / 1000)
    return st.integers(-(10**9), 10**9).map(lambda cents: Decimal(cents) / 100)


@QUIET
@given(st.lists(layouts(), min_size=1, max_size=2), st.booleans(), st.integers(1, 5), st.integers(1, 4), WRITERS)
def test_tables(
    tmp_path_factory: pytest.TempPathFactory, tables: list[Layout], beside: bool, top: int, left: int, writer: str
) -> None:
    # the same headers again are a header row that repeats: one table, whose columns have one type
    assume(len({table.kinds for table in tables}) == 1 or len({table.headers for table in tables}) == len(tables))
    cells: dict[tuple[int, int], Written] = {}
    merges: list[tuple[int, int, int, int]] = []
    corners = []
    for table in tables:
        corners.append((top, left))
        _place(table, top, left, cells, merges)
        if beside:
            left += len(table.headers) + 2
        else:
            top += len(table.rows) + (2 if table.banner else 1) + 2
    path = write(tmp_path_factory.mktemp("layout") / "datei.xlsx", writer, cells, merges)
    parsed = parse_file(path)
    for table, corner in zip(tables, corners, strict=True):
        _check(parsed, table, *corner)


def _place(
    table: Layout, top: int, left: int, cells: dict[tuple[int, int], Written], merges: list[tuple[int, int, int, int]]
) -> None:
    if table.banner:
        first, last = left + len(table.headers) - table.banner, left + len(table.headers) - 1
        cells[top, first] = Written("Ergebnis")
        merges.append((top, first, top, last))
        top += 1
    for position, header in enumerate(table.headers):
        cells[top, left + position] = Written(header)
    for number, row in enumerate(table.rows, start=top + 1):
        for position, (value, kind) in enumerate(zip(row, table.kinds, strict=True)):
            written = float(value) if isinstance(value, Decimal) else value
            cells[number, left + position] = Written(written, FORMATS.get(kind, ""))


def _check(parsed: ParsedFile, table: Layout, top: int, left: int) -> None:
    first_row = top + (2 if table.banner else 1)
    for position, kind in enumerate(table.kinds):
        for number, row in enumerate(table.rows):
            place = first_row + number, left + position
            found = _value_at(parsed, *place)
            if found is None:
                assert _named(parsed, *place), f"{cell_address(*place)} is missing and no problem says so"
                continue
            column, value = found
            if value is None:
                assert _named(parsed, *place), f"{cell_address(*place)} has no value and no problem says so"
                continue
            expected = row[position] * 100 if kind == "percent" else row[position]
            assert value == expected, cell_address(*place)
            assert isinstance(value, type(expected)) or (isinstance(value, Decimal) and isinstance(expected, int))
            assert column.unit == UNITS.get(kind), cell_address(*place)
            banner = ("Ergebnis",) if table.banner and position >= len(table.headers) - table.banner else ()
            assert column.path == (*banner, table.headers[position]), cell_address(*place)


def _value_at(parsed: ParsedFile, row: int, position: int) -> tuple[Column, Any] | None:
    address = cell_address(row, position)
    for printed in printed_tables(parsed.sheets[0]):
        for column in printed.table.columns:
            if column.position == position and row in printed.data.rows:
                index = list(printed.data.rows).index(row)
                assert _address(printed, column, index) == address
                return column, printed.data.values[column.sql_name][index]
    return None


def _address(printed: ParsedTable, column: Column, index: int) -> str:
    cells = printed.data.cells.get(column.sql_name)
    return cells[index] if cells else cell_address(list(printed.data.rows)[index], column.position or 1)


def _named(parsed: ParsedFile, row: int, position: int) -> bool:
    """Some problem names the cell, its row, its column or a range with it."""
    for problem in parsed.problems:
        where = problem.where.rpartition("!")[2]
        try:
            top, left, bottom, right = parse_range(where)
        except ValueError:
            if cell_address(row, position).rstrip("0123456789") == where or str(row) in where.split():
                return True
            continue
        if top <= row <= bottom and left <= position <= right:
            return True
    return False
