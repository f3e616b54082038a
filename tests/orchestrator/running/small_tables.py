"""Small tables written as text: "Kunde:text;Umsatz:decimal:EUR" and one line a row, stored as real segments."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

from indexer.cell_cache import write_cells
from indexer.segments import write_segment
from indexer.stored import StoredTable, Version
from orchestrator.period_mention import span
from orchestrator.scope import Asker, Scope, VisibleColumn, VisibleRelation, VisibleTable
from parsers.address import cell_address
from parsers.fold import fold
from parsers.periods import Period
from parsers.table import CellState, Column, ColumnType, ControlTotal, ParsedTable, Table, TableData, Value
from schema_maps.schema_map import Aggregation

FIRST_ROW = 2
"""The header stands in row 1 of every small table."""


@dataclass(frozen=True)
class Small:
    """`text`: header line of name:type[:unit], then rows of cells separated by semicolons; blank cells are missing, #REF! is
    unreadable. A unit that starts with @ names the column that gives it row by row. `hidden`: source rows."""

    text: str
    sheet: str | None = None
    hidden: tuple[int, ...] = ()
    totals: tuple[tuple[str, str, str], ...] = ()  # label, column, value
    blocked: tuple[str, ...] = ()
    row_filter: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class SmallVersion:
    label: str = "1"
    number: int = 1
    binding: bool = False
    day: date | None = None


def sql_name(header: str) -> str:
    return fold(header).replace(" ", "_").replace(".", "").replace("-", "_")


def store(
    directory: Path, name: str, small: Small, version: SmallVersion = SmallVersion(), document: str | None = None
) -> VisibleTable:
    """Writes the segment of one table version and gives it as its reader sees it."""
    lines = small.text.strip("\n").split("\n")
    columns = tuple(_column(part, position, small.blocked) for position, part in enumerate(lines[0].split(";"), start=1))
    rows = [line.split(";") for line in lines[1:]]
    columns = tuple(_with_state(column, [row[i].strip() for row in rows]) for i, column in enumerate(columns))
    values = {c.sql_name: [_value(row[i].strip(), c) for row in rows] for i, c in enumerate(columns)}
    states = {
        c.sql_name: [_state(row[i].strip()) for row in rows] for i, c in enumerate(columns) if c.has_unreadable
    }
    numbers = list(range(FIRST_ROW, FIRST_ROW + len(rows)))
    by_name = {column.name: (i, column) for i, column in enumerate(columns)}
    totals = tuple(_total(total, by_name, FIRST_ROW + len(rows) + i) for i, total in enumerate(small.totals))
    table = Table(
        name,
        small.sheet,
        f"A1:{cell_address(FIRST_ROW + len(rows) - 1, len(columns))}",
        "list",
        columns,
        (1,),
        FIRST_ROW,
        FIRST_ROW + len(rows) - 1,
        len(rows),
        control_totals=totals,
        has_hidden_rows=bool(small.hidden),
    )
    data = TableData(numbers, values, {}, states, [False] * len(rows), [number in small.hidden for number in numbers])
    segment, digest = write_segment(ParsedTable(table, data), directory)
    document = document or f"{name}.csv"
    stored = Version(
        "nord", document, f"{document}:{version.number}", version.number, version.label, version.day, "draft", version.binding,
        None, None, datetime(2024, 10, 15, tzinfo=UTC), hashlib.sha256(small.text.encode()).hexdigest(), directory / document,
        "controlling", "financial", "de",
    )  # fmt: skip
    cells = directory / f"{name}_{version.number}.cells"
    write_cells(cells, _cells(lines), original_sha256=stored.sha256, sheet=small.sheet)
    entry = StoredTable(f"{name}:{version.number}", name, stored, table, "controlling", segment, digest, cells)
    visible = tuple(VisibleColumn(column, (column.name,), column.unit, _aggregation(column)) for column in columns)
    return VisibleTable(entry, visible, small.row_filter)


def _cells(lines: Sequence[str]) -> list[tuple[int, int, str, str]]:
    """What a second reader finds: every cell that is not blank, as text (a number where it is one)."""
    found = []
    for row, line in enumerate(lines[1:], start=FIRST_ROW):
        for column, cell in enumerate(line.split(";"), start=1):
            text = cell.strip()
            if text:
                kind = "number" if re.fullmatch(r"-?\d+(\.\d+)?", text) else "text"
                found.append((row, column, kind, text))
    return found


def scope_of(tables: Sequence[VisibleTable], relations: Sequence[VisibleRelation] = ()) -> Scope:
    return Scope(Asker("anna", "nord", frozenset({"controlling"})), tuple(tables), tuple(relations), {})


def _column(spec: str, position: int, blocked: Sequence[str]) -> Column:
    name, kind, *unit = spec.strip().split(":")
    found = unit[0] if unit else None
    per_row = sql_name(found[1:]) if found is not None and found.startswith("@") else None
    return Column(
        name, name, sql_name(name), ColumnType(kind), (name,), position, None if per_row else found, per_row,
        2 if kind == "decimal" else 0, blocked="1.5 und 2,5 widersprechen sich." if name in blocked else None,
    )  # fmt: skip


def _with_state(column: Column, cells: Sequence[str]) -> Column:
    scale = max((len(cell.partition(".")[2]) for cell in cells if column.type is ColumnType.DECIMAL), default=0)
    return replace(column, scale=scale, has_unreadable=any(cell.startswith("#") for cell in cells))


def _value(cell: str, column: Column) -> Value | None:
    if cell == "" or cell.startswith("#"):
        return None
    match column.type:
        case ColumnType.DECIMAL | ColumnType.INTEGER:
            return Decimal(cell)
        case ColumnType.DATE:
            return date.fromisoformat(cell)
        case ColumnType.TIMESTAMP:
            return datetime.fromisoformat(cell)
        case ColumnType.BOOLEAN:
            return cell == "ja"
        case ColumnType.PERIOD:
            return period(cell)
    return cell


def period(label: str) -> Period:
    """ "Q3 2024", "2024" -> the period."""
    word, _, year = label.rpartition(" ")
    found = span("quarter", int(year), int(word[1:])) if word else span("year", int(year))
    return replace(found, label=label)


def _state(cell: str) -> CellState:
    return CellState.UNREADABLE if cell.startswith("#") else CellState.VALUE if cell else CellState.MISSING


def _total(total: tuple[str, str, str], by_name: dict[str, tuple[int, Column]], row: int) -> ControlTotal:
    label, name, value = total
    position, column = by_name[name]
    kind = "total" if label in ("Gesamt", "Summe") else "subtotal"
    return ControlTotal(row, label, kind, ((column.sql_name, Decimal(value), cell_address(row, position + 1)),))


def _aggregation(column: Column) -> Aggregation:
    return "none" if column.unit == "%" or column.type is ColumnType.TEXT else "sum"
