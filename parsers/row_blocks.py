"""Rows of one shape, held column by column: a column of texts is one string until someone looks at it."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from parsers.raw_cell import CellKind, RawCell

SharedFormula = tuple[str, int, int]
"""A formula's text and the row and column of the cell that it is written for."""

Stored = RawCell | str | tuple[str | None, str | SharedFormula]
"""A cell, or its text as stored; with a formula (text or none, formula)."""

_BETWEEN = "\0"
"""Between the texts of a column; XML cannot hold it, and a column that has it (a CSV) stays a list."""
_BLANK = re.compile(r"(?:\A|\0)\s*(?:\0|\Z)")
_MOST_CELLS = 8192
_MOST_ROWS = 1024
_FEWEST_ROWS = 16


@dataclass(frozen=True, slots=True, eq=False)
class RowShape:
    """`columns` in rising order; `types`: (t, s) of each. `formulas`: positions whose cell may have a formula. `kinds`: what an
    entry that is still text is, as (kind, number format); the text of words is the cell's value. Empty: that takes a look at
    the cell. `words`: positions that may hold words. `numbers`: columns in which every row has a typed number of the usual
    spelling. `most_rows`: that one block holds."""

    columns: tuple[int, ...]
    types: tuple[tuple[str, str], ...] = ()
    formulas: tuple[int, ...] = ()
    kinds: tuple[tuple[CellKind, str], ...] = ()
    index: dict[int, int] = field(default_factory=dict)
    words: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    most_rows: int = _MOST_ROWS

    @staticmethod
    def of(
        columns: tuple[int, ...],
        types: tuple[tuple[str, str], ...] = (),
        formulas: Sequence[int] | None = None,
        kinds: tuple[tuple[CellKind, str], ...] = (),
    ) -> RowShape:
        """`formulas`: None if any cell may have one."""
        computed = tuple(range(len(columns))) if formulas is None else tuple(formulas)
        index = {column: position for position, column in enumerate(columns)}
        words = tuple(position for position in range(len(columns)) if not kinds or kinds[position][0] == "text")
        numbers = tuple(c for c, (kind, _) in zip(columns, kinds, strict=False) if kind == "number" and index[c] not in computed)
        most_rows = max(_FEWEST_ROWS, min(_MOST_ROWS, _MOST_CELLS // max(1, len(columns))))
        return RowShape(columns, types, computed, kinds, index, words, numbers, most_rows)


class RowBlock:
    """Rows with rising numbers and a shape in common. Rows are added while it is open; `close` makes it small."""

    __slots__ = ("_columns", "_pending", "rows", "shape")

    def __init__(self, shape: RowShape) -> None:
        self.shape = shape
        self.rows: list[int] = []
        self._pending: list[list[Stored]] | None = []
        self._columns: list[str | list[Stored]] = []

    @property
    def columns(self) -> tuple[int, ...]:
        return self.shape.columns

    def takes(self, row: int) -> bool:
        """Whether the block is open for a row of this number."""
        return self._pending is not None and len(self.rows) < self.shape.most_rows and (not self.rows or row > self.rows[-1])

    def add(self, row: int, entries: list[Stored]) -> None:
        assert self._pending is not None, "a closed block takes no rows"
        self.rows.append(row)
        self._pending.append(entries)

    def close(self) -> None:
        if self._pending is not None:
            self._columns = [_joined(column) for column in zip(*self._pending, strict=True)]
            self._pending = None

    def is_text(self, position: int) -> bool:
        """Whether every entry of a column is text, and nothing is kept of what is cut from it."""
        return isinstance(self._columns[position], str)

    def drop(self, rows: Set[int]) -> None:
        """Take rows out of a closed block."""
        kept = [index for index, row in enumerate(self.rows) if row not in rows]
        self.rows = [self.rows[index] for index in kept]
        columns = (self.column(position) for position in range(len(self._columns)))
        self._columns = [_joined(tuple(column[index] for index in kept)) for column in columns]

    def may_be_blank(self, position: int) -> bool:
        """Whether some text of a column of a closed block may hold nothing to see."""
        held = self._columns[position]
        return not isinstance(held, str) or _BLANK.search(held) is not None

    def column(self, position: int) -> list[Stored]:
        """The entries of a column of a closed block beside `rows`; to be read only."""
        held = self._columns[position]
        return held.split(_BETWEEN) if isinstance(held, str) else held  # type: ignore[return-value]

    def keep(self, index: int, position: int, cell: RawCell) -> None:
        """Put a cell in place of the entry that it was built from."""
        held = self._columns[position]
        assert not isinstance(held, str), "a column of texts stays as it is"
        held[index] = cell


def _joined(column: tuple[Stored, ...]) -> str | list[Stored]:
    try:
        joined = _BETWEEN.join(column)  # type: ignore[arg-type]
    except TypeError:
        return list(column)
    return joined if joined.count(_BETWEEN) == len(column) - 1 else list(column)
