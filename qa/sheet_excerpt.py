"""Cited cells in their surroundings: the sheet as a grid around them, of what the asker may see and nothing else.

Rows and columns come from the asker's scope, so a hidden column or a row that a filter keeps back is not there, not even as a gap
with a name; values come from the segment, as they entered the answer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from indexer.stored import Version
from indexer.table_rows import TableRows, TypedValue, read_rows, source_rows
from orchestrator.lexicon import Language
from orchestrator.scope import Asker, Scope, VisibleColumn, VisibleTable
from orchestrator.show_value import show_day, show_number, yes_no
from parsers.address import cell_address, column_letter, parse_address, parse_range
from parsers.table import CellState, ColumnType
from qa.wiring import Workspace

JsonObject = Mapping[str, Any]
RowKind = Literal["data", "total", "gap"]

CITED_ROWS = 30
"""Rows with a cited cell that one excerpt shows; the rest is on its next pages."""
_FEW_CITED = 3
_NEIGHBOURS_OF_FEW, _NEIGHBOURS = 5, 1
_MOST_COLUMNS = 40
_MOST_PLACES = 6
"""Decimal places to which a column is filled up, so that its digits stand below each other."""


@dataclass(frozen=True)
class ExcerptColumn:
    """`letter`: of the sheet. `header`: the lines of the printed header. `name`: the business name where it differs from it."""

    letter: str
    header: tuple[str, ...]
    name: str | None
    unit: str | None
    is_number: bool
    is_hidden: bool


@dataclass(frozen=True)
class ExcerptCell:
    """`address`: the cell that holds the value; of a merged area its top-left one."""

    address: str
    text: str
    cited: bool
    is_number: bool
    is_merged: bool = False


@dataclass(frozen=True)
class ExcerptRow:
    """`number`: of the row in the sheet; of a gap the count of rows left out."""

    kind: RowKind
    number: int
    cells: tuple[ExcerptCell, ...] = ()


@dataclass(frozen=True)
class Excerpt:
    """`cited_from`, `cited_to`, `cited_rows`: which of how many rows with a cited cell these are, counted from 1."""

    file: str
    sheet: str | None
    title: tuple[str, ...]
    header_rows: str
    version: Version
    columns: tuple[ExcerptColumn, ...]
    rows: tuple[ExcerptRow, ...]
    cited_from: int
    cited_to: int
    cited_rows: int
    columns_left_out: int = 0


@dataclass(frozen=True)
class CitedCells:
    """The cells of a source as areas; a source may cite a million of them."""

    areas: tuple[tuple[int, int, int, int], ...]

    @classmethod
    def of(cls, cells: Iterable[str]) -> CitedCells:
        return cls(tuple(parse_range(text) for text in cells))

    def rows(self) -> tuple[int, ...]:
        found = {row for top, _, bottom, _ in self.areas for row in range(top, bottom + 1)}
        return tuple(sorted(found))

    def near(self, rows: Iterable[int]) -> frozenset[str]:
        """The addresses of those cells that lie in these rows."""
        wanted = frozenset(rows)
        return frozenset(
            cell_address(row, column)
            for top, left, bottom, right in self.areas
            for row in (range(top, bottom + 1) if bottom - top < len(wanted) else wanted)
            if row in wanted and top <= row <= bottom
            for column in range(left, right + 1)
        )


def sheet_excerpt(
    workspace: Workspace, asker: Asker, source: JsonObject, *, language: Language = "de", start: int = 0
) -> Excerpt | None:
    """The surroundings of a source of the answer object. `start`: the first row with a cited cell, counted from 0. None where the
    asker's scope no longer holds the table, or does not hold the cells."""
    scope = workspace.scope(asker)
    cited = CitedCells.of(source["cells"])
    table = _table_of(scope, source, cited)
    if table is None:
        return None
    return _excerpt(table, cited, language, start)


def table_excerpt(table: VisibleTable, language: Language) -> Excerpt | None:
    """The first rows of a table, none of them cited."""
    return _excerpt(table, CitedCells(()), language, 0)


