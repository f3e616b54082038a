"""Tukey's fences against the standard library's quartiles."""

from __future__ import annotations

import statistics
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.recipe import fences


@given(st.lists(st.fractions(-1000, 1000, max_denominator=100), min_size=2, max_size=40))
def test_the_fences_are_exact_and_of_the_inclusive_quartiles(values: list[Fraction]) -> None:
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    reach = (third - first) * Fraction(3, 2)
    assert fences(values) == (first - reach, third + reach)
