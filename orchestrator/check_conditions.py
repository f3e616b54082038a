"""Conditions before they compile: text matches become stored values; cells that a filter cannot read stop the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from orchestrator.cell_names import name_cells
from orchestrator.cell_ranges import union
from orchestrator.compile_conditions import ColumnOf
from orchestrator.compile_sql import compile_bounds, compile_values
from orchestrator.outcome import Stop, Stopped
from orchestrator.plan import (
    ColumnRef,
    Compare,
    CompareAggregate,
    CompareColumns,
    Condition,
    InRows,
    Join,
    ListPlan,
    Missing,
    OneOf,
    Term,
    TextMatch,
    Within,
)
from orchestrator.run_context import RunContext, TableSet
from parsers.fold import fold
from parsers.table import ColumnType


def condition_tables(conditions: Sequence[Condition]) -> tuple[str, ...]:
    """SQL names of the tables that semi-joins and compared aggregates read."""
    found: list[str] = []
    for condition in conditions:
        if isinstance(condition, InRows):
            found += [condition.inner.table, *condition_tables(condition.conditions)]
        elif isinstance(condition, CompareAggregate):
            found += [condition.of.table, *condition_tables(condition.conditions)]
    return tuple(found)


def measured_joins(conditions: Sequence[Condition]) -> tuple[Join, ...]:
    """The relations of semi-joins that no person has approved."""
    found: list[Join] = []
    for condition in conditions:
        if isinstance(condition, InRows):
            found += [] if condition.approved else [Join(condition.inner, condition.column, False)]
            found += measured_joins(condition.conditions)
    return tuple(found)


def condition_columns(condition: Condition) -> tuple[ColumnRef, ...]:
    """The columns of the outer table that a condition reads."""
    return (condition.left, condition.right) if isinstance(condition, CompareColumns) else (condition.column,)


def resolve_conditions(context: RunContext, tables: TableSet, conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Text matches as the stored values that fit after folding; everything else unchanged."""
    return tuple(_resolve(context, tables, condition) for condition in conditions)


def _resolve(context: RunContext, tables: TableSet, condition: Condition) -> Condition:
    if isinstance(condition, InRows | CompareAggregate):
        return replace(condition, conditions=resolve_conditions(context, tables, condition.conditions))
    if not isinstance(condition, TextMatch):
        return condition
    ref = condition.column
    sql = compile_values(ref.table, ref, (), tables.column)
    result = context.run_all(sql, (tables.tables[ref.table],), prove=False)
    fitting = tuple(row[0].value for row in result.rows if isinstance(row[0].value, str) and _fits(condition, row[0].value))
    return OneOf(ref, fitting, condition.negated)


def _fits(condition: TextMatch, value: str) -> bool:
    text, wanted = fold(value), fold(condition.text)
    match condition.kind:
        case "begins":
            return text.startswith(wanted)
        case "ends":
            return text.endswith(wanted)
        case "contains":
            return wanted in text
    raise AssertionError(condition.kind)


def check_condition_cells(
    context: RunContext, tables: TableSet, plan: Term | ListPlan, *, with_totals: bool, keys: Sequence[ColumnRef] = ()
) -> None:
    """Stops with incomplete_data when a row might belong to the answer but the cell that decides it is unreadable, or blank where
    a blank may stand for the label above it. `keys`: columns that the rows are grouped by."""
    _check_cells(context, tables, plan.table, plan.joins, plan.conditions, with_totals)
    _check_open_blanks(context, tables, plan, keys, with_totals)
    _check_inner_cells(context, tables, plan.conditions, with_totals)


def _check_open_blanks(
    context: RunContext, tables: TableSet, plan: Term | ListPlan, keys: Sequence[ColumnRef], with_totals: bool
) -> None:
    said = [ref for condition in plan.conditions for ref in condition_columns(condition)]
    for ref in dict.fromkeys((*said, *keys)):
        if not tables.column(ref).open_blanks:
            continue
        others = [condition for condition in plan.conditions if ref not in condition_columns(condition)]
        sql = compile_values(plan.table, ref, (*others, Missing(ref)), tables.column, plan.joins)
        if context.run_all(sql, tables.all(), with_totals=with_totals, prove=False).rows:
            raise Stopped(Stop("refused", "incomplete_data", "open_blanks", (tables.visible(ref).names[0],)))


def _check_inner_cells(context: RunContext, tables: TableSet, conditions: Sequence[Condition], with_totals: bool) -> None:
    """The same for the rows of semi-joins and compared aggregates, however deep."""
    for condition in conditions:
        if isinstance(condition, InRows | CompareAggregate):
            read = condition.inner if isinstance(condition, InRows) else condition.of
            inner = (*condition.conditions, Missing(read, negated=True))
            _check_cells(context, tables, read.table, (), inner, with_totals)
            _check_inner_cells(context, tables, condition.conditions, with_totals)


