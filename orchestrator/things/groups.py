"""Plans about things in groups: one row for each value or thing, the most, more than a number of related things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from orchestrator.plan import (
    AggregatePlan,
    ColumnRef,
    Having,
    Join,
    Order,
    Output,
    Term,
    TermValue,
)
from orchestrator.things.conditions import Kept, kept_rows
from orchestrator.things.ground import MANY, Ground, NoSense, only
from orchestrator.things.names import Hit, Thing
from orchestrator.things.sense import Best, Each, Sense, Sorted
from orchestrator.things.shown import Shown, shown_columns
from orchestrator.things.terms import Built, aggregate_terms, built_of, count_term, make_term
from parsers.table import ColumnType


def _group_columns(what: Hit, thing: Thing, ground: Ground) -> tuple[Shown, int]:
    """What "je Stadt" groups by: a column, or the names of the things that the rows refer to."""
    if what.things:
        found = []
        for other in what.things:
            place = ground.place(other.key, thing) if other.key is not None else None
            if place is not None and 0 < place.level < MANY and other.unique:
                found.append(identified(other, ground))
        if len(found) != 1:
            raise NoSense
        return found[0], int(not what.exact)
    place = only(ground.nearest(what.columns, thing, what.exact))
    if place.level >= MANY:
        raise NoSense
    return _displayed(place.ref, ground), int(not place.exact)


def identified(thing: Thing, ground: Ground) -> Shown:
    """The thing's names, with its key where two things share a name."""
    if len(thing.labels) == 1 and ground.distinct(thing.labels[0]) == ground.rows(thing.table):
        return Shown(thing.labels, (ground.name(thing.labels[0]),))
    if thing.key is None:
        raise NoSense
    refs = tuple(dict.fromkeys((*thing.labels, thing.key)))
    return Shown(refs, tuple(ground.name(ref) for ref in refs))


def _displayed(ref: ColumnRef, ground: Ground) -> Shown:
    """A number that only refers to another table is shown by the name of what it refers to."""
    column = ground.column(ref)
    for relation in ground.scope.relations:
        refers = (relation.many_table, relation.many_column) == (ref.table, ref.column)
        if refers and relation.approved and column.column.type is not ColumnType.TEXT:
            return identified(ground.things.thing(relation.one_table), ground)
    return Shown((ref,), (ground.name(ref),))


def grouped(
    sense: Sense, each: Each | None, sorts: Sequence[Sorted], kept: Kept, thing: Thing, ground: Ground
) -> Iterator[Built]:
    """ "Anzahl der Mitglieder je Ort", "das höchste Gehalt jeder Abteilung"."""
    what = each.what if each is not None else sense.group.what if sense.group is not None else None
    if not isinstance(what, Hit):
        raise NoSense
    bridge = _bridge(sense, what, thing, ground)
    if bridge is not None:
        yield from _over_bridge(bridge, kept, thing, ground, int(not what.exact))
        return
    group, guess = _group_columns(what, thing, ground)
    if sense.having is not None and sense.having[0] in ("<", "<="):
        raise NoSense  # a value without any is in no row that could be counted
    counts = [show for show in sense.shows if show.kind == "count"]
    if counts:
        more = [show for show in sense.shows if show.kind != "count"]
        if more and not set(shown_columns(more, thing, ground).refs) <= set(group.refs):
            raise NoSense
        term = count_term(thing, kept, ground, group.refs)
        terms, outputs, guesses, main = [term], [Output("Anzahl", TermValue(0))], kept.guesses, thing.table
    else:
        terms, outputs, guesses, main = aggregate_terms(sense, kept, thing, ground, group.refs)
    order = None
    if sorts:
        if sorts[0].what != "count":
            raise NoSense
        order = Order(0, sorts[0].descending)
    having = (Having(0, *sense.having),) if sense.having is not None else ()
    plan = AggregatePlan(tuple(terms), tuple(outputs), group.refs, group.names, having=having, order=order)
    yield built_of(plan, main, guesses + guess, terms[0].joins)


def _bridge(sense: Sense, what: Hit, thing: Thing, ground: Ground) -> tuple[Join, Thing] | None:
    """ "die Anzahl der Konzerte für jeden Sänger": the only table whose rows say which goes with which."""
    if {show.kind for show in sense.shows} != {"count"} or len(what.things) != 1 or sense.having is not None:
        return None
    (other,) = what.things
    place = ground.place(other.key, thing) if other.key is not None and other.unique else None
    if place is None or place.level < MANY or other.table == thing.table:
        return None
    ways = [join for join in ground.referring(thing) if other.table in ground.frame(join.many.table).paths]
    direct = [way for way in ways if len(ground.frame(way.many.table).paths[other.table]) == 1]
    return (direct[0], other) if len(direct) == 1 else None


