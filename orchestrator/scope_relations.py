"""Relations between visible tables: approved by a person, or measured on the values of the versions in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from indexer.stored import StoredTable
from orchestrator.key_values import repeated_key
from orchestrator.scope import VisibleColumn, VisibleRelation, VisibleTable
from parsers.fold import fold
from parsers.table import ColumnType
from schema_maps.aggregation import is_identifier
from schema_maps.layout import header_key
from schema_maps.relations import KeyColumn, KeyValues, RelationMeter
from schema_maps.schema_map import Relation, RelationEnd


def visible_relations(
    tables: Sequence[VisibleTable],
    approved: Sequence[Relation],
    read_values: Callable[[StoredTable, str], KeyValues | None],
    meter: RelationMeter,
) -> tuple[VisibleRelation, ...]:
    """Approved ones first, where each value of the one side stands in one row of every version that would be read: else the
    relation is not there. The one side is always a table as printed: a tidied one repeats its labels.

    Between two tables that an approved relation joins nothing is measured; where they share a key ("Kostenstelle") and other
    texts ("Bezeichnung"), only the key joins them."""
    found: dict[tuple[str, str, str, str], VisibleRelation] = {}
    repeated = _Repeated(tables, meter)
    for relation in approved:
        if not relation.approved:
            continue
        for many_table, many in _end(tables, relation.many):
            for one_table, one in _end(tables, relation.one):
                printed = one_table.stored.table.layout != "tidy" and many_table.sql_name != one_table.sql_name
                if printed and not repeated.in_use(one_table.sql_name, one.sql_name):
                    _add(found, many_table.sql_name, many.sql_name, one_table.sql_name, one.sql_name, True)
    by_name = {table.sql_name: table for table in _in_use(tables)}

    def read(column: KeyColumn) -> KeyValues | None:
        return read_values(by_name[column.table].stored, column.column)

    joined = {(many_table, one_table) for many_table, _, one_table, _ in found}
    candidates = [
        m for m in meter.measure(list(_key_columns(by_name.values())), read) if (m.many.table, m.one.table) not in joined
    ]
    keyed = {(m.many.table, m.one.table) for m in candidates if is_identifier(m.one.name)}
    for measured in candidates:
        one_side = by_name[measured.one.table]
        second_best = (measured.many.table, measured.one.table) in keyed and not is_identifier(measured.one.name)
        # Rows of a filtered one side are missing for the asker: a join would drop rows of the many side unseen.
        if one_side.stored.table.layout != "tidy" and not one_side.row_filter and not second_best:
            _add(found, measured.many.table, measured.many.column, measured.one.table, measured.one.column, False)
    return tuple(found.values())


class _Repeated:
    """Whether a column repeats a value in a version that would be read: the binding one, or any where none is. What a version
    named in a question repeats is seen when it is read (orchestrator.fan_out)."""

    def __init__(self, tables: Sequence[VisibleTable], meter: RelationMeter) -> None:
        bound = {table.version.document for table in tables if table.version.binding}
        self._tables = [table for table in tables if table.version.binding or table.version.document not in bound]
        self._meter = meter

    def in_use(self, sql_name: str, column: str) -> bool:
        return any(
            self._meter.repeats(_content(table), column, partial(_repeats, table, column))
            for table in self._tables
            if table.sql_name == sql_name and table.column(column) is not None
        )


def _repeats(table: VisibleTable, column: str) -> bool:
    return repeated_key(table.stored, (column,), table.row_filter) is not None


def _content(table: VisibleTable) -> str:
    """Names what a person sees of a table version."""
    return f"{table.stored.segment_sha256} {sorted(table.row_filter.items()) if table.row_filter else ''}"


def _add(
    found: dict[tuple[str, str, str, str], VisibleRelation], many_table: str, many: str, one_table: str, one: str, approved: bool
) -> None:
    found.setdefault((many_table, many, one_table, one), VisibleRelation(many_table, many, one_table, one, approved))


def _end(tables: Sequence[VisibleTable], end: RelationEnd) -> Iterator[tuple[VisibleTable, VisibleColumn]]:
    seen = set()
    for table in tables:
        if table.version.document != end.document or not _same_sheet(table.stored.table.sheet, end.sheet):
            continue
        for column in table.columns:
            key = (table.sql_name, column.sql_name)
            if header_key(column.column.header) == header_key(end.header) and key not in seen and column.column.role != "value":
                seen.add(key)
                yield table, column


def _in_use(tables: Sequence[VisibleTable]) -> Iterator[VisibleTable]:
    """Of each document the tables of its binding version, else of its newest one."""
    chosen: dict[str, tuple[bool, int, str]] = {}
    for table in tables:
        version = table.version
        rank = (version.binding, version.number, version.version_id)
        chosen[version.document] = max(rank, chosen.get(version.document, rank))
    return (table for table in tables if chosen[table.version.document][2] == table.version.version_id)


def _key_columns(tables: Iterable[VisibleTable]) -> Iterator[KeyColumn]:
    for table in tables:
        stored = table.stored
        for column in table.columns:
            if _may_be_key(column):
                yield KeyColumn(
                    stored.sql_name, column.sql_name, column.names[0], column.column.type.value,
                    f"{stored.version.document}\0{stored.table.sheet}", stored.segment_sha256,
                )  # fmt: skip


def _may_be_key(column: VisibleColumn) -> bool:
    printed = column.column
    if printed.blocked or printed.role in ("value", "total", "scenario"):
        return False
    if printed.type is ColumnType.TEXT:
        return True
    return printed.type is ColumnType.INTEGER and any(is_identifier(name) for name in (column.names[0], printed.name))


def _same_sheet(one: str | None, other: str | None) -> bool:
    return one == other or (one is not None and other is not None and fold(one) == fold(other))
