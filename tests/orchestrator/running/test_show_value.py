"""Numbers, dates and words as people and programs get them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest

from orchestrator.evidence import EvidencedValue, Scalar
from orchestrator.lexicon import Language
from orchestrator.outcome import ResultColumn, TracedValue
from orchestrator.show_value import show_number, show_value

NUMBERS: list[tuple[str, str | None, Language, int | None, str, str, bool]] = [
    # number, unit, language, places asked, machine form, text, exact
    ("1247890", "PLN", "de", None, "1247890", "1.247.890 PLN", True),
    ("1247890.5", "PLN", "de", None, "1247890.5", "1.247.890,50 PLN", True),
    ("1247890.50", "PLN", "en", None, "1247890.5", "1,247,890.50 PLN", True),
    ("1247890.5", "PLN", "pl", None, "1247890.5", "1\u00a0247\u00a0890,50 PLN", True),
    ("34.2", "%", "de", None, "34.2", "34,2 %", True),
    ("34.2", "%", "en", None, "34.2", "34.2%", True),
    ("-0.005", None, "de", None, "-0.005", "-0,005", True),
    ("0", "EUR", "de", None, "0", "0 EUR", True),
    ("1000000000000000000000.01", "EUR", "en", None, "1000000000000000000000.01", "1,000,000,000,000,000,000,000.01 EUR", True),
    ("100/3", "%", "de", None, "33.33", "rund 33,33 %", False),
    ("20902963/14", "PLN", "de", None, "1493068.79", "rund 1.493.068,79 PLN", False),
    ("2/3", None, "de", None, "0.6667", "rund 0,6667", False),
    ("2/3", None, "en", 1, "0.7", "about 0.7", False),
    ("1/1024", None, "de", None, "0.0009765625", "0,0009765625", True),
    ("12.345", "EUR", "de", 2, "12.345", "rund 12,34 EUR", True),
    ("12.355", "EUR", "de", 2, "12.355", "rund 12,36 EUR", True),
    ("12.5", "EUR", "de", 2, "12.5", "12,50 EUR", True),
    ("-1/3", "EUR/m²", "de", None, "-0.33", "rund -0,33 EUR/m²", False),
]


@pytest.mark.parametrize(("number", "unit", "language", "places", "machine", "text", "exact"), NUMBERS)
def test_numbers(
    number: str, unit: str | None, language: Language, places: int | None, machine: str, text: str, exact: bool
) -> None:
    shown = show_number(Fraction(number), unit, language, places)
    assert (shown.value, shown.text, shown.exact) == (machine, text, exact)
    assert (shown.numerator is None) == exact
    if not exact:
        assert Fraction(int(str(shown.numerator)), int(str(shown.denominator))) == Fraction(number)


OTHERS: list[tuple[Scalar, ResultColumn, Language, str | None, str]] = [
    (date(2024, 10, 15), ResultColumn("Tag", "date"), "de", "2024-10-15", "15.10.2024"),
    (date(2024, 10, 15), ResultColumn("Tag", "date"), "en", "2024-10-15", "2024-10-15"),
    (datetime(2024, 10, 15, 9, 5), ResultColumn("Zeit", "timestamp"), "de", "2024-10-15T09:05:00", "15.10.2024 09:05"),
    (True, ResultColumn("aktiv", "boolean"), "pl", "tak", "tak"),
    ("Łódź", ResultColumn("Ort", "text"), "de", "Łódź", "Łódź"),
    (Decimal(4320), ResultColumn("Kostenstelle", "integer", digits_are_code=True), "de", "4320", "4320"),
]


@pytest.mark.parametrize(("value", "column", "language", "machine", "text"), OTHERS)
def test_others(value: Scalar, column: ResultColumn, language: Language, machine: str, text: str) -> None:
    shown = show_value(TracedValue(EvidencedValue(value)), column, language)
    assert (shown.value, shown.text) == (machine, text)


@pytest.mark.parametrize(("reason", "text"), [("missing", "k. A."), ("not_computable", "nicht berechenbar")])
def test_absent(reason: str, text: str) -> None:
    shown = show_value(TracedValue(EvidencedValue(None), absent=reason), ResultColumn("x", "decimal"), "de")  # type: ignore[arg-type]
    assert (shown.value, shown.text) == (None, text)
