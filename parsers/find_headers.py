"""Which rows of a block are titles, headers and data."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from parsers.fold import fold
from parsers.sheet_view import TYPED, SheetView, period_of_cell
from parsers.units import is_unit_cell, unit_of_title

MOST_HEADER_ROWS = 8
_SAMPLE = 200
_YEAR_HINT = 2000
_NO_NUMBER = re.compile(r"[^\d.,+\-eE\s]")
_PAGE = re.compile(r"(?:seite|page|strona|blatt|s\.)\s*:?\s*\d+(?:\s*(?:von|of|z|/)\s*\d+)?")
_NO_FISCAL_YEAR = (1, 1)


@dataclass(frozen=True, order=True)
class Block:
    """A rectangle of a sheet, 1-based, both ends included."""

    top: int
    left: int
    bottom: int
    right: int

    def joined(self, other: Block) -> Block:
        return Block(
            min(self.top, other.top), min(self.left, other.left), max(self.bottom, other.bottom), max(self.right, other.right)
        )


@dataclass(frozen=True)
class Split:
    """The rows of a block by their part; blank rows are in none. `header_rows` may hold unit rows; `typed_columns` hold numbers,
    dates or booleans in most rows."""

    title_rows: tuple[int, ...]
    header_rows: tuple[int, ...]
    data_rows: tuple[int, ...]
    typed_columns: frozenset[int]


def split_block(view: SheetView, block: Block, *, header_rows: int | None = None) -> Split:
    """Titles, headers and data of a block. `header_rows` fixes their number from the block's first row (Excel's own tables)."""
    rows = rows_of(view, block)
    typed = _typed_columns(view, block, rows)
    if header_rows is not None:
        header = rows[:header_rows]
        return Split((), tuple(header), _without_repeated(view, block, rows[header_rows:], header, ()), typed)
    reader = _HeaderReader(view, block, rows, typed)
    start = reader.data_start()
    first, start = reader.header_span(start)
    header = [row for row in rows[first:start] if not reader.numbers_the_columns(row) and reader.has_own_cell(row)]
    titles = rows[:first]
    return Split(tuple(titles), tuple(header), _without_repeated(view, block, rows[start:], header, titles), typed)


def _without_repeated(
    view: SheetView, block: Block, rows: Sequence[int], header: Sequence[int], titles: Sequence[int]
) -> tuple[int, ...]:
    """The rows without what a report prints again on each page: header rows, titles, page numbers."""
    first_texts: dict[int, set[str]] = {}
    for row in header:
        place = next(iter(view.places(row, block.left, block.right)), None)
        if place is not None and view.kind(*place) == "text":
            first_texts.setdefault(place[1], set()).add(fold(view.text(*place)))
    title_texts = {fold(text) for row in titles for text in [view.text(*view.places(row, block.left, block.right)[0])]}

    columns_of, text_of = view.rows, view.grid.cells.text
    # Two numbers, one of them below words of the header: neither a title nor the header again.
    inside = range(block.left, block.right + 1)
    worded = {column for column in inside if all(_NO_NUMBER.search(view.text(row, column)) for row in header)}
    cells = view.grid.cells
    plain = cells.rows_with_numbers(worded) & cells.rows_with_numbers(set(inside), fewest=2)

    def ends_in_number(row: int) -> bool:
        *_, before, last = columns_of[row]
        return block.left <= before and last <= block.right and view.grid.cells.is_typed_number(row, last)

    def is_repeated(row: int) -> bool:
        if len(columns_of[row]) == 1 or (view.merges_of_row(row) and not ends_in_number(row)):
            places = view.places(row, block.left, block.right)
            if len(places) == 1:
                text = view.text(*places[0])
                return names_page(text) or fold(text) in title_texts
        for column, texts in first_texts.items():
            own = text_of(row, column)
            if own is not None and fold(own) in texts:
                return any(_same_texts(view, block, row, other) for other in header)
        return False

    return tuple(row for row in rows if row in plain or not is_repeated(row))


def names_page(text: str) -> bool:
    """ "Seite 2 von 5", "Page 3"."""
    return _PAGE.fullmatch(fold(text).strip("- ")) is not None


def _same_texts(view: SheetView, block: Block, row: int, other: int) -> bool:
    columns = {column for line in (row, other) for column in view.rows[line] if block.left <= column <= block.right}
    return all(fold(view.text(row, column)) == fold(view.text(other, column)) for column in columns)


def repeats_header_of(view: SheetView, block: Block, header: Sequence[int], other: Block, other_header: Sequence[int]) -> bool:
    """Whether the header rows of two blocks say the same in the same columns, over at least two columns."""
    if not header or len(header) != len(other_header) or (block.left, block.right) != (other.left, other.right):
        return False
    if max(len(view.places(row, block.left, block.right)) for row in header) < 2:
        return False
    return all(_same_texts(view, block, row, again) for row, again in zip(header, other_header, strict=True))


def rows_of(view: SheetView, block: Block) -> list[int]:
    """The rows of a block that hold something in its columns."""
    numbers, columns = view.row_numbers, view.rows
    found = numbers[bisect_left(numbers, block.top) : bisect_right(numbers, block.bottom)]
    if block.left == 1 and block.right >= view.grid.last_column:
        return found
    return [row for row in found if _has_column(columns[row], block)]


def _has_column(columns: Sequence[int], block: Block) -> bool:
    index = bisect_left(columns, block.left)
    return index < len(columns) and columns[index] <= block.right


def _typed_columns(view: SheetView, block: Block, rows: list[int]) -> frozenset[int]:
    """Columns that hold mostly numbers, dates or booleans in the lower two thirds of the block (evenly sampled)."""
    lower = rows[len(rows) // 3 :] if len(rows) > 1 else rows
    step = max(1, len(lower) // _SAMPLE)
    typed: dict[int, int] = {}
    texts: dict[int, int] = {}
    for row in lower[::step]:
        for column in view.rows[row]:
            if block.left <= column <= block.right:
                kind = view.kind(row, column)
                if kind in TYPED:
                    typed[column] = typed.get(column, 0) + 1
                elif kind == "text":
                    texts[column] = texts.get(column, 0) + 1
    return frozenset(column for column, count in typed.items() if count >= texts.get(column, 0))


@dataclass(frozen=True)
class _HeaderReader:
    view: SheetView
    block: Block
    rows: list[int]
    typed: frozenset[int]

    # --- where the data begin

    def data_start(self) -> int:
        """Index into `rows` of the first row with values; len(rows) if there is none."""
        if not self.typed:
            return self._start_of_words()
        for index, row in enumerate(self.rows):
            kinds = [self.view.kind(row, column) for column in self.typed]
            if any(kind in TYPED for kind in kinds):
                if not self.numbers_the_columns(row) and not self._names_periods(index):
                    return self._below_a_wider_header(index)
            elif index and "missing" in kinds and self.view.kind(row, self.block.left) == "text":
                return index
        return len(self.rows)

    def _below_a_wider_header(self, start: int) -> int:
        """Pairs of name and value may stand right above a table: a row soon after them that is wider than all before, all text
        and over every number column is the header, and the data begin below it."""
        width = max(len(self.view.places(row, self.block.left, self.block.right)) for row in self.rows[: start + 1])
        for index in range(start + 1, min(start + MOST_HEADER_ROWS, len(self.rows) - 1)):
            row = self.rows[index]
            if len(self.view.places(row, self.block.left, self.block.right)) <= width:
                continue
            all_text = all(self.view.kind(row, column) == "text" for column in self.typed)
            values_follow = any(self.view.kind(self.rows[index + 1], column) in TYPED for column in self.typed)
            return index + 1 if all_text and values_follow else start
        return start

    def _start_of_words(self) -> int:
        """All text: the first row with at least two cells is the header, with the rows that its merges need below it."""
        for index, row in enumerate(self.rows):
            if len(self.view.places(row, self.block.left, self.block.right)) < 2:
                continue
            last = index
            while last + 1 < len(self.rows) and last - index < 3 and self._spans(self.rows[last]):
                last += 1
            return last + 1
        return len(self.rows)

    def _names_periods(self, index: int) -> bool:
        """A row of years, quarters, months or dates over columns that hold something else."""
        row = self.rows[index]
        places = [
            column
            for column in sorted(self.typed)
            if self.view.kind(row, column) in TYPED and self.view.source(row, column) == (row, column)
        ]
        periods = []
        for column in places:
            cell = self.view.cell(row, column)
            period = None if cell is None else period_of_cell(cell, _YEAR_HINT, _NO_FISCAL_YEAR)
            if period is None:
                return False
            periods.append(period.start)
        below = self.rows[index + 1 :][:_SAMPLE]
        for column in places:
            kinds = [self._is_year_like(other, column) for other in below if self.view.kind(other, column) in TYPED]
            if not kinds or sum(kinds) * 2 > len(kinds):
                return False
        above = self.rows[index - 1] if index else None
        if len(periods) == 1 and self.view.kind(row, places[0]) == "date":
            return False
        if above is None or self._spans(above) or all(self.view.kind(above, column) is None for column in places):
            return True
        years = [period.year for period in periods]
        return (
            len(places) > 1
            and len({years[i + 1] - years[i] for i in range(len(years) - 1)} & {-1, 1}) == 1
            and len(set(years)) == len(years)
        )

    def _is_year_like(self, row: int, column: int) -> bool:
        cell = self.view.cell(row, column)
        return cell is not None and period_of_cell(cell, None, _NO_FISCAL_YEAR) is not None

    # --- where the header begins

    def header_span(self, start: int) -> tuple[int, int]:
        """(index of the first header row, index of the first data row), given where typed values begin; equal if no header."""
        lowest = self._lowest_header(start)
        if lowest is None:
            return start, start
        first = lowest
        while first > 0 and lowest - first + 1 < MOST_HEADER_ROWS and self._continues_above(first):
            first -= 1
        data = lowest + 1
        while data < start and (not self.has_own_cell(self.rows[data]) or self.numbers_the_columns(self.rows[data])):
            data += 1
        return first, data

    def _lowest_header(self, start: int) -> int | None:
        """Rows between header and first values are skipped: section rows, rows whose number columns are blank."""
        for index in range(min(start, len(self.rows)) - 1, -1, -1):
            row = self.rows[index]
            if not self.has_own_cell(row) or self.numbers_the_columns(row) or self._is_label_only(row):
                continue
            if self.typed and (self._is_row_of_data(index) or self._is_unit_of_section(index)):
                continue
            return index
        return None

    def _is_unit_of_section(self, index: int) -> bool:
        """A row of units right below a section row with header rows above it: the section's unit, not the table's."""
        above = self.rows[:index]
        if len(above) < 2 or not self.is_unit_row(self.rows[index]) or not self._is_label_only(above[-1]):
            return False
        return len(self.view.places(above[-2], self.block.left, self.block.right)) > 1

    def _continues_above(self, first: int) -> bool:
        row = self.rows[first - 1]
        if self.view.gap(row, self.rows[first]) > 0:
            return False
        if not self.has_own_cell(row) or self.numbers_the_columns(row):
            return True
        return not self._is_label_only(row) and self._may_stand_above(row, self.rows[first])

    def _is_label_only(self, row: int) -> bool:
        """Only the first column, or one cell merged over the whole width."""
        places = self.view.places(row, self.block.left, self.block.right)
        return len(places) == 1 and places[0][1] == self.block.left and self.block.right > self.block.left

    def _is_row_of_data(self, index: int) -> bool:
        """A row without typed values that still belongs to the data: its number columns are blank below a header that names
        them, or one of them holds a text that cannot be read below a complete header row."""
        row = self.rows[index]
        if any(self.view.kind(row, column) in TYPED for column in self.typed):
            return False
        texts = sum(self.view.kind(row, column) == "text" for column in self.typed)
        above = self.rows[max(0, index - _SAMPLE) : index]
        if not texts:
            return any(any(self.view.kind(other, column) is not None for column in self.typed) for other in above)
        if index == 0 or self.is_unit_row(row) or self.view.kind(row, self.block.left) != "text":
            return False
        return self._is_complete(self.rows[index - 1]) and (texts == 1 or len(self.typed) == 1)

    def _may_stand_above(self, row: int, below: int) -> bool:
        """Whether a row is one more header row above the header found so far, not a title or a pair of name and value."""
        places = self.view.places(row, self.block.left, self.block.right)
        texts = [self.view.text(*place) for place in places]
        if any(text.endswith(":") for text in texts):
            return False
        if any(self._is_plain_value(*place) for place in places):
            return False
        if len(places) == 1:
            return places[0][1] > self.block.left
        first = (self.view.source(row, self.block.left), self.view.source(below, self.block.left))
        conflict = first[0] != first[1] and all(self.view.kind(*place) is not None for place in first)
        if not conflict or self._spans(row) or self.is_unit_row(below):
            return True
        over_values = sum(self.view.kind(row, column) is not None for column in self.typed)
        return len(self.typed) > 1 and over_values >= max(2, len(self.typed) / 2)

    def _is_plain_value(self, row: int, column: int) -> bool:
        cell = self.view.cell(row, column)
        if cell is None or self.view.kind(row, column) not in TYPED:
            return False
        return period_of_cell(cell, _YEAR_HINT, _NO_FISCAL_YEAR) is None

    # --- looks of a row

    def has_own_cell(self, row: int) -> bool:
        """False for a row that only lies under merges from above."""
        return any(place[0] == row for place in self.view.places(row, self.block.left, self.block.right))

    def numbers_the_columns(self, row: int) -> bool:
        """A row 1, 2, 3, … under the header; some number stands over a column of words, else it is data."""
        places = self.view.places(row, self.block.left, self.block.right)
        if len(places) < 3 or len(places) < (self.block.right - self.block.left + 1) * 0.7:
            return False
        texts = [self.view.text(*place).strip("()") for place in places]
        start = texts[0]
        if row == self.rows[0] or all(place[1] in self.typed for place in places):
            return False
        return start in ("0", "1") and texts == [str(int(start) + offset) for offset in range(len(texts))]

    def _spans(self, row: int) -> bool:
        """Some cell of the row is merged over several columns."""
        occupied = [c for c in self.view.rows[row] if self.block.left <= c <= self.block.right]
        sources = [self.view.source(row, column) for column in occupied]
        return any(source[0] == row and sources.count(source) > 1 for source in sources)

    def _is_complete(self, row: int) -> bool:
        """Every column of the block has a text of its own, all different, none merged."""
        places = self.view.places(row, self.block.left, self.block.right)
        texts = {self.view.text(*place) for place in places if self.view.kind(*place) == "text"}
        return len(texts) == self.block.right - self.block.left + 1

    def is_unit_row(self, row: int) -> bool:
        return is_unit_row(self.view, self.block, row)


def is_unit_row(view: SheetView, block: Block, row: int) -> bool:
    """A header row of nothing but units: "€ | € | %", "acres" merged over all, one "(in thousands)" in the middle."""
    places = [place for place in view.places(row, block.left, block.right) if place[0] == row]
    texts = [view.text(*place) for place in places]
    if not texts:
        return False
    if all(is_unit_cell(text) for text in texts):
        return True
    return (
        len(texts) == 1 and places[0][1] > block.left and texts[0].startswith(("(", "[")) and unit_of_title(texts[0]) is not None
    )
