"""A segment as rows of typed values, each with its cell; only the columns and rows that may be seen."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from indexer.row_filter import filtered
from indexer.segments import cell_column, period_end, period_start, read_segment, state_column
from indexer.stored import StoredTable
from parsers.address import cell_address
from parsers.table import CellState, Column, ColumnType

TypedValue = Decimal | str | date | datetime | bool | CellState | None
"""A value as a reader meets it; periods as their label; CellState.UNREADABLE where the cell holds something that is none."""

_ID = "_id"
_UNREADABLE = 2  # code in the state columns, see indexer.stored


@dataclass(frozen=True)
class TableRows:
    """`values[sql_name]` column-wise, rows counted from 0 in sheet order; `source_rows`: their rows in the sheet.

    `ids`: the place of each row in the segment; `totals`: whether it is a printed total."""

    stored: StoredTable
    columns: Mapping[str, Column]
    source_rows: tuple[int, ...]
    values: Mapping[str, list[TypedValue]]
    cells: Mapping[str, list[str]]
    periods: Mapping[str, list[tuple[date, date] | None]]
    ids: tuple[int, ...] = ()
    totals: tuple[bool, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    @property
    def count(self) -> int:
        return len(self.source_rows)

    def value(self, row: int, name: str) -> TypedValue:
        return self.values[name][row]

    def cell(self, row: int, name: str) -> str:
        """A1 address; "" where the column has no place of its own in the sheet."""
        if name in self.cells:
            return self.cells[name][row]
        position = self.columns[name].position
        return "" if position is None else cell_address(self.source_rows[row], position)

    def comparable(self, row: int, name: str) -> object:
        """The value by which rows are matched: a period by its days, whatever its spelling."""
        return self.periods[name][row] if name in self.periods else self.values[name][row]


def source_rows(stored: StoredTable, row_filter: Mapping[str, Collection[str]]) -> list[int]:
    """The rows of the sheet that hold a stored table's rows, in order; `row_filter` as in indexer.row_filter."""
    data = filtered(read_segment(stored.segment, ("_row", *row_filter)), stored.table, row_filter)
    rows: list[int] = data["_row"].to_pylist()
    return rows


def read_rows(
    stored: StoredTable,
    columns: Collection[str] | None,
    row_filter: Mapping[str, Collection[str]],
    only: Collection[int] | None = None,
) -> TableRows:
    """Rows of a stored table; `columns` by sql_name (None: all), `row_filter` as in indexer.row_filter; `only`: those of these
    rows of the sheet."""
    table = stored.table
    chosen = [column for column in table.columns if columns is None or column.sql_name in columns]
    whole = read_segment(stored.segment)
    data = filtered(whole.append_column(_ID, pa.array(range(whole.num_rows), type=pa.int64())), table, row_filter)
    if only is not None:
        data = data.filter(pc.is_in(data["_row"], value_set=pa.array(sorted(only), type=pa.int64())))
    return TableRows(
        stored=stored,
        columns={column.sql_name: column for column in chosen},
        source_rows=tuple(data["_row"].to_pylist()),
        values={column.sql_name: _values(data, column) for column in chosen},
        cells={c.sql_name: data[cell_column(c.sql_name)].to_pylist() for c in chosen if c.has_cells},
        periods={c.sql_name: _periods(data, c.sql_name) for c in chosen if c.type is ColumnType.PERIOD},
        ids=tuple(data[_ID].to_pylist()),
        totals=tuple(data["_total"].to_pylist()) if table.has_totals else (False,) * data.num_rows,
    )


def display(value: TypedValue) -> str | None:
    """Plain text of a value: decimals without exponent, ISO dates, None where there is none."""
    if value is None:
        return None
    if value is CellState.UNREADABLE:
        return "nicht lesbar"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else str(value)


def _values(data: Any, column: Column) -> list[TypedValue]:
    values: list[TypedValue] = data[column.sql_name].to_pylist()
    if column.type is ColumnType.INTEGER:
        values = [Decimal(value) if isinstance(value, int) else value for value in values]
    if column.has_unreadable:
        states = data[state_column(column.sql_name)].to_pylist()
        values = [CellState.UNREADABLE if state == _UNREADABLE else value for value, state in zip(values, states, strict=True)]
    return values


def _periods(data: Any, name: str) -> list[tuple[date, date] | None]:
    starts, ends = data[period_start(name)].to_pylist(), data[period_end(name)].to_pylist()
    return [None if start is None else (start, end) for start, end in zip(starts, ends, strict=True)]
