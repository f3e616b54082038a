"""Which map describes a sheet, what it says of drifted headers, and what stays guarded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from schema_maps.layout import find_drift, maps_for_document, near_matches, read_sheet
from tests.schema_maps.made_sheets import sheet_map


def cases(name: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("case", cases("drift.yaml"), ids=lambda case: case["id"])
def test_drift(case: dict[str, Any]) -> None:
    made = sheet_map("a.xlsx", "Blatt", case["columns"], case["headers"])
    reading = read_sheet(made, case["now"])
    assert {header: meaning.name for header, meaning in reading.meanings.items()} == case["meanings"]
    assert {h: [list(levels) for levels in guards] for h, guards in reading.guards.items()} == case.get("guards", {})
    drift = find_drift(made, case["now"])
    assert (list(drift.new), list(drift.gone)) == (case.get("new", []), case.get("gone", []))
    assert [list(pair) for pair in drift.shifted] == case.get("shifted", [])
    assert all(tuple(pair) in drift.near for pair in case.get("near", []))


@pytest.mark.parametrize("case", cases("inheritance.yaml"), ids=lambda case: case["id"])
def test_inheritance(case: dict[str, Any]) -> None:
    maps = [sheet_map(d, s, {headers[0]: {"unit": "EUR"}}, headers) for d, s, headers in case["maps"]]
    sheets = {None if name == "csv" else name: headers for name, headers in case["sheets"].items()}
    found = {sheet or "csv": made for sheet, made in maps_for_document(maps, case["document"], sheets).items()}
    sources = {sheet: made.inherited_from for sheet, made in found.items()}
    assert sources == {sheet: source and source.split("/")[0] for sheet, source in case["expect"].items()}
    for sheet, source in case["expect"].items():
        if source and "/" in source:
            assert found[sheet].sheet == source.split("/")[1]
    for sheet, headers in case.get("approved", {}).items():
        assert [column.header for column in found[sheet].columns if column.status == "approved"] == headers
    assert {sheet: found[sheet].columns[0].unit for sheet in case.get("units", {})} == case.get("units", {})


def test_near_matches_name_what_was_meant() -> None:
    assert near_matches("Nettoumsatz [PL]", ["Region", "Nettoumsatz [PLN]", "Kassenbons"])[0] == "Nettoumsatz [PLN]"
    assert near_matches("qqqq", ["Region", "Kassenbons"]) == ()
