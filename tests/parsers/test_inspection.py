"""`inspect --json` has the shape of the contract; the drawn grid stays within a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from parsers.inspection import draw, inspection
from parsers.parse import parse_file
from parsers.table import ParsedFile
from tests.parsers.build_files import write_csv, write_xlsx

_TABLE_KEYS = {
    "range", "layout", "caption", "header_rows", "first_data_row", "last_data_row", "data_rows", "total_rows", "note_rows",
    "columns",
}  # fmt: skip
_CELLS: dict[str, Any] = {
    "A1": "GuV 2024 in TEUR", "A3": "Position", "B3": "Q1 2024", "C3": "Q2 2024", "D3": "Quote",
    "A4": "Umsatz", "B4": 1000.5, "C4": {"formula": "B4*1.1",
    "value": 1100.5500000000002}, "D4": {"value": 0.342, "format": "0.0%"},
    "A5": "Kosten", "B5": "k. A.", "C5": {"formula": "1/0", "value": "#DIV/0!"}, "D5": {"value": 0.1, "format": "0.0%"},
}  # fmt: skip


@pytest.fixture(name="workbook")
def _workbook(tmp_path: Path) -> ParsedFile:
    return parse_file(
        write_xlsx(tmp_path / "guv.xlsx", {"GuV": {"cells": _CELLS}, "Leer": {}, "Alt": {"cells": {"A1": "x"}, "hidden": True}})
    )


def test_shape_is_the_contracts(workbook: ParsedFile) -> None:
    found: dict[str, Any] = inspection(workbook, ["GuV!B4"])
    assert set(found) == {"file", "sheets", "cells", "problems"}
    assert [(sheet["name"], sheet["hidden"], len(sheet["tables"])) for sheet in found["sheets"]] == [
        ("GuV", False, 1), ("Leer", False, 0), ("Alt", True, 0),
    ]  # fmt: skip
    table = found["sheets"][0]["tables"][0]
    assert set(table) == _TABLE_KEYS
    assert (table["range"], table["layout"], table["header_rows"], table["data_rows"]) == ("A3:D5", "crosstab", [3], 2)
    assert table["columns"][1] == {"column": "B", "name": "Q1 2024", "unit": "TEUR", "type": "decimal", "scale": 1}
    assert all(set(problem) == {"code", "where", "message", "hint"} for problem in found["problems"])


CELLS = [
    ("GuV!A4", {"value": "Umsatz", "type": "text", "raw": "Umsatz", "format": ""}),
    ("GuV!B4", {"value": "1000.5", "type": "number", "raw": "1000.5", "format": ""}),
    ("GuV!B5", {"value": None, "type": "missing", "raw": "k. A.", "format": ""}),
    ("GuV!D4", {"value": "0.342", "type": "number", "raw": "0.342", "format": "0.0%"}),
    ("GuV!Z99", {"value": None, "type": "blank", "raw": "", "format": ""}),
]


@pytest.mark.parametrize(("address", "wanted"), CELLS)
def test_cells(workbook: ParsedFile, address: str, wanted: dict[str, Any]) -> None:
    cells: Any = inspection(workbook, [address])["cells"]
    assert {key: value for key, value in cells[address].items() if not key.endswith("_path")} == wanted


def test_cells_of_a_table_say_what_stands_over_and_before_them(tmp_path: Path) -> None:
    rows = {"A1": "Position", "B1": "2023", "C1": "2024", "A2": "Umsatz", "B2": 900, "C2": 1000, "A4": "Sonstiges", "C4": 5}
    cells = {**rows, "A3": {"value": "Inland", "indent": 1}, "B3": 500, "C3": 600}
    parsed = parse_file(write_xlsx(tmp_path / "guv.xlsx", {"GuV": {"cells": cells}}))
    found: Any = inspection(parsed, ["GuV!C2", "GuV!C3", "GuV!C4", "GuV!C1"])["cells"]
    paths = {address: (cell.get("row_path"), cell.get("column_path")) for address, cell in found.items()}
    assert paths == {
        "GuV!C2": (["Umsatz"], ["2024"]),
        "GuV!C3": (["Umsatz", "Inland"], ["2024"]),
        "GuV!C4": (["Sonstiges"], ["2024"]),
        "GuV!C1": (None, None),
    }


def test_computed_cells_show_their_stored_decimal(workbook: ParsedFile) -> None:
    cells: Any = inspection(workbook, ["GuV!C4", "GuV!C5"])["cells"]
    assert (cells["GuV!C4"]["value"], cells["GuV!C4"]["computed"]) == ("1100.5500000000002", True)
    assert (cells["GuV!C5"]["value"], cells["GuV!C5"]["type"]) == (None, "error")


@pytest.mark.parametrize("address", ["GuV!", "Nirgends!A1", "GuV!1A", ""])
def test_unknown_addresses_are_refused(workbook: ParsedFile, address: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        inspection(workbook, [address])


def test_csv_cells_are_named_without_a_sheet(tmp_path: Path) -> None:
    parsed = parse_file(write_csv(tmp_path / "a.csv", "Kunde;Betrag\nAlpha;1.234,50\n"))
    cells: Any = inspection(parsed, ["B2"])["cells"]
    paths = {"row_path": ["Alpha"], "column_path": ["Betrag"]}
    assert cells["B2"] == {"value": "1234.50", "type": "number", "raw": "1.234,50", "format": "", **paths}


def test_drawing_is_bounded_and_marks_its_rows(tmp_path: Path) -> None:
    lines = [";".join(f"Spalte{n} mit langem Namen" for n in range(40))]
    lines += [";".join(f"{row}{n},5" for n in range(1, 41)) for row in range(1, 400)]
    text = draw(parse_file(write_csv(tmp_path / "breit.csv", "\n".join(lines) + "\n")))
    assert max(map(len, text.splitlines())) <= 190
    assert len(text.splitlines()) <= 40
    assert "Kopf" in text and "Daten" in text and "weitere Zeilen" in text and "weitere Spalten" in text
