"""Sheet -> regions: tables below and beside each other, with blank separator rows, captions above and notes below."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from parsers.find_headers import Block, Split, rows_of, split_block
from parsers.fold import fold
from parsers.report_pages import is_next_page, is_preamble, row_texts
from parsers.sheet_view import TYPED, SheetView
from parsers.total_words import names_total, total_kind

CAPTION_GAP = 4
"""Blank rows at most between a caption and its table, and between a table and its notes."""
_CONTINUATION_GAP = 12
_HEADER_GAP = 3
_NOTE_MARK = re.compile(
    r"(?:\*|\d{1,2}\)|[¹²³⁴⁵†©]|_{3,}|-{3,}|\(\w\)\s|quelle\b|source\b|zrodlo\b|stand\b|hinweis|anmerkung|fussnote|note\b|notes\b|"
    r"footnote|legende|uwaga|erlaeuterung|k\. ?a\. ?=|n/a ?=|\S{1,5} = )"
)


@dataclass(frozen=True)
class Region:
    """One table of a sheet. `block`: header and data. `captions`: texts above that belong to it (outside of `block`) as
    (row, text); `note_rows`: rows of notes below, inside or outside of the block; `name`: of an Excel table."""

    block: Block
    split: Split
    captions: tuple[tuple[int, str], ...] = ()
    note_rows: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    name: str | None = None


@dataclass(frozen=True)
class SheetLayout:
    """`loose`: texts that belong to no table, as (row, text)."""

    regions: tuple[Region, ...]
    loose: tuple[tuple[int, str], ...]


def find_tables(view: SheetView) -> SheetLayout:
    """All tables of a sheet, top to bottom, left to right."""
    defined = [
        Region(block, split_block(view, block, header_rows=1), name=name)
        for name, area in view.grid.defined_tables
        for block in [Block(*area)]
        if len(rows_of(view, block)) >= 2
    ]
    leaves = _leaves(view, [region.block for region in defined])
    leaves = _rejoin_beside(view, leaves)
    tables, lines = _stitch(view, leaves)
    regions = sorted([*defined, *tables], key=lambda region: region.block)
    return _hand_out_lines(view, regions, lines)


# --- cutting at blank rows and columns


def _leaves(view: SheetView, taken: list[Block]) -> list[Block]:
    """Rectangles without a blank row or column inside, none of them overlapping an Excel table."""
    if not view.row_numbers:
        return []
    whole = Block(view.row_numbers[0], 1, view.row_numbers[-1], max(columns[-1] for columns in view.rows.values()))
    blocks = [whole]
    for area in taken:
        blocks = [piece for block in blocks for piece in _without(block, area)]
    return [leaf for block in blocks for leaf in _cut(view, block, keep_columns=view.grid.is_csv)]


def _without(block: Block, area: Block) -> list[Block]:
    """A block less an area, as up to four blocks."""
    if area.top > block.bottom or area.bottom < block.top or area.left > block.right or area.right < block.left:
        return [block]
    top, bottom = max(block.top, area.top), min(block.bottom, area.bottom)
    pieces = [
        Block(block.top, block.left, top - 1, block.right),
        Block(top, block.left, bottom, area.left - 1),
        Block(top, area.right + 1, bottom, block.right),
        Block(bottom + 1, block.left, block.bottom, block.right),
    ]
    return [piece for piece in pieces if piece.top <= piece.bottom and piece.left <= piece.right]


def _cut(view: SheetView, block: Block, *, keep_columns: bool) -> list[Block]:
    rows = rows_of(view, block)
    if not rows:
        return []
    bands: list[list[int]] = [[rows[0]]]
    for row in rows[1:]:
        if view.gap(bands[-1][-1], row) > 0:
            bands.append([])
        bands[-1].append(row)
    found: list[Block] = []
    for band in bands:
        columns: set[int] = set()
        for row in band:
            columns.update(view.rows[row])
        inside = sorted(column for column in columns if block.left <= column <= block.right)
        strips = [[inside[0]]]
        for column in inside[1:]:
            if column - strips[-1][-1] > 1 and not keep_columns:
                strips.append([])
            strips[-1].append(column)
        if len(strips) == 1:
            found.append(Block(band[0], inside[0], band[-1], inside[-1]))
        else:
            for strip in strips:
                found += _cut(view, Block(band[0], strip[0], band[-1], strip[-1]), keep_columns=keep_columns)
    return found


def _rejoin_beside(view: SheetView, leaves: list[Block]) -> list[Block]:
    """Undoes a cut at a blank column inside one table: same rows, and only one of the two has labels of its own."""
    result: list[Block] = []
    for leaf in sorted(leaves):
        last = next((block for block in reversed(result) if _beside(block, leaf)), None)
        if last is not None and _is_one_table(view, last, leaf):
            result[result.index(last)] = last.joined(leaf)
        else:
            result.append(leaf)
    return result


def _beside(left: Block, right: Block) -> bool:
    return left.top == right.top and abs(left.bottom - right.bottom) <= 1 and 1 <= right.left - left.right <= 3


def _is_one_table(view: SheetView, left: Block, right: Block) -> bool:
    left_split, right_split = split_block(view, left), split_block(view, right)
    if left.top == left.bottom and right.top == right.bottom:
        return True
    if right.left not in right_split.typed_columns and right_split.typed_columns:
        return False
    if not right_split.typed_columns and left_split.typed_columns:
        return right.left == right.right and bool(right_split.data_rows or right_split.header_rows)
    if left.left in left_split.typed_columns and right.left in right_split.typed_columns:
        return view.text(left.top, left.left) != view.text(right.top, right.left) and not _holds_dates(view, right, right_split)
    return True


def _holds_dates(view: SheetView, block: Block, split: Split) -> bool:
    return any(view.kind(row, block.left) == "date" for row in split.data_rows[:3])


# --- joining what blank rows separate


def _stitch(view: SheetView, leaves: list[Block]) -> tuple[list[Region], list[Block]]:
    tables: list[Region] = []
    lines: list[Block] = []
    for leaf in sorted(leaves):
        above = _nearest_above(tables, leaf)
        if above is not None and (joined := _continued(view, above, leaf, lines)) is not None:
            tables[tables.index(above)] = joined
            continue
        if _is_lines(view, leaf):
            lines.append(leaf)
            continue
        tables.append(Region(leaf, split_block(view, leaf)))
    tables, lines = _absorb(tables, lines)
    kept: list[Region] = []
    for region in tables:
        if (
            _is_table(view, region)
            and not is_preamble(view, region.block, [(other.block, other.split) for other in tables])
            and not (kept and view.grid.is_csv and _is_footer(region))
        ):
            kept.append(region)
    lines += [region.block for region in tables if region not in kept]
    return kept, lines


def _nearest_above(tables: list[Region], leaf: Block) -> Region | None:
    over = [r for r in tables if r.block.bottom < leaf.top and r.block.left <= leaf.right and leaf.left <= r.block.right]
    if not over:
        return None
    lowest = max(region.block.bottom for region in over)
    nearest = [region for region in over if region.block.bottom == lowest]
    return nearest[0] if len(nearest) == 1 else None


def _continued(view: SheetView, above: Region, leaf: Block, lines: list[Block]) -> Region | None:
    """The table above with the leaf as its continuation, None if the leaf is something else.

    It continues if it lies within the table's columns, has no header of its own and values of the same classes; a table that
    is all text so far is taken for the header of values that follow closely without one.
    """
    gap = view.gap(above.block.bottom, leaf.top)
    if leaf.left < above.block.left or leaf.right > above.block.right or gap > _CONTINUATION_GAP:
        return None
    own = split_block(view, leaf)
    if own.header_rows and is_next_page(view, (above.block, above.split), (leaf, own), lines):
        block = above.block.joined(leaf)
        data = (*above.split.data_rows, *own.data_rows)
        return replace(above, block=block, split=replace(above.split, data_rows=data))
    if not own.typed_columns or own.header_rows:
        return None
    if not above.split.typed_columns:
        if gap > _HEADER_GAP or len(above.split.data_rows) + len(above.split.header_rows) > 8:
            return None
        block = above.block.joined(leaf)
        joined = split_block(view, block)
        return replace(above, block=block, split=joined) if joined.header_rows else None
    if not own.typed_columns <= above.split.typed_columns or not above.split.header_rows:
        return None
    title_places = [place for row in own.title_rows for place in view.places(row, leaf.left, leaf.right)]
    if len(title_places) > 1 or any(len(view.text(*place)) > 40 for place in title_places):
        return None
    first = own.data_rows[0]
    wrong = [
        column
        for column in range(leaf.left, leaf.right + 1)
        if (view.kind(first, column) == "text") == (column in above.split.typed_columns)
        and view.kind(first, column) not in (None, "missing")
    ]
    if wrong:
        return None
    block = above.block.joined(leaf)
    data = (*above.split.data_rows, *rows_of(view, leaf))
    return replace(above, block=block, split=replace(above.split, data_rows=data))


def _absorb(tables: list[Region], lines: list[Block]) -> tuple[list[Region], list[Block]]:
    """Pieces that a cut left inside a table's rectangle belong to its rows."""
    rest = [line for line in lines if not any(_inside(line, region) for region in tables)]
    return tables, rest


