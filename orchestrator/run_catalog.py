"""Catalog plans: which tables, columns or values there are, from the scope alone."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.compile_sql import compile_values
from orchestrator.evidence import CellSet, EvidencedValue, Scalar
from orchestrator.outcome import Outcome, ResultColumn, Stop, Stopped, TracedValue
from orchestrator.plan import CatalogPlan, ColumnRef
from orchestrator.recipe import Leaf
from orchestrator.run_context import ROW_LIMIT, RunContext, TableSet
from orchestrator.run_list import MOST_SHOWN
from orchestrator.scope import VisibleColumn, VisibleTable, is_code
from parsers.address import cell_address

_NAMES = {"table": "Tabelle", "document": "Datei", "sheet": "Blatt", "column": "Spalte", "unit": "Einheit"}


def run_catalog(context: RunContext, plan: CatalogPlan) -> Outcome:
    """Raises Stopped (not_in_data) when the table or column is not visible or has no value."""
    if plan.subject == "values" and plan.column is not None:
        return _values(context, plan.column)
    rows = _tables(context) if plan.subject == "tables" else _columns(context, plan.table)
    names = ("document", "sheet") if plan.subject == "tables" else ("column", "unit", "document", "sheet")
    if not rows:
        raise Stopped(Stop("refused", "not_in_data", "no_rows"))
    columns = tuple(ResultColumn(_NAMES[name], "text") for name in names)
    shown = tuple(rows[:MOST_SHOWN])
    return Outcome("catalog", columns, shown, len(rows), len(rows) > len(shown), tables=dict(context.reading.tables))


def _tables(context: RunContext) -> list[tuple[TracedValue, ...]]:
    """One row a printed table in the chosen version of its document."""
    rows = []
    for table in _chosen(context):
        if table.stored.table.layout != "tidy":
            stored = table.stored.table
            entries = (table.version.document, stored.sheet)
            rows.append(tuple(_named(entry, CellSet(table.stored.table_id, (), ())) for entry in entries))
    return rows


def _columns(context: RunContext, sql_name: str | None) -> list[tuple[TracedValue, ...]]:
    rows: list[tuple[TracedValue, ...]] = []
    for table in _chosen(context):
        is_wanted = table.sql_name == sql_name if sql_name is not None else table.stored.table.layout != "tidy"
        if not is_wanted:
            continue
        for column in table.columns:
            cells = _header_cells(table, column)
            file = CellSet(table.stored.table_id, (), ())
            rows.append(
                (
                    _named(column.names[0], cells),
                    _named(column.unit, cells),
                    _named(table.version.document, file),
                    _named(table.stored.table.sheet, file),
                )
            )
    return rows


def _values(context: RunContext, ref: ColumnRef) -> Outcome:
    table = context.table(ref.table)
    tables = TableSet({ref.table: table})
    column = tables.visible(ref)
    result = context.run(compile_values(ref.table, ref, (), tables.column), (table,), row_limit=ROW_LIMIT)
    found = [row[0] for row in result.rows if row[0].value is not None]
    if not found:
        raise Stopped(Stop("refused", "not_in_data", "no_rows"))
    found.sort(key=lambda value: value.cells[0].rows[0] if value.cells and value.cells[0].rows else 0)
    rows = tuple(
        (TracedValue(value, Leaf("value", value.cells, columns=(ref.column,)), (result.sql,)),) for value in found[:MOST_SHOWN]
    )
    truncated = result.truncated or len(found) > len(rows)
    return Outcome(
        "catalog",
        (ResultColumn(column.names[0], column.column.type.value, column.unit, is_code(column)),),
        rows,
        len(found),
        truncated,
        tables=dict(context.reading.tables),
        queries=tuple(context.reading.queries),
    )


def _chosen(context: RunContext) -> Sequence[VisibleTable]:
    """Every visible table in the version of its document that the question reads."""
    chosen = [
        table for table in context.scope.tables
        if context.versions.get(table.version.document, table.version.version_id) == table.version.version_id
    ]  # fmt: skip
    context.reading.tables.update({table.stored.table_id: table for table in chosen})
    return chosen


def _header_cells(table: VisibleTable, column: VisibleColumn) -> CellSet:
    stored, position = table.stored.table, column.column.position
    if position is None or not stored.header_rows:
        return CellSet(table.stored.table_id, (), ())
    row = stored.header_rows[-1]
    return CellSet(table.stored.table_id, (row,), (cell_address(row, position),))


def _named(text: Scalar, cells: CellSet) -> TracedValue:
    """A name from the catalogue: no cell holds it as a value, so nothing is recomputed."""
    return TracedValue(EvidencedValue(text, cells=(cells,), proved=True), absent=None if text is not None else "missing")
