"""Rules for groups: top-n, the highest and lowest, thresholds, groupings, lists of an entity with its figures."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.link_names import is_measure, is_time
from orchestrator.plan import AggregatePlan, ColumnRef, Having, Order
from orchestrator.planners.asked import (
    asked_entity,
    counted,
    enumerated,
    groups_said,
    limit_said,
    only_additive,
    ranked_by,
    who,
    with_companions,
)
from orchestrator.planners.conditions import amount_in
from orchestrator.planners.decision import Draft, Stop
from orchestrator.planners.parts import (
    Parts,
    amount_slot,
    own_measures,
    plans_for,
    qualifies,
    unit_where,
    where,
    with_amounts,
)
from orchestrator.planners.requirements import require_fixed, require_named
from orchestrator.planners.rules_average import average_per_entity, per_entity_stop
from orchestrator.planners.slots import Slot
from parsers.fold import fold


def count_groups(parts: Parts) -> Draft | None:
    """ "Wie viele Kunden haben mehr als drei Aufträge / mehr als 1000 EUR Umsatz?": groups that meet a threshold on a sum."""
    asked = sorted(parts.marks("how_many"))
    measures = own_measures(parts)
    if not asked or len(measures) != 1 or not parts.amounts:
        return None
    target = counted(parts, asked[0])
    if target is None or is_measure(target.column):
        return None
    draft = _threshold(parts, target, measures[0])
    if draft is None:
        return None
    plans = tuple(replace(plan, count_groups=True) for plan in draft.plans if isinstance(plan, AggregatePlan))
    return replace(draft, plans=plans, used=draft.used | {asked[0]} | parts.marks("distinct"))


def threshold(parts: Parts) -> Draft | None:
    """ "Welche Niederlassungen hatten mehr als 2 Mio. PLN Nettoumsatz?"."""
    measures = own_measures(parts) or measure_of_amount(parts)
    target = asked_entity(parts) or who(parts)
    if target is None or len(measures) != 1 or not parts.amounts or parts.reading.says("maximum", "minimum", "how_many"):
        return None
    return _threshold(parts, target, measures[0])


def _threshold(parts: Parts, target: Slot, measure: Slot) -> Draft | None:
    """Every amount of the question is about the measure: groups whose value meets all of them."""
    if any((amount_slot(parts, use) or measure).ref != measure.ref for use in parts.amounts) or _each_row(parts, target):
        return None
    found, convert = unit_where(parts, where(parts), measure)
    used = {target.index, measure.index} | parts.marks("sum", "whose", "who")
    having = []
    for use in parts.amounts:
        value, unit_condition = amount_in(parts.reading, measure, use.amount)
        found = found.plus([unit_condition] if unit_condition else [])
        having.append(Having(0, use.operator, value))
        used |= {use.index} | ({use.operator_index} if use.operator_index is not None else set())
    require_fixed(parts, found, (target.ref,), over_time=False)
    plans = plans_for(parts, found, [measure], group_by=[target.ref], group_names=[target.name], convert=convert)
    plans = tuple(replace(plan, having=tuple(having)) for plan in plans)
    return Draft(plans, found.used | used | require_named(parts, found, (target.ref,)))


def _each_row(parts: Parts, target: Slot) -> bool:
    """ "Kunden mit Aufträgen über 1.500 EUR": the amount is that of each order, which is a row, and no total."""
    index = parts.reading.names.values[parts.main_name]
    bound = where(parts).columns
    others = [slot for slot in parts.entities if slot.ref not in bound | {target.ref}]
    if not parts.measures:  # "Aufträge über 1.500 EUR" names no figure: of which thing the amount is, is open
        return bool(others)
    return any(slot.ref.table == parts.main_name and index.distinct.get(slot.ref.column, 0) >= index.rows for slot in others)


def measure_of_amount(parts: Parts) -> tuple[Slot, ...]:
    """ "mehr als 100 Stunden": the only number of the table in that unit (or of that name) is what is compared."""
    said = {fold(use.amount.unit) for use in parts.amounts if use.amount.unit}
    fitting = [
        column
        for column in parts.main.columns
        if is_measure(column)
        and column.column.role != "total"
        and said & {fold(column.unit or ""), *(fold(name) for name in column.names)}
    ]
    return (Slot(-1, ColumnRef(parts.main_name, fitting[0].sql_name), fitting[0]),) if len(fitting) == 1 else ()


def top(parts: Parts) -> Draft | None:
    """ "Welche Filiale hat den höchsten Umsatz?", "Top 5 Kunden", "die drei Kostenstellen mit den höchsten Kosten"."""
    target = asked_entity(parts) or who(parts)
    highest, lowest = parts.marks("maximum", "top"), parts.marks("minimum")
    if target is None or bool(highest) == bool(lowest):
        return None
    measures = own_measures(parts)
    if len(measures) != 1:
        if not measures and parts.reading.says("top"):
            measures = only_additive(parts)
        if len(measures) != 1:
            return None
    measure = measures[0]
    if not parts.reading.says("top") and not all(qualifies(parts, mark, measure) for mark in highest | lowest):
        return None
    found, convert = unit_where(parts, with_amounts(parts, where(parts), measure), measure)
    groups = with_companions(parts, target)
    refs = tuple(slot.ref for slot in groups)
    require_fixed(parts, found, refs)
    limit, limit_used = limit_said(parts, target)
    aggregation = "average" if parts.reading.says("average") else None
    plans = []
    for plan in plans_for(
        parts,
        found,
        [measure],
        aggregation=aggregation,
        group_by=refs,
        group_names=[slot.name for slot in groups],
        convert=convert,
    ):
        plans.append(replace(plan, order=Order(0, descending=bool(highest), limit=limit)))
    used = (
        ranked_by(parts, measure)
        | {measure.index, *limit_used, *highest, *lowest, *(slot.index for slot in groups)}
        | parts.marks("sum", "average", "unweighted", "who")
    )
    return Draft(tuple(plans), found.used | used | require_named(parts, found, refs))


def grouped(parts: Parts) -> Draft | None:
    """ "Umsatz je Region", "durchschnittliche Marge je Region", also of several measures."""
    groups = groups_said(parts)
    measures = own_measures(parts)
    if not groups or not measures or (parts.reading.says("maximum", "minimum", "share") and not parts.reading.says("each")):
        return None
    if parts.reading.says("running") and any(is_time(slot.column) for slot in groups):
        return None
    refs = tuple(slot.ref for slot in groups)
    averaged = parts.reading.says("average")
    if averaged and len(measures) == 1 and len(groups) == 1:
        entity_average = average_per_entity(parts, measures[0], groups[0])
        if entity_average is not None:
            return entity_average
    if averaged and any(m.column.aggregation == "sum" for m in measures):
        raise Stop(per_entity_stop(parts, measures[0], groups[0]))
    found = with_amounts(parts, where(parts), None)
    found, convert = unit_where(parts, found, measures[0])
    require_fixed(parts, found, refs)
    aggregation = "average" if averaged else "median" if parts.reading.says("median") else None
    plans = plans_for(
        parts, found, measures, aggregation=aggregation, group_by=refs, group_names=[s.name for s in groups], convert=convert
    )
    used = {slot.index for slot in (*groups, *measures)} | parts.marks("group_by", "sum", "average", "median", "unweighted")
    if parts.reading.says("sort_down", "sort_up"):
        used |= parts.marks("sort_down", "sort_up")
        plans = tuple(replace(plan, order=Order(0, descending=parts.reading.says("sort_down"))) for plan in plans)
    return Draft(plans, found.used | used | require_named(parts, found, refs))


def listing(parts: Parts) -> Draft | None:
    """ "Nenne alle Artikel der Warengruppe Grillen mit Listenpreis": an entity with its measures, one row each."""
    target = asked_entity(parts)
    measures = own_measures(parts)
    if (
        target is None
        or not measures
        or parts.amounts
        or parts.reading.says("maximum", "minimum", "average", "median", "share", "top", "how_many")
    ):
        return None
    if target.ref in where(parts).columns or not parts.reading.says("which", "list"):
        return None
    listed = enumerated(parts, target, (slot for slot in parts.slots if not is_measure(slot.column)))
    groups = tuple(dict.fromkeys((*listed, *with_companions(parts, target))))
    refs = tuple(slot.ref for slot in groups)
    found, convert = unit_where(parts, where(parts), measures[0])
    require_fixed(parts, found, refs)
    plans = plans_for(parts, found, measures, group_by=refs, group_names=[slot.name for slot in groups], convert=convert)
    used = {slot.index for slot in (*groups, *measures)} | parts.marks("sum")
    return Draft(plans, found.used | used | require_named(parts, found, refs))