def _inside(line: Block, region: Region) -> bool:
    block = region.block
    return block.top <= line.top and line.bottom <= block.bottom and block.left <= line.left and line.right <= block.right


def _is_lines(view: SheetView, leaf: Block) -> bool:
    """Nothing but text, one cell a row."""
    for row in rows_of(view, leaf):
        places = view.places(row, leaf.left, leaf.right)
        if len(places) > 1 or view.kind(*places[0]) in TYPED:
            return leaf.left == leaf.right and len(rows_of(view, leaf)) == 1
    return True


def _is_table(view: SheetView, region: Region) -> bool:
    """At least one row of data in two columns, or a headed column of values; lines of text in one column are none."""
    split, block = region.split, region.block
    if not split.data_rows:
        return False
    if view.grid.is_csv and split.header_rows and split.header_rows[0] == block.top:
        return True
    if block.left == block.right:
        return bool(split.header_rows) and bool(split.typed_columns) and len(split.data_rows) >= 2
    if split.typed_columns:
        return bool(split.header_rows) or len(split.data_rows) >= 2
    widths = [len(view.places(row, block.left, block.right)) for row in split.data_rows]
    return bool(split.header_rows) and max(widths) >= 2 and _reads_like_a_table(view, region)


def _is_footer(region: Region) -> bool:
    """Lines after the table of a CSV: a second table there has a header and at least two rows."""
    return not region.split.header_rows or len(region.split.data_rows) < 2


