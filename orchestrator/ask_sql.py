"""The line for an analyst's own SQL: the same scope, guard, engine, evidence and proof as for a question.

scope → versions → guard → run → compose. The statement names tables and columns by their SQL names.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

from orchestrator.aggregate_notices import hidden_notices, missing_notices, proof_notices
from orchestrator.answer import Answer, Refusal
from orchestrator.ask import AskResult, LogRecord, TenantData
from orchestrator.build_answer import AnswerBody, build_answer
from orchestrator.evidence import EvidencedResult, EvidencedValue
from orchestrator.outcome import Outcome, ResultColumn, ResultType, Stop, Stopped, TracedValue
from orchestrator.plan import ListPlan
from orchestrator.run_context import RunContext
from orchestrator.run_select import check_select, table_sources
from orchestrator.run_terms import check_readable
from orchestrator.scope import Asker, Scope, VisibleTable
from orchestrator.sql_refusals import GuardRefusal, LimitExceeded, SqlRefusal
from orchestrator.trace import Trace
from orchestrator.versions import VersionChoice, choose_versions, representative_tables

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
            used = _tables_of(sql, tables)
        if check_only:
            body = AnswerBody("answered", "Die Abfrage ist erlaubt; sie wurde nicht ausgeführt.")
        else:
            with trace.stage("run"):
                outcome = _run(sql, scope, choice, tables, used, data, most_rows)
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


def _tables_of(sql: str, tables: Mapping[str, VisibleTable]) -> tuple[VisibleTable, ...]:
    """The tables that the statement reads, each once. Raises SqlRefusal if it may not run."""
    _, query = check_select(sql, tables)
    return tuple({source.table.sql_name: source.table for source in table_sources(query)}.values())


def _run(
    sql: str,
    scope: Scope,
    choice: VersionChoice,
    tables: Mapping[str, VisibleTable],
    used: Sequence[VisibleTable],
    data: TenantData,
    most_rows: int,
) -> Outcome:
    context = RunContext(scope, choice.first(), data.select, data.require_proof, data.reader)
    context.reading.tables.update({table.stored.table_id: table for table in used})
    open_documents = choice.open_documents(table.version.document for table in used)
    try:
        if open_documents:
            raise Stopped(Stop("clarify", "ambiguous_version", "versions_many", open_documents))
        result = context.run(sql, tuple(tables.values()), row_limit=most_rows)
        return _outcome(context, result)
    except Stopped as stopped:
        return Outcome("rows", stop=stopped.stop, tables=dict(context.reading.tables), queries=tuple(context.reading.queries))


def _outcome(context: RunContext, result: EvidencedResult) -> Outcome:
    """Raises Stopped: no value at all, an unreadable cell, a value that is not proved."""
    check_readable(context, [value for row in result.rows for value in row], None)
    if all(value.value is None for row in result.rows for value in row):
        raise Stopped(Stop("refused", "not_in_data", "no_rows"))
    rows = tuple(tuple(_traced(value, result.sql) for value in row) for row in result.rows)
    values = [value for row in rows for value in row]
    notices = (*proof_notices(context, values), *hidden_notices(rows, ()), *missing_notices(context, values))
    return Outcome(
        "rows",
        tuple(_column(name, [row[place] for row in result.rows]) for place, name in enumerate(result.columns)),
        rows,
        total_rows=len(rows),
        truncated=result.truncated,
        notices=notices,
        tables=dict(context.reading.tables),
        queries=tuple(context.reading.queries),
    )


def _traced(value: EvidencedValue, sql: str) -> TracedValue:
    return TracedValue(value, queries=(sql,), absent="missing" if value.value is None else None)


def _column(name: str, values: Sequence[EvidencedValue]) -> ResultColumn:
    there = [value for value in values if value.value is not None]
    units = {value.unit for value in there}
    return ResultColumn(name, _type([value.value for value in there]), next(iter(units)) if len(units) == 1 else None)


def _type(values: Sequence[object]) -> ResultType:
    if values and all(isinstance(value, bool) for value in values):
        return "boolean"
    if values and all(isinstance(value, Decimal | Fraction) for value in values):
        return "decimal"
    if values and all(isinstance(value, datetime) for value in values):
        return "timestamp"
    return "date" if values and all(isinstance(value, date) for value in values) else "text"


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
