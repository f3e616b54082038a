"""What the look of a row says apart from its numbers: blank labels, bold type, a blank line above, a label of another kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from parsers.fold import fold
from parsers.name_columns import ColumnHeader
from parsers.sheet_view import SheetView

_SAMPLE = 500
_FILLED = 0.8
_MOST_GAPS = 2
_MOST_BOLD = 0.3


@dataclass(frozen=True)
class RowMarks:
    """`rows`: data and total rows of a table; `ordinary`: those not known as totals; `labels`: the sheet columns that say what a
    row is about, filled in nearly all ordinary rows, left to right, with their headers."""

    view: SheetView
    rows: Sequence[int]
    ordinary: Sequence[int]
    labels: tuple[tuple[int, str], ...]
    values: tuple[int, ...]

    @staticmethod
    def of(
        view: SheetView, rows: Sequence[int], known: frozenset[int], labels: Sequence[ColumnHeader], values: Sequence[int]
    ) -> RowMarks:
        """`labels`: headers of the columns of words, dates and codes; `values`: the columns of numbers."""
        ordinary = [row for row in rows if row not in known][:_SAMPLE]
        needed = max(1.0, min(_FILLED * len(ordinary), len(ordinary) - (2 if len(ordinary) >= 5 else 1)))
        filled = [
            (header.column, header.header)
            for header in labels
            if sum(view.kind(row, header.column) is not None for row in ordinary) >= needed
        ]
        return RowMarks(view, rows, ordinary, tuple(filled), tuple(values))

    def label(self, row: int) -> str:
        """The first text of the row in a label column, else its first word at all; "" if there is none."""
        named = next((text for column, _ in self.labels if (text := self.view.text(row, column))), "")
        words = (self.view.text(row, column) for column in self.view.rows.get(row, ()) if self.view.kind(row, column) == "text")
        return named or next(words, "")

    def has_blank_labels(self, row: int) -> bool:
        """Every column that names the other rows is blank."""
        return bool(self.labels) and all(self.view.kind(row, column) is None for column, _ in self.labels)

    def stands_out(self, index: int) -> bool:
        """Bold among plain rows, below a blank line, without one of the labels that the others have, or named by another kind of
        word than they are."""
        row = self.rows[index]
        if any(self.view.kind(row, column) is None for column, _ in self.labels):
            return True
        if index and len(self._gaps) <= _MOST_GAPS and row in self._gaps:
            return True
        return (self._is_bold(row) and self._bold_share <= _MOST_BOLD) or self._is_named_otherwise(row)

    @cached_property
    def _gaps(self) -> frozenset[int]:
        """Rows with a blank line before them."""
        return frozenset(row for above, row in zip(self.rows, self.rows[1:], strict=False) if self.view.gap(above, row) > 0)

    def before_gap(self, index: int) -> bool:
        return index + 1 < len(self.rows) and self.rows[index + 1] in self._gaps

    def _is_bold(self, row: int) -> bool:
        cells = (self.view.cell(row, column) for column in (*(column for column, _ in self.labels), *self.values))
        return any(cell is not None and cell.bold for cell in cells)

    @cached_property
    def _bold_share(self) -> float:
        return sum(self._is_bold(row) for row in self.ordinary) / len(self.ordinary) if self.ordinary else 1.0

    def _is_named_otherwise(self, row: int) -> bool:
        """A word among codes with digits, or the plural of the header: "Standorte" under "Standort"."""
        if not self.labels:
            return False
        column, header = self.labels[0]
        text, head = fold(self.view.text(row, column)), fold(header)
        if not text:
            return False
        others = [fold(self.view.text(other, column)) for other in self.ordinary if other != row]
        if len(others) < 3:
            return False
        coded = all(any(letter.isdigit() for letter in other) for other in others)
        if coded and not any(letter.isdigit() for letter in text):
            return True
        return len(head) >= 4 and text.startswith(head) and not any(other.startswith(head) for other in others)
