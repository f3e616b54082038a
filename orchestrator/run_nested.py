"""Nested filters: which members meet a comparison on their own aggregate, before the plan that filters by them runs."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar, cast

from orchestrator.aggregate_notices import proof_notices
from orchestrator.outcome import Notice, Stop, Stopped
from orchestrator.plan import AggregatePlan, Condition, HavingIn, ListPlan, OneOf
from orchestrator.run_aggregate import COMPARE
from orchestrator.run_context import RunContext
from orchestrator.run_terms import run_term

_Plan = TypeVar("_Plan", AggregatePlan, ListPlan)
MOST_MEMBERS = 5_000
"""Members that one nested filter may keep."""


def resolve_nested(context: RunContext, plan: _Plan) -> _Plan:
    """The plan with each nested filter as the stored values that meet it. Raises Stopped: see run_term; several units; a member
    without a value; more than MOST_MEMBERS."""
    if isinstance(plan, ListPlan):
        return replace(plan, conditions=_resolved(context, plan.conditions))
    terms = tuple(replace(term, conditions=_resolved(context, term.conditions)) for term in plan.terms)
    return replace(plan, terms=terms)


def _resolved(context: RunContext, conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return tuple(_members(context, each) if isinstance(each, HavingIn) else each for each in conditions)


def _members(context: RunContext, condition: HavingIn) -> OneOf:
    result = run_term(context, condition.term, (condition.column,))
    named = {key[0]: value for key, value in result.values.items() if key[0] is not None}
    values = list(named.values())
    if any(value.number is None for value in values):
        raise Stopped(Stop("refused", "incomplete_data", "group_without_value"))
    units = tuple(dict.fromkeys(value.evidence.unit for value in values))
    if len(units) > 1:
        raise Stopped(Stop("refused", "mixed_currency", "mixed_currency", tuple(unit for unit in units if unit is not None)))
    unproved: list[Notice] = list(proof_notices(context, values))
    if unproved:
        raise Stopped(Stop("refused", "no_provenance", "not_proved"))
    bound = Fraction(condition.value)
    kept = [key for key, value in named.items() if COMPARE[condition.operator](Fraction(value.number or 0), bound)]
    if len(kept) > MOST_MEMBERS:
        raise Stopped(Stop("refused", "limit", "too_many_rows", counts=(MOST_MEMBERS,)))
    if not kept:
        raise Stopped(Stop("refused", "not_in_data", "none_meets"))
    return OneOf(condition.column, cast(tuple[str | Decimal, ...], tuple(kept)))
