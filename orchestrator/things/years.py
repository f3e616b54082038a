"""Years in a question about things: "1980", "im Jahr 1980", "vor 2009", "nach 2013 oder vor 2008"."""

from __future__ import annotations

from orchestrator.plan import Operator
from orchestrator.things.words import Words

_BOUNDS: tuple[tuple[str, Operator], ...] = (("before", "<"), ("after", ">"), ("since", ">="), ("in_year", "="))


def year_options(words: Words, place: int) -> tuple[tuple[tuple[Operator, int], ...], int] | None:
    """The years said here, any of which may hold, and where they end."""
    first = _one(words, place)
    if first is None:
        return None
    options, end = [first[0]], first[1]
    joined = words.phrase(end, "or")
    while joined > end:
        following = _one(words, words.skip(joined, verbs=False))
        if following is None:
            break
        options.append(following[0])
        end = following[1]
        joined = words.phrase(end, "or")
    return tuple(options), end


def _one(words: Words, place: int) -> tuple[tuple[Operator, int], int] | None:
    operator: Operator = "="
    for name, said in _BOUNDS:
        end = words.phrase(place, name)
        if end > place:
            operator, place = said, words.skip(end, verbs=False)
            break
    year = words.year(place)
    return None if year is None else ((operator, year), place + 1)
