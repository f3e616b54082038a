"""Rules for averages per thing and ratios of sums."""

from __future__ import annotations

from orchestrator.compounds import entity_name
from orchestrator.link_names import is_measure
from orchestrator.plan import AggregatePlan, Condition, Missing, Output, Ratio, TermValue
from orchestrator.planners.asked import counted, same_stem
from orchestrator.planners.decision import Draft, Option, PlannerStop
from orchestrator.planners.parts import (
    Parts,
    Where,
    make_term,
    own_measures,
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
    """ "Nettoumsatz pro Kassenbon": one sum over another."""
    marks = parts.marks("group_by")
    measures = own_measures(parts)
    if len(marks) != 1 or len(measures) != 2 or any(m.column.aggregation != "sum" for m in measures):
        return None
    above, below = sorted(measures, key=lambda slot: parts.place(slot.index))
    mark = min(marks)
    if not parts.place(above.index) < parts.place(mark) <= parts.place(below.index) - 1 <= parts.place(mark) + 1:
        return None
    found = with_amounts(parts, where(parts), None)
    require_fixed(parts, found, ())
    plans = []
    for conditions in found.alternatives:
        terms = tuple(make_term(parts, "sum", [slot.ref], found, conditions) for slot in (above, below))
        plans.append(AggregatePlan(terms, (Output(f"{above.name} / {below.name}", Ratio(TermValue(0), TermValue(1))),)))
    used = {above.index, below.index, mark} | parts.marks("average")
    return Draft(tuple(plans), found.used | used | require_named(parts, found, ()))


def _is_leading(parts: Parts, entity: Slot) -> bool:
    """With the periods the entity tells the table's rows apart: a row is one of them at one time."""
    index = parts.reading.names.values[parts.main_name]
    periods = 1
    for column in parts.main.columns:
        if column.column.type is ColumnType.PERIOD:
            periods *= max(1, index.distinct.get(column.sql_name, 1))
    return index.distinct.get(entity.ref.column, 0) * periods >= index.rows > 0
