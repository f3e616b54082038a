"""Period labels in three languages -> first and last day."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.periods import month_of, parse_period, quarter_of, week_of

LABELS = [
    ("Q3 2024", "quarter", "2024-07-01", "2024-09-30"), ("2024/Q3", "quarter", "2024-07-01", "2024-09-30"),
    ("2024-Q3", "quarter", "2024-07-01", "2024-09-30"), ("Q3/24", "quarter", "2024-07-01", "2024-09-30"),
    ("3. Quartal 2024", "quarter", "2024-07-01", "2024-09-30"), ("III kw. 2024", "quarter", "2024-07-01", "2024-09-30"),
    ("III kwartał 2024", "quarter", "2024-07-01", "2024-09-30"), ("3Q24", "quarter", "2024-07-01", "2024-09-30"),
    ("Third Quarter 2024", "quarter", "2024-07-01", "2024-09-30"), ("IV/2024", "quarter", "2024-10-01", "2024-12-31"),
    ("09.2024", "month", "2024-09-01", "2024-09-30"), ("9/2024", "month", "2024-09-01", "2024-09-30"),
    ("2024-09", "month", "2024-09-01", "2024-09-30"), ("2024/09", "month", "2024-09-01", "2024-09-30"),
    ("Sep 24", "month", "2024-09-01", "2024-09-30"), ("September 2024", "month", "2024-09-01", "2024-09-30"),
    ("Mär 24", "month", "2024-03-01", "2024-03-31"), ("März 2024", "month", "2024-03-01", "2024-03-31"),
    ("wrz 2024", "month", "2024-09-01", "2024-09-30"), ("październik 2024", "month", "2024-10-01", "2024-10-31"),
    ("Feb. 2024", "month", "2024-02-01", "2024-02-29"), ("Dec-23", "month", "2023-12-01", "2023-12-31"),
    ("HJ1 2024", "half_year", "2024-01-01", "2024-06-30"), ("H2 2024", "half_year", "2024-07-01", "2024-12-31"),
    ("1. Halbjahr 2024", "half_year", "2024-01-01", "2024-06-30"), ("II półrocze 2024", "half_year", "2024-07-01", "2024-12-31"),
    ("KW34 2023", "week", "2023-08-21", "2023-08-27"), ("KW 1/2021", "week", "2021-01-04", "2021-01-10"),
    ("2023-W52", "week", "2023-12-25", "2023-12-31"), ("3. KW 2024", "week", "2024-01-15", "2024-01-21"),
    ("2024", "year", "2024-01-01", "2024-12-31"), ("Jahr 2024", "year", "2024-01-01", "2024-12-31"),
    ("01.02.2024", "day", "2024-02-01", "2024-02-01"), ("2024-02-01", "day", "2024-02-01", "2024-02-01"),
    ("1. Februar 2024", "day", "2024-02-01", "2024-02-01"), ("February 1, 2024", "day", "2024-02-01", "2024-02-01"),
]  # fmt: skip
WITHOUT_YEAR = [
    ("Q3", "2023-07-01"), ("KW 34", "2023-08-21"), ("KW01", "2023-01-02"), ("September", "2023-09-01"),
    ("1. Quartal", "2023-01-01"), ("H1", "2023-01-01"),
]  # fmt: skip
NONE = [
    "", "Danzig", "Q5 2024", "KW 54 2023", "13.2024", "31.02.2024", "Maier", "Plan", "Q3 2024 Ist", "2024 Umsatz", "1234",
    "GJ 2025", "2024/26",
    "Quartal", "A 2024", "12,5",
]  # fmt: skip


@pytest.mark.parametrize(("label", "grain", "start", "end"), LABELS)
def test_labels(label: str, grain: str, start: str, end: str) -> None:
    found = parse_period(label)
    assert found is not None
    assert (found.grain, found.start.isoformat(), found.end.isoformat(), found.label) == (grain, start, end, label)


@pytest.mark.parametrize(("label", "start"), WITHOUT_YEAR)
def test_labels_that_take_their_year_from_elsewhere(label: str, start: str) -> None:
    assert parse_period(label) is None
    found = parse_period(label, year_hint=2023)
    assert found is not None and found.start.isoformat() == start


@pytest.mark.parametrize("label", NONE)
def test_what_is_no_period(label: str) -> None:
    assert parse_period(label) is None


@pytest.mark.parametrize(
    ("label", "start", "end"),
    [
        ("GJ 2024/25", "2024-10-01", "2025-09-30"),
        ("2024/2025", "2024-10-01", "2025-09-30"),
        ("FY 23/24", "2023-10-01", "2024-09-30"),
    ],
)
def test_fiscal_years_begin_where_the_workspace_says(label: str, start: str, end: str) -> None:
    found = parse_period(label, fiscal_year_start=(10, 1))
    assert found is not None and (found.start.isoformat(), found.end.isoformat(), found.grain) == (start, end, "fiscal_year")
    assert parse_period(label) is None


@given(st.integers(min_value=1990, max_value=2090), st.integers(min_value=1, max_value=52))
def test_parts_of_a_year_lie_where_the_calendar_puts_them(year: int, week: int) -> None:
    quarters = [quarter_of(year, number) for number in range(1, 5)]
    months = [month_of(year, number) for number in range(1, 13)]
    for parts in (quarters, months):
        assert parts[0].start == date(year, 1, 1) and parts[-1].end == date(year, 12, 31)
        assert all(before.end + timedelta(days=1) == after.start for before, after in pairwise(parts))
    found = week_of(year, week)
    assert found.start.isocalendar()[:2] == (year, week) and (found.end - found.start).days == 6