def _check_cells(
    context: RunContext,
    tables: TableSet,
    table: str,
    joins: Sequence[Join],
    conditions: Sequence[Condition],
    with_totals: bool,
) -> None:
    readable = [condition for condition in conditions if not _unreadable_columns(condition, tables.column)]
    for condition in conditions:
        for ref in _unreadable_columns(condition, tables.column):
            sql = compile_values(table, ref, (*readable, Missing(ref)), tables.column, joins)
            result = context.run_all(sql, tables.all(), with_totals=with_totals, prove=False)
            unreadable = union(*(row[0].unreadable for row in result.rows))
            if unreadable:
                names = name_cells(unreadable, context.reading.tables)
                raise Stopped(Stop("refused", "incomplete_data", "unreadable_filter_cells", names))


def check_compared_units(
    context: RunContext, tables: TableSet, plan: Term | ListPlan, unit_of: Callable[[ColumnRef], ColumnRef | None]
) -> None:
    """Stops with mixed_currency when a bound is compared with amounts in several units. A bound of zero means the same in
    each. `unit_of`: column -> the column that gives its unit row by row, None if there is none."""
    for condition in plan.conditions:
        if isinstance(condition, CompareAggregate):
            _check_one_unit(context, tables, condition, unit_of)
        if not isinstance(condition, Compare) or condition.value == 0:
            continue
        unit = unit_of(condition.column)
        if unit is None:
            continue
        others = tuple(other for other in plan.conditions if other is not condition)
        sql = compile_values(plan.table, unit, (*others, Missing(condition.column, negated=True)), tables.column, plan.joins)
        rows = context.run_all(sql, tables.all(), visible_rows_only=plan.visible_rows_only, prove=False).rows
        found = tuple(str(row[0].value) for row in rows if row[0].value is not None)
        if len(rows) > 1:
            raise Stopped(Stop("refused", "mixed_currency", "mixed_currency", found))


def _check_one_unit(
    context: RunContext,
    tables: TableSet,
    condition: CompareAggregate,
    unit_of: Callable[[ColumnRef], ColumnRef | None],
) -> None:
    """Amounts whose unit stands row by row are held against their own average only where there is one unit at all."""
    for ref in dict.fromkeys((condition.column, condition.of)):
        unit = unit_of(ref)
        if unit is not None:
            sql = compile_values(ref.table, unit, (Missing(ref, negated=True),), tables.column)
            rows = context.run_all(sql, (tables.tables[ref.table],), prove=False).rows
            if len(rows) > 1:
                found = tuple(str(row[0].value) for row in rows if row[0].value is not None)
                raise Stopped(Stop("refused", "mixed_currency", "mixed_currency", found))


def _unreadable_columns(condition: Condition, column_of: ColumnOf) -> tuple[ColumnRef, ...]:
    return tuple(ref for ref in condition_columns(condition) if column_of(ref).has_unreadable)


def filter_values_exist(context: RunContext, tables: TableSet, conditions: Sequence[Condition]) -> bool:
    """Whether each value and period that the conditions name occurs in the data at all: only then a count of 0 is true."""
    return all(_exists(context, tables, condition) for condition in conditions)


def _exists(context: RunContext, tables: TableSet, condition: Condition) -> bool:
    if isinstance(condition, InRows | CompareAggregate):
        return filter_values_exist(context, tables, condition.conditions)
    if isinstance(condition, OneOf) and not condition.negated:
        return bool(condition.values) and all(
            _has_row(context, tables, replace(condition, values=(value,))) for value in condition.values
        )
    if isinstance(condition, Within) and not condition.negated:
        return _has_row(context, tables, condition) or _spans(context, tables, condition)
    return True


def _has_row(context: RunContext, tables: TableSet, condition: OneOf | Within) -> bool:
    sql = compile_values(condition.column.table, condition.column, (condition,), tables.column)
    return bool(context.run(sql, (tables.tables[condition.column.table],), prove=False).rows)


def _spans(context: RunContext, tables: TableSet, condition: Within) -> bool:
    """A period without any row still exists where the column's days lie on both sides of it."""
    if tables.column(condition.column).type is ColumnType.PERIOD:
        return False
    row = context.run(compile_bounds(condition.column), (tables.tables[condition.column.table],), prove=False).rows[0]
    first, last = row[0].value, row[1].value
    if not isinstance(first, date) or not isinstance(last, date):
        return False
    start, end = condition.period.start.isoformat(), condition.period.end.isoformat()
    return first.isoformat()[:10] <= end and last.isoformat()[:10] >= start
