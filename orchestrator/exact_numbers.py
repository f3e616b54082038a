"""Exact numbers: Fraction inside, Decimal where a finite decimal form exists."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction

from orchestrator.evidence import Scalar


def finite_decimal(number: Fraction) -> Decimal | None:
    """The decimal that equals the fraction, without trailing zeros; None if there is none. No rounding, any length."""
    denominator, twos, fives = number.denominator, 0, 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    if denominator != 1:
        return None
    places = max(twos, fives)
    return _decimal(number.numerator * 10**places // number.denominator, places)


def exact(number: Fraction) -> Decimal | Fraction:
    """A Decimal where the fraction has a finite decimal form, else the fraction."""
    decimal = finite_decimal(number)
    return number if decimal is None else decimal


def round_half_even(number: Fraction, places: int) -> Decimal:
    """To `places` decimal places, halves to the even digit."""
    return _decimal(round(number * 10**places), places)


def fraction_of(value: Scalar) -> Fraction | None:
    """A number as a fraction; None for everything else."""
    if isinstance(value, bool | date | str) or value is None:
        return None
    return Fraction(value)


def plain_text(number: Decimal) -> str:
    """Without exponent and without trailing zeros after the point: 1247890, 34.2, -0.5."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _decimal(digits: int, places: int) -> Decimal:
    return Decimal((int(digits < 0), tuple(int(digit) for digit in str(abs(digits))), -places))
