"""What the look of a row says apart from its numbers: blank labels, bold type, a blank line above, a label of another kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from parsers.fold import fold
from parsers.name_columns import ColumnHeader
from parsers.periods import parse_period
from parsers.sheet_view import SheetView

_SAMPLE = 500
_FILLED = 0.8
_OFTEN_FILLED = 0.5
_MOST_GAPS = 2
_MOST_BOLD = 0.3
_YEAR = 2000
_NUMBER = re.compile(r"[0-9]+")
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class RowMarks:
    """`rows`: data and total rows of a table; `ordinary`: those not known as totals; `labels`: the sheet columns that say what a
    row is about, filled in nearly all ordinary rows, left to right, with their headers; `often`: those filled in half of them."""

    view: SheetView
    rows: Sequence[int]
    ordinary: Sequence[int]
    labels: tuple[tuple[int, str], ...]
    values: tuple[int, ...]
    often: tuple[int, ...] = ()

    @staticmethod
    def of(
        view: SheetView, rows: Sequence[int], known: frozenset[int], labels: Sequence[ColumnHeader], values: Sequence[int]
    ) -> RowMarks:
        """`labels`: headers of the columns of words, dates and codes; `values`: the columns of numbers."""
        ordinary = [row for row in rows if row not in known][:_SAMPLE]
        counts = [sum(view.kind(row, header.column) is not None for row in ordinary) for header in labels]
        needed = max(1.0, min(_FILLED * len(ordinary), len(ordinary) - (2 if len(ordinary) >= 5 else 1)))
        filled = [(h.column, h.header) for h, count in zip(labels, counts, strict=True) if count >= needed]
        often = [h.column for h, count in zip(labels, counts, strict=True) if count >= max(1.0, _OFTEN_FILLED * len(ordinary))]
        return RowMarks(view, rows, ordinary, tuple(filled), tuple(values), tuple(often))

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

    def closes_group(self, index: int) -> bool:
        """Its first label is that of the row above, a later label is blank: "Nord | (blank)" below "Nord | Kiel"."""
        if index == 0 or len(self.often) < 2:
            return False
        row, above = self.rows[index], self.rows[index - 1]
        first, *others = self.often
        same = self.view.text(row, first) == self.view.text(above, first) != ""
        return same and any(
            self.view.kind(row, column) is None and self.view.kind(above, column) is not None for column in others
        )

    def continues_series(self, index: int) -> bool:
        """Its only label is the next one of a series: a later period of the same length as the one above, a name with the next
        number. Beside further labels a series only numbers or dates the lines, totals among them."""
        if index == 0 or len(self.labels) != 1:
            return False
        column = self.labels[0][0]
        return _is_next(self.view.text(self.rows[index - 1], column), self.view.text(self.rows[index], column))

    def is_named_alike(self, index: int) -> bool:
        """Each label is built like those of the two rows above, as names of like things are: "Mitte", "West", "Nord"; but not
        "Konzern" after "Werk A" and "Werk B"."""
        if index < 2 or not self.labels:
            return False
        for column, _ in self.labels:
            first, second, own = (self.view.text(row, column) for row in self.rows[index - 2 : index + 1])
            if not _build(first) == _build(second) == _build(own):
                return False
            lead, other, word = (text.split()[0] for text in (first, second, own))
            if len(own.split()) > 1 and lead == other != word:
                return False
        return True

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
        if not text or len(self._names) < 3:
            return False
        own = row in self._names
        if not _has_digit(text) and self._without_digits == own:
            return True
        return len(head) >= 4 and text.startswith(head) and self._begin_like_header == own

    @cached_property
    def _names(self) -> dict[int, str]:
        """Ordinary row -> its first label, folded."""
        return {row: fold(self.view.text(row, self.labels[0][0])) for row in self.ordinary}

    @cached_property
    def _without_digits(self) -> int:
        return sum(not _has_digit(name) for name in self._names.values())

    @cached_property
    def _begin_like_header(self) -> int:
        head = fold(self.labels[0][1])
        return sum(name.startswith(head) for name in self._names.values())


def _is_next(above: str, own: str) -> bool:
    period, earlier = parse_period(own, year_hint=_YEAR), parse_period(above, year_hint=_YEAR)
    if period is not None and earlier is not None:
        return period.grain == earlier.grain and earlier.end < period.start
    numbers = [_NUMBER.findall(text) for text in (above, own)]
    if len(numbers[0]) != 1 or len(numbers[1]) != 1 or _NUMBER.sub("0", above) != _NUMBER.sub("0", own):
        return False
    return not own.isdigit() and int(numbers[1][0]) == int(numbers[0][0]) + 1


def _build(text: str) -> str:
    """What a name is built of: "Werk 12" -> "a 0", "Bad Homburg" -> "a a"; "" for a blank."""
    return _NUMBER.sub("0", _LETTERS.sub("a", text))


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)
