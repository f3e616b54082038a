"""The line for an analyst's own SQL: the same scope, guard, engine, evidence and proof as for a question.

scope → versions → guard → run → compose. The statement names tables and columns by their SQL names.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime

from orchestrator.answer import Answer, Refusal
from orchestrator.ask import AskResult, LogRecord
from orchestrator.build_answer import AnswerBody, build_answer
from orchestrator.outcome import Outcome
from orchestrator.plan import ListPlan
from orchestrator.run_context import RunContext
from orchestrator.run_statement import run_statement, tables_read
from orchestrator.scope import Asker
from orchestrator.sql_refusals import GuardRefusal, LimitExceeded, SqlRefusal
from orchestrator.tenant_data import TenantData
from orchestrator.trace import Trace
from orchestrator.versions import choose_versions, representative_tables

MOST_ROWS = 10_000
"""Result rows that an answer shows; more of them make it `truncated`."""


def ask_sql(
    sql: str,
    asker: Asker,
    data: TenantData,
    *,
    session_id: str | None = None,
    check_only: bool = False,
    most_rows: int = MOST_ROWS,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> AskResult:
    """One statement, one answer; a statement that may not run is refused with the rule that it breaks. `check_only` stops before
    the engine: an admitted statement is then `answered` without a result."""
    trace = Trace()
    asked_at = clock()
    with trace.stage("scope") as detail:
        scope = data.scope(asker)
        detail["tables"] = len(scope.tables)
    choice = choose_versions(scope, ())
    tables = representative_tables(scope, choice)
    outcome: Outcome | None = None
    try:
        with trace.stage("guard"):
            used = tables_read(sql, tables)
        if check_only:
            body = AnswerBody("answered", "Die Abfrage ist erlaubt; sie wurde nicht ausgeführt.")
        else:
            with trace.stage("run"):
                context = RunContext(scope, choice.first(), data.select, data.require_proof, data.reader)
                outcome = run_statement(context, sql, choice, tables, used, most_rows)
            with trace.stage("compose"):
                body = build_answer(outcome, ListPlan("", (), ()), scope, "de", sql)
    except SqlRefusal as error:
        body = _refused(error)
    answer = Answer(
        answer_id=uuid.uuid4().hex,
        session_id=session_id or uuid.uuid4().hex,
        asked_at=asked_at,
        question=sql,
        language="de",
        status=body.status,
        route="sql" if body.status == "answered" and not check_only else None,
        text=body.text,
        result=body.result,
        facts=body.facts,
        warnings=body.warnings,
        refusal=body.refusal,
        clarification=body.clarification,
        trace=tuple(trace.steps),
    )
    return AskResult(answer, _log(trace, outcome, body))


def _refused(error: SqlRefusal) -> AnswerBody:
    code = "unsafe_query" if isinstance(error, GuardRefusal) else "limit" if isinstance(error, LimitExceeded) else "no_provenance"
    return AnswerBody("refused", str(error), refusal=Refusal(code, str(error)))


def _log(trace: Trace, outcome: Outcome | None, body: AnswerBody) -> LogRecord:
    if outcome is None:
        return LogRecord(trace.total_ms, reason=body.refusal.code if body.refusal is not None else None)
    return LogRecord(
        trace.total_ms,
        outcome.queries,
        tuple(table.stored for table in outcome.tables.values()),
        outcome.total_rows,
        outcome.stop.kind if outcome.stop is not None else None,
        body.recipes or {},
    )
