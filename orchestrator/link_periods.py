"""Periods in a question: Q3 2024, Juli bis September, KW 25, vor dem 01.07.2024, letzter Monat, GJ 2024/25.

Works on the folded words joined by single blanks, so one pattern serves all spellings; positions are token indexes.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from orchestrator.period_mention import Calendar, PeriodMention, span
from orchestrator.period_ranges import go_back, join_ranges, with_bounds
from orchestrator.question import Question
from parsers.periods import Grain, Period

_MONTHS = (
    "januar|jaenner|jan|january|styczen|stycznia|styczniu",
    "februar|feb|february|luty|lutego|lutym",
    "maerz|marz|maer|mrz|mar|march|marzec|marca|marcu",
    "april|apr|kwiecien|kwietnia|kwietniu",
    "mai|may|maj|maja|maju",
    "juni|jun|june|czerwiec|czerwca|czerwcu",
    "juli|jul|july|lipiec|lipca|lipcu",
    "august|aug|sierpien|sierpnia|sierpniu",
    "september|sept|sep|wrzesien|wrzesnia|wrzesniu",
    "oktober|okt|october|oct|pazdziernik|pazdziernika|pazdzierniku",
    "november|nov|listopad|listopada|listopadzie",
    "dezember|dez|december|dec|grudzien|grudnia|grudniu",
)
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split("|")}
_MONTH = "(?:" + "|".join(sorted(_MONTH_OF, key=len, reverse=True)) + ")"
_ORDINALS = {
    "erste": 1,
    "ersten": 1,
    "erstes": 1,
    "erster": 1,
    "first": 1,
    "1st": 1,
    "1.": 1,
    "i": 1,
    "pierwszy": 1,
    "pierwszym": 1,
    "pierwszego": 1,
    "zweite": 2,
    "zweiten": 2,
    "zweites": 2,
    "zweiter": 2,
    "second": 2,
    "2nd": 2,
    "2.": 2,
    "ii": 2,
    "drugi": 2,
    "drugim": 2,
    "drugiego": 2,
    "dritte": 3,
    "dritten": 3,
    "drittes": 3,
    "drittem": 3,
    "third": 3,
    "3rd": 3,
    "3.": 3,
    "iii": 3,
    "trzeci": 3,
    "trzecim": 3,
    "trzeciego": 3,
    "vierte": 4,
    "vierten": 4,
    "viertes": 4,
    "fourth": 4,
    "4th": 4,
    "4.": 4,
    "iv": 4,
    "czwarty": 4,
    "czwartym": 4,
    "czwartego": 4,
}
_ORDINAL = "(?:" + "|".join(re.escape(word) for word in sorted(_ORDINALS, key=len, reverse=True)) + ")"
_YEAR = (
    r"(?:(?:des |im |in |of |the |von |w |fuer |for )*"
    r"(?:jahres |jahr |jahre |year |roku |rok )?(?P<year>(?:19|20)\d\d)(?: roku| r)?)"
)
_SHORT_YEAR = r"(?:'?(?P<short>\d\d))"
_HALF = r"(?:halbjahres|halbjahr|hj|half(?: year)?|polroczu|polrocze|polrocza)"
_QUARTER = r"(?:quartals|quartal|quarter|kwartal|kwartale|kwartalu|kw\.)"

_DAY = r"(?:(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})|(?P<iy>\d{4})-(?P<im>\d{2})-(?P<id>\d{2})"
_DAY += (
    rf"|(?P<dd>\d{{1,2}})\.? (?P<dm>{_MONTH}) (?P<dy>\d{{4}})|(?P<em>{_MONTH}) (?P<ed>\d{{1,2}})(?:st|nd|rd|th)? (?P<ey>\d{{4}}))"
)


def _full_year(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    if groups.get("year"):
        return int(groups["year"])
    return 2000 + int(groups["short"]) if groups.get("short") else None


def _mention(grain: Grain, number: int, year: int | None) -> PeriodMention | None:
    mention = PeriodMention(0, 0, None, grain, number)
    try:
        span(grain, year or 2024, number)
        return mention.in_year(year) if year else mention
    except ValueError:
        return None


def _day(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    g = match.groupdict()
    if g["y"]:
        parts = int(g["y"]), int(g["m"]), int(g["d"])
    elif g["iy"]:
        parts = int(g["iy"]), int(g["im"]), int(g["id"])
    elif g["dy"]:
        parts = int(g["dy"]), _MONTH_OF[g["dm"]], int(g["dd"])
    else:
        parts = int(g["ey"]), _MONTH_OF[g["em"]], int(g["ed"])
    try:
        day = date(*parts)
    except ValueError:
        return None
    return PeriodMention(0, 0, Period(day, day, "day", f"{day:%d.%m.%Y}"))


def _quarter(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    word = match["o"] if match["o"] is not None else match["n"]
    return _mention("quarter", _ORDINALS.get(word) or int(word), _full_year(match))


def _half(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    word = match["o"] if match["o"] is not None else match["n"]
    return _mention("half_year", _ORDINALS.get(word) or int(word), _full_year(match))


def _month(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    return _mention("month", _MONTH_OF[match["mon"]], _full_year(match))


def _month_number(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    g = match.groupdict()
    return _mention("month", int(g["mn"] or g["mn2"]), int(g["my"] or g["my2"]))


def _week(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    return _mention("week", int(match["n"]), _full_year(match))


def _year(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    return _mention("year", 0, int(match["year"]))


def _compact_range(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    """Q1-Q3 2024, KW 10-18."""
    first, last = int(match["from"]), int(match["to"])
    mention = _mention("quarter" if match["grain"] == "q" else "week", first, None)
    if mention is None or last <= first or _mention(mention.grain, last, None) is None:
        return None
    mention = replace(mention, until_number=last)
    year = _full_year(match)
    return mention.in_year(year) if year else mention


def _fiscal(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    first = int(match["fy"])
    first += 2000 if first < 100 else 0
    month, day = calendar.fiscal_start
    label = match.group().upper()
    if match["fy2"] or calendar.fiscal_start == (1, 1) or calendar.named_by == "start":
        start_year = first
    elif calendar.named_by == "end":
        start_year = first - 1
    else:
        return PeriodMention(0, 0, None, "fiscal_year", first, fiscal=True, fiscal_unclear=True)
    start = date(start_year, month, day)
    return PeriodMention(
        0, 0, Period(start, date(start_year + 1, month, day) - timedelta(days=1), "fiscal_year", label), fiscal=True
    )


def _shifted(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    """letzter Monat, voriges Quartal, dieses Jahr, laufendes Quartal."""
    last = match["rel"].startswith(("letzt", "vorig", "vergangen", "last", "previous", "ostatni", "zeszly", "poprzedni"))
    today, unit = calendar.today, match["unit"]
    grain: Grain = (
        "month" if unit.startswith(("monat", "month", "mies")) else "quarter" if unit.startswith(("quart", "kwart")) else "year"
    )
    grain = "week" if unit.startswith(("woche", "week")) else grain
    if grain == "week":
        year, week, _ = (today - timedelta(days=7 if last else 0)).isocalendar()
        return _relative(span("week", year, week))
    size = {"month": 1, "quarter": 3, "year": 12}[grain]
    index = (today.year * 12 + today.month - 1) // size - (1 if last else 0)
    year, number = index * size // 12, (index * size % 12) // size + 1
    period = span(grain, year, number)
    if match.groupdict().get("today"):
        period = Period(period.start, today, "range", f"{period.label} – {today:%d.%m.%Y}")
    return _relative(period)


def _last_n(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    """die letzten 3 Monate: the last full ones before the asking date."""
    words = {"zwei": 2, "drei": 3, "vier": 4, "sechs": 6, "zwoelf": 12, "two": 2, "three": 3, "four": 4, "six": 6, "twelve": 12}
    count = words.get(match["n"]) or (int(match["n"]) if match["n"].isdigit() else 0)
    unit = match["unit"]
    size = 1 if unit.startswith(("monat", "month")) else 3 if unit.startswith("quart") else 12
    if not 1 <= count <= 400:
        return None
    index = (calendar.today.year * 12 + calendar.today.month - 1) // size
    first, last = index - count, index - 1
    start = date(first * size // 12, first * size % 12 + 1, 1)
    end_year, end_month = last * size // 12, last * size % 12 + size
    return _relative(Period(start, date(end_year, end_month, monthrange(end_year, end_month)[1]), "range", match.group()))


def _to_date(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    start = date(calendar.today.year, 1, 1)
    return _relative(Period(start, calendar.today, "range", f"01.01.{start.year} – {calendar.today:%d.%m.%Y}"))


def _back_year(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    return PeriodMention(0, 0, None, "year", back="year")


def _back_quarter(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    return PeriodMention(0, 0, None, "quarter", back="quarter")


def _back_month(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    return PeriodMention(0, 0, None, "month", back="month")


def _single_day(match: re.Match[str], calendar: Calendar) -> PeriodMention | None:
    word = match.group()
    day = calendar.today - timedelta(days=1 if word in ("gestern", "yesterday", "wczoraj") else 0)
    return _relative(Period(day, day, "day", f"{day:%d.%m.%Y}"))


def _relative(period: Period) -> PeriodMention:
    return PeriodMention(0, 0, period, period.grain, relative=True)


_UNIT = (
    r"(?P<unit>monate?n?s?|months?|miesiac\w*|quartale?n?s?|quarters?|kwartal\w*|jahre?n?s?|years?|roku|rok"
    r"|wochen?|weeks?|kalenderjahr|geschaeftsjahr)"
)
_REL = (
    r"(?P<rel>letzte[nrsm]?|vorige[nrsm]?|vergangene[nrsm]?|last|previous|diese[nrsm]?|laufende[nrsm]?|aktuelle[nrsm]?"
    r"|this|current|ostatni\w*|zeszly\w*|poprzedni\w*|biezac\w*)"
)
_FISCAL = r"(?:gj|fy|geschaeftsjahr|geschaeftsjahres|wirtschaftsjahr|fiscal year) ?(?P<fy>\d{4}|\d\d)(?:/(?P<fy2>\d{2,4}))?"
_QUARTER_CODE = rf"(?:q|quartal ?|quarter ?|kwartal )(?P<n>[1-4])(?P<o>(?!))?(?:[ /]{_YEAR}|[ /]{_SHORT_YEAR})?"
_TO_DATE = (
    r"ytd|year to date|this year to date|this year so far|so far this year|od poczatku roku(?: do dzis(?:iaj)?)?"
    r"|(?:seit|ab|vom) (?:dem )?(?:jahresbeginn|jahresanfang|beginn des jahres|anfang des jahres)(?: an)?"
    r"(?: bis (?:heute|jetzt|dato))?"
    r"|(?:since|from) (?:the )?(?:beginning|start) of (?:the|this) year(?: (?:until|till|to|up to) (?:today|now|date))?"
    r"|bis heute|bis dato"
)
_YEAR_BEFORE = (
    r"(?:vorjahres|vorjahr)(?:zeitraum|periode)?s?|vorjahresquartals?|vorjahresmonats?|prior year"
    r"|same (?:quarter|month|period) (?:of )?last year|rok wczesniej"
)

# First match at a position wins, so longer forms stand before shorter ones.
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Calendar], PeriodMention | None]], ...] = tuple(
    (re.compile(rf"(?<!\S)(?:{pattern})(?!\S)"), reader)
    for pattern, reader in (
        (_DAY, _day),
        (rf"{_REL} {_UNIT}(?P<today> bis heute| bis dato| to date| so far)?", _shifted),
        (rf"(?:den |the )?(?:letzten|vergangenen|last|past) (?P<n>\w+) {_UNIT}", _last_n),
        (rf"(?P<grain>q|kw) ?(?P<from>\d{{1,2}})-(?:q|kw)?(?P<to>\d{{1,2}})(?: {_YEAR})?", _compact_range),
        (_FISCAL, _fiscal),
        (_QUARTER_CODE, _quarter),
        (rf"(?P<o>{_ORDINAL}|[1-4]) {_QUARTER}(?P<n>(?!))?(?: {_YEAR})?", _quarter),
        (r"(?P<year>(?:19|20)\d\d)[ /-]?q(?P<n>[1-4])(?P<o>(?!))?", _quarter),
        (rf"(?:h|hj|halbjahr )(?P<n>[12])(?P<o>(?!))?(?:[ /]{_YEAR})?", _half),
        (rf"(?P<o>{_ORDINAL}|[12]) {_HALF}(?P<n>(?!))?(?: {_YEAR})?", _half),
        (rf"(?:kw|kalenderwoche|woche|week|tydzien|tygodniu) ?(?P<n>\d{{1,2}})(?:[ /]{_YEAR})?", _week),
        (rf"(?P<mon>{_MONTH})(?: {_YEAR}| {_SHORT_YEAR}(?! (?:prozent|%|stueck)))?", _month),
        (r"(?P<mn>0?[1-9]|1[0-2])[./](?P<my>(?:19|20)\d\d)|(?P<my2>(?:19|20)\d\d)[-/](?P<mn2>0[1-9]|1[0-2])", _month_number),
        (_YEAR_BEFORE, _back_year),
        (r"vorquartals?|vorigen? quartals?|prior quarter", _back_quarter),
        (r"vormonats?|prior month", _back_month),
        (_TO_DATE, _to_date),
        (r"heute|gestern|today|yesterday|dzisiaj|wczoraj", _single_day),
        (rf"(?:gesamtjahr |kalenderjahr |full year )?{_YEAR}", _year),
    )
)


def find_periods(question: Question, calendar: Calendar) -> tuple[PeriodMention, ...]:
    """Every period said in the question, in order, without overlaps; ranges ("von … bis …") are one mention."""
    words = [token.folded for token in question.tokens]
    text, starts = _joined(words)
    found: list[PeriodMention] = []
    position = 0
    while position < len(words):
        mention = _match_at(text, starts, position, calendar)
        if mention is None or _is_verb(question, mention):
            position += 1
            continue
        found.append(mention)
        position = mention.last
    return go_back(with_bounds(join_ranges(found, words), words))


def _is_verb(question: Question, mention: PeriodMention) -> bool:
    """Polish "mają" (they have), also without its tail: the genitive of May has a preposition, a day or a year beside it."""
    token = question.tokens[mention.first]
    if token.folded != "maja" or mention.last > mention.first + 1:
        return False
    before = question.tokens[mention.first - 1].folded if mention.first else ""
    return token.text.casefold() == "mają" or before not in _BEFORE_MAY


_BEFORE_MAY = frozenset({"od", "do", "z", "po", "przed", "dla", "miesiaca", "konca", "poczatku"})


def _joined(words: list[str]) -> tuple[str, list[int]]:
    starts, length = [], 0
    for word in words:
        starts.append(length)
        length += len(word) + 1
    return " ".join(words), starts


def _match_at(text: str, starts: list[int], position: int, calendar: Calendar) -> PeriodMention | None:
    for pattern, reader in _PATTERNS:
        match = pattern.match(text, starts[position])
        if match is None:
            continue
        mention = reader(match, calendar)
        if mention is not None:
            last = next((i for i, start in enumerate(starts) if start >= match.end()), len(starts))
            return replace(mention, first=position, last=last)
    return None