def _reads_like_a_table(view: SheetView, region: Region) -> bool:
    """Short header texts, all different, over at least two rows."""
    block, split = region.block, region.split
    header = [view.text(*place) for place in view.places(split.header_rows[-1], block.left, block.right)]
    return (
        len(set(header)) == len(header) >= 2
        and max(map(len, header)) <= 40
        and not any(text.endswith((":", ".")) for text in header)
    )


# --- captions and notes


def _hand_out_lines(view: SheetView, regions: list[Region], lines: list[Block]) -> SheetLayout:
    captions: dict[int, list[tuple[int, str]]] = {index: [] for index in range(len(regions))}
    notes: dict[int, list[tuple[int, str]]] = {index: [] for index in range(len(regions))}
    loose: list[tuple[int, str]] = []
    for index, region in enumerate(regions):
        captions[index] += [(row, text) for row in region.split.title_rows for text in row_texts(view, region.block, row)]
    for line in sorted(lines):
        text_rows = [(row, text) for row in rows_of(view, line) for text in row_texts(view, line, row)]
        above, below = _neighbours(regions, line)
        if above is not None and (below is None or _is_note(view, line, regions[above], regions[below])):
            notes[above] += text_rows
        elif below is not None:
            captions[below] += text_rows
        else:
            loose += text_rows
    result = []
    for index, region in enumerate(regions):
        tail = _trailing_notes(view, region)
        inner = [(row, text) for row in tail for text in row_texts(view, region.block, row)]
        all_notes = sorted([*inner, *notes[index]], key=_row_of)
        split = replace(region.split, data_rows=tuple(row for row in region.split.data_rows if row not in set(tail)))
        result.append(
            replace(
                region,
                split=split,
                captions=tuple(sorted(captions[index], key=_row_of)),
                note_rows=tuple(dict.fromkeys(row for row, _ in all_notes)),
                notes=tuple(text for _, text in all_notes),
            )
        )
    return SheetLayout(tuple(result), tuple(sorted(loose, key=_row_of)))


def _row_of(line: tuple[int, str]) -> int:
    return line[0]


def _neighbours(regions: list[Region], line: Block) -> tuple[int | None, int | None]:
    """Index of the nearest table above and below that shares columns with the line (a title may stand left of its table)."""
    above = below = None
    for index, region in enumerate(regions):
        block = region.block
        if block.right < line.left or (block.left > line.right + 3):
            continue
        if block.bottom < line.top and (above is None or block.bottom > regions[above].block.bottom):
            above = index
        if block.top > line.bottom and (below is None or block.top < regions[below].block.top):
            below = index
    return above, below


def _is_note(view: SheetView, line: Block, above: Region, below: Region) -> bool:
    gap_above, gap_below = line.top - above.block.bottom, below.block.top - line.bottom
    first = view.text(*view.places(line.top, line.left, line.right)[0])
    if is_note_text(first) and gap_above <= CAPTION_GAP:
        return True
    return gap_above < gap_below


def is_note_text(text: str) -> bool:
    """Text that reads like a footnote, source line or legend."""
    return _NOTE_MARK.match(fold(text)) is not None or len(text) > 80 or (text.endswith(".") and len(text.split()) >= 5)


def _trailing_notes(view: SheetView, region: Region) -> list[int]:
    """Rows of text right below the data, without a blank row between: the earliest row from which on nothing but notes follow."""
    block, data = region.block, region.split.data_rows
    if not data or block.left == block.right:
        return []
    values = {column for column in region.split.typed_columns if column != block.left}
    start = len(data)
    for index in range(len(data) - 1, max(0, len(data) - 40), -1):
        row = data[index]
        places = view.places(row, block.left, block.right)
        if len(places) > max(1, (block.right - block.left + 1) // 2) or (len(places) > 1 and not values):
            break
        if any(view.kind(row, column) in TYPED for column in values) and len(places) > 2:
            break
        text = view.text(*places[0])
        if places[0][1] == block.left and (is_note_text(text) or _ends_below_total(view, region, index)):
            start = index
        elif len(places) > 1 and any(view.kind(row, column) in TYPED for column in values):
            break
    return list(data[start:])


def _ends_below_total(view: SheetView, region: Region, index: int) -> bool:
    """A last line of nothing but a text, right below the total of everything ("Ende des Berichts")."""
    block, data = region.block, region.split.data_rows
    places = view.places(data[index], block.left, block.right)
    if index + 1 < len(data) or len(places) != 1 or view.kind(*places[0]) != "text" or len(data) < 3:
        return False
    above = view.text(data[index - 1], block.left)
    return names_total(above) and total_kind(above) == "total"
