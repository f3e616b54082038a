"""What one person may see: built once per question, the only door to tables, columns, values and names.

The same object feeds SQL, value index, suggestions, clarifications and error messages. What is not in it does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from indexer.stored import StoredTable, Version
from parsers.table import Column, ColumnType
from schema_maps.schema_map import Aggregation


@dataclass(frozen=True)
class Asker:
    user: str
    tenant: str
    levels: frozenset[str]


@dataclass(frozen=True)
class VisibleColumn:
    """A column this person may use. `names`: business name first, then header name and synonyms (never empty).
    `unit` as the schema map says, else as the file says. `aggregation` as the schema map says, else by unit and name."""

    column: Column
    names: tuple[str, ...]
    unit: str | None
    aggregation: Aggregation

    @property
    def sql_name(self) -> str:
        return self.column.sql_name


@dataclass(frozen=True)
class VisibleTable:
    """A table version reduced to what this person may see; `stored.table` is reduced, too (totals, notes, and its columns to
    the visible ones and those of the row filter).

    `row_filter`: sql_name -> stored values allowed, as text (see indexer.row_filter); each must hold; empty: all rows. Its
    columns need not be among the visible ones."""

    stored: StoredTable
    columns: tuple[VisibleColumn, ...]
    row_filter: Mapping[str, tuple[str, ...]]

    @property
    def sql_name(self) -> str:
        return self.stored.sql_name

    @property
    def version(self) -> Version:
        return self.stored.version

    def column(self, sql_name: str) -> VisibleColumn | None:
        return self._by_name.get(sql_name)

    @cached_property
    def _by_name(self) -> Mapping[str, VisibleColumn]:
        return {column.sql_name: column for column in reversed(self.columns)}


@dataclass(frozen=True)
class VisibleRelation:
    """many side -> one side, by SQL names; `approved` by a person or only measured."""

    many_table: str
    many_column: str
    one_table: str
    one_column: str
    approved: bool


@dataclass(frozen=True)
class Scope:
    """`tables`: every visible table of every visible version. `relations`: between visible columns only.
    `synonyms`: word -> what also means it, as the tenant's schema map says."""

    asker: Asker
    tables: tuple[VisibleTable, ...]
    relations: tuple[VisibleRelation, ...]
    synonyms: Mapping[str, tuple[str, ...]]

    @cached_property
    def versions(self) -> tuple[Version, ...]:
        """Every visible version, each once."""
        return tuple({table.version.version_id: table.version for table in self.tables}.values())


def is_code(column: VisibleColumn) -> bool:
    """A whole number that names something (cost centre 4320, year 2024) and is shown without separators."""
    return column.column.type is ColumnType.INTEGER and column.aggregation == "none" and column.unit is None
