"""Which records of a CSV file do not have the width of their header: found, never repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from parsers.csv_dialect import is_numeric
from parsers.csv_records import Record


@dataclass(frozen=True, slots=True)
class _Row:
    """`written`: number of fields; `used`: without empty fields at the end; `filled`: fields with text; `textual`: none of
    them reads like a number; `stray`: a quotation mark never closes."""

    line: int
    written: int
    used: int
    filled: int
    textual: bool
    stray: bool


@dataclass(frozen=True)
class Widths:
    """`ragged`: physical line -> its number of fields, in file order; `expected`: the same lines -> that of their header."""

    ragged: dict[int, int] = field(default_factory=dict)
    expected: dict[int, int] = field(default_factory=dict)


def check_widths(found: Sequence[Record], delimiter: str) -> Widths:
    """Compare every record with the header above it.

    Where the comma is the delimiter, values to the right of the last header text count too: they may be the decimals of an
    unquoted number ("Kunde,Umsatz," above "A,1,5").

    Not ragged: empty fields beyond the header's width (a delimiter at the end of each line); lines with a single filled field
    before the header or after the last full row (titles, footnotes); a textual row right under the header that only lacks fields
    at its end (a second header row). A block that blank lines set apart and that has a width of its own is compared with its own
    first row.
    """
    widths = Widths()
    blocks = _blocks(found)
    usual = Counter(row.written for block in blocks for row in block if row.filled > 1)
    if not usual:
        return widths
    main_width = usual.most_common(1)[0][0]
    header = 0
    for block in blocks:
        own = Counter(row.written for row in block if row.filled > 1)
        if not own:
            continue
        own_width = own.most_common(1)[0][0]
        body = block
        if not header or _is_table_of_its_own(block, own, header, main_width):
            position = _header_position(block, own_width)
            header = block[position].used if delimiter == "," else block[position].written
            for row in block[max(position - 1, 0) : position]:
                if row.filled > 1 and abs(row.written - header) == 1 and row.used != header:
                    _mark(widths, row, header)
            body = block[position + 1 :]
            if body and _is_second_header(body, header):
                body = body[1:]
        last_full = max((number for number, row in enumerate(body) if row.filled > 1), default=-1)
        for number, row in enumerate(body):
            note = row.filled <= 1 and number > last_full
            if row.stray or (not note and _differs(row, header)):
                _mark(widths, row, header)
    return widths


def _mark(widths: Widths, row: _Row, header: int) -> None:
    widths.ragged[row.line] = row.written
    widths.expected[row.line] = header


def _differs(row: _Row, header: int) -> bool:
    """More fields than the header, empty ones at the end aside, or fewer."""
    return row.used > header if row.written > header else row.written < header


def _blocks(found: Sequence[Record]) -> list[list[_Row]]:
    """Records between blank lines; records that are empty in every field are left out."""
    blocks: list[list[_Row]] = [[]]
    for record in found:
        filled = [number for number, text in enumerate(record.fields, start=1) if text and not text.isspace()]
        if filled:
            textual = not any(is_numeric(record.fields[number - 1]) for number in filled)
            blocks[-1].append(_Row(record.line, len(record.fields), filled[-1], len(filled), textual, record.stray_quote))
        elif len(record.fields) == 1:
            blocks.append([])
    return [block for block in blocks if block]


def _is_table_of_its_own(block: list[_Row], own: Counter[int], header: int, main_width: int) -> bool:
    """A consistent block of another width whose first full row holds no number."""
    width, count = own.most_common(1)[0]
    return (
        (width not in (header, main_width) or (width == main_width != header))
        and count >= 2
        and count == own.total()
        and next(row for row in block if row.filled > 1).textual
    )


def _header_position(block: list[_Row], width: int) -> int:
    """Index of the header: the first row of the usual width, or the textual row right above it if that one holds numbers."""
    first = next(number for number, row in enumerate(block) if row.written == width and row.filled > 1)
    if first and not block[first].textual and block[first - 1].textual and block[first - 1].filled > 1:
        return first - 1
    return first


def _is_second_header(body: list[_Row], header: int) -> bool:
    """The row under the header is textual and shorter, while the rows below it are full and mostly hold numbers."""
    first, rest = body[0], body[1:]
    full = [row for row in rest if row.written >= header]
    return first.textual and 1 < first.written < header and len(full) > 1 and sum(not row.textual for row in full) * 2 > len(rest)
