"""Proof: every cell that a value was computed from is compared with the same cell as the second, independent reader read it.

orchestrator.provenance computes a value again from the stored values of the cells; here these stored values are held against
the second reader's texts. What both readers read alike, and what gives the engine's value when computed again, is proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indexer.cell_cache import CellCacheMismatch, load_columns
from indexer.stored import StoredTable
from orchestrator.confirmed_cells import ConfirmedCells
from orchestrator.exact_vectors import Array, Vector
from orchestrator.scope import VisibleTable
from orchestrator.second_readings import means, readings
from orchestrator.segment_reader import SegmentReader
from orchestrator.sql_algebra import EXACT_NUMBERS
from orchestrator.sql_build import column_type
from parsers.address import parse_address
from parsers.table import Column, ColumnType


@dataclass(frozen=True)
class CellTexts:
    """Kinds and texts of some cells in the order asked for, as Arrow string arrays; null where there is no cell."""

    kinds: pa.Array
    texts: pa.Array


class CellSource(Protocol):
    """The second reader's cells. `rows` and `columns`: 1-based places of the cells, of equal length."""

    def read(self, stored: StoredTable, rows: Array, columns: Array) -> CellTexts: ...


class StoredCells:
    """The cells that the second reader wrote down at ingest, bound to the original by its digest."""

    def read(self, stored: StoredTable, rows: Array, columns: Array) -> CellTexts:
        """Raises CellCacheMismatch if the cache belongs to another original, OSError if it cannot be read."""
        kinds, texts = _Gathered(len(rows)), _Gathered(len(rows))
        wanted = {column: np.flatnonzero(columns == column) for column in _different(columns)}
        asked_rows = {column: rows[asked] for column, asked in wanted.items()}
        for column, found in load_columns(stored.cells, asked_rows, original_sha256=stored.version.sha256).items():
            asked = wanted[column]
            if len(found.rows) == 0:
                continue
            if len(wanted) == 1 and np.array_equal(found.rows, rows):
                return CellTexts(found.kinds, found.texts)
            place = np.minimum(np.searchsorted(found.rows, rows[asked]), len(found.rows) - 1)
            hit = found.rows[place] == rows[asked]
            kinds.add(asked[hit], found.kinds, place[hit])
            texts.add(asked[hit], found.texts, place[hit])
        return CellTexts(kinds.array(), texts.array())


def _different(columns: Array) -> list[int]:
    """The column numbers that occur."""
    occurs = np.zeros(int(columns.max(initial=0)) + 1, dtype=bool)
    occurs[columns] = True
    return [int(column) for column in np.flatnonzero(occurs)]


class _Gathered:
    """String array put together from pieces at given places."""

    def __init__(self, size: int) -> None:
        self._index = np.full(size, -1, dtype=np.int64)
        self._pieces: list[pa.Array] = []
        self._length = 0

    def add(self, at: Array, source: pa.Array, places: Array) -> None:
        self._index[at] = self._length + np.arange(len(at))
        self._pieces.append(source.take(pa.array(places)))
        self._length += len(at)

    def array(self) -> pa.Array:
        pool = pa.concat_arrays(self._pieces) if self._pieces else pa.array([], pa.string())
        return pool.take(pa.array(self._index, mask=self._index < 0))


