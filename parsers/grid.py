"""One sheet as the file holds it: raw cells with every fact, before any table is looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from parsers.cell_store import CellStore

CellKind = Literal["number", "text", "boolean", "date", "error", "formula_without_result"]


@dataclass(frozen=True, slots=True)
class RawCell:
    """One non-empty cell.

    `value`: Decimal for kind number (exact: the shortest decimal that gives back the stored double; CSV cells are always
    kind text), str for text and error ("#REF!"), bool, date or datetime for a number with a date format; None for a formula
    whose result is not stored. `raw` is the text in the file. `number_format` is the format code ("0.0%"), "" if General
    or unknown. `formula` is its text without "=", None if the cell is typed. A computed number may carry binary noise beyond
    15 digits; `value` is then its shortest round-trip decimal.
    """

    value: Decimal | str | bool | date | datetime | None
    kind: CellKind
    raw: str
    number_format: str = ""
    formula: str | None = None
    comment: str | None = None
    bold: bool = False
    indent: int = 0
    quote_prefix: bool = False


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
