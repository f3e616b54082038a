"""What the search in rows needs of a tenant, and what of it one asker may search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from indexer.index_files import IndexedView
from indexer.row_index import RowIndex
from indexer.stored import StoredSheet, StoredTable
from orchestrator.scope import Scope
from orchestrator.search.views import note_views, row_view, searched_tables


@dataclass(frozen=True)
class TenantRows:
    """`index`: opened when it is first asked for. `tables`: all of the tenant. `sheets`: of a version by its id. `limit`: rows up
    to which all of a table are indexed. `without`: features that are left out, see search_rows.FEATURES."""

    index: Callable[[], RowIndex]
    tables: Callable[[], tuple[StoredTable, ...]]
    sheets: Callable[[str], tuple[StoredSheet, ...]]
    limit: int = 500
    without: frozenset[str] = field(default_factory=frozenset)


def views_of(rows: TenantRows, scope: Scope, versions: Mapping[str, Iterable[str]] | None = None) -> dict[str, IndexedView]:
    """Every view that this asker has, by its digest; `versions` as in searched_tables, None for all."""
    tables = rows.tables()
    chosen = versions if versions is not None else _all_versions(tables)
    found: list[IndexedView] = [
        row_view(table, scope.asker.levels, rows.limit) for table in searched_tables(scope, chosen)
    ]
    return {view.key: view for view in (*found, *notes_of(rows, scope, chosen))}


def notes_of(rows: TenantRows, scope: Scope, versions: Mapping[str, Iterable[str]]) -> list[IndexedView]:
    """The notes of sheets that this asker sees as a whole."""
    columns: dict[tuple[str, str | None], int] = {}
    for table in rows.tables():
        key = (table.version.version_id, table.table.sheet)
        columns[key] = columns.get(key, 0) + len(table.table.columns)
    ids = sorted({version_id for several in versions.values() for version_id in several})
    sheets = [sheet for version_id in ids for sheet in rows.sheets(version_id)]
    return list(note_views(sheets, scope, versions, columns))


def _all_versions(tables: Iterable[StoredTable]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for table in tables:
        found.setdefault(table.version.document, set()).add(table.version.version_id)
    return found


def prepare(rows: TenantRows, views: Sequence[IndexedView], scope: Scope) -> RowIndex:
    """The index with these views in it. Where one had to be made, what these levels no longer see of the same versions goes."""
    index = rows.index()
    if index.prepare(views):
        versions = {table.version.version_id for table in scope.tables}
        files = [file for file in index.files.all() if file.version_id in versions]
        mine = {file.view for file in files if frozenset(file.levels) == scope.asker.levels}
        index.forget(sorted(mine - views_of(rows, scope).keys()))
    return index
