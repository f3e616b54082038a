"""Reads the immutable segments outside the engine: values for the recomputation, addresses for the evidence."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from indexer.segments import cell_column, state_column
from orchestrator.cell_lists import ColumnCells, RowNumbers
from orchestrator.evidence import CellSet
from orchestrator.evidence_parts import RowIds, unique_ids
from orchestrator.exact_vectors import Array, CodedVector, Vector, no_gap
from orchestrator.scope import VisibleTable
from orchestrator.sql_algebra import EXACT_NUMBERS, Type
from parsers.address import column_letter
from parsers.table import Column

_LAZY_FROM = 2_000
"""Cells of one value from which on addresses are made only when they are read."""
_FEW_WORDS = 2**15
"""Distinct texts, with the None, up to which a place among them takes two bytes."""
UNREADABLE = 2
"""Value of `_state_…` for a cell that has no readable value."""
SETTLED = 3
"""Value of `_state_…` for a computed cell whose value is not the stored one, for its noise."""


class SegmentReader:
    """Columns of segments, kept in memory up to `budget` bytes, least recently used first out. Safe for several threads."""

    def __init__(self, budget: int = 400_000_000) -> None:
        self._budget = budget
        self._columns: OrderedDict[tuple[str, str, str], tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def values(self, table: VisibleTable, column: str, kind: Type, ids: Array) -> Vector:
        """The typed values at these row ids; -1 gives a missing value."""
        whole = self.whole(table, column, kind)
        if not isinstance(whole, CodedVector) and len(whole) and no_gap(ids):
            full = self.kept(table, column, "full", lambda: bool(whole.valid.all()))
            return Vector(kind, whole.data[ids], np.ones(len(ids), dtype=bool) if full else whole.valid[ids])
        return whole.take(ids)

    def whole(self, table: VisibleTable, column: str, kind: Type) -> Vector:
        """The typed values of all rows."""
        if kind.kind in EXACT_NUMBERS:
            data, valid = self._cached(table, column, lambda array: _scaled_integers(array, kind.scale))
            return Vector(kind, data, valid)
        words, codes = self._cached(table, column, _coded)
        return CodedVector(kind, words, codes)

    def kept(self, table: VisibleTable, column: str, purpose: str, make: Callable[[], Any]) -> Any:
        """What `make` gives for a column of the segment, made once."""
        key = (table.stored.segment_sha256, column, purpose)
        with self._lock:
            if key in self._columns:
                self._columns.move_to_end(key)
                return self._columns[key][0]
        prepared = make()
        with self._lock:
            self._columns[key] = (prepared, _size(prepared))
            while len(self._columns) > 1 and sum(size for _, size in self._columns.values()) > self._budget:
                self._columns.popitem(last=False)
        return prepared

    def flags(self, table: VisibleTable, column: str) -> Array:
        """A mask that the segment holds, all rows."""
        found: Array = self._cached(table, column, lambda array: array.fill_null(True).to_numpy(zero_copy_only=False), "flags")
        return found

    def among(self, table: VisibleTable, column: str, allowed: frozenset[str]) -> Array:
        """Mask of all rows: the text is one of these."""
        words, codes = self._cached(table, column, _coded)
        found: Array = np.array([word in allowed for word in words[:-1].tolist()] + [False], dtype=bool)[codes]
        return found

    def unreadable(self, table: VisibleTable, column: Column, ids: Array) -> Array:
        """Mask: the cell has no readable value."""
        if not column.has_unreadable:
            return np.zeros(len(ids), dtype=bool)
        states = self._cached(table, state_column(column.sql_name), lambda array: array.to_numpy(zero_copy_only=False))
        mask: Array = (states[ids] == UNREADABLE) & (ids >= 0)
        return mask

    def settled(self, table: VisibleTable, column: Column) -> Array:
        """Row ids of the computed cells whose value lost the noise of the stored double."""
        if not column.has_settled:
            return np.zeros(0, dtype=np.int64)
        found: Array = np.flatnonzero(
            self._cached(table, state_column(column.sql_name), lambda array: array.to_numpy(zero_copy_only=False)) == SETTLED
        )
        return found

    def row_count(self, table: VisibleTable) -> int:
        return len(self._cached(table, "_row", _row_numbers))

    def rows(self, table: VisibleTable, ids: Array) -> Array:
        """Source rows, 1-based."""
        found: Array = self._cached(table, "_row", _row_numbers)
        return found[ids]

    def ids_of_rows(self, table: VisibleTable, rows: Array) -> Array | None:
        """The row id of each source row, -1 where there is none; None where a row of the sheet holds several of the table's."""
        own: Array = self._cached(table, "_row", _row_numbers)
        if len(own) == 0 or not self._rows_increase(table):
            return None
        if int(own[-1]) - int(own[0]) == len(own) - 1:  # no row between them is of another table
            ids = rows - own[0]
            return np.where((ids >= 0) & (ids < len(own)), ids, -1)
        place = np.minimum(np.searchsorted(own, rows), len(own) - 1)
        return np.where(own[place] == rows, place, -1)

    def hidden(self, table: VisibleTable, ids: Array) -> Array:
        """Mask: the row is hidden in the file."""
        if not table.stored.table.has_hidden_rows:
            return np.zeros(len(ids), dtype=bool)
        found: Array = self._cached(table, "_hidden", lambda array: array.to_numpy(zero_copy_only=False).astype(bool))
        return found[ids]

    def addresses(self, table: VisibleTable, column: Column, ids: Array) -> list[str]:
        """The cell of each row id, in this order."""
        if column.has_cells:
            array = self._cached(table, cell_column(column.sql_name), lambda array: array)
            return ["" if one is None else str(one) for one in array.take(pa.array(ids)).to_pylist()]
        if column.position is None:
            raise KeyError(f"{table.sql_name}.{column.sql_name} has neither a position nor cells")
        letter = column_letter(column.position)
        return [f"{letter}{row}" for row in self.rows(table, ids).tolist()]

    def distinct_texts(self, table: VisibleTable, column: str, ids: Array) -> frozenset[str | None]:
        """Which values a text column has in these rows; None for a blank."""
        words, codes = self._cached(table, column, _coded)
        present = np.zeros(len(words), dtype=bool)
        present[codes[ids] + 1] = True
        return frozenset(None if code == 0 else str(words[code - 1]) for code in np.flatnonzero(present))

    def cell_set(self, table_id: str, found: Sequence[tuple[VisibleTable, Column, RowIds]]) -> CellSet:
        """Cells of several columns of one table, with their rows."""
        several = [ids for _, _, ids in found]
        table = found[0][0]
        if sum(ids.at_most for ids in several) >= _LAZY_FROM and self._one_cell_a_row(table, [column for _, column, _ in found]):
            rows = RowNumbers(lambda: self.rows(table, unique_ids([ids.unique for ids in several])))
            return CellSet(
                table_id, rows, ColumnCells([(column.position or 0, self._rows_of(table, ids)) for _, column, ids in found])
            )
        addresses = [address for _, column, ids in found for address in self.addresses(table, column, ids.unique) if address]
        numbers = unique_ids([self.rows(table, ids.unique) for ids in several])
        return CellSet(table_id, tuple(numbers.tolist()), tuple(dict.fromkeys(addresses)))

    def _rows_of(self, table: VisibleTable, ids: RowIds) -> Callable[[], Array]:
        return lambda: self.rows(table, ids.unique)

    def _one_cell_a_row(self, table: VisibleTable, columns: Sequence[Column]) -> bool:
        """Every record has a row of its own, in order, and its cells stand in it."""
        if any(column.has_cells or column.position is None for column in columns):
            return False
        return self._rows_increase(table)

    def _rows_increase(self, table: VisibleTable) -> bool:
        increasing: bool = self._cached(table, "_row", lambda array: bool((np.diff(_row_numbers(array)) > 0).all()), "in order")
        return increasing

    def _cached(self, table: VisibleTable, column: str, prepare: Any, purpose: str = "") -> Any:
        return self.kept(table, column, purpose, lambda: prepare(_read_column(table.stored.segment, column)))


