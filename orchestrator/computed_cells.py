"""Shown numbers that rest on computed cells: a file stores the result of a formula with binary noise, which is not shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from orchestrator.cell_lists import Array, ColumnCells
from orchestrator.cell_names import name_cells
from orchestrator.cell_ranges import count_cells, union
from orchestrator.evidence import CellSet
from orchestrator.outcome import Notice, TracedValue
from orchestrator.run_context import RunContext
from orchestrator.scope import VisibleTable
from orchestrator.segment_reader import SegmentReader
from parsers.address import parse_address


def computed_notices(context: RunContext, values: Sequence[TracedValue]) -> Iterator[Notice]:
    """One notice that names the cells whose value is the stored one without its noise."""
    tables = context.reading.tables
    noisy = {table_id for table_id, table in tables.items() if any(column.column.has_settled for column in table.columns)}
    if not noisy:
        return
    numbers = [value.evidence for value in values if value.number is not None]
    sets = [cells for one in numbers for cells in (*one.cells, *one.base_cells) if cells.table_id in noisy]
    found = [settled for cells in union(sets) if (settled := _settled(context.reader, tables[cells.table_id], cells)).cells]
    if found:
        yield Notice("computed_cell", "", name_cells(found, tables), (count_cells(found),))


def _settled(reader: SegmentReader, table: VisibleTable, cells: CellSet) -> CellSet:
    """Those of the cells that lost their noise."""
    cited = dict(cells.cells.by_column()) if isinstance(cells.cells, ColumnCells) else None
    single = frozenset(cells.cells) if cited is None else frozenset()
    addresses: list[str] = []
    for column in (visible.column for visible in table.columns):
        ids = reader.settled(table, column)
        if len(ids) == 0:
            continue
        if cited is not None:
            ids = ids[_among(reader.rows(table, ids), cited.get(column.position or 0))]
        own = reader.addresses(table, column, ids)
        addresses += own if cited is not None else [address for address in own if address in single]
    rows = sorted({parse_address(address)[0] for address in addresses})
    return CellSet(cells.table_id, tuple(rows), tuple(dict.fromkeys(addresses)))


def _among(rows: Array, wanted: Array | None) -> Array:
    return np.zeros(len(rows), dtype=bool) if wanted is None else np.isin(rows, wanted)