class Prover:
    """Checks cells against a CellSource; remembers in `confirmed` what agreed."""

    def __init__(self, reader: SegmentReader, cells: CellSource, confirmed: ConfirmedCells) -> None:
        self._reader, self._cells, self._confirmed = reader, cells, confirmed

    def doubtful(self, table: VisibleTable, column: Column, ids: Array) -> tuple[Array, str]:
        """The row ids whose cell the second reader does not confirm, and one sentence on the first of them."""
        stored = table.stored
        key = (stored.segment_sha256, column.sql_name, stored.version.sha256)
        wanted = self._confirmed.open_among(key, ids)
        if len(wanted) == 0:
            return wanted, ""
        try:
            agreed = self._agreeing(table, column, wanted)
        except CellCacheMismatch as error:
            return wanted, str(error)
        except OSError:
            return wanted, f"Zu {stored.version.document} fehlen die Zellen des zweiten Lesers; lesen Sie die Datei neu ein."
        self._confirmed.confirm(key, wanted[agreed], self._reader.row_count(table))
        bad = wanted[~agreed]
        if len(bad) == 0:
            return bad, ""
        return bad, f"Der zweite Leser liest {self._where(table, column, int(bad[0]))} anders."

    def _where(self, table: VisibleTable, column: Column, row_id: int) -> str:
        address = self._reader.addresses(table, column, np.array([row_id]))[0]
        sheet = table.stored.table.sheet
        return f"{table.version.document}, {f'Blatt {sheet}, ' if sheet else ''}Zelle {address}"

    def _agreeing(self, table: VisibleTable, column: Column, ids: Array) -> Array:
        rows, columns = self._places(table, column, ids)
        found = self._cells.read(table.stored, rows, columns)
        if _is_label_of_crosstab(table, column):
            return np.asarray(found.texts.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
        vector = self._reader.values(table, column.sql_name, column_type(column), ids)
        unreadable = self._reader.unreadable(table, column, ids)
        return agreeing(column, vector, found) | (unreadable & ~vector.valid)

    def _places(self, table: VisibleTable, column: Column, ids: Array) -> tuple[Array, Array]:
        if not column.has_cells and column.position is not None:
            return self._reader.rows(table, ids), np.full(len(ids), column.position, dtype=np.int64)
        places = [parse_address(address) if address else (0, 0) for address in self._reader.addresses(table, column, ids)]
        pairs = np.array(places, dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]


def _is_label_of_crosstab(table: VisibleTable, column: Column) -> bool:
    """Labels of a tidied cross-tab are put together from several header cells or from a number format; their cell only has to
    be there. They are never numbers."""
    derived = table.stored.table.layout == "tidy" and column.has_cells and column.role in ("dimension", "scenario", "parent")
    return derived and column.type not in (ColumnType.DECIMAL, ColumnType.INTEGER)


def agreeing(column: Column, stored: Vector, found: CellTexts) -> Array:
    """Mask: the stored value is a reading of the text. All cells must be read in one style of numbers or dates."""
    agreed = _plain_agreement(stored, found)
    rest = np.flatnonzero(~agreed)
    if len(rest) == 0:
        return agreed
    kinds, texts = found.kinds.take(pa.array(rest)), found.texts.take(pa.array(rest))
    by_style = {style: _written(stored.take(rest), kinds, texts, *signs) for style, signs in _SIGNS.items()}
    for index in np.flatnonzero(~(by_style["comma"] | by_style["point"])).tolist():
        row, kind, text = int(rest[index]), kinds[index].as_py(), texts[index].as_py()
        value = stored.value(row)
        for reading in readings(column, text, kind):
            if means(column, value, reading):
                for style in ("comma", "point") if reading.style == "plain" else (reading.style,):
                    by_style[style][index] = True
    best = max(by_style.values(), key=lambda mask: int(mask.sum()))
    agreed[rest[best]] = True
    return agreed


def _plain_agreement(stored: Vector, found: CellTexts) -> Array:
    """Whole columns at once: plain numbers of the kind `number`, texts that are equal letter by letter."""
    none = np.zeros(len(stored), dtype=bool)
    try:
        if stored.type.kind in EXACT_NUMBERS and stored.data.dtype == np.int64:
            return _equal_numbers(stored, pc.if_else(pc.equal(found.kinds, "number"), found.texts, _NO_TEXT))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return none  # some number has more places than the column: each one is read by itself
    if stored.type.kind.value == "text":
        texts = np.array(found.texts.to_pylist(), dtype=object)
        return np.asarray(stored.valid & (texts == stored.data), dtype=bool)
    return none


_NO_TEXT = pa.scalar(None, pa.string())
_SIGNS = {"comma": (".", ","), "point": (",", ".")}
"""Style -> sign between thousands, decimal mark."""


def _written(stored: Vector, kinds: pa.Array, texts: pa.Array, between: str, mark: str) -> Array:
    """Mask: the text is the stored number in digits, with these signs or without any; all cells at once."""
    if stored.type.kind not in EXACT_NUMBERS or stored.data.dtype != np.int64:
        return np.zeros(len(stored), dtype=bool)
    form = rf"^-?(0|[1-9][0-9]*|[1-9][0-9]{{0,2}}([{between}][0-9]{{3}})+)([{mark}][0-9]+)?$"
    fits = pc.and_(pc.equal(kinds, "text"), pc.match_substring_regex(texts, form))
    digits = pc.replace_substring(pc.replace_substring(texts, between, ""), mark, ".")
    try:
        return _equal_numbers(stored, pc.if_else(fits, digits, _NO_TEXT))
    except pa.ArrowInvalid:
        return np.zeros(len(stored), dtype=bool)


def _equal_numbers(stored: Vector, texts: pa.Array) -> Array:
    """Mask: the text, digits with a point, is the stored number. Raises ArrowInvalid if one has more places than the column."""
    parsed = pc.cast(texts, pa.decimal128(38, stored.type.scale))
    words = np.frombuffer(parsed.buffers()[1], dtype="<i8")[2 * parsed.offset : 2 * (parsed.offset + len(parsed))].reshape(-1, 2)
    small = words[:, 1] == words[:, 0] >> 63
    there = np.asarray(parsed.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    return np.asarray(there & small & stored.valid & (words[:, 0] == stored.data), dtype=bool)