def _size(prepared: Any) -> int:
    """Bytes of arrays; Python objects in them are not counted."""
    parts = prepared if isinstance(prepared, tuple) else (prepared,)
    return sum(int(getattr(part, "nbytes", 0)) for part in parts)


def _coded(array: pa.Array) -> tuple[Array, Array]:
    """The distinct values as Python objects (a None at the end) and the place of each row's value among them, -1 for NULL."""
    encoded = array.dictionary_encode()
    words = np.empty(len(encoded.dictionary) + 1, dtype=object)
    words[:-1] = encoded.dictionary.to_pylist()
    narrow = np.int16 if len(words) <= _FEW_WORDS else np.int32
    codes: Array = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(narrow)
    return words, codes


def _row_numbers(array: pa.Array) -> Array:
    numbers: Array = array.to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


def _read_column(path: Path, column: str) -> pa.Array:
    joined = pq.read_table(path, columns=[column], partitioning=None)[column].combine_chunks()
    return joined.combine_chunks() if isinstance(joined, pa.ChunkedArray) else joined


def _scaled_integers(array: pa.Array, scale: int) -> tuple[Array, Array]:
    """Numbers times 10 ** scale and the mask of those that are there: int64 where all fit, else Python ints."""
    valid: Array = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    if pa.types.is_integer(array.type):
        return array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False), valid
    if not pa.types.is_decimal128(array.type) or array.type.scale != scale:
        raise ValueError(f"expected a decimal column with scale {scale}, found {array.type}")
    words = np.frombuffer(array.buffers()[1], dtype="<i8")[2 * array.offset : 2 * (array.offset + len(array))].reshape(-1, 2)
    low, high = words[:, 0], words[:, 1]
    if bool(((high == low >> 63) | ~valid).all()):
        return np.where(valid, low, 0), valid
    numbers = np.empty(len(array), dtype=object)
    numbers[:] = [0 if one is None else int(Fraction(one) * 10**scale) for one in array.to_pylist()]
    return numbers, valid
