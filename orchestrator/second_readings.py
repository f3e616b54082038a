"""What a cell's text, as the second reader gives it, may mean in a column of known type: every reading that the column allows.

The second reader does not look at number formats, so a percent cell may stand for itself or for a hundred times itself, and a
text may have a decimal comma or a decimal point; orchestrator.prove holds a column to one of the two styles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from typing import Literal

from orchestrator.evidence import Scalar
from parsers.column_cells import TRUE_WORDS
from parsers.dates import compact_date, date_text
from parsers.fold import fold
from parsers.periods import parse_period
from parsers.quantity import decimal_places, is_missing, number_text
from parsers.stored_number import date_of_serial
from parsers.table import Column, ColumnType

Style = Literal["plain", "comma", "point"]
"""plain: the only reading; comma, point: with that decimal mark."""

_PLAIN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\Z")
_EXACT = Context(prec=100, rounding=ROUND_HALF_EVEN)
_TYPED_DIGITS = 12
"""A longer number may be a computed one with binary noise, which the first reader has settled."""


@dataclass(frozen=True, slots=True)
class Reading:
    value: Scalar
    style: Style = "plain"


def readings(column: Column, text: str | None, kind: str | None = None) -> Iterator[Reading]:
    """Readings of a cell of this column, best first. `text` None: no such cell. `kind` of parsers.second_reader, None if unknown
    (then the text itself decides)."""
    if text is None or is_missing(text, among_numbers=column.type in (ColumnType.DECIMAL, ColumnType.INTEGER)):
        yield Reading(None)
        if text is None:
            return
    match column.type:
        case ColumnType.DECIMAL | ColumnType.INTEGER:
            for number, style in _numbers(text, kind):
                yield Reading(number, style)
                if column.unit == "%" or column.unit_column is not None:
                    yield Reading(_EXACT.multiply(number, Decimal(100)), style)
        case ColumnType.DATE | ColumnType.TIMESTAMP:
            for moment, style in _moments(text):
                yield Reading(_as(column.type, moment), style)
        case ColumnType.BOOLEAN:
            yield Reading(text == "true" if text in ("true", "false") else fold(text) in TRUE_WORDS)
        case ColumnType.TEXT | ColumnType.PERIOD:
            yield from (Reading(one) for one in _texts(text, kind))


@lru_cache(maxsize=65536)
def _numbers(text: str, kind: str | None) -> tuple[tuple[Decimal, Style], ...]:
    found: list[tuple[Decimal, Style]] = []
    if kind in ("number", None) and _PLAIN.match(text):
        found.append((Decimal(text), "plain"))
    if kind in ("text", None):
        number = number_text(text)
        if number is not None and number.comma == number.point and number.comma is not None:
            found.append((number.comma, "plain"))
        elif number is not None:
            marked: list[tuple[Decimal | None, Style]] = [(number.comma, "comma"), (number.point, "point")]
            found += [(value, style) for value, style in marked if value is not None]
            if kind is None:
                found.sort(key=lambda one: one[1] == "plain")
    return tuple(found)


def _moments(text: str) -> Iterator[tuple[date | datetime, Style]]:
    """ISO first; then the two orders of day and month (day first counts as "comma"); then serial days of both systems."""
    with suppress(ValueError):
        yield (datetime if len(text) > 10 else date).fromisoformat(text), "plain"
    found = date_text(text)
    if found is not None:
        same = found.day_first == found.month_first
        if found.day_first is not None:
            yield found.day_first, "plain" if same else "comma"
        if found.month_first is not None and not same:
            yield found.month_first, "point"
    if (day := compact_date(text)) is not None:
        yield day, "plain"
    if _PLAIN.match(text):
        for system in (False, True):
            serial = date_of_serial(Decimal(text), system)
            if serial is not None:
                yield serial, "plain" if not system else "point"


def _as(kind: ColumnType, moment: date | datetime) -> date | datetime:
    if kind is ColumnType.TIMESTAMP and not isinstance(moment, datetime):
        return datetime.combine(moment, time())
    return moment


def _texts(text: str, kind: str | None) -> Iterator[str]:
    yield " ".join(text.split())
    if kind in ("date", None):
        try:
            moment = datetime.fromisoformat(text)
            yield moment.strftime("%d.%m.%Y")
            yield f"{moment.month:02d}.{moment.year}"
        except ValueError:
            pass
    if kind in ("boolean", None) and text in ("true", "false"):
        yield "WAHR" if text == "true" else "FALSCH"


def means(column: Column, stored: Scalar, reading: Reading) -> bool:
    """Whether a stored value is this reading."""
    if stored is None or reading.value is None:
        return stored is None and reading.value is None
    if isinstance(stored, Decimal):
        return isinstance(reading.value, Decimal) and (stored == reading.value or _settled(stored, reading.value, column.scale))
    if isinstance(stored, str):
        return isinstance(reading.value, str) and _same_text(column, stored, reading.value)
    return stored == reading.value and type(stored) is type(reading.value)


def _settled(stored: Decimal, read: Decimal, scale: int) -> bool:
    """A computed number of many digits that was rounded to the column's places; or to fewer, which a tidied cross-tab's narrower
    columns have, if that changes only its noise."""
    if len(read.as_tuple().digits) <= _TYPED_DIGITS:
        return False
    twice = _EXACT.multiply(_EXACT.subtract(stored, read).copy_abs(), Decimal(2))
    if twice <= Decimal((0, (1,), -scale)):
        return True
    noise = _EXACT.multiply(read.copy_abs(), Decimal("1e-6"))
    return twice <= min(Decimal((0, (1,), -decimal_places(stored))), noise)


def _same_text(column: Column, stored: str, read: str) -> bool:
    if " ".join(stored.split()) == read or fold(stored) == fold(read):
        return True
    if column.type is ColumnType.PERIOD:
        label = parse_period(stored)
        year = None if label is None else label.start.year
        found = parse_period(read, year_hint=year)
        return label is not None and found is not None and (label.start, label.end) == (found.start, found.end)
    return False
