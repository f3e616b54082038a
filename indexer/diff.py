"""What differs between two versions of a document: cells changed, rows added and removed, matched by key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexer.catalog import Catalog
from indexer.match_rows import choose_key, match_rows, same_value
from indexer.stored import StoredTable, Version
from indexer.table_rows import TableRows, TypedValue, display, read_rows


@dataclass(frozen=True)
class CellChange:
    """One cell whose value differs. `cell_from` and `cell_to`: A1 addresses in the old and the new version. `column`: header;
    `key`: the values that name the row. `old`, `new`: None where there is no value, CellState.UNREADABLE where it
    cannot be read."""

    table: str
    sheet: str | None
    column: str
    sql_name: str
    cell_from: str
    cell_to: str
    key: tuple[str, ...]
    old: TypedValue
    new: TypedValue

    @property
    def old_text(self) -> str | None:
        return display(self.old)

    @property
    def new_text(self) -> str | None:
        return display(self.new)


@dataclass(frozen=True)
class RowChange:
    """A row that only one version has; `values`: header and value of each cell that holds one."""

    table: str
    sheet: str | None
    row: int
    key: tuple[str, ...]
    values: tuple[tuple[str, TypedValue], ...]


@dataclass(frozen=True)
class ColumnChange:
    """A column, or a whole table (`column` None), that only one version has."""

    table: str
    sheet: str | None
    column: str | None


@dataclass(frozen=True)
class Diff:
    document: str
    from_version: Version
    to_version: Version
    changed: tuple[CellChange, ...]
    added: tuple[RowChange, ...]
    removed: tuple[RowChange, ...]
    added_columns: tuple[ColumnChange, ...] = ()
    removed_columns: tuple[ColumnChange, ...] = ()


@dataclass(frozen=True)
class VisiblePart:
    """What of a table may be compared: columns by sql_name (None: all) and the row filter (see indexer.row_filter)."""

    columns: frozenset[str] | None = None
    row_filter: Mapping[str, Collection[str]] | None = None


def diff_versions(catalog: Catalog, tenant: str, document: str, v1: str, v2: str) -> Diff:
    """Everything that differs from version `v1` to `v2` (label, id or number), whoever asks: for people who administer.
    Raises UnknownDocument, UnknownVersion, AmbiguousVersion."""
    old, new = catalog.version(tenant, document, v1), catalog.version(tenant, document, v2)
    tables = catalog.tables(tenant)
    return diff_tables(
        old,
        new,
        [(table, VisiblePart()) for table in tables if table.version.version_id == old.version_id],
        [(table, VisiblePart()) for table in tables if table.version.version_id == new.version_id],
    )


def diff_tables(
    old_version: Version,
    new_version: Version,
    old_tables: Sequence[tuple[StoredTable, VisiblePart]],
    new_tables: Sequence[tuple[StoredTable, VisiblePart]],
) -> Diff:
    """Compares the printed tables (not the tidied form of a cross-tab) that both sides hand in, each with what may be seen
    of it; nothing else of the segments enters the result."""
    old = {table.sql_name: (table, part) for table, part in old_tables if table.table.layout != "tidy"}
    new = {table.sql_name: (table, part) for table, part in new_tables if table.table.layout != "tidy"}
    changed: list[CellChange] = []
    added: list[RowChange] = []
    removed: list[RowChange] = []
    added_columns = [_whole(table) for name, (table, _) in new.items() if name not in old]
    removed_columns = [_whole(table) for name, (table, _) in old.items() if name not in new]
    for name, (old_table, old_part) in old.items():
        if name not in new:
            continue
        new_table, new_part = new[name]
        before = read_rows(old_table, old_part.columns, old_part.row_filter or {})
        after = read_rows(new_table, new_part.columns, new_part.row_filter or {})
        shared = tuple(name for name in before.names if name in after.names)
        removed_columns += _lacking(before, after)
        added_columns += _lacking(after, before)
        key = choose_key(before, after, shared)
        for first, second in match_rows(before, after, key, shared):
            if second is None:
                removed += [_row_change(before, row, key) for row in (first,) if row is not None]
            elif first is None:
                added.append(_row_change(after, second, key))
            else:
                changed += _cell_changes(before, after, first, second, key, shared)
    return Diff(
        document=new_version.document,
        from_version=old_version,
        to_version=new_version,
        changed=_each_cell_once(changed),
        added=tuple(added),
        removed=tuple(removed),
        added_columns=tuple(added_columns),
        removed_columns=tuple(removed_columns),
    )


def _each_cell_once(changes: list[CellChange]) -> tuple[CellChange, ...]:
    """A merged cell that names several rows changed once."""
    kept: dict[object, CellChange] = {}
    for number, change in enumerate(changes):
        kept.setdefault((change.table, change.cell_from, change.cell_to) if change.cell_from else number, change)
    return tuple(kept.values())


def _cell_changes(
    before: TableRows, after: TableRows, first: int, second: int, key: tuple[str, ...], shared: tuple[str, ...]
) -> Iterator[CellChange]:
    for name in shared:
        old, new = before.value(first, name), after.value(second, name)
        if not same_value(old, new):
            yield CellChange(
                table=before.stored.sql_name,
                sheet=after.stored.table.sheet,
                column=after.columns[name].header,
                sql_name=name,
                cell_from=before.cell(first, name),
                cell_to=after.cell(second, name),
                key=_key_texts(after, second, key),
                old=old,
                new=new,
            )


def _row_change(rows: TableRows, row: int, key: tuple[str, ...]) -> RowChange:
    values = ((rows.columns[name].header, rows.value(row, name)) for name in rows.names)
    return RowChange(
        table=rows.stored.sql_name,
        sheet=rows.stored.table.sheet,
        row=rows.source_rows[row],
        key=_key_texts(rows, row, key),
        values=tuple((header, value) for header, value in values if value is not None),
    )


def _key_texts(rows: TableRows, row: int, key: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(display(rows.value(row, name)) or "" for name in key)


def _lacking(rows: TableRows, other: TableRows) -> list[ColumnChange]:
    table = rows.stored
    return [
        ColumnChange(table.sql_name, table.table.sheet, rows.columns[name].header)
        for name in rows.names
        if name not in other.names
    ]


def _whole(table: StoredTable) -> ColumnChange:
    return ColumnChange(table.sql_name, table.table.sheet, None)
