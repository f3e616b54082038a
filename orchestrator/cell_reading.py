"""A cell's text, as the second reader gives it, read as a value of its column.

How a column writes its values (decimal comma, percent format, day before month) was decided at ingest over the whole column.
Here the reading is found again from the cell itself: of all readings that are possible for the column's type, those that turn
the text of ingest into the stored value. The same reading then applies to the text that stands in the file now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

from orchestrator.evidence import Scalar
from parsers.dates import compact_date, date_text
from parsers.fold import fold
from parsers.quantity import number_text
from parsers.stored_number import date_of_serial
from parsers.table import Column, ColumnType

Reading = Callable[[str], Scalar]

_TRUE = frozenset({"true", "1", "ja", "wahr", "x", "yes", "y", "j", "tak", "t"})
_FALSE = frozenset({"false", "0", "nein", "falsch", "no", "n", "nie", "f"})


class UnknownReading(Exception):
    """No possible reading turns the text of ingest into the stored value: the two readers disagree on the cell."""


def reread_value(column: Column, stored: Scalar, text_then: str | None, text_now: str | None) -> Scalar:
    """The cell's value now. `stored`: its value in the segment; `text_then`: the second reader's text at ingest.

    Raises UnknownReading. A text that no longer fits the column's type comes back as text, a blank cell as None."""
    if text_now is None:
        return None
    if stored is None:
        return text_now if text_now != text_then else None
    if text_then is None:
        raise UnknownReading
    for reading in _readings(column):
        if _same(_try(reading, text_then), stored):
            value = _try(reading, text_now)
            return text_now if value is None else value
    if column.type in (ColumnType.DECIMAL, ColumnType.INTEGER):
        raise UnknownReading
    return stored if text_now == text_then else text_now


def agrees(column: Column, stored: Scalar, text: str | None) -> bool:
    """Whether the second reader's text of a cell can be read as the stored value."""
    try:
        return reread_value(column, stored, text, text) == stored
    except UnknownReading:
        return False


def _readings(column: Column) -> Iterable[Reading]:
    match column.type:
        case ColumnType.DECIMAL | ColumnType.INTEGER:
            yield from _number_readings(column)
        case ColumnType.DATE | ColumnType.TIMESTAMP:
            yield from (_day_first, _month_first, compact_date, _serial)
        case ColumnType.BOOLEAN:
            yield _boolean
        case _:
            yield _text


def _number_readings(column: Column) -> Iterable[Reading]:
    """As stored, as percent, with a decimal comma or point; then the same settled to the column's places (a computed cell
    carries binary noise beyond them)."""
    plain: tuple[Reading, ...] = (_plain, _percent, _comma, _point)
    yield from plain
    step = Decimal(1).scaleb(-column.scale)
    for reading in plain:
        yield lambda text, reading=reading: _settled(reading(text), step)  # type: ignore[misc]


def _settled(value: Scalar, step: Decimal) -> Scalar:
    return value.quantize(step, ROUND_HALF_EVEN) if isinstance(value, Decimal) else value


def _try(reading: Reading, text: str) -> Scalar:
    try:
        return reading(text)
    except (ValueError, InvalidOperation, ArithmeticError):
        return None


def _same(value: Scalar, stored: Scalar) -> bool:
    if isinstance(value, datetime) != isinstance(stored, datetime):
        return _moment(value) == _moment(stored)
    return value is not None and value == stored


def _moment(value: Scalar) -> Scalar:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    return value


def _plain(text: str) -> Scalar:
    return Decimal(text)


def _percent(text: str) -> Scalar:
    return Decimal(text) * 100


def _comma(text: str) -> Scalar:
    found = number_text(text)
    return found.comma if found is not None else None


def _point(text: str) -> Scalar:
    found = number_text(text)
    return found.point if found is not None else None


def _day_first(text: str) -> Scalar:
    found = date_text(text)
    return found.day_first if found is not None else None


def _month_first(text: str) -> Scalar:
    found = date_text(text)
    return found.month_first if found is not None else None


def _serial(text: str) -> Scalar:
    return date_of_serial(Decimal(text), date1904=False)


def _boolean(text: str) -> Scalar:
    word = fold(text)
    return True if word in _TRUE else False if word in _FALSE else None


def _text(text: str) -> Scalar:
    return " ".join(text.split())
