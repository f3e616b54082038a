"""Very long lists of rows as the audit log keeps them: once for all facts and recipes of an answer, as steps from row to row.

A group by over a million rows in no order cites a million cells. As text they would be some 30 MB in each record; packed they
are about one, and nothing of them is lost.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from orchestrator.cell_lists import Array, CellRanges, ColumnCells, RowNumbers

ROW_LISTS = "row_lists"
"""Field of a record that holds the lists; only where there are any."""
_WIDTHS = (np.dtype("<u1"), np.dtype("<u2"), np.dtype("<u4"), np.dtype("<u8"))

JsonObject = Mapping[str, Any]


def packed(record: JsonObject) -> JsonObject:
    """The record with each list that is not written out as {"rows_of": place}, ranges as {"ranges_of": [[column, place]]}."""
    lists = _Lists()
    found: dict[str, Any] = {key: lists.pack(value) for key, value in record.items()}
    return {**found, ROW_LISTS: lists.written} if lists.written else record


def unpacked(record: JsonObject) -> JsonObject:
    """Inverse of `packed`; the lists are read when they are looked at."""
    written = record.get(ROW_LISTS)
    if not written:
        return record
    makers = [partial(_rows, each) for each in written]
    return {key: _unpack(value, makers) for key, value in record.items() if key != ROW_LISTS}


class _Lists:
    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []
        self._known: dict[tuple[int, ...], list[tuple[int, Array]]] = {}

    def pack(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: self.pack(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.pack(each) for each in value]
        if isinstance(value, RowNumbers):
            return {"rows_of": self._place(value.array())}
        if isinstance(value, CellRanges):
            return {"ranges_of": [[column, self._place(rows)] for column, rows in value.cells.by_column()]}
        return value

    def _place(self, rows: Array) -> int:
        alike = self._known.setdefault((len(rows), int(rows[0]), int(rows[-1]), int(rows.sum())), [])
        for place, known in alike:
            if known is rows or np.array_equal(known, rows):
                return place
        alike.append((len(self.written), rows))
        self.written.append(_written(rows))
        return alike[-1][0]


def _written(rows: Array) -> dict[str, Any]:
    steps = np.diff(rows)
    largest = int(steps.max(initial=0))
    width = next(each for each in _WIDTHS if largest <= np.iinfo(each).max)
    text = base64.b64encode(zlib.compress(steps.astype(width).tobytes(), 1)).decode("ascii")
    return {"first": int(rows[0]), "count": len(rows), "bytes": width.itemsize, "steps": text}


def _rows(written: JsonObject) -> Array:
    """Raises ValueError where the text is not what was written."""
    steps = np.frombuffer(zlib.decompress(base64.b64decode(written["steps"])), dtype=f"<u{written['bytes']}")
    if len(steps) + 1 != written["count"]:
        raise ValueError(f"A list of {written['count']} rows holds {len(steps) + 1}.")
    return np.concatenate([[written["first"]], written["first"] + np.cumsum(steps, dtype=np.int64)])


def _unpack(value: Any, makers: list[partial[Array]]) -> Any:
    if isinstance(value, Mapping):
        if value.keys() == {"rows_of"}:
            return RowNumbers(makers[value["rows_of"]])
        if value.keys() == {"ranges_of"}:
            return CellRanges(ColumnCells([(column, makers[place]) for column, place in value["ranges_of"]]))
        return {key: _unpack(each, makers) for key, each in value.items()}
    return [_unpack(each, makers) for each in value] if isinstance(value, list) else value
