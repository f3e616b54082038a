"""Periods: Q3 2024, 09.2024, KW 34, GJ 2024/25 -> first and last day."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

from parsers.fold import fold

Grain = Literal["day", "week", "month", "quarter", "half_year", "year", "fiscal_year", "range"]


@dataclass(frozen=True)
class Period:
    """A stretch of days, both ends included. `label` is the text as it stands in the file or question."""

    start: date
    end: date
    grain: Grain
    label: str


MONTH_WORDS: dict[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "jan januar jaenner january styczen stycznia sty styczniu", "feb februar february luty lutego lut lutym",
            "maer maerz mrz mar march marz marzec marca marcu", "apr april kwiecien kwietnia kwi kwietniu",
            "mai may maj maja maju",
            "jun juni june czerwiec czerwca cze czerwcu", "jul juli july lipiec lipca lip lipcu",
            "aug august sierpien sierpnia sie sierpniu", "sep sept september wrzesien wrzesnia wrz wrzesniu",
            "okt oct oktober october pazdziernik pazdziernika paz pazdzierniku",
            "nov november listopad listopada lis listopadzie",
            "dez dec dezember december grudzien grudnia gru grudniu",
        ),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
"""Folded month names and short forms of German, English and Polish -> 1-12."""

_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4}
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
    "erstes": 1,
    "zweites": 2,
    "drittes": 3,
    "viertes": 4,
}
_MONTH = r"(?P<month>[a-z]{3,12})\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ANY_YEAR = r"(?:(?P<year>(?:19|20)\d\d)|'?(?P<short>\d\d))"
_QUARTER_WORD = r"(?:quartals?|quarter|kwartal|kwartalu|qtr\.?)"
_ROMAN_QUARTER_WORD = r"(?:quartals?|quarter|kwartal|kwartalu|kw\.?)"  # "kw" with an Arabic number is a German calendar week


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text + r"\Z")


_QUARTERS = tuple(
    _pattern(text)
    for text in (
        rf"q\s?(?P<quarter>[1-4])(?:[\s./\-]*{_ANY_YEAR})?",
        rf"(?P<quarter>[1-4])\s?q(?:[\s./\-]*{_ANY_YEAR})?",
        rf"{_YEAR}[\s./\-]*q\s?(?P<quarter>[1-4])",
        rf"(?P<quarter>[1-4])\.?\s?{_QUARTER_WORD}(?:[\s./\-]*{_ANY_YEAR})?",
        rf"{_QUARTER_WORD}\s(?P<quarter>[1-4])(?:[\s./\-]+{_YEAR})",
        r"(?:quartal|kwartal|quarter)\s(?P<quarter>[1-4])",
        rf"(?P<roman>i{{1,3}}|iv)\.?[\s/]{_ROMAN_QUARTER_WORD}(?:[\s./\-]*{_ANY_YEAR})?(?:\s?r\.?)?",
        rf"(?P<roman>i{{1,3}}|iv)[\s/]{_YEAR}",
        rf"(?P<ordinal>{'|'.join(_ORDINALS)})\s(?:quarter|quartal)(?:[\s,./\-]*{_ANY_YEAR})?",
    )
)
_HALVES = tuple(
    _pattern(text)
    for text in (
        rf"(?:hj|h)\s?(?P<half>[12])(?:[\s./\-]*{_ANY_YEAR})?",
        rf"(?P<half>[12])\s?h(?:j)?(?:[\s./\-]*{_ANY_YEAR})?",
        rf"{_YEAR}[\s./\-]*(?:hj|h)\s?(?P<half>[12])",
        rf"(?P<half>[12])\.\s?(?:halbjahr|hj)(?:[\s./\-]*{_ANY_YEAR})?",
        rf"(?P<roman>i{{1,2}})\s(?:polrocze|halbjahr)(?:[\s./\-]*{_ANY_YEAR})?(?:\s?r\.?)?",
    )
)
_MONTHS = tuple(
    _pattern(text)
    for text in (
        rf"{_MONTH}(?:[\s./\-]*{_ANY_YEAR})?(?:\s?r\.?)?",
        rf"{_YEAR}[\s./\-]+{_MONTH}",
        rf"(?P<number>0?[1-9]|1[0-2])\s?[./\-]\s?{_YEAR}",
        rf"{_YEAR}[./\-](?P<number>0[1-9]|1[0-2])",
        rf"{_YEAR}\s?m(?P<number>0?[1-9]|1[0-2])",
    )
)
_WEEKS = tuple(
    _pattern(text)
    for text in (
        rf"(?:kw|cw|w|week|woche|kalenderwoche|tydzien|tydz\.?|calendar week)\s?\.?\s?(?P<week>[0-5]?\d)"
        rf"(?:[\s./\-]*{_YEAR}|[\s/]*'?(?P<short>\d\d))?",
        rf"{_YEAR}[\s./\-]*(?:kw|cw|w|week)\s?\.?(?P<week>[0-5]?\d)",
        rf"(?P<week>[0-5]?\d)\.\s?(?:kw|kalenderwoche|woche)(?:[\s./\-]*{_YEAR})?",
        rf"(?P<week>[0-5]?\d)/{_YEAR}\s?kw",
    )
)
_FISCAL = _pattern(
    r"(?:gj|geschaeftsjahr|wirtschaftsjahr|wj|fy|fiscal year|rok obrotowy|r\.o\.)?"
    r"\s?(?P<year>(?:19|20)?\d\d)\s?/\s?(?P<end>(?:19|20)?\d\d)"
)
_FISCAL_WORD = re.compile(r"gj|geschaeftsjahr|wirtschaftsjahr|wj|fy|fiscal|rok obrotowy|r\.o\.")
_YEARS = _pattern(r"(?:jahr\s|year\s|rok\s|cy\s?|gesamtjahr\s|kalenderjahr\s)?" + _YEAR + r"(?:\s(?:gesamt|r\.?))?")
_DAYS = (
    _pattern(r"(?P<day>\d{1,2})\.\s?(?P<number>\d{1,2})\.\s?(?P<year>\d{4})"),
    _pattern(r"(?P<year>\d{4})[\-/](?P<number>\d{2})[\-/](?P<day>\d{2})"),
    _pattern(rf"(?P<day>\d{{1,2}})\.?\s{_MONTH},?\s(?P<year>\d{{4}})(?:\s?r\.?)?"),
    _pattern(rf"{_MONTH}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<year>\d{{4}})"),
)


def year_of(year: int, label: str = "") -> Period:
    return Period(date(year, 1, 1), date(year, 12, 31), "year", label or str(year))


def half_year_of(year: int, half: int, label: str = "") -> Period:
    """`half` 1 or 2."""
    return _months(year, 6 * half - 5, 6 * half, "half_year", label or f"HJ{half} {year}")


def quarter_of(year: int, quarter: int, label: str = "") -> Period:
    """`quarter` 1 to 4."""
    return _months(year, 3 * quarter - 2, 3 * quarter, "quarter", label or f"Q{quarter} {year}")


def month_of(year: int, month: int, label: str = "") -> Period:
    """`month` 1 to 12."""
    return _months(year, month, month, "month", label or f"{month:02d}.{year}")


def week_of(year: int, week: int, label: str = "") -> Period:
    """ISO 8601 week, Monday to Sunday. Raises ValueError if the year has no such week."""
    start = date.fromisocalendar(year, week, 1)
    return Period(start, start + timedelta(days=6), "week", label or f"KW {week:02d} {year}")


def day_of(day: date, label: str = "") -> Period:
    return Period(day, day, "day", label or day.strftime("%d.%m.%Y"))


def fiscal_year_from(year: int, fiscal_year_start: tuple[int, int], label: str = "") -> Period:
    """The fiscal year that begins in calendar year `year` on (month, day)."""
    start = date(year, *fiscal_year_start)
    end = date(year + 1, *fiscal_year_start) - timedelta(days=1)
    return Period(start, end, "fiscal_year", label or f"GJ {year}/{(year + 1) % 100:02d}")


def parse_period(text: str, *, year_hint: int | None = None, fiscal_year_start: tuple[int, int] = (1, 1)) -> Period | None:
    """The period that a text is, nothing else left over; None otherwise.

    `year_hint` stands in for a missing year (Q3, KW 34, September); without it such a text is no period. "GJ 2024/25" begins
    at `fiscal_year_start` in its first year; it needs one other than 1 January. "GJ 2025" is no period here: which calendar year
    names it is the tenant's setting.
    Two-digit years are of this century. Weeks are ISO weeks.
    """
    found = _parse(fold(text).replace("\n", " "), year_hint, fiscal_year_start)
    return None if found is None else replace(found, label=text.strip())


def is_period_without_year(text: str) -> bool:
    """A label such as Q3, KW 34 or September, that takes its year from elsewhere."""
    return parse_period(text) is None and parse_period(text, year_hint=2000) is not None


@lru_cache(maxsize=16384)
def _parse(text: str, year_hint: int | None, fiscal_year_start: tuple[int, int]) -> Period | None:
    if not text or len(text) > 40:
        return None
    for read in (_read_day, _read_quarter, _read_half, _read_week, _read_month):
        try:
            found = read(text, year_hint)
        except ValueError:
            found = None
        if found is not None:
            return found
    if match := _YEARS.match(text):
        return year_of(int(match["year"]))
    if (match := _FISCAL.match(text)) and (found := _read_fiscal(text, match, fiscal_year_start)) is not None:
        return found
    return None


def _read_day(text: str, year_hint: int | None) -> Period | None:
    for pattern in _DAYS:
        if match := pattern.match(text):
            month = MONTH_WORDS.get(match["month"]) if "month" in match.groupdict() else int(match["number"])
            if month is not None and 1000 <= int(match["year"]) <= 2999:
                return day_of(date(int(match["year"]), month, int(match["day"])))
    return None


def _read_quarter(text: str, year_hint: int | None) -> Period | None:
    for pattern in _QUARTERS:
        if match := pattern.match(text):
            groups = match.groupdict()
            quarter = int(groups["quarter"]) if groups.get("quarter") else _ROMAN.get(groups.get("roman") or "", 0)
            quarter = quarter or _ORDINALS.get(groups.get("ordinal") or "", 0)
            year = _year(groups, year_hint)
            if quarter and year is not None:
                return quarter_of(year, quarter)
    return None


def _read_half(text: str, year_hint: int | None) -> Period | None:
    for pattern in _HALVES:
        if match := pattern.match(text):
            groups = match.groupdict()
            half = int(groups["half"]) if groups.get("half") else _ROMAN[groups["roman"] or "i"]
            year = _year(groups, year_hint)
            if year is not None:
                return half_year_of(year, half)
    return None


def _read_week(text: str, year_hint: int | None) -> Period | None:
    for pattern in _WEEKS:
        if match := pattern.match(text):
            year = _year(match.groupdict(), year_hint)
            if year is not None:
                return week_of(year, int(match["week"]))
    return None


def _read_month(text: str, year_hint: int | None) -> Period | None:
    for pattern in _MONTHS:
        if match := pattern.match(text):
            groups = match.groupdict()
            month = int(groups["number"]) if groups.get("number") else MONTH_WORDS.get(groups.get("month") or "")
            year = _year(groups, year_hint)
            if month is not None and year is not None:
                return month_of(year, month)
    return None


def _read_fiscal(text: str, match: re.Match[str], fiscal_year_start: tuple[int, int]) -> Period | None:
    """ "GJ 2024/25", "2024/25", "GJ 24/25": the second year must follow the first; two short years need the word. A fiscal year
    that begins on 1 January spans no two calendar years, so then the text is no period."""
    if fiscal_year_start == (1, 1):
        return None
    first, second = match["year"], match["end"]
    if len(first) == 2 and not _FISCAL_WORD.match(text):
        return None
    year = int(first) if len(first) == 4 else 2000 + int(first)
    if int(second) % 100 != (year + 1) % 100 or (len(second) == 4 and int(second) != year + 1):
        return None
    return fiscal_year_from(year, fiscal_year_start)


def _year(groups: dict[str, str | None], year_hint: int | None) -> int | None:
    if groups.get("year"):
        return int(groups["year"] or 0)
    if groups.get("short"):
        return 2000 + int(groups["short"] or 0)
    return year_hint


def _months(year: int, first: int, last: int, grain: Grain, label: str) -> Period:
    return Period(date(year, first, 1), date(year, last, monthrange(year, last)[1]), grain, label)
