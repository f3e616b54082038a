"""The second reader's cells of one sheet, kept beside the segments so that a proof need not open the original again.

One Parquet file a sheet: `column` and `row` int32 (both 1-based; a CSV's physical line and field), `kind` and `text`, sorted
by column, then row, so that the cells of an aggregate lie together and a look-up reads only the row groups it needs. The SHA-256
of the original stands in the file's metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indexer.places import sync_file
from parsers.address import cell_address, parse_address

ROW_GROUP = 65_536
"""Cells of a row group: 2 to 4 ms to decode, so that one look-up stays fast in a sheet of millions of cells."""
_ORIGINAL = b"beleg.original_sha256"
_SHEET = b"beleg.sheet"
_COLUMN_STEP = 2**32  # sort key = column * step + row


class CellCacheMismatch(Exception):
    """The cache does not belong to this original, or a cell of it cannot be read."""


@dataclass(frozen=True, slots=True)
class CachedCell:
    """`kind` and `text` exactly as the second reader gave them."""

    kind: str
    text: str


@dataclass(frozen=True)
class ColumnCells:
    """The cells of one sheet column: `rows` int64, sorted; `kinds` and `texts` string arrays of the same length. Rows that
    hold no cell are absent."""

    rows: Any
    kinds: pa.Array
    texts: pa.Array


def write_cells(path: Path, cells: Iterable[tuple[int, int, str, str]], *, original_sha256: str, sheet: str | None) -> int:
    """Writes (row, column, kind, text) records in any order and gives their number. The file is on the disk when this returns."""
    rows: list[int] = []
    columns: list[int] = []
    kinds: list[str] = []
    texts: list[str] = []
    pieces: list[pa.Table] = []
    for row, column, kind, text in cells:
        rows.append(row)
        columns.append(column)
        kinds.append(kind)
        texts.append(text)
        if len(rows) == ROW_GROUP:
            pieces.append(_piece(rows, columns, kinds, texts))
            rows, columns, kinds, texts = [], [], [], []
    table = pa.concat_tables([*pieces, _piece(rows, columns, kinds, texts)]).combine_chunks()
    table = table.set_column(2, "kind", table["kind"].dictionary_encode())
    keys = table["column"].to_numpy().astype(np.int64) * _COLUMN_STEP + table["row"].to_numpy()
    if len(keys) > 1 and not bool((keys[1:] > keys[:-1]).all()):
        table = table.take(pa.array(np.argsort(keys, kind="stable")))
    metadata = {_ORIGINAL: original_sha256.encode(), _SHEET: (sheet or "").encode()}
    draft = path.with_suffix(".draft")
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        table.replace_schema_metadata(metadata),
        draft,
        compression="zstd",
        row_group_size=ROW_GROUP,
        use_dictionary=["kind", "column"],
        column_encoding={"row": "DELTA_BINARY_PACKED"},
    )
    sync_file(draft)
    draft.replace(path)
    return len(keys)


def _piece(rows: list[int], columns: list[int], kinds: list[str], texts: list[str]) -> pa.Table:
    return pa.table(
        {
            "column": pa.array(columns, type=pa.int32()),
            "row": pa.array(rows, type=pa.int32()),
            "kind": pa.array(kinds, type=pa.string()),
            "text": pa.array(texts, type=pa.string()),
        }
    )


def load_cells(path: Path, addresses: Sequence[str], *, original_sha256: str | None = None) -> dict[str, CachedCell]:
    """The cells at these A1 addresses; an address without a cell is absent from the answer. Raises CellCacheMismatch if
    `original_sha256` is given and the cache was made from another file."""
    wanted: dict[int, list[int]] = {}
    for address in addresses:
        row, column = parse_address(address)
        wanted.setdefault(column, []).append(row)
    found: dict[str, CachedCell] = {}
    for column, cells in load_columns(path, wanted, original_sha256=original_sha256).items():
        for row, kind, text in zip(cells.rows.tolist(), cells.kinds.to_pylist(), cells.texts.to_pylist(), strict=True):
            found[cell_address(row, column)] = CachedCell(kind, text)
    return found


def load_columns(
    path: Path, wanted: Mapping[int, Any], *, original_sha256: str | None = None
) -> dict[int, ColumnCells]:
    """Per sheet column (1-based) the cells of these rows (a sequence or array in any order; None: all rows). Raises
    CellCacheMismatch as `load_cells` does."""
    with pq.ParquetFile(path, memory_map=True) as file:
        _check_original(file, path, original_sha256)
        spans = tuple(_group_spans(file))
        return {column: _load_column(file, spans, column, rows) for column, rows in wanted.items()}


def _check_original(file: pq.ParquetFile, path: Path, original_sha256: str | None) -> None:
    written_for = (file.metadata.metadata or {}).get(_ORIGINAL, b"").decode()
    if original_sha256 is not None and written_for != original_sha256:
        raise CellCacheMismatch(
            f"{path.name}: Die gemerkten Zellen gehören zu einer anderen Datei ({written_for[:12]} statt "
            f"{original_sha256[:12]}); lesen Sie die Datei neu ein."
        )


def _group_spans(file: pq.ParquetFile) -> Iterator[tuple[int, int]]:
    """First and last sort key of each row group, from its statistics. Within a group of several columns the rows' bounds do
    not hold for each, so those span whole columns."""
    for index in range(file.metadata.num_row_groups if file.metadata.num_rows else 0):
        group = file.metadata.row_group(index)
        column, row = group.column(0).statistics, group.column(1).statistics
        if column.min == column.max:
            yield column.min * _COLUMN_STEP + row.min, column.max * _COLUMN_STEP + row.max
        else:
            yield column.min * _COLUMN_STEP, (column.max + 1) * _COLUMN_STEP - 1


def _load_column(
    file: pq.ParquetFile, spans: tuple[tuple[int, int], ...], column: int, rows: Sequence[int] | None
) -> ColumnCells:
    asked = None if rows is None else _sorted_unique(np.asarray(rows, dtype=np.int64))
    base = column * _COLUMN_STEP
    groups = [index for index, (first, last) in enumerate(spans) if _touches(asked, base, first, last)]
    if not groups:
        return ColumnCells(np.empty(0, dtype=np.int64), pa.array([], pa.string()), pa.array([], pa.string()))
    table = file.read_row_groups(groups)
    found = np.flatnonzero(table["column"].to_numpy() == column)
    there = table["row"].to_numpy()[found].astype(np.int64)
    if asked is not None and not np.array_equal(there, asked):
        place = np.minimum(np.searchsorted(asked, there), len(asked) - 1)
        kept = asked[place] == there
        found, there = found[kept], there[kept]
    taken = table.select(["kind", "text"])
    if len(found) < table.num_rows:
        taken = taken.take(pa.array(found))
    return ColumnCells(there, _joined(taken["kind"]), _joined(taken["text"]))


def _sorted_unique(numbers: Any) -> Any:
    """Rows mostly come sorted, which is seen faster than any sorting."""
    if len(numbers) < 2 or bool((numbers[1:] > numbers[:-1]).all()):
        return numbers
    ordered = np.sort(numbers)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]


def _touches(asked: Any, base: int, first: int, last: int) -> bool:
    if last < base or first >= base + _COLUMN_STEP:
        return False
    if asked is None:
        return True
    return bool(np.searchsorted(asked, last - base, side="right") > np.searchsorted(asked, first - base, side="left"))


def _joined(column: pa.ChunkedArray) -> pa.Array:
    joined = column.combine_chunks()
    array = joined.combine_chunks() if isinstance(joined, pa.ChunkedArray) else joined
    return pc.cast(array, pa.string())
