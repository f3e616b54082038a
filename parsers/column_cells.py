"""The cells of one column and what they say together: counts of classes, before any type is decided."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from parsers.address import cell_address
from parsers.dates import date_text
from parsers.fold import fold
from parsers.grid import RawCell
from parsers.periods import parse_period
from parsers.quantity import NumberText, is_code, is_missing, number_text
from parsers.sheet_view import CellClass, Place, SheetView, cell_text, classify, is_month_format

_WORDS_OF_TRUTH = (
    ("ja", "nein"), ("yes", "no"), ("true", "false"), ("wahr", "falsch"), ("tak", "nie"), ("y", "n"), ("j", "n"),
    ("richtig", "falsch"),
)  # fmt: skip
_TICKS = frozenset({"x", "✓", "✔", "☒", "☑"})
TRUE_WORDS = frozenset(pair[0] for pair in _WORDS_OF_TRUTH) | _TICKS
"""Folded words and marks that say yes; a column that holds nothing but one mark and blanks ticks its rows."""
_MONTH_NUMBER = re.compile(r"(?:0?[1-9]|1[0-2])[./](?:19|20)\d\d\Z|(?:19|20)\d\d[./-](?:0[1-9]|1[0-2])\Z")
_MIXED_CODE = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[\w./\-]+\Z")
_ID_HEADER = re.compile(
    r"(?:\b|_)(?:nr|no|num|id|ids|key|code|kod|plz|zip|iban|ean|gtin|sku|konto|kto|kst|account|konta|numer|index)\b\.?|nummer\b|nr\b\.?|schluessel\b|"
    r"kennzeichen|konto\b|beleg\b|kostenstelle\b|kundennr|artikelnr|telefon|phone"
)


class Entry(NamedTuple):
    """One row of a column: the cell that stands for it (None: blank) and the place of that cell."""

    row: int
    place: Place
    cell: RawCell | None
    kind: CellClass | None


@dataclass(frozen=True)
class ColumnCells:
    """`entries` in sheet order, total rows included. `counted`: indexes of ordinary rows, the evidence for the type;
    `skipped`: the total rows."""

    entries: tuple[Entry, ...]
    counted: tuple[int, ...]
    is_csv: bool
    skipped: frozenset[int] = frozenset()

    def is_total_label(self, entry: Entry) -> bool:
        """A text in a total row: the word for the total, whatever the column holds elsewhere."""
        return entry.row in self.skipped and entry.kind == "text"

    @cached_property
    def evidence(self) -> tuple[Entry, ...]:
        """Filled cells of ordinary rows that are no missing marks."""
        chosen = (self.entries[index] for index in self.counted)
        return tuple(entry for entry in chosen if entry.kind not in (None, "missing"))

    @property
    def has_merges(self) -> bool:
        """Some value stands in another cell of the same column or beside it: a merged area."""
        return any(entry.cell is not None and entry.place[0] != entry.row for entry in self.entries)

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(str(entry.kind) for entry in self.evidence)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Texts of the evidence that are neither numbers nor dates nor errors."""
        return tuple(cell_text(entry.cell) for entry in self.evidence if entry.kind == "text" and entry.cell is not None)

    @cached_property
    def number_texts(self) -> tuple[tuple[str, NumberText], ...]:
        found = []
        for entry in self.entries:
            if entry.kind == "number" and entry.cell is not None and isinstance(entry.cell.value, str):
                number = number_text(entry.cell.value)
                if number is not None:
                    found.append((entry.cell.value.strip(), number))
        return tuple(found)

    @property
    def has_codes(self) -> bool:
        return any(is_code(text) for text in self.texts)

    @property
    def mixed_code_share(self) -> float:
        """How many of the filled cells are words of letters and digits such as A-1001."""
        hits = sum(_MIXED_CODE.match(text) is not None for text in self.texts)
        return hits / len(self.evidence) if self.evidence else 0.0

    @property
    def printed_as_amounts(self) -> bool:
        """Some number text has a separator, a unit or a sign: no bare digits as in a code."""
        return any(not raw.isdigit() for raw, _ in self.number_texts)

    @cached_property
    def only_truth_words(self) -> bool:
        words = {fold(text) for text in self.texts}
        if not words or len(self.texts) != len(self.evidence):
            return False
        return any(words <= set(pair) for pair in _WORDS_OF_TRUTH) or (len(words) == 1 and words <= _TICKS)

    def all_periods(self, year_hint: int | None, fiscal_year_start: tuple[int, int]) -> bool:
        """Every filled cell is a period label or a date that shows its month only."""
        if not self.evidence:
            return False
        for entry in self.evidence:
            cell = entry.cell
            if cell is None:
                return False
            if entry.kind == "date" and cell.kind == "date":
                if not is_month_format(cell.number_format):
                    return False
                continue
            text = cell_text(cell)
            if entry.kind == "number" and not (cell.kind == "text" and _MONTH_NUMBER.match(text)):
                return False
            period = parse_period(text, year_hint=year_hint, fiscal_year_start=fiscal_year_start)
            if period is None or period.grain in ("day", "year"):
                return False
        return True

    def stored_as_codes(self, header: str) -> bool:
        """Digits that a spreadsheet stores as text, in every row: names if there are words
        among them ("12 and less", "13", ...), if the header says so or if all are equally long."""
        if self.is_csv or self.counts["number"] != len(self.number_texts) or not self.number_texts:
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


def gather(view: SheetView, column: int, rows: Sequence[int], skipped: frozenset[int]) -> ColumnCells:
    """The entries of one sheet column. `skipped`: rows that are no evidence (totals). A merged text stands for every row it
    covers; a merged number, date or boolean belongs to its first row."""
    entries = []
    counted = []
    cells, anchors = view.grid.cells, view.anchors
    for index, row in enumerate(rows):
        place = (row, column)
        cell = cells.get(place)
        if cell is None and anchors and place in anchors:
            kind = view.kind(row, column)
            source = anchors[place]
            entries.append(Entry(row, source, cells[source] if kind is not None else None, kind))
        else:
            entries.append(Entry(row, place, cell, None if cell is None else classify(cell)))
        if row not in skipped:
            counted.append(index)
    return ColumnCells(tuple(entries), tuple(counted), view.grid.is_csv, skipped)


def address_of(entry: Entry) -> str:
    return cell_address(*entry.place)


def looks_missing(text: str) -> bool:
    return is_missing(text, among_numbers=True)


def is_date_entry(entry: Entry) -> bool:
    return entry.cell is not None and (
        entry.cell.kind == "date" or (entry.cell.kind == "text" and date_text(str(entry.cell.value)) is not None)
    )
