"""The grammar of noun phrases: things with what is said about them, lists of columns, aggregates of columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from orchestrator.things.modifiers import modifiers
from orchestrator.things.named import tied_value
from orchestrator.things.names import Hit
from orchestrator.things.sense import Best, Function, HasRelated, Modifier, Sense, Show, Subject, ValueIs, YearIs
from orchestrator.things.words import Words
from orchestrator.things.years import year_options

_FUNCTIONS: tuple[Function, ...] = ("average", "maximum", "minimum", "sum")
_RELATIVE = frozenset({"deren", "dessen", "denen", "welche", "welcher", "welches"})
Found = Iterator[tuple[Sense, int]]


def subjects(words: Words, place: int) -> Iterator[tuple[Subject, int]]:
    """Things with everything said about them, or only what is said about them."""
    if words.phrase(place, "and") > place:
        return  # "… und die Kurse": one more thing that is asked for
    begin = words.skip(place)
    end = words.phrase(begin, "distinct")
    distinct, place = end > begin, words.skip(end)
    for before, start in _before_noun(words, place):
        for hit in words.tables(start):
            last = _twice(words, hit)
            called, last = _called(words, hit, last)
            for behind, after in modifiers(words, last):
                yield Subject(hit, (*before, *called, *behind), distinct), after
    for start in dict.fromkeys((begin, place)):
        for alone, after in modifiers(words, start):
            if alone and not any(isinstance(each, HasRelated) for each in alone):
                yield Subject(None, alone, distinct and start == place), after


def _called(words: Words, hit: Hit, place: int) -> tuple[tuple[Modifier, ...], int]:
    """ "der Fluss Colorado": a name right behind the thing is what this thing is called, whatever else has that name."""
    names = {(ref.table, ref.column): ref for thing in hit.things for ref in (*thing.labels, thing.key) if ref is not None}
    for value in words.values(place):
        refs = tuple(names[key] for key, _ in value.columns if key in names)
        if refs:
            return (ValueIs((value,), replace(hit, columns=refs, things=(), exact=True)),), value.last
    return (), place


def _twice(words: Words, hit: Hit) -> int:
    """ "Sängerinnen und Sänger" are one."""
    joined = words.phrase(hit.last, "and")
    if joined > hit.last:
        for other in words.tables(joined):
            if other.things == hit.things:
                return other.last
    return hit.last


def _before_noun(words: Words, place: int) -> Iterator[tuple[tuple[Modifier, ...], int]]:
    """ "die drei größten Städte", "des 1974 hergestellten Autos"."""
    yield (), place
    amount = words.number(place)
    start, limit = place, 1
    if amount is not None and 1 <= amount.value <= 1000 and amount.value == int(amount.value):
        start, limit = words.skip(amount.last, verbs=False), int(amount.value)
    adjective = words.adjective(start, "superlative")
    if adjective is not None:
        behind = words.number(start + 1)
        if behind is not None and start == place and behind.value == int(behind.value):  # die größten drei Städte
            yield (Best(True, adjective, limit=int(behind.value)),), behind.last
        yield (Best(True, adjective, limit=limit),), start + 1
    for modifier, end in tied_value(words, place):
        yield (modifier,), words.skip(end, verbs=False)
    read = year_options(words, place)
    if read is not None:
        options, end = read
        following = words.skip(end, verbs=False)
        verb = words.phrase(following, "event_verbs")
        if verb > following:
            yield (YearIs(options, verb=words.folded(following)),), words.skip(verb, verbs=False)


def optional_subject(words: Words, place: int) -> Iterator[tuple[Subject, int]]:
    yield from subjects(words, place)
    yield Subject(None), place


def column_list(words: Words, place: int) -> Iterator[tuple[tuple[Show, ...], int]]:
    """ "Name, Land und Alter", "den Vornamen des Besitzers und den Namen des Hundes"."""
    place = words.skip(place, verbs=False)
    place = words.phrase(place, "distinct") if words.phrase(place, "distinct") > place else place
    place = words.skip(place, verbs=False)
    for show, end in _one_column(words, place):
        following = words.phrase(end, "and")
        comma = words.starts_clause(end) and words.folded(end) not in _RELATIVE
        if following > end or comma:
            for more, last in column_list(words, following if following > end else end):
                yield (show, *more), last
        yield (show,), end


def _one_column(words: Words, place: int) -> Iterator[tuple[Show, int]]:
    for hit in (*words.columns(place), *words.number_of(place)):
        if hit.function is None:
            owner = words.skip(hit.last, verbs=False)
            if not words.starts_clause(owner):
                for thing in words.tables(owner):
                    yield Show("column", hit, of=thing), thing.last
            yield Show("column", hit), hit.last


def _functions(words: Words, place: int) -> Iterator[tuple[tuple[Function, ...], int]]:
    """ "minimale und maximale", "durchschnittliche"."""
    place = words.skip(place, verbs=False)
    for function in _FUNCTIONS:
        end = words.phrase(place, function)
        if end > place:
            joined = words.phrase(end, "and")
            comma = words.starts_clause(end)
            if joined > end or comma:
                for more, last in _functions(words, max(joined, end)):
                    yield (function, *more), last
            yield (function,), end


def aggregated(words: Words, place: int) -> Iterator[tuple[tuple[Show, ...], int]]:
    """ "die durchschnittliche und maximale Anzahl der Tickets", "das Durchschnittsalter"."""
    place = words.skip(place, verbs=False)
    for functions, end in _functions(words, place):
        start = words.skip(end, verbs=False)
        for hit in (*words.columns(start), *words.number_of(start)):
            if hit.function is None:
                yield from _more_aggregated(words, tuple(Show("aggregate", hit, each) for each in functions), hit.last)
    for hit in words.columns(place):
        if hit.function is not None:
            plain = replace(hit, function=None)
            yield from _more_aggregated(words, (Show("aggregate", plain, cast(Function, hit.function)),), hit.last)


def _more_aggregated(words: Words, shows: tuple[Show, ...], place: int) -> Iterator[tuple[tuple[Show, ...], int]]:
    joined = words.phrase(place, "and")
    if joined > place:
        for more, last in aggregated(words, joined):
            yield (*shows, *more), last
    yield shows, place
