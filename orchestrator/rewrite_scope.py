"""Each table reference becomes a subquery over the immutable segment that holds only what this person may see."""

from __future__ import annotations

from collections.abc import Collection

from orchestrator.guard import usable_columns
from orchestrator.scope import VisibleTable
from orchestrator.sql_algebra import TableSource
from parsers.table import ColumnType

ROW_ID = "_id"
"""Added when a segment is loaded: the place of the row in the segment, from 0. The engine knows rows by nothing else."""


def segment_name(segment_sha256: str) -> str:
    """Name of the loaded segment in the engine."""
    return f"seg_{segment_sha256[:40].lower()}"


def quoted(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'


def text_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def source_sql(source: TableSource, columns: Collection[str]) -> str:
    """(SELECT row id and `columns` FROM segment WHERE row filter AND no total rows [AND visible rows]). Raises KeyError if a
    column is not visible, which the reader of the statement has excluded already."""
    table = source.table
    usable = usable_columns(table)
    for column in columns:
        usable[column]
    selected = ", ".join(quoted(name) for name in (ROW_ID, *sorted(columns)))
    conditions = _conditions(source)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"(SELECT {selected} FROM {quoted(segment_name(table.stored.segment_sha256))}{where})"


def _conditions(source: TableSource) -> list[str]:
    meta = source.table.stored.table
    conditions = [_allowed(source.table, column, values) for column, values in source.table.row_filter.items()]
    if meta.has_totals and not source.with_totals:
        conditions.append('NOT "_total"')
    if meta.has_hidden_rows and source.visible_rows_only:
        conditions.append('NOT "_hidden"')
    return conditions


def _allowed(table: VisibleTable, column: str, values: tuple[str, ...]) -> str:
    if not values:
        return "FALSE"
    meta = next((one for one in table.stored.table.columns if one.sql_name == column), None)
    if meta is None:
        return "FALSE"  # a filter on a column that this version lacks shows nothing
    textual = meta.type in (ColumnType.TEXT, ColumnType.PERIOD)
    operand = quoted(column) if textual else f"CAST({quoted(column)} AS VARCHAR)"
    return f"{operand} IN ({', '.join(text_literal(value) for value in values)})"
