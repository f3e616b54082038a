"""Long lists of cells and rows that are written out only where somebody reads them.

A sum over a million rows has a million cells; the answer shows their ranges. These sequences hold arrays of row numbers, give
addresses one by one, and know their ranges without making a single address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np

from parsers.address import range_address

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
        return f"RowNumbers({self.ranges()})"

    def ranges(self) -> list[tuple[int, int]]:
        """Runs of consecutive rows as (first, last)."""
        return runs(self._rows)


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
            return range_address(int(rows[index]), column, int(rows[index]), column)
        return self._addresses[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._addresses)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"ColumnCells({self.ranges()})"

    def by_column(self) -> tuple[tuple[int, Array], ...]:
        """Column number and sorted unique rows of each column."""
        return self._columns

    def ranges(self) -> list[str]:
        """Column runs such as "C5:C46", by column, then row."""
        return [
            range_address(first, column, last, column)
            for column, rows in sorted(self._columns, key=lambda one: one[0])
            for first, last in runs(rows)
        ]


def runs(rows: Array) -> list[tuple[int, int]]:
    """Sorted unique numbers -> (first, last) of each run of consecutive ones."""
    if len(rows) == 0:
        return []
    breaks = np.flatnonzero(np.diff(rows) != 1)
    firsts = rows[np.concatenate([[0], breaks + 1])]
    lasts = rows[np.concatenate([breaks, [len(rows) - 1]])]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def _addresses(column: int, rows: Array) -> list[str]:
    letter = range_address(1, column, 1, column)[:-1]
    return [f"{letter}{row}" for row in rows.tolist()]
