"""Which cells of a sheet a person may see now, and whether an answer given earlier rests only on such cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow.parquet as pq

from indexer.row_filter import filtered
from indexer.segments import cell_column
from indexer.stored import StoredTable
from orchestrator.scope import Asker, Scope, VisibleTable
from parsers.address import cell_address, parse_range
from qa.wiring import Workspace

JsonObject = Mapping[str, Any]


@dataclass(frozen=True)
class Area:
    """A rectangle of cells, 1-based, both ends included."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int

    def holds(self, row: int, column: int) -> bool:
        return self.first_row <= row <= self.last_row and self.first_column <= column <= self.last_column


def areas_of(cells: Iterable[str]) -> list[Area]:
    """The cells of a source as the contract writes them: single addresses and ranges."""
    return [Area(*parse_range(cell if ":" in cell else f"{cell}:{cell}")) for cell in cells]


@dataclass(frozen=True)
class VisibleSheet:
    """One sheet of one version as a person sees it. `stored`: its tables in full; `visible`: what the scope leaves of them."""

    stored: tuple[StoredTable, ...]
    visible: tuple[VisibleTable, ...]

    @property
    def whole(self) -> bool:
        """Whether nothing of the sheet is kept from this person, so that also its titles and notes may be shown."""
        seen = {table.stored.table_id: table for table in self.visible}
        printed = [stored for stored in self.stored if stored.table.layout != "tidy"]
        return bool(printed) and all(
            (table := seen.get(stored.table_id)) is not None
            and not table.row_filter
            and len(table.columns) == len(stored.table.columns)
            for stored in printed
        )

    def shows(self, area: Area) -> bool:
        """Whether every cell of the area may be seen. Cells outside of all tables only where the sheet is open as a whole."""
        if self.whole:
            return True
        cells = (
            cell_address(row, column)
            for row in range(area.first_row, area.last_row + 1)
            for column in range(area.first_column, area.last_column + 1)
        )
        return all(cell in self.addresses for cell in cells)

    @cached_property
    def addresses(self) -> frozenset[str]:
        """The cells of the visible columns in the visible rows, and of their printed totals."""
        return frozenset(cell for table in self.visible for cell in _cells(table))


def _cells(table: VisibleTable) -> Iterator[str]:
    columns = [column.column for column in table.columns]
    names = [cell_column(column.sql_name) for column in columns if column.has_cells]
    wanted = dict.fromkeys(["_row", *names, *table.row_filter])
    data = filtered(pq.read_table(table.stored.segment, columns=list(wanted)), table.stored.table, table.row_filter)
    rows = data["_row"].to_pylist()
    for column in columns:
        if column.has_cells:
            yield from filter(None, data[cell_column(column.sql_name)].to_pylist())
        if column.position is not None:
            yield from (cell_address(row, column.position) for row in rows)
    for total in table.stored.table.control_totals:
        yield from (cell for _, _, cell in total.values)


def visible_sheet(workspace: Workspace, scope: Scope, version_id: str, sheet: str | None) -> VisibleSheet | None:
    """None where nothing of the sheet is open to this person, or there is no such sheet."""
    stored = tuple(
        each
        for each in workspace.catalog.tables(scope.asker.tenant)
        if each.version.version_id == version_id and each.table.sheet == sheet
    )
    known = {each.table_id for each in stored}
    visible = tuple(table for table in scope.tables if table.stored.table_id in known)
    return VisibleSheet(stored, visible) if visible else None


def sources_of(fact: JsonObject) -> list[JsonObject]:
    """The sources of a fact, those of the whole of a share after its own."""
    provenance = fact["provenance"]
    return [*provenance["sources"], *(provenance.get("base_sources") or ())]


def version_of(record: JsonObject, source: JsonObject) -> str | None:
    """The version id that a source of a logged answer means."""
    wanted = (source["file"], source["version"]["label"])
    return next((table["version_id"] for table in record["tables"] if (table["document"], table["version"]) == wanted), None)


def readable_record(workspace: Workspace, asker: Asker, answer_id: str, *, of_others: bool = False) -> JsonObject | None:
    """The record of an answer, if this person asked it (or, `of_others`, anyone of the tenant) with no level that they lack now,
    and may see every cell it rests on. None in all other cases, as if there were no such answer."""
    record = workspace.audit.answer(answer_id)
    if record is None or record["event"] != "question" or record["tenant"] != asker.tenant:
        return None
    if not (of_others or record["user"] == asker.user) or not frozenset(record["levels"]) <= asker.levels:
        return None
    return record if rests_on_visible_cells(workspace, asker, record) else None


def rests_on_visible_cells(workspace: Workspace, asker: Asker, record: JsonObject) -> bool:
    """Whether all tables and cells behind a logged answer are open to this person now."""
    scope = workspace.scope(asker)
    if not {table["table_id"] for table in record["tables"]} <= {table.stored.table_id for table in scope.tables}:
        return False
    sheets: dict[tuple[str, str | None], VisibleSheet | None] = {}
    checked: set[tuple[str, str | None, tuple[str, ...]]] = set()
    for fact in (*(record["facts"] or ()), *_held_facts(record)):
        for source in sources_of(fact):
            version_id = version_of(record, source)
            if version_id is None:
                return False
            place = (version_id, source["sheet"])
            cells = (*place, tuple(source["cells"]))
            if cells in checked:
                continue
            checked.add(cells)
            if place not in sheets:
                sheets[place] = visible_sheet(workspace, scope, *place)
            if not _shows_all(sheets[place], source["cells"]):
                return False
    return True


def _held_facts(record: JsonObject) -> Sequence[JsonObject]:
    held = record["detail"].get("held") or {}
    return held.get("facts") or ()


def _shows_all(sheet: VisibleSheet | None, cells: Iterable[str]) -> bool:
    return sheet is not None and all(map(sheet.shows, areas_of(cells)))
