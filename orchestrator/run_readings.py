"""The plans of a question's readings, run one by one; and a statement that a model wrote."""

from __future__ import annotations

from orchestrator.alternatives import Attempt
from orchestrator.outcome import Outcome
from orchestrator.plan import Plan
from orchestrator.run_context import RunContext
from orchestrator.run_statement import run_statement, tables_read
from orchestrator.run_versions import run_over_versions
from orchestrator.scope import Scope
from orchestrator.sql_refusals import SqlRefusal
from orchestrator.tenant_data import TenantData
from orchestrator.understand import Understanding

MOST_PLANS = 6
"""Plans of one question that are run and compared; more readings than this are asked back."""

MOST_HELD_ROWS = 10_000
"""Result rows of a statement that a model wrote."""


def run_readings(understood: Understanding, scope: Scope, data: TenantData) -> list[Attempt]:
    """Every plan of the decision, each once; too many readings run only the first ones (they then have to be asked back)."""
    attempts: list[Attempt] = []
    seen: set[object] = set()
    for planned in understood.decision.planned:
        for plan in planned.draft.plans:
            if plan in seen or len(attempts) >= MOST_PLANS:
                continue
            seen.add(plan)
            attempts.append(Attempt(planned, plan, run_one(understood, scope, data, plan)))
    if all(attempt.outcome.stop is not None and attempt.outcome.stop.code == "not_in_data" for attempt in attempts):
        attempts += _run_spare(understood, scope, data)
    return attempts


def run_one(understood: Understanding, scope: Scope, data: TenantData, plan: Plan) -> Outcome:
    """A plan on the versions that the question reads."""
    versions = understood.versions.candidates
    return run_over_versions(plan, scope, versions, data.select, require_proof=data.require_proof, reader=data.reader)


def _run_spare(understood: Understanding, scope: Scope, data: TenantData) -> list[Attempt]:
    """Where no plan found a row: the reading by the words of printed labels, if there is one."""
    spare = understood.decision.spare()
    if spare is None:
        return []
    plan = spare.draft.plans[0]
    outcome = run_over_versions(plan, scope, understood.versions.candidates, data.select, require_proof=data.require_proof)
    return [Attempt(spare, plan, outcome)]


def run_model_statement(understood: Understanding, scope: Scope, data: TenantData, sql: str) -> Outcome | None:
    """A model's statement, which then waits for review; None if it may not run or gives nothing."""
    tables = understood.names.tables
    context = RunContext(scope, understood.versions.first(), data.select, data.require_proof, data.reader)
    try:
        outcome = run_statement(context, sql, understood.versions, tables, tables_read(sql, tables), MOST_HELD_ROWS)
    except SqlRefusal:
        return None
    return outcome if outcome.stop is None else None
