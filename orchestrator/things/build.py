"""Readings of a question about things -> plans, each with how many guesses it took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from orchestrator.plan import (
    AggregatePlan,
    ColumnRef,
    Output,
    TermValue,
)
from orchestrator.things.book import Adjective
from orchestrator.things.conditions import Kept, kept_rows
from orchestrator.things.ground import MANY, Ground, NoSense, only
from orchestrator.things.groups import counted_related, grouped, most
from orchestrator.things.names import Hit, Thing
from orchestrator.things.rows import listed
from orchestrator.things.sense import Best, Each, Overall, Sense, Sorted, Subject, ValueIs
from orchestrator.things.terms import Built, aggregate_terms, built_of, count_term, make_term


def build(sense: Sense, ground: Ground) -> Iterator[Built]:
    """The plans of one reading: one for each thing that it may be about and each column that a value may stand in."""
    for thing, guess in _subjects(sense, ground):
        try:
            for built in _about(sense, thing, ground):
                yield replace(built, guesses=built.guesses + guess, away=_away(sense.subject, thing))
        except NoSense:
            continue


def _subjects(sense: Sense, ground: Ground) -> Iterator[tuple[Thing, int]]:
    """The things that the question is about: those named, else those whose table has the shown columns or the named value."""
    best = next((each for each in sense.subject.modifiers if isinstance(each, Best) and each.most_of is not None), None)
    named = sense.subject.things or (best.most_of if best is not None else None)
    if named is not None:
        for thing in named.things:
            yield thing, int(not named.exact)
        return
    tables: dict[str, None] = {}
    for show in sense.shows:
        if isinstance(show.what, Hit):
            tables |= dict.fromkeys(ref.table for ref in show.what.columns if ref not in show.what.labels)
    if not tables:
        tables = _tables_of_values(sense.subject, ground)
    for table in tables:
        yield ground.things.thing(table), 0


def _away(subject: Subject, thing: Thing) -> int:
    """ "die Fläche von Wisconsin" is that of the state of this name rather than of lakes in it."""
    said = [modifier for modifier in subject.modifiers if isinstance(modifier, ValueIs) and modifier.column is None]
    if subject.things is not None or not said:
        return 0
    own = {(ref.table, ref.column) for ref in (*thing.labels, thing.key) if ref is not None}
    return int(not any(key in own for modifier in said for hit in modifier.values for key, _ in hit.columns))


def _tables_of_values(subject: Subject, ground: Ground) -> dict[str, None]:
    """ "wo liegt San Diego": the tables whose things are called so."""
    found: dict[str, None] = {}
    for modifier in subject.modifiers:
        for hit in modifier.values if isinstance(modifier, ValueIs) else ():
            for table, column in (key for key, _ in hit.columns):
                thing = ground.things.thing(table)
                if ColumnRef(table, column) in (*thing.labels, thing.key):
                    found[table] = None
    return found


def _about(sense: Sense, thing: Thing, ground: Ground) -> Iterator[Built]:
    modifiers = sense.subject.modifiers
    bests = [each for each in modifiers if isinstance(each, Best)]
    eaches = [each for each in modifiers if isinstance(each, Each)]
    sorts = [each for each in modifiers if isinstance(each, Sorted)]
    if len(bests) > 1 or len(eaches) + (sense.group is not None) > 1 or len(sorts) > 1:
        raise NoSense
    counted = all(show.kind == "count" for show in sense.shows)
    if any(isinstance(each, Overall) and not (counted and each.function == "sum") for each in modifiers):
        raise NoSense
    best, sorts = _ranked_by(bests[0] if bests else None, sorts)
    kinds = {show.kind for show in sense.shows}
    for kept in kept_rows(modifiers, thing, ground):
        if best is not None and best.most_of is not None:
            yield from most(sense, best, kept, thing, ground)
        elif eaches or sense.group is not None:
            if best is None and kept.counted is None:
                yield from grouped(sense, eaches[0] if eaches else None, sorts, kept, thing, ground)
        elif kept.counted is not None:
            yield counted_related(sense, kept, thing, ground)
        elif kinds == {"count"}:
            if best is None and not sorts:
                yield _count(sense, kept, thing, ground)
        elif kinds in ({"count_distinct"}, {"count_filled"}):
            if best is None and not sorts:
                yield _count_columns(sense, kept, thing, ground)
        elif kinds == {"aggregate"}:
            if best is None and not sorts:
                yield _aggregate(sense, kept, thing, ground)
        elif not kinds & {"count", "count_distinct", "count_filled", "aggregate"}:
            yield from listed(sense, best, sorts, kept, thing, ground)


def _ranked_by(best: Best | None, sorts: list[Sorted]) -> tuple[Best | None, list[Sorted]]:
    """ "der kleinste Staat nach Fläche": the column behind "nach" says what the adjective measures."""
    if best is None or not isinstance(best.what, Adjective) or len(sorts) != 1 or not isinstance(sorts[0].what, Hit):
        return best, sorts
    if sorts[0].descending:
        raise NoSense
    return replace(best, what=sorts[0].what, descending=best.descending and bool(best.what.columns)), []


def _count(sense: Sense, kept: Kept, thing: Thing, ground: Ground) -> Built:
    term = count_term(thing, kept, ground)
    return built_of(AggregatePlan((term,), (Output("Anzahl", TermValue(0)),)), thing.table, kept.guesses, term.joins)


def _count_columns(sense: Sense, kept: Kept, thing: Thing, ground: Ground) -> Built:
    terms, outputs, guesses = [], [], kept.guesses
    for position, show in enumerate(sense.shows):
        assert isinstance(show.what, Hit)
        place = only(ground.nearest(show.what.columns, thing, show.what.exact))
        if place.level >= MANY:
            raise NoSense
        how = "count_distinct" if show.kind == "count_distinct" else "count"
        terms.append(make_term(ground, thing.table, how, (place.ref,), kept.conditions))
        outputs.append(Output(f"Anzahl verschiedener {ground.name(place.ref)}", TermValue(position)))
        guesses += int(not place.exact)
    joins = [join for term in terms for join in term.joins]
    return built_of(AggregatePlan(tuple(terms), tuple(outputs)), thing.table, guesses, joins)


def _aggregate(sense: Sense, kept: Kept, thing: Thing, ground: Ground) -> Built:
    terms, outputs, guesses, main = aggregate_terms(sense, kept, thing, ground)
    joins = [join for term in terms for join in term.joins]
    return built_of(AggregatePlan(tuple(terms), tuple(outputs)), main, guesses, joins)
