"""A bar chart of a result over periods or a few categories, as geometry: the template draws it as SVG.

Lengths are computed from the exact values; what stands at a bar is the text of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from qa.web.answer_view import NUMBER_TYPES

JsonObject = Mapping[str, Any]

MOST_BARS, FEWEST_BARS = 24, 2
_WIDTH = Fraction(1000)


@dataclass(frozen=True)
class Bar:
    """`x`, `width`: in thousandths of the drawing's width. `fact`: of the value."""

    label: str
    text: str
    x: str
    width: str
    is_negative: bool
    fact: int | None


@dataclass(frozen=True)
class Chart:
    """`zero`: where the bars begin."""

    title: str
    bars: tuple[Bar, ...]
    zero: str


def chart_of(answer: JsonObject) -> Chart | None:
    """None where the result is no list of one label and one number, or has too few or too many rows."""
    result = answer["result"]
    if answer["status"] != "answered" or result is None or result["truncated"]:
        return None
    columns, rows = result["columns"], result["rows"]
    numbers = [i for i, column in enumerate(columns) if column["type"] in NUMBER_TYPES]
    labels = [i for i in range(len(columns)) if i not in numbers]
    if len(numbers) != 1 or len(labels) != 1 or not FEWEST_BARS <= len(rows) <= MOST_BARS:
        return None
    number, label = numbers[0], labels[0]
    values = [_fraction(row[number]) for row in rows]
    known = [value for value in values if value is not None]
    if len(known) < FEWEST_BARS or len({row[label] for row in rows}) < len(rows):
        return None
    low, high = min(Fraction(0), *known), max(Fraction(0), *known)
    if low == high:
        return None
    facts = {(f["row"], f["column"]): i for i, f in enumerate(answer["facts"]) if f.get("row") is not None}

    def at(value: Fraction) -> Fraction:
        return (value - low) / (high - low) * _WIDTH

    bars = []
    for index, (row, value) in enumerate(zip(rows, values, strict=True)):
        fact = facts.get((index, number))
        begin, end = sorted((at(Fraction(0)), at(value if value is not None else Fraction(0))))
        text = answer["facts"][fact]["shown_as"] if fact is not None else "–"
        name = row[label] if row[label] is not None else "–"
        negative = value is not None and value < 0
        bars.append(Bar(name, text, _short(begin), _short(end - begin), negative, fact))
    return Chart(f"{columns[number]['name']} / {columns[label]['name']}", tuple(bars), _short(at(Fraction(0))))


def _fraction(value: str | None) -> Fraction | None:
    try:
        return None if value is None else Fraction(value)
    except (ValueError, ZeroDivisionError):
        return None


def _short(length: Fraction) -> str:
    """Two places are finer than any screen."""
    hundredths = round(length * 100)
    return f"{hundredths // 100}.{hundredths % 100:02d}"
