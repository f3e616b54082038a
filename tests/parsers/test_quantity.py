"""Texts that are numbers, codes or missing marks; styles of whole columns; noise of computed cells."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.quantity import (
    clean_places,
    decide_style,
    decimal_places,
    is_code,
    is_missing,
    number_text,
    parse_number,
    settle_computed,
)

# text, value with a decimal comma, value with a decimal point, unit in the text
READINGS = [
    ("1.247.890,50", "1247890.50", None, None),
    ("1,247,890.50", None, "1247890.50", None),
    ("1 247 890,50", "1247890.50", None, None),
    ("1\u202f247\u202f890,00", "1247890.00", None, None),
    ("29\u00a0000,00", "29000.00", None, None),
    ("1'247'890.50", None, "1247890.50", None),
    ("1’247’890,50", "1247890.50", None, None),
    ("1.234", "1234", "1.234", None),
    ("1,234", "1.234", "1234", None),
    ("1.5", None, "1.5", None),
    ("2,5", "2.5", None, None),
    ("1234", "1234", "1234", None),
    ("9.967,52-", "-9967.52", None, None),
    ("−5", "-5", "-5", None),
    ("+5", "5", "5", None),
    ("(900,23)", "-900.23", None, None),
    ("'-4,0", "-4.0", None, None),
    ("34,2 %", "34.2", None, "%"),
    ("34.2%", None, "34.2", "%"),
    ("1.234,50 EUR", "1234.50", None, "EUR"),
    ("€ 12,00", "12.00", None, "EUR"),
    ("$ (20.0)", None, "-20.0", "USD"),
    ("-3,5 zł", "-3.5", None, "PLN"),
    ("1,5 Mio. €", "1.5", None, "Mio. EUR"),
    (".5", None, "0.5", None),
    ("0,0", "0.0", None, None),
]  # fmt: skip
NO_NUMBERS = [
    "", "abc", "1e3", "4E2", "1_000", "0042", "007", "12345678901234567", "(s. Anlage)", "2:34", "01.02.2024", "5th",
    "A-1001", "1THB",
    "1.23.4", "1,2,3", "12.34.567", "1 2 3", "25,000 (b)", "(17", "5 Äpfel", "--5", "1.", "½", "\u0661\u0662",
]  # fmt: skip


@pytest.mark.parametrize(("text", "comma", "point", "unit"), READINGS)
def test_both_readings_of_a_number_text(text: str, comma: str | None, point: str | None, unit: str | None) -> None:
    found = number_text(text)
    assert found is not None
    assert (found.comma, found.point, found.unit) == (comma and Decimal(comma), point and Decimal(point), unit)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number(text: str) -> None:
    assert number_text(text) is None


@pytest.mark.parametrize("text", ["0042", "007", "4500012345678901234567"])
def test_digits_that_are_codes(text: str) -> None:
    assert is_code(text)


@pytest.mark.parametrize("text", ["0", "10", "123456789012345", "0,5", "A1"])
def test_what_is_no_code(text: str) -> None:
    assert not is_code(text)


MISSING = [
    ("k. A.", True, True), ("n/a", True, True), ("-", True, True), ("–", True, True), ("...", True, True), ("…", True, True),
    ("brak danych", True, True), ("X", False, True), ("NA", False, True), (".", False, True), ("folgt", False, False),
    ("0", False, False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "anywhere", "among_numbers"), MISSING)
def test_missing_marks(text: str, anywhere: bool, among_numbers: bool) -> None:
    assert (is_missing(text), is_missing(text, among_numbers=True)) == (anywhere, among_numbers)


STYLES = [
    (["1,5", "2.000"], "en", None, ",", "values", False),
    (["1.5", "2,000"], "de", None, ".", "values", False),
    (["1.234"], "de", None, ",", "locale", False),
    (["1.234"], "en", None, ".", "locale", False),
    (["1.234"], "de", ".", ".", "file", False),
    (["12", "13"], "de", None, ",", "same", False),
    (["1.5", "2,5", "3.000"], "de", None, ",", "locale", True),
]


@pytest.mark.parametrize(("texts", "locale", "of_file", "mark", "by", "contradicts"), STYLES)
def test_style_of_a_column(texts: list[str], locale: str, of_file: str | None, mark: str, by: str, contradicts: bool) -> None:
    numbers = [(text, number) for text in texts if (number := number_text(text)) is not None]
    found = decide_style(numbers, locale, of_file)  # type: ignore[arg-type]
    assert (found.mark, found.by, bool(found.contradiction)) == (mark, by, contradicts)


NOISE = [
    ("741.2000000000007", 1, "741.2"),
    ("0.30000000000000004", 1, "0.3"),
    ("1247.89", 2, "1247.89"),
    ("54556.100000000006", 1, "54556.1"),
    ("8.381538461538465", None, "8.38153846153846"),
    ("0.3333333333333333", None, "0.333333333333333"),
    ("1000000", 0, "1000000"),
    ("123456789012345680", None, "123456789012345680"),
    ("-9876543210987654.3", None, "-9876543210987654.3"),
]


@pytest.mark.parametrize(("stored", "places", "settled"), NOISE)
def test_noise_of_computed_cells(stored: str, places: int | None, settled: str) -> None:
    value = Decimal(stored)
    assert clean_places(value) == places
    assert settle_computed(value, 14 if value > 1 else 15) == Decimal(settled)


@given(
    st.integers(min_value=-(10**12), max_value=10**12),
    st.integers(min_value=0, max_value=4),
    st.sampled_from(["de", "en", "ch", "pl"]),
)
def test_printed_numbers_are_read_back(units: int, places: int, locale: str) -> None:
    value = Decimal(units).scaleb(-places)
    english = f"{value:,.{places}f}"
    marks = {"de": (".", ","), "en": (",", "."), "ch": ("’", "."), "pl": ("\u00a0", ",")}[locale]
    text = english.replace(",", "\x00").replace(".", marks[1]).replace("\x00", marks[0])
    assert parse_number(text, locale) == value
    assert decimal_places(value) <= places
