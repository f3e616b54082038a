"""Questions about things, planned: of all readings those with the fewest guesses, which have to come to the same result."""

from __future__ import annotations

from orchestrator.compounds import entity_name
from orchestrator.link_names import Names
from orchestrator.plan import AggregatePlan, ColumnRef, ListPlan, Plan
from orchestrator.planners.decision import Draft
from orchestrator.planners.frames import Reading
from orchestrator.planners.grammar import Decision, Planned, refs_of
from orchestrator.planners.universals import says_every
from orchestrator.question import Question
from orchestrator.scope import Scope
from orchestrator.things.build import build
from orchestrator.things.ground import Ground
from orchestrator.things.names import ThingNames
from orchestrator.things.sentences import read_senses
from orchestrator.things.terms import Built
from orchestrator.things.words import Words
from orchestrator.units import is_currency
from parsers.table import ColumnType

_MOST_PLANS = 5


def plan_things(question: Question, scope: Scope, names: Names) -> Decision | None:
    """Plans of a German question about things; None where it is not understood as one."""
    if question.language != "de" or not question.tokens or says_every(question):
        return None
    things = ThingNames.of(scope, names)
    words = Words(question, names, things)
    ground = Ground(scope, names, things)
    built = [one for sense in read_senses(words) for one in build(sense, ground) if not _lists_amounts(one.plan, names)]
    if not built:
        return None
    least = min((one.guesses, one.away, one.joins) for one in built)
    chosen: dict[object, Built] = {one.plan: one for one in built if (one.guesses, one.away, one.joins) == least}
    if len(chosen) > _MOST_PLANS:
        return None
    planned = tuple(
        Planned(Draft((one.plan,), frozenset()), _reading(question, ground, names, one), "things") for one in chosen.values()
    )
    return Decision(planned, None, lambda: planned[0].reading)


def _reading(question: Question, ground: Ground, names: Names, built: Built) -> Reading:
    return Reading(question, ground.frame(built.main), names, (), (), 0.0)


def shows_too_little(decision: Decision, names: Names) -> bool:
    """The answer would name things by their numbers alone, or leave out a column that is said and that no condition uses."""
    plans = [(one, plan) for one in decision.planned for plan in one.draft.plans]
    return bool(plans) and all(_is_bare_key(plan, names) or _leaves_out(one, plan) for one, plan in plans)


def _leaves_out(one: Planned, plan: Plan) -> bool:
    """Two columns of the row source are asked for ("Ort und Name der Stadien") and only one is in the plan."""
    main = one.reading.frame.main
    refs = set(refs_of(plan))
    said = [
        {
            ColumnRef(name.table, name.column.sql_name)
            for name in mention.columns
            if name.table == main and name.strength == "full"
        }
        for mention in one.reading.mentions
    ]
    grouped = isinstance(plan, ListPlan) or (isinstance(plan, AggregatePlan) and bool(plan.group_by))
    return (
        grouped and len([columns for columns in said if columns]) > 1 and any(columns and not columns & refs for columns in said)
    )


def _lists_amounts(plan: Plan, names: Names) -> bool:
    """Amounts of money that add up, without what each is of: their sum would be asked for, not a list of numbers."""
    if not isinstance(plan, ListPlan) or len(plan.columns) != 1 or plan.order:
        return False
    column = names.tables[plan.columns[0].table].column(plan.columns[0].column)
    return column is not None and column.aggregation == "sum" and is_currency(column.unit)


def _is_bare_key(plan: Plan, names: Names) -> bool:
    refs = plan.group_by if isinstance(plan, AggregatePlan) else plan.columns if isinstance(plan, ListPlan) else ()
    if len(refs) != 1 or (isinstance(plan, AggregatePlan) and plan.count_groups):
        return False
    column = names.tables[refs[0].table].column(refs[0].column)
    return column is not None and column.column.type is ColumnType.INTEGER and entity_name(column.column.header) is not None
