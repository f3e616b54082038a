"""Each case of reading_cases.yaml: a small file and what a careful person reads in it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from parsers.address import cell_address
from parsers.parse import parse_file
from parsers.periods import Period
from parsers.table import CellState, Column, ParsedFile, ParsedTable
from tests.parsers.build_files import write_csv, write_xlsx

CASES: list[dict[str, Any]] = [
    case
    for file in sorted(Path(__file__).parent.glob("*_cases.yaml"))
    for case in yaml.safe_load(file.read_text(encoding="utf-8"))
]
_TABLE_KEYS = {
    "range", "layout", "header_rows", "first_data_row", "last_data_row", "data_rows", "total_rows", "note_rows", "caption",
    "measure_names", "sheet", "name",
}  # fmt: skip
_COLUMN_KEYS = {"type", "unit", "unit_column", "scale", "role", "name", "sql_name", "hidden", "position", "open_blanks"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_file_is_read_as_a_careful_person_reads_it(case: dict[str, Any], tmp_path: Path) -> None:
    parsed = _parse(case, tmp_path)
    tables = [table for sheet in parsed.sheets for table in sheet.tables]
    expected = case["tables"]
    assert [table.table.range for table in tables if table.table.layout != "tidy"] == [
        entry["range"] for entry in expected if entry.get("layout") != "tidy"
    ]
    for entry in expected:
        _check_table(_find(tables, entry), entry)
    codes = {problem.code for problem in parsed.problems}
    assert set(case.get("problems", [])) <= codes
    assert not codes & set(case.get("no_problems", []))
    for code, places in case.get("problem_cells", {}).items():
        assert [problem.where for problem in parsed.problems if problem.code == code] == places
    if "loose" in case:
        assert [list(sheet.notes) for sheet in parsed.sheets] == case["loose"]


def _parse(case: dict[str, Any], folder: Path) -> ParsedFile:
    name = case.get("file", "datei.csv" if "csv" in case else "datei.xlsx")
    if "csv" in case:
        path = write_csv(folder / name, case["csv"], case.get("encoding", "utf-8"))
    else:
        path = write_xlsx(folder / name, case["xlsx"])
    start = case.get("fiscal_year_start", [1, 1])
    return parse_file(path, locale=case.get("locale", "de"), fiscal_year_start=(start[0], start[1]))


def _find(tables: list[ParsedTable], entry: dict[str, Any]) -> ParsedTable:
    found = [
        table
        for table in tables
        if table.table.range == entry["range"]
        and (table.table.layout == "tidy") == (entry.get("layout") == "tidy")
        and entry.get("sheet", table.table.sheet) == table.table.sheet
    ]
    assert len(found) == 1, f"{entry['range']}: {[table.table.range for table in tables]}"
    return found[0]


def _check_table(parsed: ParsedTable, entry: dict[str, Any]) -> None:
    known = _TABLE_KEYS | {"columns", "totals", "as_of", "notes", "only_columns", "suspected"}
    assert set(entry) <= known, "unknown key in a case"
    table = parsed.table
    for key in _TABLE_KEYS & set(entry):
        found = getattr(table, key)
        assert (list(found) if isinstance(found, tuple) else found) == entry[key], key
    if "as_of" in entry:
        assert table.as_of == entry["as_of"]
    if "suspected" in entry:
        assert [total.row for total in table.suspected_totals] == entry["suspected"]
    if "notes" in entry:
        assert list(table.notes) == entry["notes"]
    if "totals" in entry:
        assert [
            {
                "row": total.row,
                "label": total.label,
                "kind": total.kind,
                "values": [[str(value), cell] for _, value, cell in total.values],
            }
            for total in table.control_totals
        ] == entry["totals"]
    headers = [column.header for column in table.columns]
    if entry.get("only_columns", True):
        assert headers == list(entry["columns"])
    for header, wanted in entry["columns"].items():
        _check_column(parsed, table.columns[headers.index(header)], wanted)
    assert all(len(parsed.data.values[column.sql_name]) == len(parsed.data.rows) for column in table.columns)


def _check_column(parsed: ParsedTable, column: Column, wanted: dict[str, Any]) -> None:
    assert set(wanted) <= _COLUMN_KEYS | {"values", "cells", "states", "blocked", "starts"}, f"unknown key in {column.header}"
    for key in _COLUMN_KEYS & set(wanted):
        assert getattr(column, key) == wanted[key], f"{column.header}: {key}"
    assert bool(column.blocked) == wanted.get("blocked", False), column.blocked
    data = parsed.data
    kept = [index for index, total in enumerate(data.totals) if not total]
    if "values" in wanted:
        assert [_shown(data.values[column.sql_name][index]) for index in kept] == wanted["values"], column.header
    if "starts" in wanted:
        periods = [data.values[column.sql_name][index] for index in kept]
        assert [period.start if isinstance(period, Period) else None for period in periods] == wanted["starts"]
    if "cells" in wanted:
        own = data.cells.get(column.sql_name)
        cells = [own[index] if own is not None else cell_address(data.rows[index], column.position or 0) for index in kept]
        assert cells == wanted["cells"], column.header
    if "states" in wanted:
        assert [data.states[column.sql_name][index].value for index in kept] == wanted["states"], column.header
    else:
        assert not column.has_unreadable
    assert column.has_unreadable == (CellState.UNREADABLE in data.states.get(column.sql_name, ()))


def _shown(value: object) -> object:
    """Numbers as text without trailing zeros, periods as their label, dates and truth values as they are."""
    if isinstance(value, Decimal):
        text = format(value, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, Period):
        return value.label
    return value if value is None or isinstance(value, bool | date) else str(value)
