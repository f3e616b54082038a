"""How a cell is named to people: "Niederlassungen!C47 [bericht.xlsx]"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.cell_ranges import compact_cells, count_cells
from orchestrator.evidence import CellSet
from orchestrator.scope import VisibleTable

MOST_NAMED = 10


def name_cells(sets: Sequence[CellSet], tables: Mapping[str, VisibleTable]) -> tuple[str, ...]:
    """At most MOST_NAMED cells or runs of cells ("GuV!C5:C7 [guv.xlsx]"); "… +12" at the end for the rest."""
    names: list[str] = []
    for cells in sets:
        table = tables.get(cells.table_id)
        sheet = table.stored.table.sheet if table is not None else None
        file = f" [{table.version.document}]" if table is not None else ""
        for run in compact_cells(cells.cells):
            names.append(f"{sheet}!{run}{file}" if sheet is not None else f"{run}{file}")
    if len(names) <= MOST_NAMED:
        return tuple(names)
    return (*names[:MOST_NAMED], f"… +{len(names) - MOST_NAMED}")


def how_many(sets: Sequence[CellSet]) -> int:
    return count_cells(sets)
