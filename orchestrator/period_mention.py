"""A period that a question says, before or after its year is known, and the calendar it is read by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from parsers.periods import Grain, Period, half_year_of, month_of, quarter_of, week_of, year_of

_PARTS: Mapping[str, tuple[Callable[[int, int, str], Period], int]] = {
    "half_year": (half_year_of, 2),
    "quarter": (quarter_of, 4),
    "month": (month_of, 12),
}
Bound = Literal["", "before", "after", "from", "until"]


@dataclass(frozen=True)
class PeriodMention:
    """A period that the question says, on tokens [first, last).

    Either `period` is set, or the year is missing: then `grain`, `number` and `until_number` say what was named ("Q3",
    "Mai bis Juli") and the data or another word must give the year. `bound`: "vor dem …", "ab …", "bis …" a day or period.
    `ends`: the first and last period of a range that was said by both.
    `back`: "Vorjahr", "Vorquartal", "Vormonat": the period before the other one of the question.
    `backwards`: the first of two that a range word joins although it comes after the second ("Q4 bis Q1 2024").
    `relative`: "letzter Monat" and the like, already resolved against the asking date. `fiscal`: a fiscal year.
    """

    first: int
    last: int
    period: Period | None = None
    grain: Grain = "year"
    number: int = 0
    until_number: int = 0
    bound: Bound = ""
    relative: bool = False
    fiscal: bool = False
    fiscal_unclear: bool = False
    back: str = ""
    ends: tuple[Period, Period] | None = None
    backwards: bool = False

    def in_year(self, year: int) -> PeriodMention:
        """The same with its year filled in."""
        start = span(self.grain, year, self.number)
        end = span(self.grain, year, self.until_number or self.number)
        grain = self.grain if self.until_number in (0, self.number) else "range"
        return replace(self, period=Period(start.start, end.end, grain, range_label(start, end)))


@dataclass(frozen=True)
class Calendar:
    """What "today" and the fiscal year mean. `fiscal_start`: (month, day); `named_by`: which calendar year names it."""

    today: date
    fiscal_start: tuple[int, int] = (1, 1)
    named_by: Literal["start", "end"] | None = None


def span(grain: Grain, year: int, number: int = 0) -> Period:
    """The calendar period; `number` counts from 1 (-1: the last of the year). Raises ValueError for one that is not there."""
    if grain == "year":
        return year_of(year)
    if grain == "week":
        return week_of(year, number)
    of_year, count = _PARTS[grain]
    number = count if number == -1 else number
    if not 1 <= number <= count:
        raise ValueError(f"no {grain} {number}")
    return of_year(year, number, f"H{number} {year}" if grain == "half_year" else "")


def range_label(start: Period, end: Period) -> str:
    return start.label if start == end else f"{start.label} – {end.label}"


PERIOD_NOUNS: Mapping[str, Grain] = {
    "wochen": "week", "kalenderwochen": "week", "kw": "week", "weeks": "week", "tygodnie": "week", "tygodni": "week",
    "monate": "month", "monaten": "month", "kalendermonate": "month", "months": "month", "miesiace": "month", "miesiecy": "month",
    "quartale": "quarter", "quartalen": "quarter", "quarters": "quarter", "kwartaly": "quarter", "kwartalow": "quarter",
}  # fmt: skip
"""Folded nouns for several periods of one length."""
