"""The cells of one column and what they say together: counts of classes, before any type is decided."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from parsers.address import cell_address
from parsers.cell_store import RowsByBlock
from parsers.dates import date_text
from parsers.fold import fold
from parsers.periods import parse_period
from parsers.quantity import NumberText, is_code, is_missing, number_text
from parsers.raw_cell import RawCell
from parsers.sheet_view import CellClass, Place, SheetView, cell_text, classify, is_month_format

_WORDS_OF_TRUTH = (
    ("ja", "nein"), ("yes", "no"), ("true", "false"), ("wahr", "falsch"), ("tak", "nie"), ("y", "n"), ("j", "n"),
    ("richtig", "falsch"),
)  # fmt: skip
_NO_EVIDENCE = (None, "missing")
_TICKS = frozenset({"x", "✓", "✔", "☒", "☑"})
TRUE_WORDS = frozenset(pair[0] for pair in _WORDS_OF_TRUTH) | _TICKS
"""Folded words and marks that say yes; a column that holds nothing but one mark and blanks ticks its rows."""
_MONTH_NUMBER = re.compile(r"(?:0?[1-9]|1[0-2])[./](?:19|20)\d\d\Z|(?:19|20)\d\d[./-](?:0[1-9]|1[0-2])\Z")
_MIXED_CODE = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[\w./\-]+\Z")
_ID_HEADER = re.compile(
    r"(?:\b|_)(?:nr|no|num|id|ids|key|code|kod|plz|zip|iban|ean|gtin|sku|konto|kto|kst|account|konta|numer|index)\b\.?|nummer\b|nr\b\.?|schluessel\b|"
    r"kennzeichen|konto\b|beleg\b|kostenstelle\b|kundennr|artikelnr|telefon|phone"
)


@dataclass(frozen=True)
class ColumnCells:
    """One sheet column over the rows of a table; `stored` and `kinds` have one entry a row, total rows included.

    `held`: what `stored` is; None if it holds nothing but texts of typed numbers and blanks. `formats`: number formats of these
    texts, as (index from which on it holds, format). `moved`: index -> place of the cell, where that is another row's or
    column's (a merged area). `skipped`: the total rows, no evidence for the type.
    """

    view: SheetView
    column: int
    by_block: RowsByBlock
    held: Sequence[RawCell | str | None] | None
    kinds: Sequence[CellClass | None]
    formats: Sequence[tuple[int, str]]
    moved: Mapping[int, Place]
    skipped: frozenset[int] = frozenset()

    @property
    def rows(self) -> Sequence[int]:
        return self.by_block.rows

    @property
    def has_built_cells(self) -> bool:
        """Whether `stored` holds more than texts of typed numbers and blanks."""
        return self.held is not None

    @property
    def stored(self) -> Sequence[RawCell | str | None]:
        """The cell that stands for each row (None: blank), or the text of a typed number: such a cell is built only if someone
        asks for it by `cell`. A column of nothing but such texts is taken from the grid anew each time."""
        return self.view.grid.cells.column(self.column, self.by_block)[0] if self.held is None else self.held

    def cell(self, index: int) -> RawCell | None:
        found = None if self.held is None else self.held[index]
        if self.held is None or isinstance(found, str):
            return self.view.grid.cells.get((self.rows[index], self.column))
        return found

    def address(self, index: int) -> str:
        return cell_address(*self.moved.get(index, (self.rows[index], self.column)))

    @property
    def first_address(self) -> str | None:
        return self.address(0) if self.rows else None

    def is_total_label(self, index: int) -> bool:
        """A text in a total row: the word for the total, whatever the column holds elsewhere."""
        return self.kinds[index] == "text" and self.rows[index] in self.skipped

    @cached_property
    def counted(self) -> Sequence[int]:
        """Indexes of ordinary rows, the evidence for the type."""
        everything = range(len(self.rows))
        return [index for index in everything if self.rows[index] not in self.skipped] if self.skipped else everything

    def evidence(self) -> Iterator[int]:
        """Indexes of the filled cells of ordinary rows that are no missing marks."""
        return (index for index in self.counted if self.kinds[index] not in _NO_EVIDENCE)

    @property
    def has_evidence(self) -> bool:
        return self.counts.total() > 0

    @property
    def has_merges(self) -> bool:
        """Some value stands in another cell of the same column or beside it: a merged area."""
        held = self.held or ()
        return any(held[index] is not None and place[0] != self.rows[index] for index, place in self.moved.items())

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each class stands in the evidence."""
        kinds = [self.kinds[index] for index in self.counted] if self.skipped else self.kinds
        return Counter({kind: count for kind, count in Counter(kinds).items() if kind is not None and kind != "missing"})

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Texts of the evidence that are neither numbers nor dates nor errors."""
        return tuple(self._texts()) if self.counts["text"] else ()

    def _texts(self) -> Iterator[str]:
        return (cell_text(cell) for index in self.counted if self.kinds[index] == "text" and (cell := self.cell(index)))

    @cached_property
    def number_texts(self) -> tuple[tuple[str, NumberText], ...]:
        found = []
        for kind, cell in zip(self.kinds, self.held or (), strict=False):
            if kind == "number" and isinstance(cell, RawCell) and isinstance(cell.value, str):
                number = number_text(cell.value)
                if number is not None:
                    found.append((cell.value.strip(), number))
        return tuple(found)

    @cached_property
    def has_codes(self) -> bool:
        return any(map(is_code, dict.fromkeys(self.texts)))

    @property
    def mixed_code_share(self) -> float:
        """How many of the filled cells are words of letters and digits such as A-1001."""
        hits = sum(_MIXED_CODE.match(text) is not None for text in self.texts)
        return hits / self.counts.total() if hits else 0.0

    @property
    def printed_as_amounts(self) -> bool:
        """Some number text has a separator, a unit or a sign: no bare digits as in a code."""
        return any(not raw.isdigit() for raw, _ in self.number_texts)

    @cached_property
    def only_truth_words(self) -> bool:
        if not self.counts["text"] or self.counts["text"] != self.counts.total():
            return False
        words: set[str] = set()
        for text in self._texts():
            words.add(fold(text))
            if len(words) > 2:
                return False
        return any(words <= set(pair) for pair in _WORDS_OF_TRUTH) or (len(words) == 1 and words <= _TICKS)

    def all_periods(self, year_hint: int | None, fiscal_year_start: tuple[int, int]) -> bool:
        """Every filled cell is a period label or a date that shows its month only."""
        held = self.held or ()
        for index in self.evidence() if held else ():
            stored, kind = held[index], self.kinds[index]
            if isinstance(stored, str) or stored is None:
                return False
            if kind == "date" and stored.kind == "date":
                if not is_month_format(stored.number_format):
                    return False
                continue
            text = cell_text(stored)
            if kind == "number" and not (stored.kind == "text" and _MONTH_NUMBER.match(text)):
                return False
            period = parse_period(text, year_hint=year_hint, fiscal_year_start=fiscal_year_start)
            if period is None or period.grain in ("day", "year"):
                return False
        return self.held is not None and self.has_evidence

    def stored_as_codes(self, header: str) -> bool:
        """Digits that a spreadsheet stores as text, in every row: names if there are words
        among them ("12 and less", "13", ...), if the header says so or if all are equally long."""
        if self.view.grid.is_csv or self.counts["number"] != len(self.number_texts) or not self.number_texts:
            return False
        raw = [text for text, _ in self.number_texts]
        if not all(text.isdigit() for text in raw):
            return False
        if any(not looks_missing(text) for text in self.texts):
            return True
        return says_identifier(header) or (len({len(text) for text in raw}) == 1 and len(raw[0]) >= 4)


def says_identifier(header: str) -> bool:
    """Whether a header names a number that counts nothing: Konto, Kundennr, ID, PLZ."""
    return _ID_HEADER.search(fold(header)) is not None


def gather(view: SheetView, columns: Sequence[int], rows: Sequence[int], skipped: frozenset[int]) -> tuple[ColumnCells, ...]:
    """The cells of some sheet columns. `skipped`: rows that are no evidence (totals)."""
    by_block = view.grid.cells.by_block(rows)
    numbers: list[CellClass | None] = ["number"] * len(rows)
    return tuple(_gather(view, column, by_block, skipped, numbers) for column in columns)


def _gather(
    view: SheetView, column: int, by_block: RowsByBlock, skipped: frozenset[int], numbers: list[CellClass | None]
) -> ColumnCells:
    """The cells of one sheet column. A merged text stands for every row it covers; a merged number, date or boolean belongs
    to its first row. `numbers`: the kinds of a column of numbers."""
    rows = by_block.rows
    stored, formats = view.grid.cells.column(column, by_block)
    types = set(map(type, stored))
    if types == {str}:
        kinds = numbers
    elif RawCell not in types:
        kinds = [None if cell is None else "number" for cell in stored]
    else:
        kinds = [None if cell is None else "number" if isinstance(cell, str) else classify(cell) for cell in stored]
    moved: dict[int, Place] = {}
    anchors = view.anchors_of_column.get(column, {})
    last: Place | None = None
    kind: CellClass | None = None
    cell: RawCell | str | None = None
    for index, row in enumerate(rows) if anchors else ():
        if row in anchors and stored[index] is None:
            anchor = moved[index] = anchors[row]
            if last != anchor and index and anchor == (rows[index - 1], column):
                last, kind, cell = anchor, kinds[index - 1], stored[index - 1]
                kind, cell = (kind, cell) if kind in ("text", "missing") else (None, None)
            elif last != anchor:
                last, kind = anchor, view.kind(row, column)
                cell = None if kind is None else view.grid.cells[anchor]
            kinds[index], stored[index] = kind, cell
    held = stored if RawCell in types or moved else None
    return ColumnCells(view, column, by_block, held, kinds, formats, moved, skipped)


def looks_missing(text: str) -> bool:
    return is_missing(text, among_numbers=True)


def is_date_cell(cell: RawCell) -> bool:
    return cell.kind == "date" or (cell.kind == "text" and date_text(str(cell.value)) is not None)