def may_see_whole_file(workspace: Workspace, asker: Asker, version: Version) -> bool:
    """Whether every sheet, column and row of this version is open to the asker, so that the original may be handed out."""
    sheets = workspace.catalog.sheets(asker.tenant, version.version_id)
    if not sheets or any(sheet.access_level not in asker.levels for sheet in sheets):
        return False
    visible = {table.stored.table_id: table for table in workspace.scope(asker).tables}
    for stored in workspace.catalog.tables(asker.tenant):
        if stored.version.version_id != version.version_id or stored.table.layout == "tidy":
            continue
        seen = visible.get(stored.table_id)
        if seen is None or seen.row_filter or len(seen.columns) < len(stored.table.columns):
            return False
    return True


def visible_version(workspace: Workspace, asker: Asker, document: str, label: str) -> Version | None:
    """The version of a document with this label, if the asker sees anything of it."""
    tables = workspace.scope(asker).tables
    return next((t.version for t in tables if (t.version.document, t.version.label) == (document, label)), None)


def _table_of(scope: Scope, source: JsonObject, cited: CitedCells) -> VisibleTable | None:
    """The printed table that holds the cells; its tidied form only where the printed one is not open to the asker."""
    wanted = (source["file"], source["sheet"], source["version"]["label"])
    found = [t for t in scope.tables if (t.version.document, t.stored.table.sheet, t.version.label) == wanted]
    found.sort(key=lambda table: table.stored.table.layout == "tidy")
    place = cited.areas[0][:2] if cited.areas else None
    holding = [table for table in found if place is None or _holds(table, place)]
    return holding[0] if holding else None


def _holds(table: VisibleTable, place: tuple[int, int]) -> bool:
    top, left, bottom, right = parse_range(table.stored.table.range)
    return top <= place[0] <= bottom and left <= place[1] <= right


def _readable_title(table: VisibleTable) -> tuple[str, ...]:
    return tuple(line.strip() for line in (table.stored.table.caption or "").splitlines() if line.strip())


def _excerpt(table: VisibleTable, cited: CitedCells, language: Language, start: int) -> Excerpt | None:
    stored = table.stored
    there = sorted(set(source_rows(stored, table.row_filter)))
    known = frozenset(there)
    cited_rows = [row for row in cited.rows() if row in known] or _anchored(table, cited, there)
    if not cited_rows and cited.areas:
        return None
    start = max(0, min(start, len(cited_rows) - 1))
    chosen = cited_rows[start : start + CITED_ROWS]
    shown = _with_neighbours(chosen, there, _NEIGHBOURS_OF_FEW if len(cited_rows) <= _FEW_CITED else _NEIGHBOURS)
    data = read_rows(stored, [column.sql_name for column in table.columns], table.row_filter, shown)
    marked = cited.near(range(min(shown, default=1), max(shown, default=0) + 1)) | frozenset(
        cell_address(top, left) for top, left, bottom, right in cited.areas[:1_000]
    )
    columns, left_out = _columns(table, cited)
    rows = tuple(_rows(table, data, columns, marked, shown, there, language))
    header = stored.table.header_rows
    return Excerpt(
        file=table.version.document,
        sheet=stored.table.sheet,
        title=_readable_title(table),
        header_rows=f"{header[0]}–{header[-1]}" if len(header) > 1 else str(header[0]) if header else "",
        version=table.version,
        columns=tuple(_described(column, position) for position, column in columns),
        rows=rows,
        cited_from=start + 1 if cited_rows else 0,
        cited_to=start + len(chosen),
        cited_rows=len(cited_rows),
        columns_left_out=left_out,
    )


def _anchored(table: VisibleTable, cited: CitedCells, there: Sequence[int]) -> list[int]:
    """A merged cell may begin above the rows that the asker sees: the next of them stands for it."""
    found = {there[place] for row in cited.rows()[:1_000] if (place := bisect_left(there, row)) < len(there)}
    return sorted(found) if any(column.column.has_cells for column in table.columns) else []


def _with_neighbours(chosen: Sequence[int], there: Sequence[int], neighbours: int) -> list[int]:
    """The chosen rows and those around them; without a choice the first ones."""
    if not chosen:
        return list(there[:CITED_ROWS])
    places = {
        place
        for row in chosen
        for at in (bisect_left(there, row),)
        for place in range(max(0, at - neighbours), min(len(there), at + neighbours + 1))
    }
    return [there[place] for place in sorted(places)]


