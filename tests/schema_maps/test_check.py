"""What the checks find on a sheet: one row a finding, and nothing on a clean map."""

from __future__ import annotations

from typing import Any

import pytest

from schema_maps.check import check_sheet
from tests.schema_maps.made_sheets import sheet_map, table

HEADERS = ["t:Filiale", "Umsatz [PLN]", "Mitarbeiter@TEUR", "Wert@TEUR", "Preis [PLN]"]
LEVELS = frozenset({"controlling", "vorstand"})
CASES: list[tuple[dict[str, dict[str, Any]], set[str]]] = [
    ({"Umsatz [PLN]": {"name": "Nettoumsatz", "unit": "PLN", "levels": ["vorstand"]}}, set()),
    ({"Umsatz [PLN]": {"name": "Wert"}}, {"same_name_twice"}),
    ({"Umsatz [PLN]": {"name": "X"}, "Wert": {"name": "x"}}, {"same_name_twice"}),
    ({"Umsatz [PLN]": {"name": "Wert", "status": "rejected"}}, set()),
    ({"Umsatz [PLN]": {"unit": "EUR"}}, {"unit_contradicts_file"}),
    ({"Wert": {"unit": "EUR"}}, {"unit_contradicts_file"}),
    ({"Mitarbeiter": {"unit": "Personen"}}, set()),
    ({"Filiale": {"unit": "EUR"}}, {"unit_on_text"}),
    ({"Umsatz [PLN]": {"levels": ["Vorstand"]}}, {"level_unknown"}),
    ({"Umsatz [PLN]": {"levels": ["controling", "vorstand"]}}, {"level_unknown"}),
    ({"Umsatz [PLN]": {"levels": ["hr"]}}, set()),
    ({"Preis [PLN]": {"name": "Preis", "aggregation": "sum"}}, {"aggregation_differs"}),
    ({"Umsatz [EUR]": {"name": "Umsatz"}}, {"header_gone"}),
]


@pytest.mark.parametrize(("columns", "codes"), CASES)
def test_findings(columns: dict[str, dict[str, Any]], codes: set[str]) -> None:
    sheet = table("Blatt", HEADERS)
    made = sheet_map("a.xlsx", "Blatt", columns, [column.header for column in sheet.columns])
    found = check_sheet(made, [sheet], LEVELS)
    assert {problem.code for problem in found} == codes
    assert all("a.xlsx, Blatt „Blatt“" in problem.where and problem.message.endswith(".") for problem in found)


def test_drift_names_the_near_header_once() -> None:
    made = sheet_map("a.xlsx", "Blatt", {"Umsatz [EUR]": {"name": "Umsatz"}}, ["Umsatz [EUR]"])
    found = check_sheet(made, [table("Blatt", ["Umsatz [TEUR]", "t:Ort"])])
    assert [(p.code, "Umsatz [TEUR]" in p.hint or "Ort" in p.message) for p in found] == [
        ("header_gone", True),
        ("header_new", True),
    ]


def test_row_filter_of_an_unknown_column() -> None:
    from dataclasses import replace

    made = replace(sheet_map("a.xlsx", "B", {}, ["Filiale"]), levels={"hamburg": {"Filliale": ("Hamburg",)}})
    (found,) = check_sheet(made, [table("B", ["t:Filiale"])])
    assert found.code == "row_filter_unknown_column" and "Filiale" in found.hint
