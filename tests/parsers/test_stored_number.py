"""Stored doubles and serial days, checked against independent computation."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.formula.translate import Translator

from parsers.shift_formula import shift_formula
from parsers.stored_number import (
    date_of_iso,
    date_of_serial,
    decimal_of_double,
    decimal_of_text,
    most_places,
    shortest_texts,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE)
def test_a_double_comes_back_from_its_decimal(number: float) -> None:
    value = decimal_of_double(number)
    assert float(value) == number
    assert decimal_of_text(repr(number)) == value
    if abs(number) < 10**15:  # longer integers keep their text
        assert decimal_of_text(f"{number:.17g}") == value
    assert "E" not in str(value) or abs(value) < Decimal("1e-6")


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=4))
def test_what_a_person_types_is_what_is_read(typed: Decimal) -> None:
    for raw in (str(typed), f"{float(typed):.17g}", f"{float(typed):.15g}"):
        assert decimal_of_text(raw) == typed
        assert decimal_of_text(raw).normalize() == typed.normalize()


AS_STORED = st.from_regex(r"-?[0-9]{1,14}(?:\.[0-9]{1,18})?(?:[eE]-[0-9]{1,2})?", fullmatch=True, alphabet="-.eE0123456789")


@given(st.lists(st.one_of(AS_STORED, st.floats(-1e13, 1e13).map("{:.16g}".format).filter(lambda text: "+" not in text))))
def test_many_texts_are_read_like_each_by_itself(stored: list[str]) -> None:
    shortest, alone = shortest_texts(stored), [decimal_of_text(text) for text in stored]
    assert [str(Decimal(text)) for text in shortest] == [str(value) for value in alone]
    assert most_places(shortest) == max((max(0, -int(value.as_tuple().exponent)) for value in alone), default=0)


@pytest.mark.parametrize("raw", ["", "1,5", "1_000", "nan", "inf", "-Infinity", "0x10", "１２", "1 000", "1e999", "--1", "+"])
def test_no_number(raw: str) -> None:
    with pytest.raises(ValueError):
        decimal_of_text(raw)


@given(st.dates(date(1900, 3, 1), date(9999, 12, 31)), st.integers(0, 86_399))
def test_serial_days(day: date, second: int) -> None:
    moment = datetime(day.year, day.month, day.day) + timedelta(seconds=second)
    since = moment - datetime(1899, 12, 30)
    serial = Decimal(repr(since.days + since.seconds / 86400))
    assert date_of_serial(serial, False) == (moment if second else day)
    if day >= date(1904, 1, 2):
        assert date_of_serial(serial - 1462, True) == (moment if second else day)


@pytest.mark.parametrize(
    ("serial", "expected"),
    [
        ("0", None),
        ("1", date(1900, 1, 1)),
        ("59", date(1900, 2, 28)),
        ("60", None),
        ("61", date(1900, 3, 1)),
        ("-1", None),
        ("45565.9999999999", date(2024, 10, 1)),
        ("2958465", date(9999, 12, 31)),
        ("2958466", None),
        ("1e30", None),
    ],
)
def test_edges_of_the_1900_system(serial: str, expected: date | None) -> None:
    assert date_of_serial(Decimal(serial), False) == expected


def test_iso_cells() -> None:
    assert date_of_iso("2024-10-15") == date_of_iso("2024-10-15T00:00:00Z") == date(2024, 10, 15)
    assert date_of_iso("15.10.2024") is None


FORMULAS = (
    "SUM(B2:B5)",
    "$A1+B$2",
    "SUM(A:A)",
    "SUM($A:B)",
    "SUM(1:3)",
    'IF(A1="B2",C1,LOG10(A2))',
    "'Q1 2024'!B2+Tab!C3",
    "Q1!B2",
    "A1:B2*TRUE",
    "SUM(Tabelle1[Wert])",
    "ROUND(A1/1.5E2,2)",
    "name_A1+A1",
    '"a""B1"&B1',
    "[1]Blatt!A1",
    "Umsatz.A1+1",
)


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize(("rows", "columns"), [(0, 0), (2, 1), (40, 30)])
def test_shifted_formulas(formula: str, rows: int, columns: int) -> None:
    expected = Translator("=" + formula, "A1").translate_formula(row_delta=rows, col_delta=columns).removeprefix("=")
    assert shift_formula(formula, rows, columns) == expected


def test_a_reference_that_leaves_the_sheet() -> None:
    assert shift_formula("B2+C3", -2, 0) == "#REF!+C1"
    assert shift_formula("A1:B2", 0, -1) == "#REF!:A2"
    assert shift_formula("B2:INDEX(B:B,3)", 2, 1) == "C4:INDEX(C:C,3)"
