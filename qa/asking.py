"""One question, one answer, one record: nothing is shown before the audit log holds it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from datetime import date
from functools import partial
from typing import Any

from orchestrator.answer import to_json
from orchestrator.ask import AskResult
from orchestrator.plan_json import plan_to_json
from orchestrator.scope import Asker
from orchestrator.trace import StageObserver
from qa.audit import QuestionDetails, TableRead
from qa.problems import UsageProblem
from qa.review_gate import gate
from qa.wiring import Workspace

JsonObject = Mapping[str, Any]

SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def ask(
    workspace: Workspace,
    question: str,
    asker: Asker,
    *,
    session_id: str | None = None,
    today: date | None = None,
    observers: tuple[StageObserver, ...] = (),
) -> dict[str, Any]:
    """The contract's answer object. Raises indexer's UnknownTenant, UsageProblem for a question that is empty or too long or a
    session id that cannot be one, AuditError where the log cannot be written; whatever else goes wrong is logged as a failed
    question and raised."""
    if session_id is not None and not SESSION_ID.fullmatch(session_id):
        raise UsageProblem(
            "Die Option --session ist keine Kennung eines Gesprächs; verlangt sind 1 bis 64 Zeichen aus A-Z, a-z, 0-9, - und _."
        )
    workspace.catalog.place(asker.tenant)

    def answer(told: tuple[StageObserver, ...]) -> AskResult:
        limit = workspace.settings.limits.max_question_length
        if not question.strip() or len(question) > limit:
            raise UsageProblem(f"Die Frage hat {len(question.strip())} Zeichen; erlaubt sind 1 bis {limit}.")
        return workspace.service.ask(question, asker, session_id=session_id, today=today, observers=told)

    said = {"today": today.isoformat()} if today else {}
    with (
        workspace.tracing.question(asker.tenant, question) as trace,
        workspace.talk(asker, session_id) if session_id is not None else nullcontext(),
    ):
        given = _logged(workspace, asker, question, session_id, partial(answer, (*observers, *trace.observers)), said)
        trace.answered(given)
        return given


def run_sql(workspace: Workspace, sql: str, asker: Asker, *, check_only: bool = False) -> dict[str, Any]:
    """An analyst's own statement as the contract's answer object, logged like a question. Raises as `ask`."""
    from orchestrator.ask_sql import ask_sql

    workspace.catalog.place(asker.tenant)
    most_rows = workspace.settings.limits.max_result_rows

    def answer() -> AskResult:
        return ask_sql(sql, asker, workspace.tenant_data(asker.tenant), check_only=check_only, most_rows=most_rows)

    return _logged(workspace, asker, sql, None, answer, {"check": True} if check_only else {})


def _logged(
    workspace: Workspace, asker: Asker, question: str, session_id: str | None, answer: Callable[[], AskResult], said: JsonObject
) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        result = answer()
    except BaseException as error:
        workspace.audit.failure(asker, question, session_id, error, _milliseconds(started))
        raise
    turn = workspace.turns.take(asker, result.answer.session_id)
    in_full = (turn["turn"]["text"] if "turn" in turn else "") or question
    gated = gate(workspace, asker, in_full, to_json(result.answer), result.log)
    plans = {"plan": result.log.plan, "related_plan": result.log.related_plan}
    said = {**said, **turn, **gated.note} | {name: plan_to_json(plan) for name, plan in plans.items() if plan is not None}
    said |= {"model": dict(result.log.model)} if result.log.model is not None else {}
    workspace.audit.question(asker, gated.answer, _details(result, _milliseconds(started), said))
    return gated.answer


def _details(result: AskResult, duration_ms: float, extra: JsonObject) -> QuestionDetails:
    log = result.log
    return QuestionDetails(
        duration_ms=duration_ms,
        queries=log.queries,
        tables=tuple(
            TableRead(
                table_id=stored.table_id,
                table=stored.sql_name,
                document=stored.version.document,
                version_id=stored.version.version_id,
                version=stored.version.label,
                sha256=stored.version.sha256,
                rows=stored.table.data_rows,
            )
            for stored in log.tables
        ),
        result_rows=log.result_rows,
        reason=log.reason,
        recipes=log.recipes,
        extra={"understood": log.understood, **extra},
    )


def _milliseconds(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)
