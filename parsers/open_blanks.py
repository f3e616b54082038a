"""Label columns that name a group in its first row only, as pivot tables print them: whether a blank below belongs to the label
above it, the file does not say."""

from __future__ import annotations

from collections.abc import Sequence, Set

from parsers.column_cells import ColumnCells
from parsers.table import ColumnType
from parsers.type_columns import TypedColumn

_FEWEST_LABELS = 2
_FEWEST_BLANKS = 0.4
"""Share of blank rows from which on a column names groups rather than lacks a few entries."""


def open_blanks(cells: Sequence[ColumnCells], typed: Sequence[TypedColumn], rows: Sequence[int], totals: Set[int]) -> Set[int]:
    """Indexes of such columns, from the first one on: nothing is merged, no label comes twice, the first row has one, many rows
    have none, and a later column names every row."""
    ordinary = [index for index, row in enumerate(rows) if row not in totals]
    found: set[int] = set()
    for index, column in enumerate(typed):
        if cells[index].moved or not _names_groups(column, ordinary):
            break
        if any(_names_all(other, ordinary) for other in typed[index + 1 :]):
            found.add(index)
    return found


def _names_groups(column: TypedColumn, ordinary: Sequence[int]) -> bool:
    if column.type not in (ColumnType.TEXT, ColumnType.PERIOD) or not ordinary:
        return False
    values = [column.values[index] for index in ordinary]
    labels = [str(value) for value in values if value is not None]
    blank = len(values) - len(labels)
    return (
        values[0] is not None
        and len(labels) >= _FEWEST_LABELS
        and len(set(labels)) == len(labels)
        and blank >= _FEWEST_BLANKS * len(values)
    )


def _names_all(column: TypedColumn, ordinary: Sequence[int]) -> bool:
    return column.type is ColumnType.TEXT and all(column.values[index] is not None for index in ordinary)
