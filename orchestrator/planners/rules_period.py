"""Rules for calendar periods as groups: "Umsatz je Monat", running totals, the month with the highest value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.link_names import is_measure
from orchestrator.plan import AggregatePlan, Bucket, ColumnRef, Condition, Having, OneOf, Order, Output, TermValue, Window, Within
from orchestrator.planners.asked import RUNNING, counted, groups_said
from orchestrator.planners.conditions import amount_in, data_years, time_slot
from orchestrator.planners.decision import Draft, Option, PlannerStop, Stop
from orchestrator.planners.parts import (
    Parts,
    Where,
    amount_slot,
    default_aggregation,
    make_term,
    own_measures,
    qualifies,
    unit_where,
    where,
    with_amounts,
)
from orchestrator.planners.requirements import require_fixed, require_named
from orchestrator.planners.rules_count import numbers_lines
from orchestrator.planners.slots import Slot, append
from parsers.table import ColumnType

_GRAINS = ("week", "month", "quarter", "half_year", "year")
_GRAIN_NAMES = {
    "de": ("Woche", "Monat", "Quartal", "Halbjahr", "Jahr"),
    "en": ("Week", "Month", "Quarter", "Half-year", "Year"),
    "pl": ("Tydzień", "Miesiąc", "Kwartał", "Półrocze", "Rok"),
}
_AND = frozenset({"und", "and", "sowie"})
_COURSE = ("entwick", "develop")
"""Beginnings of words that ask for the course of a figure over the periods, not for the change between two."""


@dataclass(frozen=True)
class TimeGroup:
    """`bucket` None: the column's own periods are of the grain asked for; `condition`: of several grains only that one."""

    mark: int
    slot: Slot
    bucket: Bucket | None
    condition: Condition | None
    name: str


@dataclass(frozen=True)
class _Figure:
    """What is computed in each group: `slot` None: rows are counted."""

    slot: Slot | None
    aggregation: str | None
    columns: tuple[ColumnRef, ...]
    name: str
    used: frozenset[int]


def by_period(parts: Parts) -> Draft | None:
    """ "Bestellwert je Monat", "Bestellungen pro Quartal", "kumuliert je Monat", "In welchem Monat war … am höchsten?"."""
    group = time_group(parts)
    if group is None or parts.reading.says("share", "difference", "increase", "decrease", "not", "median", "top"):
        return None
    mentions = parts.reading.mentions
    development = {i for i in parts.marks("change") if parts.reading.text_of(mentions[i]).lower().startswith(_COURSE)}
    if parts.marks("change") != development:
        return None
    asked = parts.reading.mentions[group.mark].says(*(f"which_{grain}" for grain in _GRAINS))
    others = () if asked else _other_groups(parts, group)
    figure = _figure(parts, group, others)
    if figure is None:
        return None
    found = where(parts)
    found, convert = unit_where(parts, found, figure.slot) if figure.slot else (found, None)
    found = found if asked else with_amounts(parts, found, None)
    found = found.plus([group.condition] if group.condition else [], {group.mark})
    refs = (group.slot.ref, *(slot.ref for slot in others))
    require_fixed(parts, found, refs)
    plans = tuple(_plan(parts, group, others, figure, found, conditions, convert) for conditions in found.alternatives)
    used = {group.mark, *figure.used, *(slot.index for slot in others), *development} | parts.marks("group_by", "sum", "each")
    if asked:
        plans, more = _chosen(parts, plans, figure)
        used |= more
    elif parts.reading.says("maximum", "minimum"):
        return None
    if parts.reading.says("running"):
        if others or asked or not _adds_up(figure):
            return None
        _require_one_year(parts, group, found)
        plans = tuple(_running(parts, plan) for plan in plans)
        used |= parts.marks("running")
    if not plans:
        return None
    return Draft(plans, found.used | used | require_named(parts, found, refs, any_member=True))


def time_group(parts: Parts) -> TimeGroup | None:
    """The calendar period that a word groups by ("je Monat", "quarterly"), or a period column said by its name with a running
    total. Raises Stop where the date it is about is open, or its periods are longer."""
    mentions = enumerate(parts.reading.mentions)
    said = [(i, grain) for i, mention in mentions for grain in _GRAINS if mention.says(f"by_{grain}", f"which_{grain}")]
    if not said and parts.reading.says("running"):
        named = [slot for slot in groups_said(parts) if slot.column.column.type is ColumnType.PERIOD]
        return TimeGroup(named[0].index, named[0], None, None, named[0].name) if len(named) == 1 else None
    if len(said) != 1:
        return None
    mark, grain = said[0]
    slot = time_slot(parts.reading, parts.slots, mark)
    if slot is None:
        return None
    name = _GRAIN_NAMES[parts.reading.question.language][_GRAINS.index(grain)]
    bucket = Bucket(grain)  # type: ignore[arg-type]
    if slot.column.column.type is not ColumnType.PERIOD:
        return TimeGroup(mark, slot, bucket, None, f"{name} ({slot.name})")
    known = parts.reading.names.values[slot.ref.table].periods.get(slot.ref.column, ())
    exact = tuple(dict.fromkeys(period.label for period in known if period.grain == grain))
    if not exact:
        return TimeGroup(mark, slot, bucket, None, name)
    mixed = any(period.grain != grain for period in known)
    return TimeGroup(mark, slot, None, OneOf(slot.ref, exact) if mixed else None, name)


