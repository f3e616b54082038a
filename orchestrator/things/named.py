"""Years and stored values said about a thing."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.things.sense import (
    Modifier,
    ValueIs,
    YearIs,
)
from orchestrator.things.words import ValueHit, Words
from orchestrator.things.years import year_options

Found = Iterator[tuple[Modifier, int]]
_LONGEST_LIST = 8


def said_year(words: Words, place: int) -> Found:
    """ "im Jahr 1980 produziert", "vor 2009 eröffneten", "nach 2013 oder vor 2008"."""
    read = year_options(words, place)
    if read is None:
        return
    options, end = read
    verb = words.phrase(end, "event_verbs")
    if verb > end:
        yield YearIs(options, verb=words.folded(end)), verb
    else:
        following = words.skip(end, verbs=False)
        verb = words.phrase(following, "event_verbs")
        if verb > following:
            yield YearIs(options, verb=words.folded(following)), verb
        yield YearIs(options), end


def said_values(words: Words, place: int) -> Iterator[tuple[tuple[ValueHit, ...], int]]:
    """One value, or several joined by "oder", "und"."""
    for hit in words.values(place):
        end = hit.last
        found = [hit]
        joined = max(words.phrase(end, "or"), words.phrase(end, "and"))
        while joined > end and len(found) < _LONGEST_LIST:
            more = words.values(words.skip(joined))
            if not more:
                break
            found.append(more[0])
            end = more[0].last
            joined = max(words.phrase(end, "or"), words.phrase(end, "and"))
        yield tuple(found), end
        if len(found) > 1:
            yield (hit,), hit.last


def said_value(words: Words, place: int) -> Found:
    """ "in Danzig", "nicht in Danzig", "von "Joseph Kuhr" geschrieben"."""
    negated = words.phrase(place, "not")
    start = words.skip(negated) if negated > place else place
    for values, end in said_values(words, start):
        yield ValueIs(values, negated=negated > place), end
    yield from tied_value(words, place)


def tied_value(words: Words, place: int) -> Found:
    """ "von "Joseph Kuhr" geschrieben", "an Texas grenzenden": the column is named behind its value, by a verb."""
    negated = words.phrase(place, "not")
    start = words.skip(negated) if negated > place else words.skip(place)
    for values, end in said_values(words, start):
        for hit in words.columns(words.skip(end, verbs=False)):
            if words.question.tokens[hit.first].text[:1].islower():
                yield ValueIs(values, hit, negated > place), hit.last
