"""A grid seen with its merges: what stands at a place, what kind it is, which rows and columns are occupied."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from typing import Literal

from parsers.dates import looks_like_date, opens_date
from parsers.grid import Grid
from parsers.periods import Period, month_of, parse_period, year_of
from parsers.quantity import is_missing, number_text, opens_number
from parsers.raw_cell import RawCell

Place = tuple[int, int]
"""(row, column), both 1-based."""

CellClass = Literal["number", "date", "boolean", "error", "missing", "text"]
TYPED: frozenset[CellClass] = frozenset({"number", "date", "boolean", "error"})
"""Classes that a header cell rarely has."""

_ERROR_TEXT = re.compile(
    r"#(?:REF!|DIV/0!|N/A|NV|NAME\?|NAME|WERT!|VALUE!|BEZUG!|ZAHL!|NUM!|NULL!|SPILL!|CALC!|ÜBERLAUF!)\Z", re.IGNORECASE
)
_MONTH_FORMAT = re.compile(r"[dhs]", re.IGNORECASE)
_FORMAT_NOISE = re.compile(r'\[[^\]]*\]|"[^"]*"|\\.')
_LONGEST_MISSING_MARK = 20
_MISSING_STARTS = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212.\u2026#kKnNbBuUeE")
_LONGEST_NUMBER = 60
_OPENING_WORDS = re.compile(r"[^\W\d_][^\d]*")


def classify(cell: RawCell) -> CellClass | None:
    """The class of one cell; None for text without any letter or digit to see."""
    kind = cell.kind
    if kind == "text":
        return classify_text(str(cell.value))
    return "error" if kind == "formula_without_result" else kind


@lru_cache(maxsize=1 << 16)
def classify_text(text: str) -> CellClass | None:
    """The class of a text: error values, missing marks, numbers and dates written as text, else words."""
    bare = text.strip()
    if not bare:
        return None
    opening = _OPENING_WORDS.match(bare) if bare[0].isalpha() else None
    if opening is not None and opening.end() < len(bare) and not _may_open_value(opening[0]):
        return "text"
    if bare[0] == "#" and is_error_text(bare):
        return "error"
    if len(bare) <= _LONGEST_MISSING_MARK and bare[0] in _MISSING_STARTS and is_missing(bare):
        return "missing"
    if len(bare) > _LONGEST_NUMBER or not any(letter.isdigit() for letter in bare):
        return "text"
    if number_text(bare) is not None:
        return "number"
    return "date" if looks_like_date(bare) else "text"


@lru_cache(maxsize=1 << 12)
def _may_open_value(words: str) -> bool:
    """Whether a number or a date may begin with these words before its first digit: "EUR ", "März ", but not "Filiale "."""
    return opens_number(words) or opens_date(words)


def is_error_text(text: str) -> bool:
    """An error value written as text, as spreadsheet programs export it to CSV (#REF!, #NV)."""
    return _ERROR_TEXT.match(text.strip()) is not None


def is_month_format(code: str) -> bool:
    """A date format that shows the month and year only: "mmm yyyy", "mm.yyyy"."""
    bare = _FORMAT_NOISE.sub("", code.partition(";")[0]).lower()
    return "m" in bare and "y" in bare and _MONTH_FORMAT.search(bare) is None


def cell_text(cell: RawCell) -> str:
    """The text of a label or header cell, blanks and line breaks as single blanks; dates and months as people write them."""
    value = cell.value
    if isinstance(value, date):
        return f"{value.month:02d}.{value.year}" if is_month_format(cell.number_format) else value.strftime("%d.%m.%Y")
    if isinstance(value, bool):
        return "WAHR" if value else "FALSCH"
    if value is None:
        return ""
    return " ".join(str(value).split())


def period_of_cell(cell: RawCell, year_hint: int | None, fiscal_year_start: tuple[int, int]) -> Period | None:
    """The period that a label or header cell names: a label, a date (its month where only that is shown) or a year number."""
    if isinstance(cell.value, date):
        label = cell_text(cell)
        return month_of(cell.value.year, cell.value.month, label) if is_month_format(cell.number_format) else parse_period(label)
    if cell.kind == "number":
        text = cell_text(cell)
        return year_of(int(text)) if re.fullmatch(r"(?:19|20)\d\d", text) else None
    return parse_period(cell_text(cell), year_hint=year_hint, fiscal_year_start=fiscal_year_start)


@dataclass(frozen=True)
class SheetView:
    """`grid` with its merges resolved. A merge counts only if its top-left cell holds something."""

    grid: Grid

    @cached_property
    def anchors(self) -> Mapping[Place, Place]:
        """Covered place -> top-left cell of its merge; the top-left cells themselves are left out."""
        covered: dict[Place, Place] = {}
        cells, last_row, last_column = self.grid.cells, self.grid.last_row, self.grid.last_column
        for top, left, bottom, right in self.grid.merges:
            if not self._is_filled(top, left):
                continue
            anchor = (top, left)
            columns = range(left, min(right, last_column) + 1)
            for row in range(top, min(bottom, last_row) + 1):
                filled = cells.columns_between(row, left, right)
                for column in columns:
                    if column not in filled and (column != left or row != top):
                        covered[row, column] = anchor
        return covered

    @cached_property
    def anchors_of_column(self) -> Mapping[int, Mapping[int, Place]]:
        """Column -> its covered rows -> top-left cell of their merge."""
        found: dict[int, dict[int, Place]] = {}
        for (row, column), anchor in self.anchors.items():
            found.setdefault(column, {})[row] = anchor
        return found

    @cached_property
    def rows(self) -> Mapping[int, tuple[int, ...]]:
        """Row -> its occupied columns in order, places under a merge included. Blank rows are absent."""
        found = self.grid.cells.columns_of_rows()
        blank = [(row, column) for row, column, text in self.grid.cells.texts(perhaps_blank=True) if not text or text.isspace()]
        for row, column in blank:
            found[row] = tuple(other for other in found[row] if other != column)
        covered: dict[int, list[int]] = {}
        for row, column in self.anchors:
            covered.setdefault(row, []).append(column)
        joined: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, ...]] = {}
        for row, columns in covered.items():
            both = found.get(row, ()), tuple(columns)
            if both not in joined:
                joined[both] = tuple(sorted((*both[0], *both[1])))
            found[row] = joined[both]
        return {row: columns for row, columns in sorted(found.items()) if columns}

    @cached_property
    def formula_rows(self) -> frozenset[int]:
        """Rows with at least one computed cell."""
        return frozenset(row for (row, _), _ in self.grid.cells.computed())

    def rows_with(self, pattern: re.Pattern[str]) -> frozenset[int]:
        """Rows with a text in which the pattern, of small letters, is found whatever the case of the text."""
        if pattern not in self._found_rows:
            search = pattern.search
            found = frozenset(row for row, _, text in self.grid.cells.texts() if search(text.casefold()) is not None)
            self._found_rows[pattern] = found
        return self._found_rows[pattern]

    @cached_property
    def _found_rows(self) -> dict[re.Pattern[str], frozenset[int]]:
        return {}

    @cached_property
    def _merges_by_row(self) -> Mapping[int, list[tuple[int, int, int, int]]]:
        found: dict[int, list[tuple[int, int, int, int]]] = {}
        for merge in self.grid.merges:
            found.setdefault(merge[0], []).append(merge)
        return found

    def merges_of_row(self, row: int) -> list[tuple[int, int, int, int]]:
        """The merged areas that begin in a row, blank ones included."""
        return self._merges_by_row.get(row, [])

    @cached_property
    def row_numbers(self) -> list[int]:
        """The occupied rows in order."""
        return list(self.rows)

    @cached_property
    def _extra_lines(self) -> Mapping[int, int]:
        """CSV: row -> further physical lines that its quoted line breaks take."""
        found: dict[int, int] = {}
        if self.grid.is_csv:
            for row, _, text in self.grid.cells.texts():
                if breaks := len(text.splitlines()) - 1:
                    found[row] = found.get(row, 0) + max(0, breaks)
        return found

    def gap(self, row: int, later: int) -> int:
        """Blank lines between two occupied rows; the lines of a quoted line break are none."""
        return later - row - 1 - self._extra_lines.get(row, 0)

    def source(self, row: int, column: int) -> Place:
        """The place whose cell stands for this one: the top-left cell of its merge, else itself."""
        return self.anchors.get((row, column), (row, column))

    def cell(self, row: int, column: int) -> RawCell | None:
        """The cell that stands for this place; None if blank."""
        return self.grid.cells.get(self.source(row, column))

    def text(self, row: int, column: int) -> str:
        source = self.source(row, column)
        words = self.grid.cells.text(*source)
        if words is not None:
            return " ".join(words.split())
        cell = self.grid.cells.get(source)
        return "" if cell is None else cell_text(cell)

    def indent(self, row: int, column: int) -> int:
        """How far a label is indented: by its style, else by leading blanks."""
        cell = self.cell(row, column)
        if cell is None:
            return 0
        text = str(cell.value) if isinstance(cell.value, str) else ""
        return cell.indent or len(text) - len(text.lstrip())

    def kind(self, row: int, column: int) -> CellClass | None:
        """The class at a place. Under a merge only text stands for the places below; a merged number belongs to its first."""
        source = self.source(row, column)
        kind = self._own_kind(*source)
        return kind if source == (row, column) or kind in ("text", "missing") else None

    def _is_filled(self, row: int, column: int) -> bool:
        """Whether a cell of its own has something to see."""
        words = self.grid.cells.text(row, column)
        return (row, column) in self.grid.cells if words is None else bool(words) and not words.isspace()

    def _own_kind(self, row: int, column: int) -> CellClass | None:
        cells = self.grid.cells
        words = cells.text(row, column)
        if words is not None:
            return classify_text(words)
        cell = cells.get((row, column))
        return None if cell is None else classify(cell)

    def places(self, row: int, left: int, right: int) -> list[Place]:
        """The distinct source places of a row's occupied columns between two columns, in order."""
        seen: dict[Place, None] = {}
        for column in self.rows.get(row, ()):
            if left <= column <= right:
                seen.setdefault(self.source(row, column), None)
        return list(seen)
