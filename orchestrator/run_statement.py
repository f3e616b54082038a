"""One admitted statement -> an outcome: its values with their evidence and proof, or a stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from orchestrator.aggregate_notices import hidden_notices, missing_notices, proof_notices
from orchestrator.computed_cells import computed_notices
from orchestrator.evidence import EvidencedResult, EvidencedValue
from orchestrator.outcome import Outcome, ResultColumn, ResultType, Stop, Stopped, TracedValue
from orchestrator.run_context import RunContext
from orchestrator.run_select import check_select, table_sources
from orchestrator.run_terms import check_readable
from orchestrator.scope import VisibleTable
from orchestrator.versions import VersionChoice


def tables_read(sql: str, tables: Mapping[str, VisibleTable]) -> tuple[VisibleTable, ...]:
    """The tables that the statement reads, each once. Raises SqlRefusal if it may not run."""
    _, query = check_select(sql, tables)
    return tuple({source.table.sql_name: source.table for source in table_sources(query)}.values())


def run_statement(
    context: RunContext,
    sql: str,
    choice: VersionChoice,
    tables: Mapping[str, VisibleTable],
    used: Sequence[VisibleTable],
    most_rows: int,
) -> Outcome:
    """`used`: the tables that the statement reads. Raises SqlRefusal where it cannot be run or its values have no evidence."""
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
    notices = (
        *proof_notices(context, values),
        *hidden_notices(rows, ()),
        *missing_notices(context, values),
        *computed_notices(context, values),
    )
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
