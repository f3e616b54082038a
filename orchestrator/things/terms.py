"""The terms of plans about things, and what a finished plan took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.link_names import is_number
from orchestrator.plan import (
    ColumnRef,
    Condition,
    Join,
    Output,
    Plan,
    Term,
    TermValue,
)
from orchestrator.planners.parts import columns_of
from orchestrator.things.conditions import Kept
from orchestrator.things.ground import MANY, Ground, NoSense, Place, names_year, only
from orchestrator.things.names import Hit, Thing
from orchestrator.things.sense import Sense
from parsers.table import ColumnType


@dataclass(frozen=True)
class Built:
    """`guesses`: words read by their meaning only; `joins`: tables beyond the thing's own; `main`: the row source;
    `away`: 1 where the name that is said is not what the things of this table are called."""

    plan: Plan
    main: str
    guesses: int
    joins: int
    away: int = 0


def make_term(
    ground: Ground,
    main: str,
    aggregation: str,
    columns: Sequence[ColumnRef],
    conditions: Sequence[Condition],
    group: Sequence[ColumnRef] = (),
) -> Term:
    ground.check_row_source(main, conditions)
    joins = joins_of(ground, main, (*columns, *group), conditions)
    return Term(main, aggregation, tuple(columns), joins, tuple(conditions))  # type: ignore[arg-type]


def joins_of(ground: Ground, main: str, columns: Sequence[ColumnRef], conditions: Sequence[Condition]) -> tuple[Join, ...]:
    frame = ground.frame(main)
    needed = [*columns, *(ref for condition in conditions for ref in columns_of(condition))]
    if any(ref.table not in frame.paths for ref in needed):
        raise NoSense
    return frame.joins(needed)


def built_of(plan: Plan, main: str, guesses: int, joins: Sequence[Join]) -> Built:
    return Built(plan, main, guesses, len(joins))


def count_term(thing: Thing, kept: Kept, ground: Ground, group: Sequence[ColumnRef] = ()) -> Term:
    """Rows where each row is one thing; different keys where a thing has several rows."""
    if thing.unique or thing.key is None:
        return make_term(ground, thing.table, "count", (), kept.conditions, group)
    return make_term(ground, thing.table, "count_distinct", (thing.key,), kept.conditions, group)


FUNCTION_NAMES = {"average": "Durchschnitt", "minimum": "Minimum", "maximum": "Maximum", "sum": "Summe"}


def aggregate_terms(
    sense: Sense, kept: Kept, thing: Thing, ground: Ground, group: Sequence[ColumnRef] = ()
) -> tuple[list[Term], list[Output], int, str]:
    """One term a shown aggregate; over the rows that hold the measure, be they the thing's own or rows that refer to it."""
    terms: list[Term] = []
    outputs: list[Output] = []
    guesses, mains = kept.guesses, set()
    for position, show in enumerate(sense.shows):
        if show.kind != "aggregate" or not isinstance(show.what, Hit) or show.function is None:
            raise NoSense
        place = only([each for each in ground.measured(show.what, thing) if is_number(ground.column(each.ref))])
        column = ground.column(place.ref)
        main = place.step.many.table if place.step is not None and place.level == MANY else thing.table
        if ground.is_key(place.ref) or (not thing.unique and thing.key is not None):
            raise NoSense
        if show.function == "sum" and column.aggregation != "sum" and not _adds_up(place, main, ground):
            raise NoSense
        terms.append(make_term(ground, main, show.function, (place.ref,), kept.conditions, group))
        outputs.append(Output(f"{FUNCTION_NAMES[show.function]} {ground.name(place.ref)}", TermValue(position)))
        guesses += int(not place.exact)
        mains.add(main)
    if len(mains) != 1:
        raise NoSense
    return terms, outputs, guesses, mains.pop()


def _adds_up(place: Place, main: str, ground: Ground) -> bool:
    """A stock may be added over different things at one time only."""
    times = (ColumnType.PERIOD, ColumnType.DATE, ColumnType.TIMESTAMP)
    dated = any(c.column.type in times or names_year(c) for c in ground.table(main).columns)
    return ground.column(place.ref).aggregation == "stock" and not dated