Placed = tuple[int, VisibleColumn]
"""The position of a column in the sheet, and the column."""


def _columns(table: VisibleTable, cited: CitedCells) -> tuple[list[Placed], int]:
    """The visible columns in the order of the sheet; of very many those around the first cited one."""
    placed = [(column.column.position, column) for column in table.columns]
    ordered = sorted(((position, column) for position, column in placed if position is not None), key=lambda pair: pair[0])
    if any(position is None for position, _ in placed):  # a tidied cross-tab without its printed form: only the cited columns
        loose = next(column for position, column in placed if position is None)
        taken = {position for position, _ in ordered}
        positions = {column for _, left, _, right in cited.areas for column in range(left, right + 1)} - taken
        ordered = sorted([*ordered, *((position, loose) for position in positions)], key=lambda pair: pair[0])
    first_cited = cited.areas[0][1] if cited.areas else 0
    at = next((place for place, (position, _) in enumerate(ordered) if position >= first_cited), 0)
    begin = max(0, min(at - _MOST_COLUMNS // 2, len(ordered) - _MOST_COLUMNS))
    kept = ordered[begin : begin + _MOST_COLUMNS]
    return kept, len(ordered) - len(kept)


def _described(column: VisibleColumn, position: int) -> ExcerptColumn:
    header = column.column.path or (column.column.header,)
    name = column.names[0] if column.names and column.names[0] not in (*header, " / ".join(header)) else None
    return ExcerptColumn(column_letter(position), header, name, column.unit, _is_number(column), column.column.hidden)


def _rows(
    table: VisibleTable,
    data: TableRows,
    columns: Sequence[Placed],
    marked: frozenset[str],
    shown: Sequence[int],
    there: Sequence[int],
    language: Language,
) -> Iterator[ExcerptRow]:
    totals = frozenset(table.stored.table.total_rows)
    cells: dict[tuple[int, int], ExcerptCell] = {}
    for index in range(data.count):
        row = data.source_rows[index]
        for _, column in columns:
            name = column.sql_name
            address = data.cell(index, name)
            own = column.column.position
            place = (row, own) if own is not None else parse_address(address) if address else None
            text = shown_value(data.value(index, name), column, language)
            if place is None or (place in cells and not text):
                continue
            natural = cell_address(*place)
            cells[place] = ExcerptCell(
                address or natural, text, (address or natural) in marked, _is_number(column), bool(address) and address != natural
            )
    index_of = {row: place for place, row in enumerate(there)}
    before: int | None = None
    for row in shown:
        left_out = index_of[row] - (before + 1 if before is not None else 0)
        if left_out:
            yield ExcerptRow("gap", left_out)
        before = index_of[row]
        of_row = tuple(
            cells.get((row, position)) or ExcerptCell(cell_address(row, position), "", False, _is_number(column))
            for position, column in columns
        )
        yield ExcerptRow("total" if row in totals else "data", row, of_row)
    if before is not None and before + 1 < len(there):
        yield ExcerptRow("gap", len(there) - before - 1)


def _is_number(column: VisibleColumn) -> bool:
    return column.column.type in (ColumnType.DECIMAL, ColumnType.INTEGER)


def shown_value(value: TypedValue, column: VisibleColumn, language: Language) -> str:
    """A stored value as an answer would show it, without a unit that the column's head names; a number that is a name (a year, a
    cost centre) keeps its bare digits."""
    if value is None:
        return ""
    if value is CellState.UNREADABLE:
        return {"de": "nicht lesbar", "en": "not readable", "pl": "nieczytelne"}[language]
    if isinstance(value, bool):
        return yes_no(value, language)
    if isinstance(value, Decimal):
        if column.aggregation == "none" and column.unit is None and value == value.to_integral_value():
            return format(value, "f")
        places = column.column.scale if column.column.scale <= _MOST_PLACES else None
        return show_number(Fraction(value), "%" if column.unit == "%" else None, language, places).text
    if isinstance(value, datetime):
        return f"{show_day(value.date(), language)} {value:%H:%M:%S}".removesuffix(":00")
    return show_day(value, language) if isinstance(value, date) else str(value)
