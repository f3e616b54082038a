"""The only A1 code: columns and rows are 1-based everywhere."""

from __future__ import annotations

import re
from functools import lru_cache

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384  # Excel's sheet size since 2007

_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9][0-9]*)\Z")


@lru_cache(maxsize=32768)
def column_letter(column: int) -> str:
    """1 -> "A", 28 -> "AB". Raises ValueError below 1."""
    if column < 1:
        raise ValueError(f"column numbers start at 1, got {column}")
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


@lru_cache(maxsize=32768)
def column_number(letters: str) -> int:
    """ "A" -> 1, "ab" -> 28. Raises ValueError on anything but letters."""
    number = 0
    for letter in letters.upper():
        if not "A" <= letter <= "Z":
            raise ValueError(f"not a column: {letters!r}")
        number = number * 26 + ord(letter) - 64
    if not number:
        raise ValueError("not a column: ''")
    return number


def cell_address(row: int, column: int) -> str:
    """(47, 3) -> "C47"."""
    return f"{column_letter(column)}{row}"


def parse_address(text: str) -> tuple[int, int]:
    """ "C47" or "$C$47" -> (47, 3). Raises ValueError on anything else."""
    match = _CELL.match(text.strip())
    if match is None:
        raise ValueError(f"not a cell address: {text!r}")
    return int(match[2]), column_number(match[1])


def range_address(first_row: int, first_column: int, last_row: int, last_column: int) -> str:
    """(4, 1, 59, 8) -> "A4:H59"; a single cell -> "A4"."""
    first, last = cell_address(first_row, first_column), cell_address(last_row, last_column)
    return first if first == last else f"{first}:{last}"


def parse_range(text: str) -> tuple[int, int, int, int]:
    """ "A4:H59" -> (4, 1, 59, 8); one cell is a range of itself. Raises ValueError."""
    first, _, last = text.partition(":")
    top, left = parse_address(first)
    bottom, right = parse_address(last or first)
    return min(top, bottom), min(left, right), max(top, bottom), max(left, right)
