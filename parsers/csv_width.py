"""Which records of a CSV file do not have the width of their header: found, never repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from parsers.csv_dialect import is_numeric
from parsers.csv_records import Record


@dataclass(frozen=True, slots=True)
class _Row:
    """`written`: number of fields; `used`: without empty fields at the end; `filled`: fields with text."""

    line: int
    written: int
    used: int
    filled: int
    textual: bool
    stray: bool


@dataclass(frozen=True)
class Widths:
    """`header_line`: physical line of the header that the rows were compared with, 0 if there is none; `header_fields` its
    number of fields; `ragged`: line -> number of fields."""

    header_line: int
    header_fields: int
    ragged: dict[int, int]


def ragged_rows(found: Sequence[Record]) -> dict[int, int]:
    """Line -> number of fields of every row whose width differs from its header's.

    Empty fields beyond the header's width (a delimiter at the end of each line) do not count, nor do lines with a single
    filled field before the header or after the last full row: titles and footnotes. Blocks that blank lines set apart and that
    have a width of their own are compared with their own first line.
    """
    ragged: dict[int, int] = {}
    header = 0
    blocks = _blocks(found)
    main = Counter(row.written for block in blocks for row in block if row.filled > 1).most_common(1)
    if not main:
        return ragged
    main_width = main[0][0]
    for block in blocks:
        widths = Counter(row.written for row in block if row.filled > 1)
        if not widths:
            continue
        own_width, count = widths.most_common(1)[0]
        starts_table = not header or (own_width not in (header, main_width) and count >= 2 and count == sum(widths.values())
                                      and next(row for row in block if row.filled > 1).textual)
        body = block
        if starts_table:
            position = _header_position(block, own_width)
            header = block[position].written
            above = block[:position]
            body = block[position + 1 :]
            ragged.update({row.line: row.written for row in above[-1:] if row.filled > 1 and row.filled >= header - 1
                           and row.written != header})
        last_full = max((number for number, row in enumerate(body) if row.filled > 1), default=-1)
        for number, row in enumerate(body):
            note = row.filled <= 1 and number > last_full
            if row.stray or (not note and row.filled and _differs(row, header)):
                ragged[row.line] = row.written
    return ragged


def _differs(row: _Row, header: int) -> bool:
    if row.written == header:
        return False
    return row.used > header if row.written > header else True


def _blocks(found: Sequence[Record]) -> list[list[_Row]]:
    """Records between blank lines, without lines that are empty in every field."""
    blocks: list[list[_Row]] = [[]]
    for record in found:
        filled = [number for number, field in enumerate(record.fields, start=1) if field and not field.isspace()]
        if not filled:
            if len(record.fields) == 1:
                blocks.append([])
            continue
        textual = not any(is_numeric(field) for field in record.fields)
        blocks[-1].append(_Row(record.line, len(record.fields), filled[-1], len(filled), textual, record.stray_quote))
    return [block for block in blocks if block]


def _header_position(block: list[_Row], width: int) -> int:
    """Index of the header: the first row of the usual width, or the textual row right above it if that one holds numbers."""
    first = next(number for number, row in enumerate(block) if row.written == width and row.filled > 1)
    if first and not block[first].textual and block[first - 1].textual and block[first - 1].filled > 1:
        return first - 1
    return first
