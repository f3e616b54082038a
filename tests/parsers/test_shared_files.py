"""Real files beside the project, where they are there: read as a person noted it, every value as another reader sees it."""

from __future__ import annotations

import csv
import json
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from parsers.address import cell_address, parse_address
from parsers.inspection import inspection, printed_tables
from parsers.parse import parse_file
from parsers.quantity import settle_computed
from parsers.table import Column, ColumnType, ParsedFile, ParsedSheet, ParsedTable

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"
EXPECTATIONS = SHARED / "sheets" / "expectations.json"
WORKBOOKS = sorted((SHARED / "goldsets" / "data").rglob("*.xlsx"))
QUESTION_TABLES = sorted(
    path for folder in ("wtq/tables", "geo_de/csv", "spider_de/csv") for path in (SHARED / "benchmarks" / folder).rglob("*.csv")
)
HITAB = SHARED / "benchmarks" / "hitab"
CODE_PAGES = {"cp1252", "cp1250"}
# Where the person who noted the table and this product count differently, each with its reason.
OTHER_COUNT = {
    # Footnotes with quoted line breaks: the notes count records, the product physical lines.
    ("destatis_12613-0006.csv", "footnote_rows"),
    ("destatis_23211-0002_cp1252.csv", "footnote_rows"),
    # The last two rows are totals; elsewhere in the notes, and here, the last data row is no total.
    ("btw21_strukturdaten.csv", "last_data_row"),
}
# A sheet of labels and values whose first pair reads like a header.
UNSURE = {"poi_testVarious.xlsb"}


@lru_cache(maxsize=4)
def _parsed(path: Path, locale: str = "de") -> ParsedFile:
    return parse_file(path, locale=locale)


def _expected() -> list[Any]:
    if not EXPECTATIONS.is_file():
        return []
    return [entry for entry in json.loads(EXPECTATIONS.read_text(encoding="utf-8")) if entry["file"] not in UNSURE]


@pytest.mark.parametrize("entry", _expected(), ids=lambda entry: f"{entry['file']}-{entry['sheet']}-{entry['first_data_row']}")
def test_tables_are_read_as_noted(entry: dict[str, Any]) -> None:
    prefix = f"{entry['sheet']}!" if entry["sheet"] else ""
    found = inspection(_parsed(SHARED / "sheets" / "files" / entry["file"]), [prefix + cell["a1"] for cell in entry["cells"]])
    sheets: Any = found["sheets"]
    tables = [
        table
        for sheet in sheets
        if sheet["name"] == entry["sheet"]
        for table in sheet["tables"]
        if table["first_data_row"] == entry["first_data_row"]
        and {column["col"] for column in entry["columns"]} <= {column["column"] for column in table["columns"]}
    ]
    assert len(tables) == 1
    for key, name in (
        ("header_rows", "header_rows"),
        ("last_data_row", "last_data_row"),
        ("data_rows", "data_rows"),
        ("total_rows", "total_rows"),
        ("note_rows", "footnote_rows"),
    ):
        if (entry["file"], name) not in OTHER_COUNT:
            assert tables[0][key] == entry[name], name
    cells: Any = found["cells"]
    for cell in entry["cells"]:
        read = cells[prefix + cell["a1"]]
        assert read["type"] == cell["type"], cell
        if cell["type"] == "number":
            assert Decimal(read["value"]) == Decimal(cell["value"]), cell
        else:
            assert read["value"] == cell["value"], cell


@pytest.mark.parametrize("path", WORKBOOKS, ids=lambda path: "/".join(path.parts[-2:]))
def test_every_value_is_the_one_that_another_reader_sees_at_its_cell(path: Path) -> None:
    book = openpyxl.load_workbook(path, data_only=True)
    formulas = openpyxl.load_workbook(path)
    count = 0
    for sheet in _parsed(path).sheets:
        for parsed in sheet.tables:
            for column in parsed.table.columns:
                if column.role in ("dimension", "scenario") and column.position is None:
                    continue
                for index, value in enumerate(parsed.data.values[column.sql_name]):
                    address = _address(parsed, column, index)
                    own = book[sheet.name][address]
                    computed = formulas[sheet.name][address].data_type == "f"
                    assert _agrees(value, own.value, own.number_format, column, computed), (sheet.name, address, value, own.value)
                    count += 1
    assert count > 100


def _address(parsed: ParsedTable, column: Column, index: int) -> str:
    if column.has_cells:
        return parsed.data.cells[column.sql_name][index]
    assert column.position is not None
    return cell_address(parsed.data.rows[index], column.position)


def _agrees(value: Any, stored: Any, number_format: str, column: Column, computed: bool) -> bool:
    if value is None:
        return not isinstance(stored, int | float) or stored == 0
    if isinstance(value, Decimal):
        exact = Decimal(repr(stored)) * (100 if "%" in number_format else 1)
        return value == (settle_computed(exact, column.scale) if computed else exact)
    if column.type is ColumnType.PERIOD and isinstance(stored, date):
        return bool(value.start <= stored.date() <= value.end) if isinstance(stored, datetime) else False
    if isinstance(value, date) and isinstance(stored, datetime):
        return value == stored.date()
    text = getattr(value, "label", value)
    return bool(str(text) == str(stored).strip())


@pytest.mark.parametrize("path", QUESTION_TABLES, ids=lambda path: "/".join(path.parts[-2:]))
def test_plain_tables_are_one_list_under_their_first_line(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as stream:
        records = [record for record in csv.reader(stream) if any(field.strip() for field in record)]
    (sheet,) = _parsed(path, "en").sheets
    (printed,) = printed_tables(sheet)
    table = printed.table
    assert table.header_rows == (1,)
    assert table.data_rows + len(table.total_rows) == len(records) - 1
    headers = [" ".join(text.split()) for text in records[0]]
    assert [column.header for column in table.columns if column.header in headers] == [text for text in headers if text]


def _is_label(sheet: ParsedSheet, row: int, address: str, text: str) -> bool:
    """A header cell, found in the path of its column, or the label of a section, found with its cell."""
    for printed in printed_tables(sheet):
        if row in printed.table.header_rows:
            return any(text in column.path for column in printed.table.columns)
        if any(address in cells for cells in printed.data.cells.values()):
            return any(text in str(value) for values in printed.data.values.values() for value in values)
    return False


def _hitab_items() -> list[Any]:
    if not HITAB.is_dir():
        return []
    return [json.loads(line) for line in (HITAB / "items.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("item", _hitab_items(), ids=lambda item: item["id"])
def test_cells_under_hierarchical_headers_are_read_exactly(item: dict[str, Any]) -> None:
    path = HITAB / item["table"]
    own = openpyxl.load_workbook(path, data_only=True)[item["sheet"]]
    sheet = next(sheet for sheet in _parsed(path, "en").sheets if sheet.name == item["sheet"])
    for address in item["cells"]:
        row, position = parse_address(address)
        if own[address].value is None:
            continue
        if isinstance(own[address].value, str) and _is_label(sheet, row, address, " ".join(own[address].value.split())):
            continue
        (printed,) = [table for table in printed_tables(sheet) if row in table.data.rows]
        column = next(column for column in printed.table.columns if column.position == position)
        value = printed.data.values[column.sql_name][list(printed.data.rows).index(row)]
        stored = str(own[address].value).replace(",", "").strip()
        if isinstance(value, Decimal):
            assert value == Decimal(stored), address
            assert column.path, "no header path"
        else:
            assert str(value) == str(own[address].value).strip(), address
