"""Whether the data cover the period that was asked for, and whether periods in a column overlap each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

from orchestrator.compile_sql import compile_bounds, compile_values
from orchestrator.evidence import Scalar
from orchestrator.outcome import Notice, Stop, Stopped
from orchestrator.plan import AggregatePlan, ColumnRef, Missing, Within
from orchestrator.run_buckets import Span, read_periods
from orchestrator.run_context import RunContext
from orchestrator.run_terms import TermResult, is_number_column
from orchestrator.scope import VisibleTable
from parsers.periods import Period
from parsers.table import ColumnType


def period_notices(context: RunContext, plan: AggregatePlan, result: TermResult) -> Iterator[Notice]:
    """`partial_period` for each asked period that the rows cover only in part. Raises Stopped (ambiguous_period) when a sum or
    mean would run over rows whose periods contain each other (quarters and their year)."""
    term = result.term
    group_by = term.group_by if term.group_by is not None else plan.group_by
    asked = {condition.column: condition for condition in term.conditions if isinstance(condition, Within)}
    table = result.tables.tables[term.table]
    if term.aggregation in ("sum", "average", "median"):
        for column in table.columns:
            ref = ColumnRef(term.table, column.sql_name)
            if column.column.type is ColumnType.PERIOD and ref not in group_by:
                spans = _spans(context, result, ref, asked.get(ref))
                _check_overlap(spans)
                if ref in asked and not asked[ref].negated:
                    yield from missing_part(asked[ref].period, spans)
    for ref, condition in asked.items():
        if condition.negated or result.tables.column(ref).type is ColumnType.PERIOD:
            continue
        bounds = data_bounds(context, result.tables.tables[ref.table], ref)
        if bounds is not None:
            yield from missing_part(condition.period, [bounds])


def _spans(context: RunContext, result: TermResult, ref: ColumnRef, asked: Within | None) -> list[Span]:
    """The distinct periods of the rows that enter the term's value. Where the whole column holds no more than one period
    inside the asked one, or no two that overlap and none is asked for, the column itself settles it without a query."""
    term = result.term
    everything = _periods_of(result.tables.tables[ref.table].stored.segment, ref.column)
    if asked is not None and not asked.negated:
        everything = [span for span in everything if asked.period.start <= span[0] and span[1] <= asked.period.end]
    if len(everything) <= 1 or (asked is None and not _overlap(everything)):
        return everything
    present = [Missing(column, negated=True) for column in term.columns if is_number_column(result.tables, column)]
    sql = compile_values(term.table, ref, (*term.conditions, *present), result.tables.column, term.joins)
    rows = context.run_all(sql, result.tables.all(), visible_rows_only=term.visible_rows_only, prove=False).rows
    labels = {row[0].value for row in rows}
    return [span for span in everything if span[2] in labels]


def _periods_of(segment: Path, column: str) -> list[Span]:
    return list(read_periods(segment, column))


def _overlap(spans: Sequence[Span]) -> tuple[str, str] | None:
    """Labels of two different periods of which one reaches into the other."""
    for first, second in pairwise(spans):
        if second[0] <= first[1] and first[:2] != second[:2]:
            return first[2], second[2]
    return None


def _check_overlap(spans: Sequence[Span]) -> None:
    labels = _overlap(spans)
    if labels is not None:
        raise Stopped(Stop("clarify", "ambiguous_period", "overlapping_periods", labels))


def missing_part(asked: Period, spans: Sequence[Span]) -> Iterator[Notice]:
    """`partial_period` where the spans leave days of a period out. Nothing for a period that is open on one side ("vor dem
    01.07."): it has no whole to be a part of."""
    if not spans or asked.start.year == 1 or asked.end.year == 9999:
        return
    reached = asked.start
    for start, end, _ in spans:
        if start > reached:
            break
        reached = max(reached, end + timedelta(days=1))
    if reached <= asked.end:
        yield Notice("partial_period", "", (asked.label, *(label for _, _, label in spans[:12])))


def data_bounds(context: RunContext, table: VisibleTable, ref: ColumnRef) -> Span | None:
    """First and last month with any row in the column, as one span of whole months."""
    row = context.run_all(compile_bounds(ref), (table,), prove=False).rows[0]
    first, last = _day(row[0].value), _day(row[1].value)
    if first is None or last is None:
        return None
    month_end = (last.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    return first.replace(day=1), month_end, f"{first.isoformat()} – {last.isoformat()}"


def _day(value: Scalar) -> date | None:
    return date(value.year, value.month, value.day) if isinstance(value, date) else None
