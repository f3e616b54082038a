"""Builds the value index of a table from its segment, reduced to the columns and rows that a person may see."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indexer.row_filter import filtered
from indexer.segments import period_end, period_start, read_segment
from indexer.stored import StoredTable
from indexer.value_index import ColumnValues, PeriodValue, ValueIndex
from parsers.table import ColumnType, Table

MOST_VALUES_KEPT = 3_000_000
"""Distinct values held in memory over all cached indexes, about 200 to 400 bytes each."""

_Key = tuple[str, frozenset[str], tuple[tuple[str, tuple[str, ...]], ...]]
_EPOCH = date(1970, 1, 1).toordinal()
_cache: OrderedDict[_Key, ValueIndex] = OrderedDict()
_cache_lock = threading.Lock()


def value_index(
    stored: StoredTable, columns: Collection[str], row_filter: Mapping[str, Collection[str]] | None = None
) -> ValueIndex:
    """Index of the given columns (sql_names) over the rows that the filter lets through (sql_name -> allowed stored values;
    every entry must hold; a filter column that the table lacks lets nothing through).

    Segments never change, so an index is built once for a digest, a set of columns and a filter.
    """
    allowed = tuple(sorted((name, tuple(sorted(values))) for name, values in (row_filter or {}).items()))
    key = (stored.segment_sha256, frozenset(columns), allowed)
    with _cache_lock:
        if key in _cache:
            _cache.move_to_end(key)
            return _cache[key]
    index = build_value_index(stored.segment, stored.table, columns, dict(allowed))
    with _cache_lock:
        _cache[key] = index
        _cache.move_to_end(key)
        while len(_cache) > 1 and sum(map(len, _cache.values())) > MOST_VALUES_KEPT:
            _cache.popitem(last=False)
    return index


def build_value_index(
    segment: Path, table: Table, columns: Collection[str], row_filter: Mapping[str, Collection[str]]
) -> ValueIndex:
    """The same without the cache."""
    visible = [column for column in table.columns if column.sql_name in columns]
    texts = [column for column in visible if column.type in (ColumnType.TEXT, ColumnType.PERIOD)]
    periods = [column.sql_name for column in visible if column.type is ColumnType.PERIOD]
    dates = [column.sql_name for column in visible if column.type in (ColumnType.DATE, ColumnType.TIMESTAMP)]
    known = {column.sql_name for column in table.columns}
    needed = dict.fromkeys(
        [
            *(column.sql_name for column in texts),
            *(edge for name in periods for edge in (period_start(name), period_end(name))),
            *dates,
            *(name for name in row_filter if name in known),
            *(["_total"] if table.has_totals else []),
        ]
    )
    rows = read_segment(segment, needed)
    rows = filtered(rows, table, row_filter)
    totals = rows["_total"].to_numpy().astype(bool) if table.has_totals else np.zeros(rows.num_rows, dtype=bool)
    return ValueIndex(
        [_column_values(column.sql_name, rows[column.sql_name], totals) for column in texts],
        {name: _periods(rows, name, totals) for name in periods},
        {name: span for name in dates if (span := _date_span(rows[name])) is not None},
    )


def _column_values(name: str, texts: pa.ChunkedArray, totals: Any) -> ColumnValues:
    codes, values = _encoded(texts)
    there = codes >= 0
    return ColumnValues(
        column=name,
        values=values,
        rows=np.bincount(codes[there & ~totals], minlength=len(values)),
        total_rows=np.bincount(codes[there & totals], minlength=len(values)),
    )


def _encoded(texts: pa.ChunkedArray) -> tuple[Any, pa.Array]:
    """Codes into the distinct values, -1 where there is none."""
    encoded = _one_array(texts).dictionary_encode()
    return pc.fill_null(encoded.indices, -1).to_numpy(), encoded.dictionary


def _periods(rows: pa.Table, name: str, totals: Any) -> tuple[PeriodValue, ...]:
    codes, labels = _encoded(rows[name])
    kept = (codes >= 0) & ~totals
    if not kept.any():
        return ()
    starts = pc.fill_null(_one_array(rows[period_start(name)]).cast(pa.int32()), 0).to_numpy()
    ends = pc.fill_null(_one_array(rows[period_end(name)]).cast(pa.int32()), 0).to_numpy()
    found, counts = np.unique(np.stack([starts[kept], ends[kept], codes[kept]], axis=1), axis=0, return_counts=True)
    return tuple(
        PeriodValue(labels[code].as_py(), _day(start), _day(end), count)
        for (start, end, code), count in zip(found.tolist(), counts.tolist(), strict=True)
    )


def _date_span(days: pa.ChunkedArray) -> tuple[date, date] | None:
    bounds = pc.min_max(days).as_py()
    first, last = bounds["min"], bounds["max"]
    if first is None:
        return None
    return (first.date(), last.date()) if isinstance(first, datetime) else (first, last)


def _day(days_since_epoch: int) -> date:
    return date.fromordinal(days_since_epoch + _EPOCH)


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    joined = column.combine_chunks()
    return joined.combine_chunks() if isinstance(joined, pa.ChunkedArray) else joined
