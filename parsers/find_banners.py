"""Banners among the data: a row with one text over all value columns ("2015"), as a header row above has one ("2004")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parsers.find_headers import Block, Split
from parsers.sheet_view import Place, SheetView
from parsers.units import is_unit_cell


@dataclass(frozen=True)
class Banners:
    """`of_row`: data row -> the place of the banner that it stands under. `rows`: banner rows, which hold no data. `header`:
    the banner over the first rows, if the header has one over the same columns; it heads rows, not columns."""

    of_row: dict[int, Place]
    rows: frozenset[int]
    header: Place | None


def find_banners(view: SheetView, block: Block, split: Split) -> Banners:
    """A merge over all number columns that stands alone in its row, and holds no unit."""
    wide = {top for top, left, bottom, right in view.grid.merges if top == bottom and left < right}
    spans = {row: span for row in split.data_rows if row in wide and (span := _span(view, block, split, row)) is not None}
    if not spans:
        return Banners({}, frozenset(), None)
    header = _header_banner(view, split.header_rows, next(iter(spans.values())))
    current = header
    of_row: dict[int, Place] = {}
    for row in split.data_rows:
        if row in spans:
            current = (row, spans[row][0])
        elif current is not None:
            of_row[row] = current
    return Banners(of_row, frozenset(spans), header)


def _span(view: SheetView, block: Block, split: Split, row: int) -> tuple[int, int] | None:
    places = [place for place in view.places(row, block.left, block.right) if place[0] == row]
    if len(places) != 1 or places[0][1] == block.left or is_unit_cell(view.text(*places[0])):
        return None
    values = split.typed_columns - {block.left}
    for top, left, bottom, right in view.merges_of_row(row):
        if top == bottom == row and left == places[0][1] < right and all(left <= column <= right for column in values):
            return left, right
    return None


def _header_banner(view: SheetView, rows: Sequence[int], span: tuple[int, int]) -> Place | None:
    for row in rows:
        if any((left, right) == span and top == bottom for top, left, bottom, right in view.merges_of_row(row)):
            return row, span[0]
    return None
