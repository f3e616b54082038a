"""Technical or business, what a code means, how a column adds up: tables of headers beside this file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from schema_maps.aggregation import aggregation_of, is_identifier, measure_aggregation
from schema_maps.lexicon import read_code
from schema_maps.technical import business_name, is_technical
from schema_maps.units import contradicts


def rows(name: str) -> Any:
    return yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))


HEADERS = [(header, kind == "technical") for kind, headers in rows("technical_headers.yaml").items() for header in headers]


@pytest.mark.parametrize(("header", "technical"), HEADERS, ids=lambda value: repr(value))
def test_technical(header: str, technical: bool) -> None:
    assert is_technical(header) is technical


def test_there_are_enough_headers() -> None:
    assert len(HEADERS) >= 80 and len({header for header, _ in HEADERS}) == len(HEADERS)


@pytest.mark.parametrize("case", rows("codes.yaml"), ids=lambda case: case["code"])
def test_code(case: dict[str, Any]) -> None:
    reading = read_code(case["code"])
    assert reading.name == case.get("name")
    if "unclear" in case:
        assert list(reading.unclear) == case["unclear"]
        assert all(f"„{part}“" in reading.reason or part in reading.reason for part in case["unclear"])
    else:
        assert reading.unit == case.get("unit")


@pytest.mark.parametrize(("name", "unit", "expected"), rows("aggregations.yaml"))
def test_aggregation(name: str, unit: str | None, expected: str) -> None:
    assert aggregation_of(name, unit) == expected


@pytest.mark.parametrize(
    ("names", "unit", "expected"),
    [
        (("Sachkosten",), "EUR", "sum"),
        (("Umsatz je Monat",), "EUR", "sum"),
        (("Stellenplan", "Besetzte Stellen"), None, "stock"),
        (("Kennzahlen", "Bruttomarge"), "%", "none"),
        (("Bestandsentwicklung",), "TEUR", "stock"),
        (("Mitarbeiterübersicht",), None, "stock"),
        (("Preisliste",), "EUR", "none"),
        (("Kostenplan",), "EUR", "sum"),
        ((), "TEUR", "sum"),
        ((), "%", "none"),
    ],
)
def test_values_of_a_cross_tab(names: tuple[str, ...], unit: str | None, expected: str) -> None:
    assert measure_aggregation(names, unit) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Kostenstelle", True),
        ("Kundennr", True),
        ("order_id", True),
        ("PLZ", True),
        ("Menge", False),
        ("Anzahl Konten", False),
        ("Umsatz", False),
    ],
)
def test_identifier(name: str, expected: bool) -> None:
    assert is_identifier(name) is expected


@pytest.mark.parametrize(
    ("header", "name", "expected"),
    [
        ("state_name", "state_name", "state name"),
        ("Nettoumsatz [PLN]", "Nettoumsatz", "Nettoumsatz"),
        ("A_1 B", "A_1 B", "A_1 B"),
    ],
)
def test_business_name(header: str, name: str, expected: str) -> None:
    assert business_name(header, name) == expected


@pytest.mark.parametrize(
    ("approved", "file", "in_header", "expected"),
    [
        ("EUR", "€", True, False),
        ("TEUR", "Tsd. EUR", False, False),
        ("EUR", "TEUR", False, True),
        ("EUR", "PLN", False, True),
        ("%", "Prozent", True, False),
        ("Stück", "TEUR", False, False),
        ("Stück", "EUR", True, True),
        ("EUR", "%", True, True),
        ("Stück", "Stk.", True, False),
        ("EUR", None, True, False),
        (None, "EUR", True, False),
        ("Paletten", "Stück", True, False),
    ],
)
def test_units_contradict(approved: str | None, file: str | None, in_header: bool, expected: bool) -> None:
    assert contradicts(approved, file, in_header) is expected