def _other_groups(parts: Parts, group: TimeGroup) -> tuple[Slot, ...]:
    """Columns behind "je" beside the period, and those joined to it by "und"."""
    found = [slot for slot in groups_said(parts) if slot.ref != group.slot.ref]
    end = parts.reading.mentions[group.mark].last
    for slot in parts.slots:
        mention = parts.reading.mentions[slot.index]
        between = [token.folded for token in parts.reading.question.tokens[end : mention.first]]
        if len(between) == 1 and between[0] in _AND and not is_measure(slot.column) and slot not in found:
            found.append(slot)
    return tuple(found)


def _figure(parts: Parts, group: TimeGroup, others: Sequence[Slot]) -> _Figure | None:
    """The measure, the product of two, or the things that are counted."""
    word = {"de": "Anzahl", "en": "Number of", "pl": "Liczba"}[parts.reading.question.language]
    counts = sorted(parts.marks("how_many"))
    measures = own_measures(parts)
    taken = {group.slot.ref, *(slot.ref for slot in others)}
    if counts or not measures:
        things = [slot for slot in parts.entities if slot.ref not in taken and slot.ref.table == parts.main_name]
        target = counted(parts, counts[0]) if counts else things[0] if len(things) == 1 and not parts.values else None
        if target is None or is_measure(target.column) or target.ref.table != parts.main_name:
            return None
        used = frozenset({target.index, *counts} | parts.marks("distinct", "exists"))
        if numbers_lines(parts, target) and not parts.reading.says("distinct"):
            return _Figure(None, "count", (), f"{word} {target.name}", used)
        if target.column.column.type in (ColumnType.DATE, ColumnType.TIMESTAMP) and not parts.reading.says("distinct"):
            return _Figure(None, "count", (target.ref,), f"{word} {target.name}", used)
        return _Figure(None, "count_distinct", (target.ref,), f"{word} {target.name}", used)
    average = parts.reading.says("average")
    used = frozenset({slot.index for slot in measures} | parts.marks("average", "unweighted"))
    times = parts.marks("times")
    if times and len(measures) == 2 and not average:
        return _Figure(measures[0], "sum", tuple(m.ref for m in measures), " × ".join(m.name for m in measures), used | times)
    if len(measures) != 1 or (average and measures[0].column.aggregation == "sum"):
        return None
    return _Figure(measures[0], "average" if average else None, (measures[0].ref,), measures[0].name, used)


def _plan(
    parts: Parts,
    group: TimeGroup,
    others: Sequence[Slot],
    figure: _Figure,
    found: Where,
    conditions: tuple[Condition, ...],
    convert: str | None,
) -> AggregatePlan:
    others_said = [(parts.place(slot.index), slot.ref, slot.name, None) for slot in others]
    time_said = (parts.place(group.mark), group.slot.ref, group.name, group.bucket)
    said = sorted([time_said, *others_said], key=lambda each: each[0])
    refs, names = tuple(ref for _, ref, _, _ in said), tuple(name for _, _, name, _ in said)
    aggregation = figure.aggregation
    if aggregation is None and figure.slot is not None:
        fixed = refs if group.bucket is None else tuple(slot.ref for slot in others)
        aggregation = default_aggregation(parts, figure.slot, conditions, fixed)
    term = make_term(parts, aggregation or "count", figure.columns, found, conditions, refs)
    buckets = tuple(bucket for _, _, _, bucket in said) if group.bucket else ()
    return AggregatePlan((term,), (Output(figure.name, TermValue(0), convert_to=convert),), refs, names, buckets=buckets)


def _chosen(parts: Parts, plans: Sequence[AggregatePlan], figure: _Figure) -> tuple[tuple[AggregatePlan, ...], set[int]]:
    """The period with the highest or lowest value, or those that meet a threshold."""
    highest, lowest = parts.marks("maximum"), parts.marks("minimum")
    if parts.amounts and figure.slot is not None and not highest and not lowest:
        used: set[int] = set()
        having = []
        for use in parts.amounts:
            if (amount_slot(parts, use) or figure.slot).ref != figure.slot.ref:
                return (), used
            value, unit_condition = amount_in(parts.reading, figure.slot, use.amount)
            if unit_condition:
                return (), used
            having.append(Having(0, use.operator, value))
            used |= {use.index} | ({use.operator_index} if use.operator_index is not None else set())
        return tuple(replace(plan, having=tuple(having)) for plan in plans), used
    if bool(highest) == bool(lowest) or parts.amounts:
        return (), set()
    if figure.slot is not None and not all(qualifies(parts, mark, figure.slot) for mark in highest | lowest):
        return (), set()
    order = Order(0, descending=bool(highest), limit=1)
    return tuple(replace(plan, order=order) for plan in plans), highest | lowest


def _adds_up(figure: _Figure) -> bool:
    if figure.slot is not None:
        return figure.aggregation == "sum" or (figure.aggregation is None and figure.slot.column.aggregation == "sum")
    return figure.aggregation == "count"


def _require_one_year(parts: Parts, group: TimeGroup, found: Where) -> None:
    """A running total begins anew with each year or runs on: several years must not be left open. Raises Stop."""
    windows = [c for c in found.alternatives[0] if isinstance(c, Within) and c.column == group.slot.ref and not c.negated]
    if any(window.period.start.year == window.period.end.year for window in windows):
        return
    years = sorted(data_years(parts.reading, group.slot))
    if len(years) > 1:
        options = tuple(Option(str(y), append(parts.reading, f"im Jahr {y}", f"in {y}", f"w {y}")) for y in reversed(years))
        raise Stop(PlannerStop("clarify", "ambiguous_period", "which_period", (group.slot.name,), options[:8]))


def _running(parts: Parts, plan: AggregatePlan) -> AggregatePlan:
    word = RUNNING[parts.reading.question.language]
    first = replace(plan.outputs[0], name=f"{plan.outputs[0].name} {word}")
    return replace(plan, outputs=(first,), window=Window("running"))
