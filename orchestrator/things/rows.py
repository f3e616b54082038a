"""Plans about things that list rows, all or the first ones of an order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.link_names import is_number
from orchestrator.plan import (
    AggregatePlan,
    ColumnRef,
    ListPlan,
    Order,
    Output,
    TermValue,
)
from orchestrator.things.conditions import Kept
from orchestrator.things.ground import MANY, Ground, NoSense, Place, only
from orchestrator.things.groups import identified
from orchestrator.things.names import Thing
from orchestrator.things.sense import Best, Sense, Sorted
from orchestrator.things.shown import shown_columns
from orchestrator.things.terms import FUNCTION_NAMES, Built, built_of, joins_of, make_term


def listed(sense: Sense, best: Best | None, sorts: Sequence[Sorted], kept: Kept, thing: Thing, ground: Ground) -> Iterator[Built]:
    """Rows with chosen columns, of the thing's own table or of one that refers to it and holds what is asked for."""
    shown = shown_columns(sense.shows, thing, ground, bound=kept.bound)
    order: list[tuple[ColumnRef, bool]] = []
    places: list[Place] = list(shown.places)
    guesses = kept.guesses + shown.guesses
    if best is not None:
        if best.what is None or sorts:
            raise NoSense
        place = _best_place(best, thing, ground)
        places.append(place)
        order = [(place.ref, best.descending == place.descending)]
        guesses += int(not place.exact)
    for said in sorts:
        if said.what == "count":
            raise NoSense
        refs = [Place(ref, 0) for ref in thing.labels[:1]] if said.what is None else ground.measured(said.what, thing)
        place = only(refs)
        if place.level >= MANY:
            raise NoSense  # a thing with several rows there has no one place in the order
        places.append(place)
        order.append((place.ref, said.descending))
        guesses += int(not place.exact)
    steps = {place.step for place in places if place.step is not None}
    if len(steps) > 1 or (steps and best is None and kept.conditions == () and not order):
        raise NoSense
    step = next(iter(steps), None)
    main = step.many.table if step is not None else thing.table
    if best is not None:
        ground.check_row_source(main, kept.conditions)
    joins = joins_of(ground, main, (*shown.refs, *(ref for ref, _ in order)), kept.conditions)
    distinct = sense.distinct or sense.subject.distinct or main != thing.table or not (thing.unique or thing.key is None)
    if best is not None and best.limit == 1 and shown.refs == (order[0][0],) and is_number(ground.column(order[0][0])):
        yield _extreme(order[0], kept, main, ground, guesses)
        return
    plan = ListPlan(
        main, shown.refs, shown.names, joins, kept.conditions, distinct=distinct, order=tuple(order),
        limit=best.limit if best is not None else None,
    )  # fmt: skip
    yield built_of(plan, main, guesses, joins)
    if best is not None and step is not None and not best.single:
        yield from _best_sum(plan, best, places[-1], thing, ground, guesses)


def _extreme(order: tuple[ColumnRef, bool], kept: Kept, main: str, ground: Ground, guesses: int) -> Built:
    """ "Wie alt ist der älteste Hund?": the age itself, once, however many dogs share it."""
    ref, descending = order
    function = "maximum" if descending else "minimum"
    term = make_term(ground, main, function, (ref,), kept.conditions)
    output = Output(f"{FUNCTION_NAMES[function]} {ground.name(ref)}", TermValue(0))
    return built_of(AggregatePlan((term,), (output,)), main, guesses, term.joins)


def _best_place(best: Best, thing: Thing, ground: Ground) -> Place:
    if best.what is None:
        raise NoSense
    place = only([each for each in ground.measured(best.what, thing) if ground.is_ordered(each.ref)])
    if 0 < place.level < MANY and not best.single and thing.unique is False:
        raise NoSense
    return place


def _best_sum(plan: ListPlan, best: Best, place: Place, thing: Thing, ground: Ground, guesses: int) -> Iterator[Built]:
    """ "der Kunde mit den höchsten Ausgaben" may mean all his rows together: both readings have to agree."""
    column = ground.column(place.ref)
    if column.aggregation != "sum" or place.level != MANY or place.step is None:
        return
    if ground.distinct(place.step.many) == ground.rows(place.step.many.table):
        return
    identity = identified(thing, ground)
    refs = tuple(dict.fromkeys((*plan.columns, *identity.refs)))
    term = make_term(ground, plan.table, "sum", (place.ref,), plan.conditions, refs)
    order = Order(0, best.descending, best.limit)
    output = Output(ground.name(place.ref), TermValue(0))
    grouped = AggregatePlan((term,), (output,), refs, tuple(ground.name(ref) for ref in refs), order=order)
    yield built_of(grouped, plan.table, guesses, plan.joins)
