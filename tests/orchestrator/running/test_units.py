"""Units: scales of one unit, products, ratios; expected factors worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from orchestrator.units import factor_between, is_currency, parse_unit, product_unit, ratio_unit


@pytest.mark.parametrize(
    ("text", "base", "factor", "currency"),
    [
        ("EUR", "EUR", 1, True),
        ("€", "EUR", 1, True),
        ("zł", "PLN", 1, True),
        ("TEUR", "EUR", 1_000, True),
        ("T€", "EUR", 1_000, True),
        ("Tsd. EUR", "EUR", 1_000, True),
        ("Tsd. €", "EUR", 1_000, True),
        ("Mio. EUR", "EUR", 1_000_000, True),
        ("Mio EUR", "EUR", 1_000_000, True),
        ("MEUR", "EUR", 1_000_000, True),
        ("Mrd. EUR", "EUR", 1_000_000_000, True),
        ("tys. PLN", "PLN", 1_000, True),
        ("mln zł", "PLN", 1_000_000, True),
        ("Tsd. Stück", "Stück", 1_000, False),
        ("EUR/m²", "EUR/m²", 1, True),
        ("TEUR/Monat", "EUR/Monat", 1_000, True),
        ("%", "%", 1, False),
        ("t", "t", 1, False),  # tonnes, not thousands
        ("kg", "kg", 1, False),
        ("m", "m", 1, False),
        ("Tage", "Tage", 1, False),
        ("km", "km", 1, False),
    ],
)
def test_parse(text: str, base: str, factor: int, currency: bool) -> None:
    unit = parse_unit(text)
    assert (unit.base, unit.factor, unit.currency) == (base, factor, currency)
    assert is_currency(text) == currency


@pytest.mark.parametrize(
    ("source", "target", "factor"),
    [
        ("TEUR", "EUR", Fraction(1000)),
        ("EUR", "Mio. EUR", Fraction(1, 1_000_000)),
        ("TEUR", "Mio. €", Fraction(1, 1000)),
        ("EUR", "PLN", None),
        ("TEUR", "TPLN", None),
        ("Stück", "EUR", None),
        ("EUR/m²", "EUR", None),
    ],
)
def test_factor(source: str, target: str, factor: Fraction | None) -> None:
    assert factor_between(source, target) == factor


@pytest.mark.parametrize(
    ("first", "second", "unit", "factor"),
    [
        ("Stück", "EUR", "EUR", Fraction(1)),
        ("EUR", "Tsd. Stück", "EUR", Fraction(1000)),
        ("EUR/Stück", "Stück", "EUR", Fraction(1)),
        ("EUR/m²", "m²", "EUR", Fraction(1)),
        ("EUR", "%", "EUR", Fraction(1, 100)),
        (None, "EUR", "EUR", Fraction(1)),
        (None, None, None, Fraction(1)),
        ("kg", "m", "kg·m", Fraction(1)),
    ],
)
def test_product(first: str | None, second: str | None, unit: str | None, factor: Fraction) -> None:
    assert product_unit(first, second) == (unit, factor)


@pytest.mark.parametrize(
    ("top", "bottom", "unit", "factor"),
    [
        ("EUR", "EUR", None, Fraction(1)),
        ("TEUR", "EUR", None, Fraction(1000)),
        ("EUR", "m²", "EUR/m²", Fraction(1)),
        ("EUR", None, "EUR", Fraction(1)),
        (None, "Stück", None, Fraction(1)),
        (None, "m²", "1/m²", Fraction(1)),
        ("EUR", "PLN", "EUR/PLN", Fraction(1)),
    ],
)
def test_ratio(top: str | None, bottom: str | None, unit: str | None, factor: Fraction) -> None:
    assert ratio_unit(top, bottom) == (unit, factor)
