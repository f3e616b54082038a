"""One cell as the file holds it, with every fact."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal

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
