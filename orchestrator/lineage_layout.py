"""Where a rewritten statement carries the rows behind its values: which lineage column belongs to which source.

A block's lineage columns are called l0, l1, … ; a grouped block holds lists in them, a block over a grouped block lists of
lists. `slot` fields are numbers of these columns.
"""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.sql_algebra import QuerySource, ScalarQuery, Select, TableSource, Union, Window


@dataclass(frozen=True)
class TableLayout:
    """One slot with row ids; NULL where an outer join found no partner."""

    source: TableSource
    slot: int


@dataclass(frozen=True)
class QueryLayout:
    """`presence`: slot that is NULL where an outer join found no partner; the query's own slots follow from `first_slot`."""

    source: QuerySource
    presence: int
    first_slot: int
    inner: BlockLayout


@dataclass(frozen=True)
class ScalarLayout:
    """A subquery's slots per row (or per group) of the block; `presence` NULL where it gave no row."""

    expression: ScalarQuery
    presence: int
    first_slot: int
    inner: BlockLayout


@dataclass(frozen=True)
class WindowLayout:
    """Slots of the sources that the window's argument reads: lists for aggregates, single rows for lag, lead, first_value."""

    expression: Window
    presence: int
    sources: tuple[TableLayout | QueryLayout, ...]


@dataclass(frozen=True)
class SelectLayout:
    """`groupings`: one slot a group key with 1 where a ROLLUP left it out; empty without ROLLUP. `width`: number of slots.
    `root`: the source each of whose rows is known to stand in one group, once."""

    select: Select
    sources: tuple[TableLayout | QueryLayout, ...]
    scalars: tuple[ScalarLayout, ...]
    windows: tuple[WindowLayout, ...]
    groupings: tuple[int, ...]
    width: int
    root: int | None = None


@dataclass(frozen=True)
class UnionLayout:
    """`branch`: slot with the number of the branch; each branch's slots follow from its first slot."""

    union: Union
    branch: int
    branches: tuple[tuple[int, BlockLayout], ...]
    width: int


BlockLayout = SelectLayout | UnionLayout


@dataclass(frozen=True)
class Digest:
    """Names of the columns of the engine's answer that tell of a source's rows in a group."""

    count: str
    total: str
    first: str


def digest_of(slot: int) -> Digest:
    """The digest columns of the source in this slot."""
    return Digest(f"c{slot}", f"s{slot}", f"f{slot}")