def _over_bridge(bridge: tuple[Join, Thing], kept: Kept, thing: Thing, ground: Ground, guess: int) -> Iterator[Built]:
    join, other = bridge
    group = identified(other, ground)
    term = make_term(ground, join.many.table, "count", (join.many,), kept.conditions, group.refs)
    plan = AggregatePlan((term,), (Output("Anzahl", TermValue(0)),), group.refs, group.names)
    yield built_of(plan, join.many.table, kept.guesses + guess, term.joins)


def most(sense: Sense, best: Best, kept: Kept, thing: Thing, ground: Ground) -> Iterator[Built]:
    """ "die Rasse mit den meisten Hunden", "welches Land hat die meisten Sender"."""
    if best.most_of is None or kept.counted is not None:
        raise NoSense
    for other in best.most_of.things:
        try:
            (inner,) = kept_rows(best.conditions, other, ground)
            group, guess = _most_group(sense, thing, other, ground)
            conditions = (*inner.conditions, *(kept.conditions if other != thing else ()))
            if other == thing:
                conditions = kept.conditions
            term = count_term(other, replace(kept, conditions=conditions), ground, group.refs)
        except (NoSense, ValueError):
            continue
        if not best.descending and not _all_referred(term, thing, ground):
            continue
        plan = AggregatePlan(
            (term,), (Output("Anzahl", TermValue(0)),), group.refs, group.names,
            order=Order(0, best.descending, best.limit),
        )  # fmt: skip
        guesses = kept.guesses + inner.guesses + guess + int(not best.most_of.exact)
        yield built_of(plan, other.table, guesses, term.joins)


def _most_group(sense: Sense, thing: Thing, other: Thing, ground: Ground) -> tuple[Shown, int]:
    """What is counted for: the thing itself with its shown columns, or a column of the counted things."""
    shows = [show for show in sense.shows if show.kind not in ("count",)]
    if sense.subject.things is None:
        columns = {show.what.columns if isinstance(show.what, Hit) and show.of is None else () for show in shows}
        if len(columns) != 1 or () in columns or not isinstance(shows[0].what, Hit):
            raise NoSense
        group, guess = _group_columns(shows[0].what, other, ground)
        if any(
            ref == other.key or (ref in other.labels and ground.distinct(ref) == ground.rows(ref.table)) for ref in group.refs
        ):
            raise NoSense
        return group, guess
    place = ground.place(thing.key, other) if thing.key is not None and thing.unique else None
    if place is None or not 0 < place.level < MANY:
        raise NoSense
    shown = shown_columns(shows, thing, ground)
    if any(each.table != thing.table for each in shown.refs):
        raise NoSense
    identity = identified(thing, ground)
    refs = tuple(dict.fromkeys((*shown.refs, *identity.refs)))
    return Shown(refs, tuple(ground.name(ref) for ref in refs)), shown.guesses


def _all_referred(term: Term, thing: Thing, ground: Ground) -> bool:
    """The fewest can only be told where each thing has at least one."""
    joins = [join for join in term.joins if join.one.table == thing.table]
    return bool(joins) and not term.conditions and ground.distinct(joins[0].many) == ground.rows(thing.table)


def counted_related(sense: Sense, kept: Kept, thing: Thing, ground: Ground) -> Built:
    """ "Sänger, die mehr als einen Song haben": groups of the related rows."""
    if kept.counted is None:
        raise NoSense
    join, inner, having = kept.counted
    conditions = (*inner, *kept.conditions)
    other = ground.things.thing(join.many.table)
    if not thing.unique:
        raise NoSense
    if {show.kind for show in sense.shows} == {"count"}:
        term = count_term(other, Kept(conditions), ground, (join.many,))
        return _related_plan(term, (join.many,), (ground.name(join.many),), having, kept, count=True)
    shown = shown_columns(sense.shows, thing, ground)
    identity = identified(thing, ground)
    refs = tuple(dict.fromkeys((*shown.refs, *identity.refs)))
    if any(ref.table != thing.table for ref in refs):
        raise NoSense
    term = count_term(other, Kept(conditions), ground, refs)
    names = tuple(ground.name(ref) for ref in refs)
    return _related_plan(term, refs, names, having, replace(kept, guesses=kept.guesses + shown.guesses), count=False)


def _related_plan(
    term: Term, refs: tuple[ColumnRef, ...], names: tuple[str, ...], having: Having, kept: Kept, *, count: bool
) -> Built:
    plan = AggregatePlan((term,), (Output("Anzahl", TermValue(0)),), refs, names, having=(having,), count_groups=count)
    return built_of(plan, term.table, kept.guesses, term.joins)
