"""What of an asker's scope is searched: the tables with texts, each in one view of what this person may see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from indexer.note_text import NoteView
from indexer.row_view import RowView, ShownColumn
from indexer.stored import StoredSheet
from orchestrator.scope import Scope, VisibleColumn, VisibleTable, is_code
from parsers.table import ColumnType


def row_view(table: VisibleTable, levels: frozenset[str], limit: int) -> RowView:
    """A table as its asker sees it, under the names that people know."""
    columns = tuple(ShownColumn(each.sql_name, each.names[0], each.unit, _is_measure(each)) for each in table.columns)
    return RowView(table.stored, columns, table.row_filter, levels, limit)


def _is_measure(column: VisibleColumn) -> bool:
    return column.column.type in (ColumnType.DECIMAL, ColumnType.INTEGER) and not is_code(column)


def holds_texts(table: VisibleTable) -> bool:
    """Whether a row of the table can be found by words. A tidied cross-tab repeats the printed one and is left out."""
    if table.stored.table.layout == "tidy" or not table.stored.table.data_rows:
        return False
    return any(column.column.type is ColumnType.TEXT for column in table.columns)


def searched_tables(
    scope: Scope, versions: Mapping[str, Iterable[str]], named: Sequence[str] | None = None
) -> tuple[VisibleTable, ...]:
    """`versions`: document -> ids of the versions that the question reads; `named`: SQL names, None for all tables."""
    return tuple(
        table
        for table in scope.tables
        if holds_texts(table)
        and table.version.version_id in versions.get(table.version.document, ())
        and (named is None or table.sql_name in named)
    )


ColumnsOfSheets = Mapping[tuple[str, str | None], int]
"""(version, sheet) -> how many columns all its tables have together."""


def note_views(
    sheets: Iterable[StoredSheet], scope: Scope, versions: Mapping[str, Iterable[str]], every: ColumnsOfSheets
) -> tuple[NoteView, ...]:
    """The notes of sheets of which the asker may see everything."""
    found = []
    for sheet in sheets:
        version = sheet.version
        if sheet.access_level not in scope.asker.levels or version.version_id not in versions.get(version.document, ()):
            continue
        tables = [t for t in scope.tables if t.version.version_id == version.version_id and t.stored.table.sheet == sheet.name]
        seen = sum(len(table.columns) for table in tables)
        if seen != every.get((version.version_id, sheet.name), 0) or any(table.row_filter for table in tables):
            continue
        of_tables = (note for table in tables if table.stored.table.layout != "tidy" for note in table.stored.table.notes)
        texts = (*sheet.notes, *of_tables)
        if texts:
            found.append(NoteView(sheet, tuple(dict.fromkeys(texts)), scope.asker.levels))
    return tuple(found)
