"""Conditions said about a thing -> conditions of the plan language, seen from that thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from itertools import product

from orchestrator.link_names import is_number, is_time
from orchestrator.plan import (
    AnyOf,
    ColumnRef,
    Compare,
    CompareAggregate,
    Condition,
    Having,
    InRows,
    Join,
    Missing,
    OneOf,
    Operator,
    Within,
)
from orchestrator.planners.conditions import StoredValue
from orchestrator.things.book import verb_stem, word_book
from orchestrator.things.ground import MANY, Ground, NoSense, Place, only
from orchestrator.things.names import Thing, scaled_header
from orchestrator.things.sense import (
    HasRelated,
    Measured,
    Modifier,
    NumberBesideAggregate,
    NumberBetween,
    NumberIs,
    ValueIs,
    YearIs,
)
from orchestrator.units import parse_unit
from parsers.fold import fold
from parsers.periods import Period
from parsers.table import ColumnType

_OWN_YEAR = ("eroeffn", "gegruend", "gebor")
"""Events whose year is not that of just anything else that happens to the thing."""
_FIRST_DAY, _LAST_DAY = date(1, 1, 1), date(9999, 12, 31)


@dataclass(frozen=True)
class Kept:
    """Which rows of a thing's table are kept. `guesses`: words read by their meaning only; `joins`: tables beyond its own;
    `counted`: "mehr als zwei Songs": the join to count over, its own conditions, and the bound."""

    conditions: tuple[Condition, ...] = ()
    guesses: int = 0
    counted: tuple[Join, tuple[Condition, ...], Having] | None = None
    bound: frozenset[ColumnRef] = field(default_factory=frozenset)


def kept_rows(modifiers: Iterable[Modifier], thing: Thing, ground: Ground) -> list[Kept]:
    """Every way to tie the conditions to columns. Raises NoSense."""
    ways: list[list[Kept]] = []
    modifiers = tuple(modifiers)
    by_noun = any(isinstance(each, HasRelated) and not each.verb for each in modifiers)
    denied = any(isinstance(each, HasRelated) and each.negated for each in modifiers)
    if denied and any(isinstance(each, YearIs) and each.column is None and not each.verb for each in modifiers):
        raise NoSense  # "2023 keinen Auftrag" is about the year of the orders, not about one of the thing
    for modifier in modifiers:
        if isinstance(modifier, HasRelated) and modifier.verb and by_noun:
            if modifier.negated:
                raise NoSense
            continue  # "Museen besucht": the verb only says again how the two belong together
        match modifier:
            case NumberIs():
                ways.append([_number(modifier, thing, ground)])
            case NumberBetween():
                ways.append([_between(modifier, thing, ground)])
            case YearIs():
                ways.append([_year(modifier, thing, ground)])
            case ValueIs():
                ways.append(_value(modifier, thing, ground))
            case NumberBesideAggregate():
                ways.append([_beside_aggregate(modifier, thing, ground)])
            case HasRelated():
                ways.append(_related(modifier, thing, ground))
            case _:
                continue
    merged = [_merge(choice) for choice in product(*ways)]
    if len(merged) > 12:
        raise NoSense
    return merged


def _merge(choice: Sequence[Kept]) -> Kept:
    counted = [each.counted for each in choice if each.counted is not None]
    if len(counted) > 1:
        raise NoSense
    return Kept(
        tuple(condition for each in choice for condition in each.conditions),
        sum(each.guesses for each in choice),
        counted[0] if counted else None,
        frozenset(ref for each in choice for ref in each.bound),
    )


def number_place(what: Measured, thing: Thing, ground: Ground) -> Place:
    """The one number column meant, of the thing itself or of what it refers to. Raises NoSense."""
    places = [place for place in ground.measured(what, thing) if is_number(ground.column(place.ref))]
    place = only(places)
    if place.level >= MANY or ground.is_key(place.ref):
        raise NoSense
    return place


def _between(said: NumberBetween, thing: Thing, ground: Ground) -> Kept:
    low = _number(NumberIs(said.what, ((">=", said.low),)), thing, ground)
    high = _number(NumberIs(said.what, (("<=", said.high),)), thing, ground)
    return Kept((*low.conditions, *high.conditions), low.guesses)


def _number(said: NumberIs, thing: Thing, ground: Ground) -> Kept:
    place = number_place(said.what, thing, ground)
    unit = ground.column(place.ref).unit
    if scaled_header(ground.column(place.ref).column.header):
        raise NoSense
    if unit is not None and (parse_unit(unit).factor != 1 or (unit == "%" and any(abs(value) < 1 for _, value in said.options))):
        raise NoSense
    return Kept((_any_of(place.ref, [(_turned(operator, place), value) for operator, value in said.options]),), _guess(place))


def _turned(operator: Operator, place: Place) -> Operator:
    """ "jünger als 30" is an age below 30."""
    return operator if place.descending else {">": "<", "<": ">", ">=": "<=", "<=": ">="}.get(operator, operator)  # type: ignore[return-value]


def _guess(place: Place) -> int:
    return int(not place.exact)


def _any_of(ref: ColumnRef, options: Sequence[tuple[Operator, Decimal]]) -> Condition:
    compared = tuple(Compare(ref, operator, value) for operator, value in options)
    if len(compared) == 1:
        operator, value = options[0]
        return OneOf(ref, (value,)) if operator == "=" else compared[0]
    if all(operator == "=" for operator, _ in options):
        return OneOf(ref, tuple(value for _, value in options))
    return AnyOf(ref, compared)


def year_place(said: YearIs, thing: Thing, ground: Ground) -> Place:
    """The column of the year: the one named, the one of the event, or the only one that holds a time. Raises NoSense."""
    if said.column is not None:
        return only(ground.own(ground.nearest(said.column.columns, thing, said.column.exact), thing))
    times = ground.times(thing)
    if said.verb:
        stem = verb_stem(said.verb)
        for beginning, name in word_book().event_columns.items():
            if said.verb.startswith(beginning) or stem.startswith(beginning):
                named = [
                    ref for hit in ground.things.columns((name,)) if hit.exact for ref in hit.columns if ref.table == thing.table
                ]
                if len(named) == 1:
                    return Place(named[0], 0)
                if beginning in _OWN_YEAR:
                    raise NoSense
        same = [ref for ref in times if fold(ground.column(ref).column.header).startswith(stem) and len(stem) >= 4]
        if len(same) == 1:
            return Place(same[0], 0)
        times = [ref for ref in times if _is_plain_time(ground, ref)]
    if len(times) != 1:
        raise NoSense
    return Place(times[0], 0)


def _is_plain_time(ground: Ground, ref: ColumnRef) -> bool:
    """ "jahr", "datum": of whatever happens to the thing."""
    return fold(ground.column(ref).column.header) in ("jahr", "datum", "year", "date")


def _year(said: YearIs, thing: Thing, ground: Ground) -> Kept:
    place = year_place(said, thing, ground)
    column = ground.column(place.ref)
    if place.level >= MANY:
        raise NoSense
    if is_number(column):
        return Kept((_any_of(place.ref, [(operator, Decimal(year)) for operator, year in said.options]),), _guess(place))
    if not is_time(column) or column.column.type is ColumnType.PERIOD or len(said.options) != 1:
        raise NoSense
    operator, year = said.options[0]
    spans = {
        "=": (date(year, 1, 1), date(year, 12, 31)),
        "<": (_FIRST_DAY, date(year - 1, 12, 31)),
        ">": (date(year + 1, 1, 1), _LAST_DAY),
        ">=": (date(year, 1, 1), _LAST_DAY),
    }
    if operator not in spans:
        raise NoSense
    label = {"=": str(year), "<": f"vor {year}", ">": f"nach {year}", ">=": f"ab {year}"}[operator]
    period = Period(*spans[operator], "year" if operator == "=" else "range", label)
    return Kept((Within(place.ref, period),), _guess(place))


def _value(said: ValueIs, thing: Thing, ground: Ground) -> list[Kept]:
    """One way for each column in which the values may be meant."""
    wanted = None
    guess = 0
    if said.column is not None:
        wanted = {place.ref: place for place in ground.nearest(said.column.columns, thing, said.column.exact)}
        guess = int(not said.column.exact)
    by_column: dict[ColumnRef, tuple[Place, list[StoredValue]]] = {}
    first, *others = said.values
    for place, stored in ground.values(first, thing, nearest=wanted is None):
        by_column[place.ref] = (place, list(stored))
    if wanted is not None:
        by_column = {ref: found for ref, found in by_column.items() if ref in wanted or _named_by_reference(wanted, ref, ground)}
    for other in others:
        more = {ColumnRef(*key): stored for key, stored in other.columns}
        by_column = {ref: (place, [*stored, *more[ref]]) for ref, (place, stored) in by_column.items() if ref in more}
    if not by_column:
        raise NoSense
    return [_one_value(said, place, tuple(dict.fromkeys(stored)), thing, ground, guess) for place, stored in by_column.values()]


def _named_by_reference(wanted: Iterable[ColumnRef], ref: ColumnRef, ground: Ground) -> bool:
    """ "Land Frankreich" where the column "land" holds the key of a table of countries."""
    return any(
        (each.many_table, each.many_column) == (column.table, column.column) and each.one_table == ref.table
        for column in wanted
        for each in ground.scope.relations
    )


def _one_value(said: ValueIs, place: Place, stored: tuple[StoredValue, ...], thing: Thing, ground: Ground, guess: int) -> Kept:
    inside = OneOf(place.ref, stored)
    bound = frozenset({place.ref})
    if not said.negated:
        return Kept((ground.lifted(inside, place, thing),), guess, bound=bound)
    if place.step is not None:
        lifted = ground.lifted(inside, place, thing)
        return Kept((replace(lifted, negated=True),), guess) if isinstance(lifted, InRows) else Kept()
    if not thing.unique and thing.key is not None:
        if place.level:
            raise NoSense
        return Kept((InRows(thing.key, thing.key, (inside,), negated=True),), guess, bound=bound)
    return Kept((OneOf(place.ref, stored, negated=True),), guess, bound=bound)


def _beside_aggregate(said: NumberBesideAggregate, thing: Thing, ground: Ground) -> Kept:
    place = number_place(said.what, thing, ground)
    if place.level or not thing.unique:
        raise NoSense
    of = place.ref
    conditions: tuple[Condition, ...] = ()
    if said.of is not None:
        of = only(ground.nearest(said.of.columns, thing, said.of.exact)).ref
    if said.subject is not None:
        if said.subject.things is None or thing not in said.subject.things.things:
            raise NoSense
        (kept,) = kept_rows(said.subject.modifiers, thing, ground)
        conditions = kept.conditions
    if of.table != thing.table or said.function == "sum":
        raise NoSense
    ground.check_row_source(thing.table, conditions)
    compared = CompareAggregate(place.ref, _turned(said.operator, place), said.function, of, conditions)
    return Kept((compared,), _guess(place))


def _related(said: HasRelated, thing: Thing, ground: Ground) -> list[Kept]:
    """Things that refer to this one, directly or through a table that refers to both."""
    found: list[Kept] = []
    for other in said.things.things:
        if other == thing:
            continue
        for kept in _inner(said, other, ground):
            joins = [join for join in ground.referring(thing) if join.many.table == other.table]
            guess = kept.guesses + int(not said.things.exact)
            for join in joins:
                found.append(_has(said, join, kept.conditions, guess, thing, ground))
            if joins or (said.count is not None and kept.conditions):
                continue
            for join in ground.referring(thing):
                paths = ground.frame(join.many.table).paths.get(other.table, ())
                if len(paths) == 1 and ground.is_only_way(paths):
                    way = paths[0]
                    if said.count is not None:
                        found.append(_has(said, join, (Missing(way.many, negated=True),), guess, thing, ground))
                        continue
                    within: Condition = Missing(way.many, negated=True)
                    if kept.conditions:
                        within = InRows(way.many, way.one, kept.conditions, approved=way.approved)
                    found.append(Kept((InRows(join.one, join.many, (within,), said.negated, join.approved),), guess))
    if not found:
        raise NoSense
    return found


def _inner(said: HasRelated, other: Thing, ground: Ground) -> list[Kept]:
    try:
        ways = kept_rows(said.conditions, other, ground)
    except NoSense:
        return []
    return [way for way in ways if way.counted is None]


def _has(said: HasRelated, join: Join, inner: tuple[Condition, ...], guess: int, thing: Thing, ground: Ground) -> Kept:
    if said.count is None:
        return Kept((InRows(join.one, join.many, inner, said.negated, join.approved),), guess)
    operator, number = said.count
    with_none = operator in ("<", "<=") or (operator == ">=" and number == 0)
    if with_none or said.negated:
        raise NoSense  # a thing without any is in no row that could be counted
    return Kept((), guess, (join, inner, Having(0, operator, number)))
