"""Moving a formula text to another cell, as spreadsheet programs do for shared formulas."""

from __future__ import annotations

import re

from parsers.address import LAST_COLUMN, LAST_ROW, column_letter, column_number

_GONE = "#REF!"
_TOKEN = re.compile(
    r"""
    (?P<text>"(?:[^"]|"")*")                                         # a text constant
    | (?P<sheet>'(?:[^']|'')*'!)                                     # a quoted sheet name
    | (?P<bracket>\[[^\[\]]*\])                                      # a structured or external reference
    | (?P<cell>(?<![\w.$])(\$?)([A-Za-z]{1,3})(\$?)([1-9][0-9]{0,6})(?![\w.(!\[]))
    | (?P<columns>(?<![\w.$])(\$?)([A-Za-z]{1,3}):(\$?)([A-Za-z]{1,3})(?![\w.(!\[]))
    | (?P<rows>(?<![\w.$:])(\$?)([1-9][0-9]{0,6}):(\$?)([1-9][0-9]{0,6})(?![\w.(!]))
    """,
    re.VERBOSE,
)


def shift_formula(formula: str, rows: int, columns: int) -> str:
    """The formula as it reads `rows` further down and `columns` further right; "$" keeps a part fixed.

    A reference that leaves the sheet becomes #REF!.
    """

    def moved(match: re.Match[str]) -> str:
        if match["cell"]:
            column, row = _column(match[5], match[6], columns), _row(match[7], match[8], rows)
            return _GONE if _GONE in (column, row) else column + row
        if match["columns"]:
            return f"{_column(match[10], match[11], columns)}:{_column(match[12], match[13], columns)}"
        if match["rows"]:
            return f"{_row(match[15], match[16], rows)}:{_row(match[17], match[18], rows)}"
        return match[0]

    return _TOKEN.sub(moved, formula)


def _column(fixed: str, letters: str, by: int) -> str:
    if fixed:
        return "$" + letters
    column = column_number(letters) + by
    return column_letter(column) if 1 <= column <= LAST_COLUMN else _GONE


def _row(fixed: str, digits: str, by: int) -> str:
    if fixed:
        return "$" + digits
    row = int(digits) + by
    return str(row) if 1 <= row <= LAST_ROW else _GONE
