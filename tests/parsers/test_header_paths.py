"""Tables with hierarchical headers beside the project: for every cell that a question names, its value and what stands over and
beside it, worked out here with openpyxl from merges and indentation alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from parsers.address import parse_address
from parsers.inspection import inspection, printed_tables
from parsers.parse import parse_file
from parsers.table import ParsedTable

HITAB = Path(__file__).resolve().parents[2] / ".." / "shared" / "benchmarks" / "hitab"
FIRST_HEADER_ROW = 3  # in all of these workbooks; the stub's merged area reaches down to the last header row
pytestmark = pytest.mark.skipif(not HITAB.is_dir(), reason="the public question sets are not beside the project")


@dataclass(frozen=True)
class Expected:
    """`over`: texts of the header rows from top to bottom, each once. `label`: the row's own; `sections`: rows above without
    values that it belongs to; `parents`: rows above with values that it is indented under."""

    stored: str
    over: tuple[str, ...]
    label: str
    sections: tuple[str, ...]
    parents: tuple[str, ...]


def _cells() -> list[tuple[str, str, str]]:
    if not HITAB.is_dir():
        return []
    items: list[dict[str, Any]] = [json.loads(line) for line in (HITAB / "items.jsonl").read_text("utf-8").splitlines()]
    return sorted({(item["table"], item["sheet"], address) for item in items for address in item["cells"]})


@lru_cache(maxsize=4)
def _sheet(table: str, name: str) -> tuple[Any, dict[tuple[int, int], tuple[int, int]]]:
    sheet = openpyxl.load_workbook(HITAB / table, data_only=True)[name]
    anchors = {
        (row, column): (area.min_row, area.min_col)
        for area in sheet.merged_cells.ranges
        for row in range(area.min_row, area.max_row + 1)
        for column in range(area.min_col, area.max_col + 1)
    }
    return sheet, anchors


def _words(value: object) -> str:
    return " ".join(str(value if value is not None else "").split())


def _expected(table: str, name: str, row: int, column: int) -> Expected | None:
    """None for a cell that is no value: blank, a header or a label."""
    sheet, anchors = _sheet(table, name)
    last_header = max(r for (r, c), anchor in anchors.items() if anchor == (FIRST_HEADER_ROW, 1))

    def text(r: int, c: int) -> str:
        return _words(sheet.cell(*anchors.get((r, c), (r, c))).value)

    if row <= last_header or not text(row, column) or column == 1:
        return None
    over = tuple(dict.fromkeys(found for r in range(FIRST_HEADER_ROW, last_header + 1) if (found := text(r, column))))
    open_rows: list[tuple[int, bool, str]] = []  # indentation, with values, label
    for r in range(last_header + 1, row + 1):
        label, indent = text(r, 1), int(sheet.cell(r, 1).alignment.indent)
        if not label:
            continue
        valued = any(any(letter.isdigit() for letter in text(r, c)) for c in range(2, sheet.max_column + 1))
        if valued:
            open_rows = [entry for entry in open_rows if entry[0] < indent or (not entry[1] and entry[0] == indent)]
        else:
            open_rows = [entry for entry in open_rows if entry[0] < indent]
        open_rows.append((indent, valued, label))
    *above, (_, _, label) = open_rows
    sections = tuple(text for _, valued, text in above if not valued)
    return Expected(_words(sheet.cell(row, column).value), over, label, sections, tuple(t for _, valued, t in above if valued))


def _found(table: str, name: str, row: int) -> ParsedTable:
    parsed = _parsed(table)
    sheet = next(sheet for sheet in parsed.sheets if sheet.name == name)
    (printed,) = [printed for printed in printed_tables(sheet) if row in printed.data.rows]
    return printed


@lru_cache(maxsize=4)
def _parsed(table: str) -> Any:
    return parse_file(HITAB / table, locale="en")


def _row_texts(printed: ParsedTable, row: int) -> str:
    index = list(printed.data.rows).index(row)
    return " / ".join(_words(values[index]) for values in printed.data.values.values())


@pytest.mark.parametrize("table, name, address", _cells())
def test_value_and_header_paths(table: str, name: str, address: str) -> None:
    row, position = parse_address(address)
    expected = _expected(table, name, row, position)
    if expected is None:
        return
    printed = _found(table, name, row)
    column = next(column for column in printed.table.columns if column.position == position)
    value = printed.data.values[column.sql_name][list(printed.data.rows).index(row)]
    if isinstance(value, Decimal):
        assert value == Decimal(expected.stored.replace(",", ""))
    else:
        assert _words(value) == expected.stored
    units = {column.unit} | ({"percent"} if column.unit == "%" else set())
    assert [text for text in expected.over if text not in column.path and text not in units] == []
    assert [text for text in column.path if text not in expected.over] == []
    texts = _row_texts(printed, row)
    assert expected.label in texts
    assert [text for text in (*expected.sections, *expected.parents) if text.rstrip(":") not in texts] == []
    found: Any = inspection(_parsed(table), [f"{name}!{address}"])["cells"]
    assert found[f"{name}!{address}"]["column_path"] == list(column.path)
    row_path = found[f"{name}!{address}"]["row_path"]
    above = [text.rstrip(":") for text in (*expected.sections, *expected.parents)]
    assert sorted(row_path[: len(above)]) == sorted(above)
    assert expected.label in row_path[len(above) :] or expected.label.isdigit()  # a rank before the names is no label
