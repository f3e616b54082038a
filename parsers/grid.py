"""One sheet as the file holds it: raw cells with every fact, before any table is looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from parsers.cell_store import CellStore


@dataclass(frozen=True)
class Grid:
    """A sheet: cells by (row, column), both 1-based; empty cells are absent.

    `merges`: areas as (first row, first column, last row, last column); only the top-left cell is in `cells`.
    `name` is None for CSV. `line_of_row`: only for CSV, row -> physical line (None: rows are lines already).
    `defined_tables`: Excel's own tables as (name, range), ranges as in `merges`.
    """

    name: str | None
    cells: CellStore
    last_row: int
    last_column: int
    merges: tuple[tuple[int, int, int, int], ...] = ()
    hidden: bool = False
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    defined_tables: tuple[tuple[str, tuple[int, int, int, int]], ...] = ()
    is_csv: bool = False
    ragged_rows: Mapping[int, int] = field(default_factory=dict)
    """CSV only: row -> number of fields, for rows whose field count differs from the header's."""
