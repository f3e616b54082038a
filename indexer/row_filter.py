"""A level's row filter over a segment: sql_name -> stored values that may be seen, as text; every entry must hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from parsers.table import Column, ColumnType, Table


def filtered(rows: pa.Table, table: Table, row_filter: Mapping[str, Collection[str]]) -> pa.Table:
    """The rows that the filter lets through. A filter column that the table lacks lets nothing through; so does a blank
    cell in a filter column."""
    columns = {column.sql_name: column for column in table.columns}
    for name, allowed in row_filter.items():
        if name not in columns:
            return rows.slice(0, 0)
        kind = rows[name].type
        values = pa.array([value for text in allowed for value in _typed(columns[name], text)], type=kind)
        rows = rows.filter(pc.is_in(rows[name], value_set=values))
    return rows


def _typed(column: Column, text: str) -> list[Any]:
    """The text in the column's own type; nothing if it is no such value."""
    match column.type:
        case ColumnType.TEXT | ColumnType.PERIOD:
            return [text]
        case ColumnType.DECIMAL | ColumnType.INTEGER:
            try:
                number = Decimal(text)
            except InvalidOperation:
                return []
            if not number.is_finite() or number != round(number, column.scale):
                return []
            return [int(number) if column.type is ColumnType.INTEGER else number]
        case ColumnType.BOOLEAN:
            return [text == "true"] if text in ("true", "false") else []
        case ColumnType.DATE:
            try:
                return [date.fromisoformat(text)]
            except ValueError:
                return []
        case ColumnType.TIMESTAMP:
            try:
                return [datetime.fromisoformat(text)]
            except ValueError:
                return []
