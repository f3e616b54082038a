"""Rules over all groups of a figure: the rank of one of them, and each one's share of all."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import cast

from orchestrator.plan import AggregatePlan, Output, TermValue, Window
from orchestrator.planners.asked import groups_said, ranked_by
from orchestrator.planners.decision import Draft
from orchestrator.planners.parts import (
    Parts,
    default_aggregation,
    make_term,
    own_measures,
    plans_for,
    unit_where,
    where,
    with_amounts,
)
from orchestrator.planners.requirements import require_fixed, require_named
from orchestrator.planners.slots import ValueSlot


def rank_of_one(parts: Parts) -> Draft | None:
    """ "An welcher Stelle steht Danzig nach Nettoumsatz im Q3?": its place among all of its column, highest first unless the
    question says lowest."""
    marks = parts.marks("rank")
    measures = own_measures(parts)
    one = _the_one(parts)
    if not marks or len(measures) != 1 or one is None or parts.amounts:
        return None
    if parts.reading.says("average", "median", "difference", "share", "top", "maximum") and not parts.reading.says("minimum"):
        return None
    measure, column = measures[0], one.column
    found, convert = unit_where(parts, where(parts, values=[v for v in parts.values if v is not one]), measure)
    require_fixed(parts, found, (column.ref,))
    descending = not parts.reading.says("minimum")
    word = {"de": "Rang von {0} nach {1}", "en": "Rank of {0} by {1}", "pl": "Miejsce {0} według {1}"}
    name = word[parts.reading.question.language].format(one.stored[0][0], measure.name)
    plans = []
    for conditions in found.alternatives:
        aggregation = default_aggregation(parts, measure, conditions, (column.ref,))
        term = make_term(parts, aggregation, [measure.ref], found, conditions, (column.ref,))
        output = Output(name, TermValue(0), convert_to=convert)
        window = Window("rank", descending, cast(tuple[str | Decimal, ...], tuple(one.stored[0])))
        plans.append(AggregatePlan((term,), (output,), (column.ref,), (column.name,), window=window))
    used = {one.index, measure.index, *marks} | ranked_by(parts, measure) | parts.marks("sum", "minimum")
    return Draft(tuple(plans), found.used | used | require_named(parts, found, (column.ref,)))


def _the_one(parts: Parts) -> ValueSlot | None:
    """The member that is ranked: of several values the one whose column has the most members; the others are filters."""
    if any(value.negated or len(value.slot_columns) != 1 or len(value.stored[0]) != 1 for value in parts.values):
        return None
    if len({value.column.ref for value in parts.values}) != len(parts.values):
        return None

    def members(value: ValueSlot) -> int:
        return parts.reading.names.values[value.column.ref.table].distinct.get(value.column.ref.column, 0)

    ordered = sorted((value for value in parts.values if members(value) > 1), key=members)
    if not ordered or (len(ordered) > 1 and members(ordered[-1]) == members(ordered[-2])):
        return None
    return ordered[-1]


def share_of_each(parts: Parts) -> Draft | None:
    """ "Anteil jeder Region am Nettoumsatz im Q3 2024": every group in percent of the sum of all."""
    marks = parts.marks("share") or parts.marks("percent")
    groups, measures = groups_said(parts), own_measures(parts)
    if not marks or len(groups) != 1 or len(measures) != 1 or measures[0].column.aggregation != "sum":
        return None
    if parts.reading.says("average", "median", "maximum", "minimum", "top", "how_many") or parts.reading.says(
        "difference", "change", "increase", "decrease"
    ):
        return None
    group, measure = groups[0], measures[0]
    if any(group.ref in {slot.ref for slot in value.slot_columns} for value in parts.values):
        return None
    found = with_amounts(parts, where(parts), None)
    found, _ = unit_where(parts, found, measure)
    require_fixed(parts, found, (group.ref,))
    word = {"de": "Anteil an {0}", "en": "Share of {0}", "pl": "Udział w {0}"}[parts.reading.question.language]
    plans = tuple(
        replace(plan, outputs=(replace(plan.outputs[0], name=word.format(measure.name)),), window=Window("share"))
        for plan in plans_for(parts, found, [measure], aggregation="sum", group_by=(group.ref,), group_names=(group.name,))
    )
    used = {group.index, measure.index} | parts.marks("share", "percent", "group_by", "sum", "all", "each")
    return Draft(plans, found.used | used | require_named(parts, found, (group.ref,)))
