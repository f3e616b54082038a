"""The values of a key column, read from its segment: what joins and row filters compare."""

from __future__ import annotations

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
