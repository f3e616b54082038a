"""Texts -> days: 01.02.2024, 2024-02-01, 1. März 2024, 02/01/24; day and month order from a whole column."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from parsers.fold import fold
from parsers.periods import MONTH_WORDS

Order = Literal["day_first", "month_first"]

_TIME = r"(?:[ T,]+(?P<hour>[0-2]?\d):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d+)?)?(?:\s?uhr|z)?)?"
_ISO = re.compile(r"(?P<year>[12]\d{3})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})" + _TIME + r"\Z", re.IGNORECASE)
_DOTTED = re.compile(r"(?P<first>\d{1,2})\.\s?(?P<second_part>\d{1,2})\.\s?(?P<year>\d{4}|\d{2})" + _TIME + r"\Z", re.IGNORECASE)
_SLASHED = re.compile(
    r"(?P<first>\d{1,2})(?P<mark>[/-])(?P<second_part>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})" + _TIME + r"\Z", re.IGNORECASE
)
_WORDED = re.compile(r"(?P<day>\d{1,2})\.?[ -](?P<month>[a-z]{3,12})\.?,?[ -](?P<year>\d{4})" + _TIME + r"\Z", re.IGNORECASE)
_WORDED_FIRST = re.compile(
    r"(?P<month>[a-z]{3,12})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})" + _TIME + r"\Z", re.IGNORECASE
)
_MONTH_FIRST = re.compile(r"[a-z]{3,12}")
_COMPACT = re.compile(r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])\Z")
_HEADER = re.compile(
    r"datum|\bdate\b|date\b|\bdata\b|\bdat\b|tag\b|faellig|\bam\b|zeitpunkt|stichtag|geburtstag|valuta|termin|beginn|\bende\b|\bstart\b|\bday\b|dzien|audat|budat|erdat",
)
_FEWEST_DIGITS = 4  # 1.2.24
_SERIALS = (Decimal(20_000), Decimal(80_000))
"""Serial days taken for dates where the header says date: 1954 to 2119."""


@dataclass(frozen=True, slots=True)
class DateText:
    """A date text: its day if the day comes first and if the month does; None where that reading is impossible."""

    day_first: date | datetime | None
    month_first: date | datetime | None

    def value(self, order: Order) -> date | datetime | None:
        return self.day_first if order == "day_first" else self.month_first


@dataclass(frozen=True)
class OrderDecision:
    """`by`: "values", "same" (order plays no part) or "locale". `contradiction`: values of both orders, else empty."""

    order: Order
    by: Literal["values", "same", "locale"]
    contradiction: tuple[str, ...] = ()


@lru_cache(maxsize=65536)
def date_text(text: str) -> DateText | None:
    """The readings of a text as a day (with time of day: a datetime); None if it is none. Two-digit years: 70-99 are 19xx."""
    bare = text.strip()
    if not 6 <= len(bare) <= 32 or sum(map(str.isdigit, bare)) < _FEWEST_DIGITS:
        return None
    for pattern in (_ISO, _WORDED, _WORDED_FIRST):
        source = fold(bare) if pattern is not _ISO else bare
        if match := pattern.match(source):
            word = match["month"]
            month = int(word) if word.isdigit() else MONTH_WORDS.get(word)
            found = None if month is None else _moment(match, int(match["year"]), month, int(match["day"]))
            return None if found is None else DateText(found, found)
    if match := _DOTTED.match(bare):
        found = _moment(match, _full_year(match["year"]), int(match["second_part"]), int(match["first"]))
        return None if found is None else DateText(found, found)
    if match := _SLASHED.match(bare):
        year, first, second = _full_year(match["year"]), int(match["first"]), int(match["second_part"])
        day_first, month_first = _moment(match, year, second, first), _moment(match, year, first, second)
        return None if day_first is None and month_first is None else DateText(day_first, month_first)
    return None


def looks_like_date(text: str) -> bool:
    return date_text(text) is not None


def opens_date(words: str) -> bool:
    """Whether a day may be written with these words, a letter first, before its first digit: "March ", "Okt. "."""
    found = _MONTH_FIRST.match(fold(words))
    return found is not None and found[0] in MONTH_WORDS


def compact_date(text: str) -> date | None:
    """20240930 -> 2024-09-30; only where a header says that the column holds dates."""
    match = _COMPACT.match(text.strip())
    return _day(int(match["year"]), int(match["month"]), int(match["day"])) if match else None


def is_serial(value: Decimal) -> bool:
    """Whether a number may be a serial day of the years 1954 to 2119."""
    return value == value.to_integral_value() and _SERIALS[0] <= value <= _SERIALS[1]


def header_says_date(header: str) -> bool:
    return _HEADER.search(fold(header)) is not None


def decide_order(texts: Iterable[tuple[str, DateText]], locale: str) -> OrderDecision:
    """Day or month first, from all values of a column, else from the locale (en: month first)."""
    only_day: list[str] = []
    only_month: list[str] = []
    differing = False
    for raw, reading in texts:
        if reading.month_first is None:
            only_day.append(raw)
        elif reading.day_first is None:
            only_month.append(raw)
        elif reading.day_first != reading.month_first:
            differing = True
    of_locale: Order = "month_first" if locale == "en" else "day_first"
    if only_day and only_month:
        return OrderDecision(of_locale, "locale", (*only_day[:3], *only_month[:3]))
    if only_day or only_month:
        return OrderDecision("day_first" if only_day else "month_first", "values")
    return OrderDecision(of_locale, "locale" if differing else "same")


def _moment(match: re.Match[str], year: int, month: int, day: int) -> date | datetime | None:
    found = _day(year, month, day)
    groups = match.groupdict()
    if found is None or groups.get("hour") is None:
        return found
    hour, minute, second = (int(groups.get(part) or 0) for part in ("hour", "minute", "second"))
    if hour > 23:
        return None
    return datetime(found.year, found.month, found.day, hour, minute, second)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _full_year(text: str) -> int:
    year = int(text)
    return year if len(text) == 4 else year + (1900 if year >= 70 else 2000)
