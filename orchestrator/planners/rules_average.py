"""Rules for averages per thing and ratios of sums."""

from __future__ import annotations

from orchestrator.compounds import entity_name
from orchestrator.link_names import is_measure
from orchestrator.plan import AggregatePlan, Condition, Missing, Order, Output, Ratio, TermValue
from orchestrator.planners.asked import asked_entity, counted, divisor, groups_said, limit_said, same_stem
from orchestrator.planners.decision import Draft, Option, PlannerStop
from orchestrator.planners.parts import (
    Parts,
    Where,
    default_aggregation,
    make_term,
    own_measures,
    qualifies,
    unit_where,
    where,
    with_amounts,
)
from orchestrator.planners.requirements import require_fixed, require_named
from orchestrator.planners.slots import Slot
from parsers.table import ColumnType


def divided_by_count(parts: Parts) -> Draft | None:
    """ "Auftragswert geteilt durch Anzahl Kunden": a sum over the number of distinct things."""
    marks, counts = parts.marks("divided_by"), parts.marks("how_many")
    measures = own_measures(parts)
    if len(marks) != 1 or len(counts) != 1 or len(measures) != 1 or measures[0].column.aggregation != "sum":
        return None
    entity = counted(parts, min(counts))
    if entity is None or is_measure(entity.column) or parts.place(min(counts)) < parts.place(min(marks)):
        return None
    found, convert = unit_where(parts, with_amounts(parts, where(parts), measures[0]), measures[0])
    require_fixed(parts, found, ())
    plans = [_over_distinct(parts, found, conditions, measures[0], entity, convert) for conditions in found.alternatives]
    used = {measures[0].index, entity.index} | marks | counts | parts.marks("sum", "distinct")
    return Draft(tuple(plans), found.used | used | require_named(parts, found, (entity.ref,)))


def _over_distinct(
    parts: Parts, found: Where, conditions: tuple[Condition, ...], measure: Slot, entity: Slot, convert: str | None
) -> AggregatePlan:
    """Sum of the measure over the number of distinct entities that have a value in it."""
    total = make_term(parts, "sum", [measure.ref], found, conditions)
    with_value = (*conditions, Missing(measure.ref, negated=True))
    entities = make_term(parts, "count_distinct", [entity.ref], found, with_value)
    per = {"de": "je", "en": "per", "pl": "na"}[parts.reading.question.language]
    name = f"Ø {measure.name} {per} {entity.name}"
    ratio = Ratio(TermValue(0), TermValue(1))
    return AggregatePlan((total, entities), (Output(name, ratio, unit=measure.column.unit, convert_to=convert),))


def average_per_entity(parts: Parts, measure: Slot, entity: Slot) -> Draft | None:
    """ "durchschnittlicher Auftragswert je Auftrag": the sum over the number of distinct entities.

    That is meant where the entity is what the rows are about: it names the measure itself, or hardly any two rows share it
    within what is asked. Otherwise "je" groups."""
    if measure.column.aggregation != "sum":
        return None
    names_measure = same_stem(entity.column, measure)
    found, convert = unit_where(parts, with_amounts(parts, where(parts), measure), measure)
    leading = entity.ref.table == parts.main_name and _is_leading(parts, entity)
    if not names_measure and not leading:
        return None
    require_fixed(parts, found, (), over_time=False)
    plans = [_over_distinct(parts, found, conditions, measure, entity, convert) for conditions in found.alternatives]
    used = {measure.index, entity.index} | parts.marks("group_by", "average", "unweighted", "each")
    return Draft(tuple(plans), found.used | used | require_named(parts, found, (entity.ref,)))


def is_key(parts: Parts, entity: Slot) -> bool:
    """A column that other tables refer to or that refers to them: what it names are things, not classes."""
    paths = parts.reading.frame.paths.values()
    return any(entity.ref in (join.many, join.one) for path in paths for join in path) or bool(
        entity_name(entity.column.column.header)
    )


def per_entity_stop(parts: Parts, measure: Slot, entity: Slot) -> PlannerStop:
    """An average "je Kunde" can be the total over the number of customers, or one average for each of them."""
    forms = {
        "de": ("{0} geteilt durch Anzahl {1}", "Summe {0} je {1}"),
        "en": ("{0} divided by number of {1}", "total {0} per {1}"),
        "pl": ("{0} geteilt durch Anzahl {1}", "suma {0} na {1}"),
    }[parts.reading.question.language]
    questions = tuple(form.format(measure.name, entity.name) for form in forms)
    return PlannerStop(
        "clarify", "ambiguous_term", "average_per", (measure.name, entity.name), tuple(Option(q, q) for q in questions)
    )


def ratio_per(parts: Parts) -> Draft | None:
    """ "Nettoumsatz pro Kassenbon", "Personalkosten je Mitarbeiter nach Abteilung", "Welche Abteilung hat die höchsten
    Personalkosten je Mitarbeiter?": one figure over another, also for each member of a group."""
    per = divisor(parts)
    measures = own_measures(parts)
    if per is None or len(measures) != 2 or per[1].ref not in {slot.ref for slot in measures}:
        return None
    mark, below = per
    above = next(slot for slot in measures if slot.ref != below.ref)
    if any(slot.column.aggregation not in ("sum", "stock") for slot in measures) or parts.place(above.index) > parts.place(mark):
        return None
    groups, order, used = _of_each(parts, above)
    found = with_amounts(parts, where(parts), None)
    refs = tuple(slot.ref for slot in groups)
    require_fixed(parts, found, refs)
    plans = []
    for conditions in found.alternatives:
        terms = tuple(
            make_term(parts, default_aggregation(parts, slot, conditions, refs), [slot.ref], found, conditions, refs)
            for slot in (above, below)
        )
        output = Output(f"{above.name} / {below.name}", Ratio(TermValue(0), TermValue(1)))
        plans.append(AggregatePlan(terms, (output,), refs, tuple(slot.name for slot in groups), order=order))
    used |= {above.index, below.index, mark} | parts.marks("average", "sum")
    return Draft(tuple(plans), found.used | used | require_named(parts, found, refs))


def _of_each(parts: Parts, above: Slot) -> tuple[tuple[Slot, ...], Order | None, set[int]]:
    """The groups of a ratio, their order where the highest or lowest is asked for, and the mentions that say so."""
    highest, lowest = parts.marks("maximum", "top"), parts.marks("minimum")
    target = asked_entity(parts)
    if target is not None and bool(highest) != bool(lowest) and all(qualifies(parts, m, above) for m in highest | lowest):
        limit, said = limit_said(parts, target)
        return (target,), Order(0, descending=bool(highest), limit=limit), {target.index, *said, *highest, *lowest}
    groups = groups_said(parts)
    return groups, None, {slot.index for slot in groups} | (parts.marks("group_by") if groups else set())


def leaves_out_divisor(parts: Parts, draft: Draft) -> bool:
    """A figure behind "je" that the plan does not divide by: what was asked for is another number."""
    if divisor(parts) is None:
        return False
    outputs = [output for plan in draft.plans if isinstance(plan, AggregatePlan) for output in plan.outputs]
    return not any(isinstance(output.expression, Ratio) for output in outputs)


def _is_leading(parts: Parts, entity: Slot) -> bool:
    """With the periods the entity tells the table's rows apart: a row is one of them at one time."""
    index = parts.reading.names.values[parts.main_name]
    periods = 1
    for column in parts.main.columns:
        if column.column.type is ColumnType.PERIOD:
            periods *= max(1, index.distinct.get(column.sql_name, 1))
    return index.distinct.get(entity.ref.column, 0) * periods >= index.rows > 0
