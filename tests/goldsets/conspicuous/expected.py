"""What stands out in the made data, worked out apart from the product: quartiles by the standard library, changes by hand."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction


def outliers(values: Mapping[str, object]) -> dict[str, tuple[str, str]]:
    """Name -> value and the fence that it is beyond; names without a value are left out."""
    known = {name: Fraction(str(value)) for name, value in values.items() if value is not None}
    first, _, third = statistics.quantiles(known.values(), n=4, method="inclusive")
    low, high = first - (third - first) * 3 / 2, third + (third - first) * 3 / 2
    beyond = {name: low if value < low else high for name, value in known.items() if not low <= value <= high}
    return {name: (_plain(known[name]), _plain(fence)) for name, fence in beyond.items()}


def out_of_proportion(before: Mapping[str, int], after: Mapping[str, int], more: bool, up: bool) -> dict[str, tuple[str, str]]:
    """Name -> change in percent and the change of all those together."""
    both = [name for name in before if before.get(name) and after.get(name) is not None]
    everything = _change(sum(before[name] for name in both), sum(after[name] for name in both))
    changes = {name: _change(before[name], after[name]) for name in both}
    way = {name: change for name, change in changes.items() if (change > 0) == up and change != 0}
    kept = {name: change for name, change in way.items() if change != everything and ((change > everything) == up) == more}
    return {name: (_plain(change), _plain(everything)) for name, change in kept.items()}


def _change(old: int, new: int) -> Fraction:
    return Fraction(new - old, old) * 100


def _plain(value: Fraction) -> str:
    """As goldsets write it: a finite decimal, or num/den."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    text = format(Decimal(value.numerator) / Decimal(value.denominator), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
