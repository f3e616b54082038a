"""List plans: rows in sheet order with every cell's own address, order with ties, a cap, and yes/no questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from orchestrator.aggregate_notices import hidden_notices, proof_notices, relation_notices
from orchestrator.cell_names import name_cells
from orchestrator.cell_ranges import union
from orchestrator.check_conditions import (
    check_compared_units,
    check_condition_cells,
    condition_tables,
    filter_values_exist,
    measured_joins,
    resolve_conditions,
)
from orchestrator.compile_sql import compile_list, compile_list_count
from orchestrator.computed_cells import computed_notices
from orchestrator.evidence import EvidencedResult, EvidencedValue, Scalar
from orchestrator.exact_numbers import fraction_of
from orchestrator.outcome import Notice, Outcome, ResultColumn, Stop, Stopped, TracedValue
from orchestrator.plan import Beside, ColumnRef, ListPlan
from orchestrator.recipe import Leaf
from orchestrator.run_context import ROW_LIMIT, RunContext, TableSet, tables_of
from orchestrator.run_terms import check_readable
from orchestrator.scope import is_code
from parsers.table import ColumnType

MOST_SHOWN = 1_000
"""Rows that an answer shows; the true number is always said."""


@dataclass(frozen=True)
class _Row:
    shown: tuple[TracedValue, ...]
    order: tuple[Scalar, ...]
    place: tuple[int, ...]


def run_list(context: RunContext, plan: ListPlan, most_shown: int = MOST_SHOWN) -> Outcome:
    """Raises Stopped: no row, only missing numbers, an unreadable cell among the shown ones, too many rows to sort."""
    names = (plan.table, *(join.one.table for join in plan.joins), *condition_tables(plan.conditions))
    tables = tables_of(context, names)
    plan = replace(plan, conditions=resolve_conditions(context, tables, plan.conditions))
    check_condition_cells(context, tables, plan, with_totals=plan.with_totals)
    check_compared_units(context, tables, plan, tables.unit_column)
    fetched = _fetched_columns(plan, tables)
    result = context.run(
        compile_list(plan, fetched, tables.column),
        tables.all(),
        with_totals=plan.with_totals,
        visible_rows_only=plan.visible_rows_only,
        row_limit=1 if plan.existence else ROW_LIMIT,
    )
    if plan.existence:
        return _existence(context, plan, tables, result)
    rows = _distinct(plan, _sorted(plan, _rows(context, plan, tables, fetched, result)))
    if result.truncated and plan.order:
        raise Stopped(Stop("refused", "limit", "too_many_rows", counts=(ROW_LIMIT,)))
    if not rows:
        raise Stopped(_no_row(context, tables, plan))
    if plan.beside is not None:
        rows = [_neighbour(plan, plan.beside, rows)]
    _check_only_missing(context, plan, tables, rows)
    total = len(rows) if not result.truncated else _count(context, plan, tables, fetched)
    rows, ties = _limited(plan, rows)
    total = min(total, len(rows)) if plan.limit is not None else total
    shown = tuple(row.shown for row in rows[:most_shown])
    named = enumerate(zip(plan.names, plan.columns, strict=True))
    columns = tuple(_column(name, ref, tables, shown, position) for position, (name, ref) in named)
    return Outcome(
        "rows",
        columns,
        shown,
        total_rows=total,
        truncated=total > len(shown),
        notices=(*ties, *_notices(context, plan, tables, shown)),
        tables=dict(context.reading.tables),
        queries=tuple(context.reading.queries),
    )


def _fetched_columns(plan: ListPlan, tables: TableSet) -> tuple[ColumnRef, ...]:
    """Shown columns, then those that only order, then per-row units."""
    ordering = tuple(ref for ref, _ in plan.order)
    units = (tables.unit_column(ref) for ref in (*plan.columns, *ordering))
    return tuple(dict.fromkeys((*plan.columns, *ordering, *(ref for ref in units if ref is not None))))


def _rows(
    context: RunContext, plan: ListPlan, tables: TableSet, fetched: Sequence[ColumnRef], result: EvidencedResult
) -> list[_Row]:
    """The rows as fetched, each with what it is ordered by."""
    found: list[_Row] = []
    order_units: dict[ColumnRef, set[str | None]] = {}
    for number, row in enumerate(result.rows):
        by_column = dict(zip(fetched, row, strict=True))
        check_readable(context, [by_column[ref] for ref in plan.columns], None)
        shown = tuple(_shown(by_column[ref], ref, _unit(ref, tables, by_column), result.sql) for ref in plan.columns)
        _note_units(plan, tables, by_column, order_units)
        place = tuple(sorted(cells.rows[0] for value in shown for cells in value.evidence.cells if cells.rows)) or (number,)
        found.append(_Row(shown, tuple(_sort_value(by_column[ref]) for ref, _ in plan.order), place))
    return found


def _distinct(plan: ListPlan, rows: Sequence[_Row]) -> list[_Row]:
    """With `distinct` rows whose shown values are the same are one row with the cells of all, where the first of them stands."""
    if not plan.distinct:
        return list(rows)
    found: dict[object, _Row] = {}
    for row in rows:
        values = tuple((value.evidence.value, value.evidence.unit) for value in row.shown)
        found[values] = _merged(found[values], row) if values in found else row
    return list(found.values())


def _note_units(
    plan: ListPlan, tables: TableSet, by_column: dict[ColumnRef, EvidencedValue], seen: dict[ColumnRef, set[str | None]]
) -> None:
    """Stops with mixed_currency when rows would be ordered by amounts in several units."""
    for ref, _ in plan.order:
        unit_ref = tables.unit_column(ref)
        if unit_ref is not None and by_column[ref].value is not None:
            units = seen.setdefault(ref, set())
            units.add(_unit(ref, tables, by_column))
            if len(units) > 1:
                raise Stopped(Stop("refused", "mixed_currency", "mixed_currency", tuple(sorted(unit or "?" for unit in units))))


def _shown(value: EvidencedValue, ref: ColumnRef, unit: str | None, sql: str) -> TracedValue:
    cells = value.cells or value.skipped
    evidence = replace(value, cells=cells, skipped=(), unit=unit if value.value is not None else None)
    if value.value is None:
        return TracedValue(evidence, None, (sql,), "missing")
    return TracedValue(evidence, Leaf("value", cells, columns=(ref.column,)), (sql,))


def _unit(ref: ColumnRef, tables: TableSet, by_column: dict[ColumnRef, EvidencedValue]) -> str | None:
    unit_ref = tables.unit_column(ref)
    if unit_ref is not None:
        said = by_column[unit_ref].value
        return str(said) if said is not None else None
    return tables.visible(ref).unit


def _merged(first: _Row, second: _Row) -> _Row:
    shown = []
    for one, other in zip(first.shown, second.shown, strict=True):
        cells = union(one.evidence.cells, other.evidence.cells)
        hidden = one.evidence.hidden_rows + other.evidence.hidden_rows
        proved = one.evidence.proved and other.evidence.proved
        evidence = replace(one.evidence, cells=cells, hidden_rows=hidden, proved=proved)
        recipe = replace(one.recipe, cells=cells) if isinstance(one.recipe, Leaf) else None
        shown.append(replace(one, evidence=evidence, recipe=recipe))
    return replace(first, shown=tuple(shown), place=min(first.place, second.place))


def _sort_value(value: EvidencedValue) -> Scalar:
    number = fraction_of(value.value)
    return number if number is not None else value.value


def _sorted(plan: ListPlan, rows: list[_Row]) -> list[_Row]:
    """Sheet order, then by the order columns from the last to the first; rows without the value stay at the end."""
    rows = sorted(rows, key=lambda row: row.place)
    for position in range(len(plan.order) - 1, -1, -1):
        descending = plan.order[position][1]
        known = [row for row in rows if row.order[position] is not None]
        unknown = [row for row in rows if row.order[position] is None]
        known.sort(key=lambda row, position=position: _sortable(row.order[position]), reverse=descending)  # type: ignore[misc]
        rows = known + unknown
    return rows


def _sortable(value: Scalar) -> tuple[int, Fraction, str]:
    return (0, value, "") if isinstance(value, Fraction) else (1, Fraction(0), str(value))


def _neighbour(plan: ListPlan, beside: Beside, rows: list[_Row]) -> _Row:
    """The row next to the one that holds the value, which is its base. Stops where there is none, or not just one."""
    position = plan.columns.index(beside.column)
    places = [place for place, row in enumerate(rows) if row.shown[position].evidence.value == beside.value]
    wanted = places[0] + beside.step if len(places) == 1 else -1
    if not 0 <= wanted < len(rows):
        raise Stopped(Stop("refused", "not_in_data", "no_rows"))
    base = rows[places[0]].shown[position].evidence.cells
    row = rows[wanted]
    return replace(row, shown=tuple(replace(v, evidence=replace(v.evidence, base_cells=base)) for v in row.shown))


def _limited(plan: ListPlan, rows: list[_Row]) -> tuple[list[_Row], list[Notice]]:
    """The first `limit` rows and, where an order is given, all that tie with the last of them."""
    if plan.limit is None or len(rows) <= plan.limit:
        return rows, []
    if not plan.order:
        return rows[-plan.limit :] if plan.from_end else rows[: plan.limit], []
    border = rows[plan.limit - 1].order
    kept = [*rows[: plan.limit], *(row for row in rows[plan.limit :] if row.order == border)]
    if len(kept) == plan.limit:
        return kept, []
    tied = tuple(str(row.shown[0].evidence.value) for row in kept if row.order == border)
    return kept, [Notice("ties_listed", "", tied, (plan.limit, len(kept)))]


def _count(context: RunContext, plan: ListPlan, tables: TableSet, fetched: Sequence[ColumnRef]) -> int:
    result = context.run(
        compile_list_count(plan, fetched, tables.column),
        tables.all(),
        with_totals=plan.with_totals,
        visible_rows_only=plan.visible_rows_only,
        prove=False,
    )
    return int(fraction_of(result.rows[0][0].value) or 0)


def _no_row(context: RunContext, tables: TableSet, plan: ListPlan) -> Stop:
    exist = filter_values_exist(context, tables, plan.conditions)
    return Stop("refused", "not_in_data", "none_meets" if plan.conditions and exist else "no_rows")


def _check_only_missing(context: RunContext, plan: ListPlan, tables: TableSet, rows: Sequence[_Row]) -> None:
    """A list whose number columns (or, without one, all columns) hold nothing at all is no answer."""
    numbers = [
        position for position, ref in enumerate(plan.columns)
        if tables.column(ref).type in (ColumnType.DECIMAL, ColumnType.INTEGER)
    ] or list(range(len(plan.columns)))  # fmt: skip
    values = [row.shown[position] for row in rows for position in numbers]
    if all(value.absent is not None for value in values):
        cells = union(*(value.evidence.cells for value in values))
        raise Stopped(Stop("refused", "not_in_data", "missing_cells", name_cells(cells, context.reading.tables)))


def _existence(context: RunContext, plan: ListPlan, tables: TableSet, result: EvidencedResult) -> Outcome:
    """Yes with the cells of one row; where there is none, not_in_data (contract, "Gibt es …")."""
    if not result.rows:
        raise Stopped(Stop("refused", "not_in_data", "no_rows"))
    row = result.rows[0]
    check_readable(context, row, None)
    evidence = EvidencedValue(
        bool(result.rows),
        cells=union(*(value.cells for value in row)),
        hidden_rows=max((value.hidden_rows for value in row), default=0),
        proved=all(value.proved for value in row),
        why_not=next((value.why_not for value in row if value.why_not), None),
    )
    value = TracedValue(evidence, None, (result.sql,))
    name = plan.names[0] if plan.names else ""
    return Outcome(
        "existence",
        (ResultColumn(name, "boolean"),),
        ((value,),),
        total_rows=1,
        notices=tuple(_notices(context, plan, tables, ((value,),))),
        tables=dict(context.reading.tables),
        queries=tuple(context.reading.queries),
    )


def _notices(
    context: RunContext, plan: ListPlan, tables: TableSet, rows: Sequence[Sequence[TracedValue]]
) -> tuple[Notice, ...]:
    hidden = [
        tables.visible(ref).names[0] for ref in plan.columns
        if tables.column(ref).hidden or tables.tables[ref.table].stored.table.sheet_hidden
    ]  # fmt: skip
    values = [value for row in rows for value in row]
    return (
        *proof_notices(context, values),
        *computed_notices(context, values),
        *hidden_notices(rows, tuple(dict.fromkeys(hidden))),
        *relation_notices((*plan.joins, *measured_joins(plan.conditions)), tables),
    )


def _column(
    name: str, ref: ColumnRef, tables: TableSet, rows: Sequence[Sequence[TracedValue]], position: int
) -> ResultColumn:
    visible = tables.visible(ref)
    units = {row[position].evidence.unit for row in rows if row[position].absent is None}
    return ResultColumn(name, visible.column.type.value, next(iter(units)) if len(units) == 1 else None, is_code(visible))
