"""Section rows: a label over the rows that follow it, without values of its own ("Ertragslage:", "Aged 2 to 8 years"), and rows
with values that others are indented under."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from parsers.find_banners import Banners
from parsers.find_headers import Block, is_unit_row
from parsers.fold import fold
from parsers.row_hierarchy import indentation, parent_rows
from parsers.sheet_view import Place, SheetView
from parsers.total_words import MAYBE_TOTAL, total_form
from parsers.units import unit_of_cell

_MOST_CELLS = 4
"""Cells of a section row without a merge: its label, and perhaps a unit beside it."""


_MOST_COMPARED = 100
_FEWEST_SHARED = 2
"""Labels that must come back under another row for both to be headings."""
_WORD = re.compile(r"\w+")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True)
class Section:
    """`path`: labels from the outermost section to the innermost; `place`: of the innermost label."""

    path: tuple[str, ...]
    place: Place


@dataclass(frozen=True)
class _Level:
    """A label that is open for the rows below it. `has_values`: a row of data that others are indented under."""

    indent: int
    text: str
    place: Place
    has_values: bool = False


@dataclass(frozen=True)
class Sections:
    """`rows`: section rows (no data). `of_row`: data row -> its section. `unit_of_row`: data row -> unit and its place, where a
    row of nothing but units stands among the data. `parents_only`: all labels are those of rows with values."""

    rows: frozenset[int]
    of_row: dict[int, Section]
    unit_of_row: dict[int, tuple[str, Place]]
    parents_only: bool = False


def find_sections(view: SheetView, block: Block, rows: Sequence[int], typed: frozenset[int], banners: Banners) -> Sections:
    """Rows with a label only are sections if something shows it: a merge across the values, a colon at the end, rows below
    indented deeper, bold type where other labels are not, labels that come back under another such row, or a date over rows that
    have none ("As at 31 December 2019"). Without such a sign the row is data with blank values."""
    values = [column for column in typed if column != block.left]
    if not values:
        return Sections(frozenset(), {}, {})
    section_rows: set[int] = set()
    of_row: dict[int, Section] = {}
    unit_of_row: dict[int, tuple[str, Place]] = {}
    stack: list[_Level] = []
    unit: tuple[str, Place] | None = None
    bold_share = _bold_share(view, block, rows)
    sectioned = bool(banners.of_row)
    # The quickest way to see that a row is no section and no row of units.
    numbered = view.grid.cells.rows_with_numbers(range(block.left + 1, block.right + 1))
    headings = _headings_by_contents(view, block, rows, numbered)
    indented = indentation(view, block, rows, typed)
    parents = parent_rows(view, rows, indented)
    for index, row in enumerate(rows):
        if row in banners.rows:
            section_rows.add(row)
            stack.clear()
            continue
        if row in numbered and not stack and unit is None and row not in banners.of_row and row not in parents:
            continue
        labelled = (row, block.left) in view.grid.cells
        short = row not in numbered and (len(view.rows[row]) <= _MOST_CELLS or bool(view.merges_of_row(row)))
        if not labelled and row not in numbered and is_unit_row(view, block, row):
            place = next(place for place in view.places(row, block.left, block.right) if place[0] == row)
            found = unit_of_cell(view.text(*place))
            unit = (found, place) if found else unit
            section_rows.add(row)
            continue
        following = rows[index + 1] if index + 1 < len(rows) else None
        if short and following is not None and (row in headings or _is_section(view, block, row, following, bold_share)):
            indent = view.indent(row, block.left)
            while stack and stack[-1].indent >= indent:
                stack.pop()
            stack.append(_Level(indent, view.text(row, block.left), view.source(row, block.left)))
            sectioned = True
            section_rows.add(row)
            unit = next(iter(_unit_beside(view, block, row)), unit)
            continue
        if indented is not None and view.kind(row, indented.columns[index]) == "text":
            _leave_parents(stack, indented.indents[index])
        above = [(view.text(*banners.of_row[row]), banners.of_row[row])] if row in banners.of_row else []
        above += [(level.text, level.place) for level in stack]
        if above:
            of_row[row] = Section(tuple(text.rstrip(":").strip() for text, _ in above), above[-1][1])
        if unit is not None:
            unit_of_row[row] = unit
        ended = _level_closed(view, block, row, stack)
        if ended is not None:
            del stack[ended:]
        if indented is not None and row in parents:
            column = indented.columns[index]
            stack.append(_Level(parents[row], view.text(row, column), view.source(row, column), has_values=True))
    return Sections(frozenset(section_rows), of_row, unit_of_row, not sectioned)


def _leave_parents(stack: list[_Level], indent: int) -> None:
    """A row that is indented no deeper than a row with values above it does not belong to that."""
    left = next((at for at, level in enumerate(stack) if level.has_values and level.indent >= indent), len(stack))
    del stack[left:]


def _level_closed(view: SheetView, block: Block, row: int, stack: Sequence[_Level]) -> int | None:
    """The level of the section that the row's own label sums up by its whole name: "Total operating expenses" under "Operating
    expenses:". What follows it ("Operating income") does not belong to the section."""
    if not stack or view.kind(row, block.left) != "text":
        return None
    text = view.text(row, block.left)
    if not MAYBE_TOTAL.search(text) or total_form(text) is None:
        return None
    words = Counter(_WORD.findall(fold(text)))
    for level in range(len(stack) - 1, -1, -1):
        rest = words.copy()
        rest.subtract(_WORD.findall(fold(stack[level].text)))
        if min(rest.values()) >= 0 and sum(rest.values()) == 1 and MAYBE_TOTAL.search(next(iter(+rest))):
            return level
    return None


