"""Builds what one person may see: deny by default, a straight line from stored tables to a Scope.

1. Only tables of the asker's tenant. 2. A sheet is open if its level is among the asker's, or if a level with a row filter opens
it, reduced to those rows. 3. A column is visible if each of its guards is passed by one of the asker's levels. 4. A tidied
cross-tab shows its values only to those who may see every printed column they stem from. 5. What is not visible leaves names,
units, totals, notes and relations, too: a VisibleTable holds a reduced StoredTable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from indexer.stored import StoredTable
from orchestrator.key_values import read_key_values
from orchestrator.name_columns import named_column
from orchestrator.row_scope import RowFilter, resolve_filter, union_of_filters
from orchestrator.scope import Asker, Scope, VisibleTable
from orchestrator.scope_relations import visible_relations
from orchestrator.tidy_sources import Sources, tidy_sources
from parsers.fold import fold
from parsers.table import Column, ControlTotal, Table
from schema_maps.layout import Levels, SheetReading, header_key, maps_for_document, printed_headers, read_sheet
from schema_maps.relations import KeyValues, RelationMeter
from schema_maps.schema_map import SheetMap, TenantMap

ReadValues = Callable[[StoredTable, str], KeyValues | None]


def build_scope(
    asker: Asker,
    tables: Sequence[StoredTable],
    tenant_map: TenantMap,
    read_values: ReadValues = read_key_values,
    meter: RelationMeter | None = None,
) -> Scope:
    """The scope of one question. `tables`: all tables of all versions. `meter` remembers measured relations between questions."""
    mine = [stored for stored in tables if stored.version.tenant == asker.tenant]
    maps = tuple(sheet_map for sheet_map in tenant_map.sheets if sheet_map.tenant == asker.tenant)
    visible = tuple(
        table
        for sheet in _sheets(mine, maps)
        for stored in sheet.tables
        if (table := _visible_table(asker, sheet, stored, read_values)) is not None
    )
    relations = visible_relations(visible, tenant_map.relations, read_values, meter or RelationMeter())
    return Scope(asker, visible, relations, tenant_map.synonyms)


@dataclass(frozen=True)
class _Sheet:
    """The tables of one sheet of one version, and its map applied to their headers."""

    tables: tuple[StoredTable, ...]
    reading: SheetReading

    def printed(self, tidy: Table) -> StoredTable | None:
        return next((stored for stored in self.tables if stored.table.name == tidy.printed), None)


def _sheets(tables: Sequence[StoredTable], maps: Sequence[SheetMap]) -> Iterator[_Sheet]:
    versions: dict[tuple[str, str], dict[str | None, list[StoredTable]]] = defaultdict(lambda: defaultdict(list))
    for stored in tables:
        versions[stored.version.document, stored.version.version_id][stored.table.sheet].append(stored)
    for (document, _), sheets in versions.items():
        headers = {name: printed_headers(stored.table for stored in of_sheet) for name, of_sheet in sheets.items()}
        found = maps_for_document(maps, document, headers)
        for name, of_sheet in sheets.items():
            yield _Sheet(tuple(of_sheet), read_sheet(found.get(name), headers[name]))


# --- one table


def _visible_table(asker: Asker, sheet: _Sheet, stored: StoredTable, read_values: ReadValues) -> VisibleTable | None:
    sources = tidy_sources(stored.table, sheet.printed(stored.table))
    if stored.table.layout == "tidy" and sources is None:
        return None
    row_filter = _row_filter(asker, sheet, stored, sources, read_values)
    if row_filter is None:
        return None
    columns = [column for column in stored.table.columns if _may_see(asker, sheet.reading, column, sources, row_filter)]
    if not columns or (stored.table.layout == "tidy" and not any(column.role == "value" for column in columns)):
        return None  # labels without values would only repeat the printed table's, once a value
    reduced = _reduce(stored.table, columns, sheet.reading, bool(row_filter))
    named = tuple(named_column(reduced, column, sheet.reading, sources) for column in reduced.columns)
    filter_only = [c for c in stored.table.columns if c.sql_name in row_filter and c not in columns]
    reduced = replace(reduced, columns=(*(column.column for column in named), *filter_only))
    return VisibleTable(
        replace(stored, table=reduced), named, {name: tuple(sorted(values)) for name, values in row_filter.items()}
    )


def _row_filter(
    asker: Asker, sheet: _Sheet, stored: StoredTable, sources: Sources | None, read_values: ReadValues
) -> RowFilter | None:
    """Empty: all rows; None: the table is not open to the asker."""
    if stored.access_level in asker.levels:
        return {}

    def column_of(name: str) -> str | None:
        return _find_by_name(name, stored.table, sheet.reading, sources)

    def values_of(sql_name: str) -> frozenset[str] | None:
        read = read_values(stored, sql_name)
        return None if read is None else read.values

    opened = [rows for level, rows in sheet.reading.row_levels.items() if level in asker.levels]
    resolved = [resolve_filter(rows, column_of, values_of) for rows in opened]
    return union_of_filters([box for box in resolved if box is not None])


def _find_by_name(name: str, table: Table, reading: SheetReading, sources: Sources | None) -> str | None:
    """The column that a row filter means, by header or business name; None if there is none or more than one."""
    found = set()
    for column in table.columns:
        if column.role == "value":
            continue
        label = sources.labels.get(column.sql_name) if sources is not None else None
        headers = (column.header,) if label is None else (column.header, label.header)
        names = {header_key(header) for header in headers} | {fold(column.name)}
        names |= {fold(reading.meanings[header].name) for header in headers if header in reading.meanings}
        if fold(name) in names:
            found.add(column.sql_name)
    return found.pop() if len(found) == 1 else None


def _may_see(asker: Asker, reading: SheetReading, column: Column, sources: Sources | None, row_filter: RowFilter) -> bool:
    behind = [column] if sources is None else [column, *sources.of(column)]
    guards = [levels for source in behind for levels in reading.guards.get(source.header, ())]
    return all(_passes(asker, levels, row_filter, reading) for levels in guards)


def _passes(asker: Asker, levels: Levels, row_filter: RowFilter, reading: SheetReading) -> bool:
    """One of the levels is the asker's. A level with a row filter of its own opens the column only where the sheet is open to
    the asker by that very filter and nothing else, for otherwise more rows than it allows are there."""
    openers = asker.levels & reading.row_levels.keys()
    for level in asker.levels & levels.keys():
        rows = levels[level]
        if not rows or (row_filter and openers == {level} and reading.row_levels[level] == rows):
            return True
    return False


# --- what the reduced table still says


def _reduce(table: Table, columns: Sequence[Column], reading: SheetReading, filtered: bool) -> Table:
    if len(columns) == len(table.columns) and not filtered:
        return table
    names = {column.sql_name for column in columns}
    hidden = [column for column in table.columns if column.sql_name not in names]
    unspoken = {fold(word) for column in hidden for word in _words_of(column, reading)}

    def shown(totals: tuple[ControlTotal, ...]) -> tuple[ControlTotal, ...]:
        reduced = (replace(total, values=tuple(value for value in total.values if value[0] in names)) for total in totals)
        return () if filtered else tuple(total for total in reduced if total.values)

    return replace(
        table,
        columns=tuple(_without_hidden_unit(column, names) for column in columns),
        control_totals=shown(table.control_totals),
        suspected_totals=shown(table.suspected_totals),
        measure_names=tuple(name for name in table.measure_names if fold(name) not in unspoken),
        notes=(),
        problems=(),
    )


def _words_of(column: Column, reading: SheetReading) -> tuple[str, ...]:
    meaning = reading.meanings.get(column.header)
    return (column.header, column.name, *((meaning.name, *meaning.synonyms) if meaning else ()))


def _without_hidden_unit(column: Column, visible: set[str]) -> Column:
    """Amounts whose currency stands in a column that the asker may not see have no known unit: no number of them is used."""
    if column.unit_column is None or column.unit_column in visible:
        return column
    return replace(column, unit_column=None, blocked=column.blocked or "die Einheit der einzelnen Werte ist nicht bekannt")
