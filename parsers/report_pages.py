"""What reports print around a table: pairs of name and value before it, its header again on the next page."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.find_headers import Block, Split, names_page, repeats_header_of, rows_of
from parsers.fold import fold
from parsers.sheet_view import SheetView
from parsers.total_words import total_form

_MOST_PAIRS = 12
"""Rows of a block of names and values at most."""


def row_texts(view: SheetView, block: Block, row: int) -> list[str]:
    """The texts of a row as one line ("Mandant: Nordwind"), none if there are none."""
    line = " ".join(text for place in view.places(row, block.left, block.right) if (text := view.text(*place)))
    return [line] if line else []


def is_next_page(view: SheetView, above: tuple[Block, Split], below: tuple[Block, Split], lines: Sequence[Block]) -> bool:
    """The same header again, below nothing but page numbers and the title of the table above, which no total has closed (a
    carried sum does not close it). `lines`: blocks of mere text so far."""
    (upper, upper_split), (lower, lower_split) = above, below
    if not repeats_header_of(view, upper, upper_split.header_rows, lower, lower_split.header_rows):
        return False
    known = {text for row in upper_split.title_rows for text in row_texts(view, upper, row)}
    between = [line for line in lines if upper.bottom < line.top < lower.top]
    texts = [text for row in lower_split.title_rows for text in row_texts(view, lower, row)]
    texts += [text for line in between for row in rows_of(view, line) for text in row_texts(view, line, row)]
    if not upper_split.data_rows or any(not names_page(text) and text not in known for text in texts):
        return False
    last = view.text(*view.places(upper_split.data_rows[-1], upper.left, upper.right)[0])
    return total_form(last) is None or fold(last).startswith("uebertrag")


def is_preamble(view: SheetView, block: Block, tables: Sequence[tuple[Block, Split]]) -> bool:
    """Pairs of name and value ("Stichtag | 30.09.2024") above a wider and longer table, with no table above them: two cells a
    row, a word on the left, and on the right no run of numbers under a heading. `tables`: all of the sheet, top to bottom."""
    rows = rows_of(view, block)
    below = [table for table in tables if table[0].top > block.bottom]
    if any(other.bottom < block.top for other, _ in tables) or len(rows) > _MOST_PAIRS:
        return False
    pairs = [view.places(row, block.left, block.right) for row in rows]
    if max(map(len, pairs)) != 2 or not any(_is_larger(view, *table, len(rows)) for table in below[:1]):
        return False
    if any(view.kind(*pair[0]) != "text" for pair in pairs):
        return False
    if any(view.text(*pair[0]).endswith(":") for pair in pairs):
        return True
    kinds = [view.kind(*pair[1]) for pair in pairs if len(pair) == 2]
    return len(set(kinds[1:])) != 1 or kinds[1] != "number" or (len(rows) == 2 and kinds[0] != "number")


def _is_larger(view: SheetView, block: Block, split: Split, rows: int) -> bool:
    widths = [len(view.places(row, block.left, block.right)) for row in split.header_rows]
    return max(widths, default=0) > 2 and len(split.data_rows) >= min(rows, 2)
