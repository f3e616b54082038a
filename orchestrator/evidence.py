"""Evidence types: which cells a value comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

Scalar = Decimal | Fraction | str | date | datetime | bool | None


@dataclass(frozen=True)
class CellSet:
    """Cells of one table version. `cells` are unique A1 addresses in source order, `rows` the unique source rows, sorted.
    Never shortened here: the answer object shortens for display. Long ones are sequences of orchestrator.cell_lists, which
    give their ranges without writing out a single address."""

    table_id: str
    rows: Sequence[int]
    cells: Sequence[str]

    @property
    def row_count(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class EvidencedValue:
    """One value of a result with the cells that enter it.

    `value`: Decimal or Fraction for numbers (a Fraction only where there is no finite decimal form), None for SQL NULL.
    `skipped`: cells of an aggregate's argument that were missing; `unreadable`: cells that should have entered but have no
    readable value. `hidden_rows`: how many of the rows behind `cells` are hidden. `unit`: where all cells agree on one;
    `units`: all of them, where they do not (or the one).
    `proved`: recomputed from the cells of the second reader and equal. `why_not`: reason if not proved.
    """

    value: Scalar
    cells: tuple[CellSet, ...] = ()
    base_cells: tuple[CellSet, ...] = ()
    skipped: tuple[CellSet, ...] = ()
    unreadable: tuple[CellSet, ...] = ()
    hidden_rows: int = 0
    unit: str | None = None
    units: tuple[str, ...] = ()
    proved: bool = False
    why_not: str | None = None


@dataclass(frozen=True)
class EvidencedResult:
    """Result of one SELECT: `columns` are the output names, `rows` hold one EvidencedValue a column. `sql`: the statement as
    the user sees it, `executed_sql`: what the engine ran. `truncated`: more rows than the limit exist. `lineage`: on request, for
    each row the source rows of every table joined to it, without cells."""

    columns: tuple[str, ...]
    rows: tuple[tuple[EvidencedValue, ...], ...]
    sql: str
    executed_sql: str
    truncated: bool = False
    lineage: tuple[tuple[CellSet, ...], ...] = ()
