"""Which rows of a table are worth a vector: all of a small table, of a big one those that may answer something.

The rules below are tried in order; a row is kept by the first that speaks for it. What is left out stays reachable by SQL.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from indexer.table_rows import TableRows, TypedValue
from parsers.table import ColumnType

Mask = Any
"""numpy array of bool, one entry a row."""

_WORDS_OF_A_TEXT = 3
_DIFFERENT_TEXTS = 0.5
"""Share of different values from which on a column of several words is text and not a list of names."""
_FAR = 6.0
"""Distance from the median, in median distances, from which on a number stands out."""
_RARE = 0.02
"""Share of a value below which it marks a row, in a column of few different values."""
_FEW_VALUES = 12
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBERS = (ColumnType.DECIMAL, ColumnType.INTEGER)


@dataclass(frozen=True)
class Selection:
    """`places`: of the rows that are kept, in order. `reasons`: rule -> rows it kept; `left_out`: all others."""

    places: tuple[int, ...]
    reasons: tuple[tuple[str, int], ...]
    left_out: int


def selected(rows: TableRows, limit: int = 500) -> Selection:
    """Every row of a table of up to `limit` rows, else those that a rule speaks for."""
    if rows.count <= limit:
        return Selection(tuple(range(rows.count)), (("small_table", rows.count),), 0)
    left = np.ones(rows.count, dtype=bool)
    reasons = []
    for rule in RULES:
        kept = rule(rows) & left
        left &= ~kept
        reasons.append((rule.__name__, int(kept.sum())))
    return Selection(tuple(np.flatnonzero(~left).tolist()), tuple(reasons), int(left.sum()))


def printed_totals(rows: TableRows) -> Mask:
    """Totals per department or period."""
    return np.array(rows.totals, dtype=bool)


def free_texts(rows: TableRows) -> Mask:
    """Rows with a text of several words in a column whose texts differ."""
    found = np.zeros(rows.count, dtype=bool)
    for name in _columns(rows, (ColumnType.TEXT,)):
        texts = rows.values[name]
        there = [text for text in texts if isinstance(text, str)]
        if there and len(set(there)) >= _DIFFERENT_TEXTS * len(there):
            found |= _each(texts, lambda text: isinstance(text, str) and len(_WORD.findall(text)) >= _WORDS_OF_A_TEXT)
    return found


def numbers_that_stand_out(rows: TableRows) -> Mask:
    """Rows with a number far from the others of its column."""
    found = np.zeros(rows.count, dtype=bool)
    for name in _columns(rows, _NUMBERS):
        numbers = np.array([float(v) if isinstance(v, Decimal) else np.nan for v in rows.values[name]])
        if np.isnan(numbers).all():
            continue
        distance = np.abs(numbers - np.nanmedian(numbers))
        usual = np.nanmedian(distance)
        if usual > 0:
            found |= np.nan_to_num(distance) > _FAR * usual
    return found


def marked_rows(rows: TableRows) -> Mask:
    """Rows that a rare value of a column of few values marks ("gesperrt" among "offen" and "bezahlt"); not those of zeros."""
    found = np.zeros(rows.count, dtype=bool)
    for name in _columns(rows, (ColumnType.TEXT, ColumnType.BOOLEAN)):
        counts = Counter(value for value in rows.values[name] if value is not None)
        if 1 < len(counts) <= _FEW_VALUES:
            rare = {value for value, count in counts.items() if count < _RARE * rows.count}
            found |= _each(rows.values[name], lambda value, rare=rare: value in rare)  # type: ignore[misc]
    return found & _not_all_zero(rows)


RULES: tuple[Callable[[TableRows], Mask], ...] = (printed_totals, free_texts, numbers_that_stand_out, marked_rows)


def _not_all_zero(rows: TableRows) -> Mask:
    names = _columns(rows, _NUMBERS)
    if not names:
        return np.ones(rows.count, dtype=bool)
    found = np.zeros(rows.count, dtype=bool)
    for name in names:
        found |= _each(rows.values[name], lambda value: isinstance(value, Decimal) and value != 0)
    return found


def _columns(rows: TableRows, types: Sequence[ColumnType]) -> list[str]:
    return [name for name, column in rows.columns.items() if column.type in types]


def _each(values: Sequence[TypedValue], holds: Callable[[TypedValue], bool]) -> Mask:
    return np.fromiter((holds(value) for value in values), dtype=bool, count=len(values))
