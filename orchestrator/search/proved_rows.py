"""The values of one row as they are shown: each with its cell, its recipe, and confirmed by the second reader.

No engine is asked: the row is read from its segment by its place. A value that the second reader does not confirm is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orchestrator.confirmed_cells import ConfirmedCells
from orchestrator.evidence import EvidencedValue
from orchestrator.evidence_parts import RowIds
from orchestrator.outcome import ResultColumn, TracedValue
from orchestrator.prove import Prover, StoredCells
from orchestrator.recipe import Leaf
from orchestrator.scope import VisibleColumn, VisibleTable, is_code
from orchestrator.segment_reader import SegmentReader
from orchestrator.sql_build import column_type
from orchestrator.units_of_values import fixed_unit

ShownValue = tuple[ResultColumn, TracedValue]


def proved_values(
    table: VisibleTable, row_id: int, reader: SegmentReader, confirmed: ConfirmedCells, most: int | None = None
) -> tuple[ShownValue, ...]:
    """The row's values in column order, at most `most` of them; blanks and what is not proved are left out."""
    prover = Prover(reader, StoredCells(), confirmed)
    found: list[ShownValue] = []
    for column in table.columns:
        shown = _value(table, column, row_id, reader, prover)
        if shown is not None:
            found.append(shown)
        if most is not None and len(found) == most:
            break
    return tuple(found)


def title_of(values: Sequence[ShownValue]) -> str:
    """What a row is called: its first texts and codes."""
    named = [str(v.evidence.value) for c, v in values if c.type == "text" or c.digits_are_code]
    short = [text for text in named if len(text) <= _LONGEST_NAME][:2]
    return " ".join(short or named[:1] or [str(value.evidence.value) for _, value in values[:1]])


_LONGEST_NAME = 60


def _value(
    table: VisibleTable, column: VisibleColumn, row_id: int, reader: SegmentReader, prover: Prover
) -> ShownValue | None:
    ids = np.array([row_id], dtype=np.int64)
    value = reader.values(table, column.sql_name, column_type(column.column), ids).value(0)
    if value is None or column.column.blocked or len(prover.doubtful(table, column.column, ids)[0]):
        return None
    unit, unit_column = fixed_unit(table, column.sql_name)
    if unit_column is not None:
        found = table.column(unit_column)
        if found is None:
            return None
        unit = reader.values(table, unit_column, column_type(found.column), ids).value(0)
    cells = reader.cell_set(table.stored.table_id, [(table, column.column, RowIds([ids]))])
    hidden = int(bool(reader.hidden(table, ids)[0]))
    evidence = EvidencedValue(value, (cells,), hidden_rows=hidden, unit=unit, units=(unit,) if unit else (), proved=True)
    recipe = Leaf("value", (cells,), columns=(column.sql_name,))
    name = ResultColumn(column.names[0], column.column.type.value, unit, is_code(column))
    return name, TracedValue(evidence, recipe)
