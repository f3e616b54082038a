"""What a reader must know about an aggregate: hidden rows, missing cells, printed totals, joins, means of ratios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.bucket_notices import bucket_notices
from orchestrator.cell_names import name_cells
from orchestrator.cell_ranges import count_cells, union
from orchestrator.check_conditions import measured_joins
from orchestrator.computed_cells import computed_notices
from orchestrator.control_totals import control_total_notices
from orchestrator.coverage import period_notices
from orchestrator.outcome import Notice, Stop, Stopped, TracedValue
from orchestrator.plan import AggregatePlan, Join
from orchestrator.prove_recipes import differing
from orchestrator.run_context import RunContext, TableSet
from orchestrator.run_terms import TermResult


def aggregate_notices(
    context: RunContext,
    plan: AggregatePlan,
    results: Sequence[TermResult],
    rows: Sequence[Sequence[TracedValue]],
) -> list[Notice]:
    """Raises Stopped when a shown value is not proved although proof is required."""
    values = [value for row in rows for value in row]
    notices = [
        *proof_notices(context, values),
        *hidden_notices(rows, _hidden_columns(results)),
        *missing_notices(context, values),
        *computed_notices(context, values),
    ]
    for result in results:
        notices += relation_notices((*result.term.joins, *measured_joins(result.term.conditions)), result.tables)
        notices += _mean_of_ratios(result)
        if result.unpaired and not any(value.evidence.skipped for value in result.values.values()):
            notices.append(Notice("missing_skipped", "unpaired", (), (result.unpaired,)))
        notices += control_total_notices(context, plan, result)
        notices += period_notices(context, plan, result)
        notices += _bucket_notices(context, plan, result)
    return list(dict.fromkeys(notices))


def _bucket_notices(context: RunContext, plan: AggregatePlan, result: TermResult) -> Iterator[Notice]:
    keys = result.term.group_by if result.term.group_by is not None else plan.group_by
    for position, bucket in enumerate(plan.buckets):
        if bucket is not None:
            labels = dict.fromkeys(key[position].evidence.value for key in result.keys.values())
            texts = [label for label in labels if isinstance(label, str)]
            yield from bucket_notices(context, result, keys[position], bucket, texts)


def proof_notices(context: RunContext, values: Sequence[TracedValue]) -> Iterator[Notice]:
    """Stops with no_provenance when a value is not proved, or is not what its cited cells give, and proof is required; else one
    warning."""
    unproved = [value.evidence for value in values if value.evidence.value is not None and not value.evidence.proved]
    why = next((evidence.why_not for evidence in unproved if evidence.why_not), "") or differing(
        values, context.reading.tables, context.reader
    )
    if not unproved and not why:
        return
    if context.require_proof:
        raise Stopped(Stop("refused", "no_provenance", "not_proved", (why,) if why else ()))
    yield Notice("not_proved", "", (why,) if why else (), (max(len(unproved), 1),))


def hidden_notices(rows: Sequence[Sequence[TracedValue]], columns: Sequence[str]) -> Iterator[Notice]:
    """One notice for hidden rows and hidden columns together; the values of one result row rest on the same rows."""
    hidden = sum(max((value.evidence.hidden_rows for value in row), default=0) for row in rows)
    if hidden or columns:
        yield Notice("hidden_included", "", tuple(columns), (hidden,))


def missing_notices(context: RunContext, values: Sequence[TracedValue]) -> Iterator[Notice]:
    skipped = union(*(value.evidence.skipped for value in values if value.evidence.value is not None))
    if skipped:
        yield Notice("missing_skipped", "", name_cells(skipped, context.reading.tables), (count_cells(skipped),))


def relation_notices(joins: Sequence[Join], tables: TableSet) -> Iterator[Notice]:
    """A relation that no person has approved is named with both ends."""
    for join in joins:
        if not join.approved:
            many, one = tables.tables[join.many.table], tables.tables[join.one.table]
            ends = []
            for ref, table in ((join.many, many), (join.one, one)):
                sheet = f", {table.stored.table.sheet}" if table.stored.table.sheet is not None else ""
                ends.append(f"{tables.visible(ref).names[0]} ({table.version.document}{sheet})")
            yield Notice("measured_relation", "", tuple(ends))


def _hidden_columns(results: Sequence[TermResult]) -> tuple[str, ...]:
    hidden = [
        result.tables.visible(ref).names[0]
        for result in results
        for ref in result.term.columns
        if result.tables.column(ref).hidden or result.tables.tables[ref.table].stored.table.sheet_hidden
    ]
    return tuple(dict.fromkeys(hidden))


def _mean_of_ratios(result: TermResult) -> Iterator[Notice]:
    if result.term.aggregation != "average":
        return
    for ref in result.term.columns:
        column = result.tables.visible(ref)
        if column.unit is not None and (column.unit == "%" or "/" in column.unit):
            yield Notice("plain_mean_of_ratios", "", (column.names[0],))
