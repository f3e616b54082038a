"""The rows behind each result row, of every table that was joined to it, whether or not a value of theirs is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from orchestrator import evidence_parts as cells
from orchestrator.evaluate_blocks import Slot
from orchestrator.evidence import CellSet
from orchestrator.evidence_parts import Part
from orchestrator.lineage_layout import BlockLayout, QueryLayout, TableLayout, UnionLayout
from orchestrator.segment_reader import SegmentReader


def row_sets(
    layout: BlockLayout, slots: Sequence[Slot], positions: Sequence[int], reader: SegmentReader
) -> list[tuple[CellSet, ...]]:
    """For each result row (by its position in the engine's answer) the source rows of each table, without cells. Rows that only
    a condition's subquery read are not among them."""
    parts = list(_parts(layout, slots))
    found = []
    for position in positions:
        by_table: dict[str, set[int]] = {}
        for part in parts:
            rows = reader.rows(part.table, part.of_row(position))
            by_table.setdefault(part.table.stored.table_id, set()).update(rows.tolist())
        found.append(tuple(CellSet(table_id, tuple(sorted(rows)), ()) for table_id, rows in by_table.items() if rows))
    return found


def _parts(layout: BlockLayout, slots: Sequence[Slot]) -> Iterator[Part]:
    if isinstance(layout, UnionLayout):
        for first, inner in layout.branches:
            yield from _parts(inner, slots[first : first + inner.width])
        return
    sources = (*layout.sources, *(source for window in layout.windows for source in window.sources))
    for scalar in layout.scalars:
        yield from _parts(scalar.inner, slots[scalar.first_slot : scalar.first_slot + scalar.inner.width])
    for source in sources:
        yield from _source_parts(source, slots)


def _source_parts(source: TableLayout | QueryLayout, slots: Sequence[Slot]) -> Iterator[Part]:
    first = slots[source.slot if isinstance(source, TableLayout) else source.presence]
    if first.offsets is not None:  # a list a row: go one level down and gather
        inner = [slot.inner or Slot(np.zeros(0, dtype=np.int64)) for slot in slots]
        for part in _source_parts(source, inner):
            yield part.grouped(first.offsets)
    elif isinstance(source, TableLayout):
        yield Part(source.source.table, "", "read", first.numbers())
    else:
        inner_slots = slots[source.first_slot : source.first_slot + source.inner.width]
        yield from cells.only(tuple(_parts(source.inner, inner_slots)), first.filled())