def _is_section(view: SheetView, block: Block, row: int, following: int, bold_share: float) -> bool:
    places = [place for place in view.places(row, block.left, block.right) if place[0] == row]
    if not places or places[0][1] != block.left or view.kind(row, block.left) != "text":
        return False
    if any(not _is_unit(view, place) for place in places[1:]):
        return False
    if view.text(row, block.left).endswith(":") or len(places) > 1 or _is_merged_across(view, block, row):
        return True
    cell = view.cell(row, block.left)
    if cell is None:
        return False
    if view.indent(following, block.left) > view.indent(row, block.left) and view.kind(following, block.left) is not None:
        return True
    return cell.bold and bold_share < 0.5


def _headings_by_contents(view: SheetView, block: Block, rows: Sequence[int], numbered: Set[int]) -> frozenset[int]:
    """Rows with nothing but a text label that are shown to be headings by what stands under them until the next such row."""
    lone = [row for row in rows if row not in numbered and _is_lone_label(view, block, row)]
    under = _labels_under(view, block, rows, frozenset(lone))
    headings_of: dict[str, list[int]] = {}
    for row in lone:
        for label in under[row]:
            headings_of.setdefault(label, []).append(row)
    repeating = {row for row in lone if _repeats_another(row, under, headings_of)}
    dated = {
        row
        for row in lone
        if _is_dated_heading(view.text(row, block.left)) and under[row] and not any(_YEAR.search(label) for label in under[row])
    }
    return frozenset(repeating | dated)


def _is_lone_label(view: SheetView, block: Block, row: int) -> bool:
    places = [place for place in view.places(row, block.left, block.right) if place[0] == row]
    return len(places) == 1 and places[0][1] == block.left and view.kind(row, block.left) == "text"


def _labels_under(view: SheetView, block: Block, rows: Sequence[int], lone: frozenset[int]) -> dict[int, set[str]]:
    """Row of a lone label -> the labels of the rows below it, up to the next lone label."""
    under: dict[int, set[str]] = {}
    current: set[str] | None = None
    for row in rows:
        if row in lone:
            current = under[row] = set()
        elif current is not None and (row, block.left) in view.grid.cells:
            current.add(view.text(row, block.left))
    return under


def _repeats_another(row: int, under: Mapping[int, set[str]], headings_of: Mapping[str, Sequence[int]]) -> bool:
    """Whether half of the labels under a row also stand under one other; of a label under very many, the first are compared."""
    others = (other for label in under[row] for other in headings_of[label][:_MOST_COMPARED] if other != row)
    shared = Counter(others)
    return any(count >= _FEWEST_SHARED and 2 * count >= len(under[row]) for count in shared.values())


def _is_dated_heading(text: str) -> bool:
    """A year among other words; a year alone is a label like the others."""
    return _YEAR.search(text) is not None and _YEAR.sub("", text).strip(" .,:") != ""


def _is_unit(view: SheetView, place: Place) -> bool:
    return unit_of_cell(view.text(*place)) is not None


def _unit_beside(view: SheetView, block: Block, row: int) -> list[tuple[str, Place]]:
    places = [place for place in view.places(row, block.left + 1, block.right) if place[0] == row]
    found = [(unit_of_cell(view.text(*place)), place) for place in places]
    return [(unit, place) for unit, place in found if unit is not None]


def _is_merged_across(view: SheetView, block: Block, row: int) -> bool:
    return any(
        top == bottom == row and right > left and left >= block.left and right <= block.right
        for top, left, bottom, right in view.merges_of_row(row)
    )


def _bold_share(view: SheetView, block: Block, rows: Sequence[int]) -> float:
    cells = [cell for row in rows[:500] if (cell := view.cell(row, block.left)) is not None]
    return sum(cell.bold for cell in cells) / len(cells) if cells else 1.0
