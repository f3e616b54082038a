"""Difference plans: the cells that differ between two versions of a document, one row a cell with both values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from indexer.cell_cache import load_cells
from indexer.diff import CellChange, Diff, RowChange, VisiblePart, diff_tables
from indexer.stored import StoredTable
from indexer.table_rows import TypedValue
from orchestrator.aggregate_notices import proof_notices
from orchestrator.cell_reading import agrees
from orchestrator.computed_cells import computed_notices
from orchestrator.evidence import CellSet, EvidencedValue, Scalar
from orchestrator.outcome import Outcome, ResultColumn, Stop, Stopped, TracedValue
from orchestrator.plan import ColumnRef, DifferencePlan
from orchestrator.recipe import Leaf
from orchestrator.run_context import RunContext, TableSet
from orchestrator.run_list import MOST_SHOWN
from orchestrator.scope import VisibleTable
from parsers.address import cell_address, parse_address
from parsers.table import CellState

_TITLES = ("Blatt", "Schlüssel", "Spalte", "alt", "neu")


def run_difference(context: RunContext, plan: DifferencePlan) -> Outcome:
    """Raises Stopped: a version is not visible, nothing differs. Only what this person may see is compared."""
    old, new = (_tables(context, plan, version) for version in (plan.from_version, plan.to_version))
    if not old or not new:
        raise Stopped(Stop("refused", "not_in_data", "no_table", (plan.document,)))
    diff = diff_tables(old[0].version, new[0].version, _parts(old), _parts(new))
    query = f"beleg diff {plan.document} {old[0].version.label} {new[0].version.label}"
    by_name = ({table.sql_name: table for table in old}, {table.sql_name: table for table in new})
    rows = [*(_changed(change, by_name[0], by_name[1], query) for change in diff.changed), *_whole_rows(diff, by_name, query)]
    rows = _proved(rows, {table.stored.table_id: table for table in (*old, *new)})
    if not rows:
        raise Stopped(Stop("refused", "not_in_data", "no_difference", (plan.document,)))
    context.reading.tables.update({table.stored.table_id: table for table in (*old, *new)})
    columns = tuple(ResultColumn(title, "text") for title in _TITLES)
    shown = tuple(rows[:MOST_SHOWN])
    values = [value for row in shown for value in row]
    notices = (*proof_notices(context, values), *computed_notices(context, values))
    return Outcome(
        "difference", columns, shown, len(rows), len(rows) > len(shown), notices, None, dict(context.reading.tables), (query,)
    )


def _proved(rows: Sequence[tuple[TracedValue, ...]], tables: Mapping[str, VisibleTable]) -> list[tuple[TracedValue, ...]]:
    """Marks the values that the second reader's cells confirm."""
    wanted: dict[str, list[str]] = {}
    for value in (value for row in rows for value in row if isinstance(value.recipe, Leaf)):
        wanted.setdefault(value.evidence.cells[0].table_id, []).append(value.evidence.cells[0].cells[0])
    texts = {
        table_id: load_cells(tables[table_id].stored.cells, cells, original_sha256=tables[table_id].version.sha256)
        for table_id, cells in wanted.items()
    }

    def checked(value: TracedValue) -> TracedValue:
        if not isinstance(value.recipe, Leaf):
            return value
        cells = value.evidence.cells[0]
        column = tables[cells.table_id].column(value.recipe.columns[0])
        cached = texts[cells.table_id].get(cells.cells[0])
        text = cached.text if cached is not None else None
        proved = column is not None and agrees(column.column, value.evidence.value, text)
        return replace(value, evidence=replace(value.evidence, proved=proved))

    return [tuple(checked(value) for value in row) for row in rows]


def _tables(context: RunContext, plan: DifferencePlan, version_id: str) -> list[VisibleTable]:
    return [
        table for table in context.scope.tables
        if table.version.document == plan.document and table.version.version_id == version_id
        and (plan.table is None or table.sql_name == plan.table)
    ]  # fmt: skip


def _parts(tables: Sequence[VisibleTable]) -> list[tuple[StoredTable, VisiblePart]]:
    return [
        (table.stored, VisiblePart(frozenset(column.sql_name for column in table.columns), table.row_filter)) for table in tables
    ]


def _changed(
    change: CellChange, old: dict[str, VisibleTable], new: dict[str, VisibleTable], query: str
) -> tuple[TracedValue, ...]:
    before, after = old[change.table], new[change.table]
    there = _cells(after, change.cell_to)
    row = parse_address(change.cell_to)[0]
    unit_of = TableSet({change.table: after}).visible(ColumnRef(change.table, change.sql_name))
    return (
        _text(change.sheet, _rows_only(after, row), query),
        _text(" / ".join(part for part in change.key if part), _rows_only(after, row), query),
        _text(unit_of.names[0], there, query),
        _value(change.old, _cells(before, change.cell_from), change.sql_name, unit_of.unit, query),
        _value(change.new, there, change.sql_name, unit_of.unit, query),
    )


def _whole_rows(
    diff: Diff, by_name: tuple[dict[str, VisibleTable], dict[str, VisibleTable]], query: str
) -> list[tuple[TracedValue, ...]]:
    """Added and removed rows, one result row for each of their number cells and texts."""
    rows: list[tuple[TracedValue, ...]] = []
    for change, side, tables in (
        *((row, 0, by_name[0]) for row in diff.removed),
        *((row, 1, by_name[1]) for row in diff.added),
    ):
        rows += _row_cells(change, side, tables[change.table], query)
    return rows


def _row_cells(change: RowChange, side: int, table: VisibleTable, query: str) -> list[tuple[TracedValue, ...]]:
    rows: list[tuple[TracedValue, ...]] = []
    where = _rows_only(table, change.row)
    for header, value in change.values:
        column = next((column for column in table.columns if column.column.header == header), None)
        if column is None or (value in change.key):
            continue
        position = column.column.position
        cells = _cells(table, cell_address(change.row, position)) if position is not None else where
        filled = _value(value, cells, column.sql_name, column.unit, query)
        empty = TracedValue(EvidencedValue(None, cells=(where,), proved=True), None, (query,), "missing")
        pair = (filled, empty) if side == 0 else (empty, filled)
        key = " / ".join(part for part in change.key if part)
        rows.append((_text(change.sheet, where, query), _text(key, where, query), _text(column.names[0], cells, query), *pair))
    return rows


def _cells(table: VisibleTable, address: str) -> CellSet:
    return CellSet(table.stored.table_id, (parse_address(address)[0],), (address,))


def _rows_only(table: VisibleTable, row: int) -> CellSet:
    return CellSet(table.stored.table_id, (row,), ())


def _text(text: str | None, cells: CellSet, query: str) -> TracedValue:
    return TracedValue(EvidencedValue(text, cells=(cells,), proved=True), None, (query,), None if text is not None else "missing")


def _value(value: TypedValue, cells: CellSet, column: str, unit: str | None, query: str) -> TracedValue:
    scalar = _scalar(value)
    if scalar is None:
        return TracedValue(EvidencedValue(None, cells=(cells,), proved=True), None, (query,), "missing")
    evidence = EvidencedValue(scalar, cells=(cells,), unit=unit if not isinstance(scalar, str) else None, proved=True)
    return TracedValue(evidence, Leaf("value", (cells,), columns=(column,)), (query,))


def _scalar(value: TypedValue) -> Scalar:
    return None if isinstance(value, CellState) else value
