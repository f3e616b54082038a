"""The values of key columns, read from their segment: what joins and row filters compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indexer.stored import StoredTable
from schema_maps.relations import KeyValues

# Above this many rows a column is not read for a join that nobody has approved.
MOST_ROWS = 5_000_000


def read_key_values(stored: StoredTable, sql_name: str) -> KeyValues | None:
    """Distinct values as text (integers without separators), without missing ones and printed totals; None if there are too
    many rows or the segment lacks the column."""
    metadata = pq.read_metadata(stored.segment)
    names = metadata.schema.names
    if sql_name not in names or metadata.num_rows > MOST_ROWS:
        return None
    columns = [sql_name, "_total"] if "_total" in names else [sql_name]
    data = pq.read_table(stored.segment, columns=columns)
    if len(columns) > 1:
        data = data.filter(pc.invert(pc.fill_null(data["_total"], False)))
    values = pc.drop_null(data[sql_name])
    distinct = pc.unique(values).cast(pa.string()).to_pylist()
    return KeyValues(frozenset(distinct), len(values))


@dataclass(frozen=True)
class RepeatedKey:
    """`repeated`: how many values of a key stand in more than one row; `most`: in how many rows the most frequent one does."""

    repeated: int
    most: int


def repeated_key(
    stored: StoredTable, columns: Sequence[str], row_filter: Mapping[str, Sequence[str]] | None = None
) -> RepeatedKey | None:
    """None if every value of the key (of the columns together) stands in one row; rows with a blank in it, printed totals and
    rows outside `row_filter` (see indexer.row_filter) aside. Raises KeyError for a column that the segment lacks."""
    filters = dict(row_filter or {})
    names = pq.read_schema(stored.segment).names
    if missing := [column for column in (*columns, *filters) if column not in names]:
        raise KeyError(f"{stored.sql_name}.{missing[0]}")
    totals = ["_total"] if "_total" in names else []
    data = pq.read_table(stored.segment, columns=list(dict.fromkeys((*columns, *filters, *totals))))
    if totals:
        data = data.filter(pc.invert(pc.fill_null(data["_total"], False)))
    for column, allowed in filters.items():
        data = data.filter(pc.is_in(data[column].cast(pa.string()), pa.array(list(allowed), pa.string())))
    data = data.select(list(columns)).drop_null()
    counts = data.group_by(list(columns)).aggregate([([], "count_all")])["count_all"]
    repeated = pc.sum(pc.greater(counts, 1)).as_py() or 0
    return RepeatedKey(repeated, pc.max(counts).as_py()) if repeated else None
