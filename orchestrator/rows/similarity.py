"""How alike rows of numbers are, computed on whole numbers and fractions: the same on every machine, in whatever order.

A course over periods is compared by its shape alone (Pearson's correlation, which no level and no scale changes). A profile is
compared column by column, each difference in units of the column's own standard deviation (the Euclidean distance of z-scores),
so that no column outweighs another by its unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import lcm

Numbers = Sequence[Fraction]
PLACES = 4
"""Decimal places that a similarity is rounded to; the order is by the exact measure."""


@dataclass(frozen=True)
class Likeness:
    """`order`: exact and larger the more alike; `similarity`: rounded, 1 for the same."""

    order: Fraction
    similarity: Fraction


def shape_likeness(one: Numbers, other: Numbers) -> Likeness | None:
    """Pearson's correlation; None where one of the courses is flat, which has no shape. `order` is its square with its sign."""
    first, second = _whole(one), _whole(other)
    size = len(first)
    products = size * sum(a * b for a, b in zip(first, second, strict=True)) - sum(first) * sum(second)
    spreads = (size * sum(a * a for a in first) - sum(first) ** 2) * (size * sum(b * b for b in second) - sum(second) ** 2)
    if spreads == 0:
        return None
    order = Fraction(products * abs(products), spreads)
    root = _root(abs(order))
    return Likeness(order, root if order >= 0 else -root)


def profile_likeness(one: Numbers, other: Numbers, variances: Numbers) -> Likeness:
    """`variances`: of each column, none of them zero. `order` is the negative mean squared distance; the similarity is
    1 / (1 + the root of it): 0.5 where the rows differ by one standard deviation on average."""
    squares = [(a - b) ** 2 / variance for a, b, variance in zip(one, other, variances, strict=True)]
    mean = sum(squares, Fraction(0)) / len(squares)
    return Likeness(-mean, _rounded(1 / (1 + _root(mean))))


def variance(values: Numbers) -> Fraction:
    """Of all values (divided by their number)."""
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / len(values)


def _whole(values: Numbers) -> list[int]:
    """The values times their common denominator: a scale that no measure of shape sees."""
    factor = lcm(*(value.denominator for value in values))
    return [int(value * factor) for value in values]


def _root(value: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = 30
        return _rounded(Fraction((Decimal(value.numerator) / Decimal(value.denominator)).sqrt()))


def _rounded(value: Fraction) -> Fraction:
    return Fraction(round(value * 10**PLACES), 10**PLACES)
