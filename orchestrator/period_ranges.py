"""Periods of a question together: ranges ("von … bis …"), bounds ("vor dem …"), the period before ("Vorjahr")."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.period_mention import Bound, PeriodMention, span
from parsers.periods import Period

_RANGE_WORDS = frozenset({"bis", "to", "through", "until", "do", "und", "and", "i"})
_RANGE_FILLER = frozenset(
    {"zum", "einschliesslich", "inklusive", "einschl", "inkl", "including", "mit", "ende", "the", "end", "of"}
)


def join_ranges(found: list[PeriodMention], words: list[str]) -> list[PeriodMention]:
    """Joins two neighbours with "bis" (or "zwischen … und …") between them; the year of the second counts for both."""
    merged: list[PeriodMention] = []
    for mention in found:
        left = merged[-1] if merged else None
        between = words[left.last : mention.first] if left else []
        opener = words[left.first - 1] if left and left.first else ""
        is_range = bool(between) and between[0] in _RANGE_WORDS and all(word in _RANGE_FILLER for word in between[1:])
        if is_range and between[0] in ("und", "and", "i"):
            is_range = opener in ("zwischen", "between", "miedzy", "pomiedzy")
        joined = _join(left, mention) if left and is_range else None
        if left and joined:
            first = left.first - (1 if opener in ("von", "vom", "from", "od", "zwischen", "between", "miedzy", "pomiedzy") else 0)
            merged[-1] = replace(joined, first=first, last=mention.last)
        else:
            if left and is_range and _comes_after(left, mention):
                merged[-1] = replace(left, backwards=True)
            merged.append(mention)
    return merged


def _comes_after(left: PeriodMention, right: PeriodMention) -> bool:
    if left.period is None and right.period is None:
        return left.grain == right.grain and left.number > right.number
    if left.grain == right.grain and left.period is None and right.period is not None and not left.fiscal:
        left = left.in_year(right.period.end.year)
    if left.grain == right.grain and right.period is None and left.period is not None:
        right = right.in_year(left.period.start.year)
    return left.period is not None and right.period is not None and left.period.start > right.period.end


def _join(left: PeriodMention, right: PeriodMention) -> PeriodMention | None:
    if left.period is None and right.period is not None and left.grain == right.grain and not left.fiscal:
        left = left.in_year(right.period.end.year)
    if left.period is None and right.period is None:
        if left.grain == right.grain and left.number <= right.number:
            return replace(left, until_number=right.number)
        return None
    if left.period is not None and right.period is None and left.grain == right.grain:
        right = right.in_year(left.period.start.year)
    if left.period is None or right.period is None or left.period.start > right.period.end:
        return None
    label = f"{left.period.label} – {right.period.label}"
    ends = (left.period, right.period) if left.period.grain == right.period.grain else None
    return PeriodMention(0, 0, Period(left.period.start, right.period.end, "range", label), relative=right.relative, ends=ends)


_BOUNDS: tuple[tuple[tuple[str, ...], Bound], ...] = (
    (("vor", "dem"), "before"),
    (("vor",), "before"),
    (("before",), "before"),
    (("przed",), "before"),
    (("prior", "to"), "before"),
    (("nach", "dem"), "after"),
    (("nach",), "after"),
    (("after",), "after"),
    (("po",), "after"),
    (("ab", "dem"), "from"),
    (("ab",), "from"),
    (("seit", "dem"), "from"),
    (("seit",), "from"),
    (("since",), "from"),
    (("from",), "from"),
    (("bis", "einschliesslich"), "until"),
    (("bis", "inklusive"), "until"),
    (("bis", "zum"), "until"),
    (("bis", "ende"), "until"),
    (("bis",), "until"),
    (("until",), "until"),
    (("through",), "until"),
    (("up", "to"), "until"),
)


def with_bounds(found: list[PeriodMention], words: list[str]) -> tuple[PeriodMention, ...]:
    """Marks what a word before a period says of it: before, after, from, until."""
    result: list[PeriodMention] = []
    for mention in found:
        for phrase, bound in _BOUNDS:
            first = mention.first - len(phrase)
            free = first >= (result[-1].last if result else 0)
            if free and first >= 0 and tuple(words[first : mention.first]) == phrase and mention.grain != "range":
                mention = replace(mention, first=first, bound=bound)
                break
        result.append(mention)
    return tuple(result)


def go_back(mentions: tuple[PeriodMention, ...]) -> tuple[PeriodMention, ...]:
    """Fills "Vorjahr" and the like from the only other period; without one they are left out (and then explain nothing)."""
    named = [mention for mention in mentions if not mention.back]
    resolved = []
    for mention in mentions:
        if not mention.back:
            resolved.append(mention)
        elif len(named) == 1 and named[0].period is not None and (period := _before(named[0].period, mention.back)) is not None:
            resolved.append(replace(mention, period=period))
    return tuple(resolved)


def _before(period: Period, unit: str) -> Period | None:
    """The same stretch one year, quarter or month earlier; only for whole quarters and months."""
    months = {"year": 12, "quarter": 3, "month": 1}[unit]
    size = {"month": 1, "quarter": 3, "half_year": 6, "year": 12}.get(period.grain)
    if size is None or (unit != "year" and size != months):
        return None
    index = period.start.year * 12 + period.start.month - 1 - months
    year, month = divmod(index, 12)
    return span(period.grain, year, month // size + 1) if period.grain != "year" else span("year", year)
