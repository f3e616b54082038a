"""Long lists of cells and rows that are written out only where somebody reads them.

A sum over a million rows has a million cells; the answer shows their ranges. These sequences hold arrays of row numbers, give
addresses one by one, and know their ranges without making a single address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parsers.address import column_letter

Array = np.ndarray[Any, Any]


class RowNumbers(Sequence[int]):
    """Sorted, unique source rows; `make` gives them when they are first read."""

    def __init__(self, make: Callable[[], Array]) -> None:
        self._make = make

    @cached_property
    def _rows(self) -> Array:
        return self._make()

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        return tuple(self._rows[index].tolist()) if isinstance(index, slice) else int(self._rows[index])

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"RowNumbers({self.ranges})"

    @cached_property
    def run_count(self) -> int:
        """How many runs of consecutive rows."""
        return len(runs(self._rows)[0])

    @cached_property
    def ranges(self) -> list[str]:
        """Runs of consecutive rows: "5-46", "48"."""
        return _written("", "-", *runs(self._rows))

    @cached_property
    def compact(self) -> str:
        """The ranges with commas between them."""
        return ",".join(self.ranges)

    def array(self) -> Array:
        return self._rows

    def outline(self, most: int) -> list[str]:
        """The first `most` runs and the last one; all, if they are no more."""
        return _written("", "-", *_outlined(*runs(self._rows), most))


class ColumnCells(Sequence[str]):
    """Cells of whole sheet columns: column number and what gives its sorted unique rows. Addresses come column by column."""

    def __init__(self, columns: Sequence[tuple[int, Callable[[], Array]]]) -> None:
        self._made = tuple(columns)

    @cached_property
    def _columns(self) -> tuple[tuple[int, Array], ...]:
        return tuple((column, make()) for column, make in self._made)

    def __len__(self) -> int:
        return sum(len(rows) for _, rows in self._columns)

    @cached_property
    def _addresses(self) -> tuple[str, ...]:
        return tuple(address for column, rows in self._columns for address in _addresses(column, rows))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, int) and index >= 0 and self._columns and index < len(self._columns[0][1]):
            column, rows = self._columns[0]
            return f"{column_letter(column)}{int(rows[index])}"
        return self._addresses[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._addresses)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"ColumnCells({self.ranges})"

    def by_column(self) -> tuple[tuple[int, Array], ...]:
        """Column number and sorted unique rows of each column."""
        return self._columns

    @cached_property
    def run_count(self) -> int:
        """How many column runs."""
        return sum(len(runs(rows)[0]) for _, rows in self._columns)

    @cached_property
    def ranges(self) -> list[str]:
        """Column runs such as "C5:C46", by column, then row."""
        in_order = sorted(self._columns, key=lambda one: one[0])
        return [text for column, rows in in_order for text in _written(column_letter(column), ":", *runs(rows))]

    def outline(self, most: int) -> list[str]:
        """The first `most` runs and the last one; all, if they are no more."""
        if len(self._columns) != 1:
            return self.ranges if len(self.ranges) <= most else [*self.ranges[:most], self.ranges[-1]]
        ((column, rows),) = self._columns
        return _written(column_letter(column), ":", *_outlined(*runs(rows), most))


class CellRanges(Sequence[str]):
    """The ranges of some cells, written out when the first is read."""

    def __init__(self, cells: ColumnCells) -> None:
        self.cells = cells

    def __len__(self) -> int:
        return self.cells.run_count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if index in (0, -1):
            return self.cells.outline(1)[index]
        if isinstance(index, slice) and index.start is None and index.step is None and index.stop is not None and index.stop >= 0:
            return self.cells.outline(index.stop)[: index.stop]
        return self.cells.ranges[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self.cells.ranges)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


def written_out(value: object) -> str | list[str]:
    """What JSON shows for a list that is written out only where somebody reads it: the `default` of json.dumps."""
    if isinstance(value, RowNumbers):
        return value.compact
    if isinstance(value, CellRanges):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def union_of_rows(several: Sequence[RowNumbers]) -> RowNumbers:
    return RowNumbers(lambda: _united([rows.array() for rows in several]))


def union_of_cells(several: Sequence[ColumnCells]) -> ColumnCells:
    """By column, then row."""
    by_column: dict[int, list[Array]] = {}
    for cells in several:
        for column, rows in cells.by_column():
            by_column.setdefault(column, []).append(rows)
    return ColumnCells([(column, partial(_united, by_column[column])) for column in sorted(by_column)])


def _united(several: Sequence[Array]) -> Array:
    """Sorted unique numbers of some arrays of row numbers."""
    rows = np.concatenate(several)
    mask = np.zeros(int(rows.max(initial=0)) + 1, dtype=bool)
    mask[rows] = True
    return np.flatnonzero(mask)


def runs(rows: Array) -> tuple[Array, Array]:
    """Sorted unique numbers -> first and last of each run of consecutive ones."""
    if len(rows) == 0:
        return rows, rows
    breaks = np.flatnonzero(np.diff(rows) != 1)
    return rows[np.concatenate([[0], breaks + 1])], rows[np.concatenate([breaks, [len(rows) - 1]])]


def _outlined(firsts: Array, lasts: Array, most: int) -> tuple[Array, Array]:
    if len(firsts) <= most:
        return firsts, lasts
    kept = np.append(np.arange(most), len(firsts) - 1)
    return firsts[kept], lasts[kept]


def _written(letter: str, joint: str, firsts: Array, lasts: Array) -> list[str]:
    """C5 or C5:C46 with the column's letter, 5 or 5-46 without one; written as whole columns, since there may be a million."""
    starts = pc.binary_join_element_wise(letter, pc.cast(pa.array(firsts, pa.int64()), pa.string()), "")
    ends = pc.binary_join_element_wise(letter, pc.cast(pa.array(lasts, pa.int64()), pa.string()), "")
    several = pc.binary_join_element_wise(starts, ends, joint)
    texts: list[str] = pc.if_else(pa.array(firsts == lasts, pa.bool_()), starts, several).to_pylist()
    return texts


def _addresses(column: int, rows: Array) -> list[str]:
    return _written(column_letter(column), ":", rows, rows)
