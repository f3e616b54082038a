"""Which cells stand behind each value of a column, as arrays: tables, columns and row ids, never one object a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from orchestrator.exact_vectors import Array, no_gap
from orchestrator.scope import VisibleTable
from parsers.table import Column

_MASK_FROM = 2_000
"""From so many ids on, a mask over the table is faster than sorting."""
Role = Literal["cell", "missing", "unreadable", "read"]
"""cell: enters the value. missing, unreadable: should have entered but holds no value. read: was looked at (the other
candidates of a MIN, the condition of a CASE), so the value depends on it, but it is not cited."""


@dataclass(frozen=True, eq=False)
class Part:
    """Cells of one table column for every row of a column of values. `offsets` None: one id a row; else row r has the ids
    from offsets[r] to offsets[r + 1]. An id is the place of the row in the segment; -1: none."""

    table: VisibleTable
    column: str
    role: Role
    ids: Array
    offsets: Array | None = None

    def as_role(self, role: Role) -> Part:
        return self if self.role == role else replace(self, role=role)

    def only(self, mask: Array) -> Part:
        """Without the cells of rows where the mask is False."""
        per_id = mask if self.offsets is None else np.repeat(mask, np.diff(self.offsets))
        return replace(self, ids=np.where(per_id, self.ids, -1))

    def take(self, index: Array) -> Part:
        """Rows by position; -1 gives a row without cells."""
        if self.offsets is None:
            if len(self.ids) == 0:
                return replace(self, ids=np.full(len(index), -1, dtype=np.int64))
            return replace(self, ids=np.where(index >= 0, self.ids[index], -1))
        offsets, flat = take_ragged(self.offsets, index)
        return replace(self, ids=self.ids[flat], offsets=offsets)

    def grouped(self, offsets: Array) -> Part:
        """One row a group."""
        return replace(self, offsets=offsets if self.offsets is None else self.offsets[offsets])

    def of_row(self, row: int) -> Array:
        ids = self.ids[row : row + 1] if self.offsets is None else self.ids[self.offsets[row] : self.offsets[row + 1]]
        return ids[ids >= 0] if self._has_gaps else ids

    @cached_property
    def _has_gaps(self) -> bool:
        return not no_gap(self.ids)


def take_ragged(offsets: Array, index: Array) -> tuple[Array, Array]:
    """Rows of a ragged array by position (-1: an empty row) -> new offsets and the flat positions of the items."""
    if len(offsets) <= 1:
        return np.zeros(len(index) + 1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    lengths = np.where(index >= 0, np.diff(offsets)[index], 0)
    taken = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    flat = np.arange(taken[-1], dtype=np.int64) - np.repeat(taken[:-1], lengths) + np.repeat(offsets[:-1][index], lengths)
    return taken, flat


def unique_ids(several: Sequence[Array]) -> Array:
    """Sorted unique ids of some arrays; negative ones are left out."""
    ids = several[0] if len(several) == 1 else np.concatenate(several)
    if len(ids) and bool((ids[1:] > ids[:-1]).all()) and ids[0] >= 0:
        return ids
    ids = ids[ids >= 0]
    if len(ids) < _MASK_FROM:
        ordered = np.sort(ids)
        return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered
    mask = np.zeros(int(ids.max()) + 1, dtype=bool)
    mask[ids] = True
    return np.flatnonzero(mask)


def all_different(ids: Array) -> bool:
    """No id stands twice; negative ones are none."""
    ids = ids if no_gap(ids) else ids[ids >= 0]
    if len(ids) == 0:
        return True
    mask = np.zeros(int(ids.max()) + 1, dtype=bool)
    mask[ids] = True
    return int(np.count_nonzero(mask)) == len(ids)


class RowIds:
    """The row ids behind one value, made sorted and unique only when somebody reads them."""

    def __init__(self, several: Sequence[Array]) -> None:
        self._several = several

    @property
    def at_most(self) -> int:
        """A bound on how many there are, without looking at them."""
        return sum(len(ids) for ids in self._several)

    @cached_property
    def unique(self) -> Array:
        """Sorted and unique."""
        return unique_ids(self._several)


def column_named(table: VisibleTable, sql_name: str) -> Column:
    """Metadata of a column by its SQL name. Raises KeyError."""
    for column in table.stored.table.columns:
        if column.sql_name == sql_name:
            return column
    raise KeyError(sql_name)


Parts = tuple[Part, ...]


def only(parts: Parts, mask: Array) -> Parts:
    return parts if mask.all() else tuple(part.only(mask) for part in parts)


def unused_where(parts: Parts, mask: Array) -> Parts:
    """Where the mask is False the cells were only read."""
    if mask.all():
        return parts
    kept = tuple(part.only(mask) if part.role != "read" else part for part in parts)
    return kept + tuple(part.only(~mask).as_role("read") for part in parts if part.role != "read")


def demoted(parts: Parts) -> Parts:
    return tuple(part.as_role("read") for part in parts)


def without_value(parts: Parts, valid: Array) -> Parts:
    """Where the result is missing, the cells that hold a value did not enter; those that lack one stay to be named."""
    if valid.all():
        return parts
    kept = tuple(part.only(valid) if part.role == "cell" else part for part in parts)
    return kept + tuple(part.only(~valid).as_role("read") for part in parts if part.role == "cell")


def take(parts: Parts, index: Array) -> Parts:
    return tuple(part.take(index) for part in parts)


def grouped(parts: Parts, offsets: Array) -> Parts:
    return tuple(part.grouped(offsets) for part in parts)
