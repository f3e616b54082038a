"""From which printed columns the columns of a tidied cross-tab stem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from indexer.stored import StoredTable
from parsers.table import Column, Table
from schema_maps.layout import header_key


@dataclass(frozen=True)
class Sources:
    """`labels`: sql_name of a tidy column -> the printed column it repeats (row labels). `values`: the printed value columns,
    whose headers became periods, scenarios and other dimensions; printed totals are not among them."""

    labels: Mapping[str, Column]
    values: tuple[Column, ...]

    def of(self, column: Column) -> tuple[Column, ...]:
        """The printed columns whose secrets a tidy column tells: its label column, else all value columns."""
        label = self.labels.get(column.sql_name)
        return self.values if label is None else (label,)


def tidy_sources(table: Table, printed: StoredTable | None) -> Sources | None:
    """None for a table that is not tidied, or whose printed form is not at hand."""
    if table.layout != "tidy" or printed is None:
        return None
    by_position = {column.position: column for column in printed.table.columns if column.position is not None}
    by_header = {header_key(column.header): column for column in printed.table.columns}
    labels: dict[str, Column] = {}
    for column in table.columns:
        if column.role == "value":
            continue
        label = by_position.get(column.position) if column.position is not None else by_header.get(header_key(column.header))
        if label is not None:
            labels[column.sql_name] = label
    taken = {label.sql_name for label in labels.values()}
    values = tuple(c for c in printed.table.columns if c.sql_name not in taken and c.role != "total")
    return Sources(labels, values)
