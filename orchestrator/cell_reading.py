"""A cell's text, as the second reader gives it now, read as its column's value in the way that explained the text of ingest."""

from __future__ import annotations

from orchestrator.evidence import Scalar
from orchestrator.second_readings import Reading, means, readings
from parsers.table import Column, ColumnType


class UnknownReading(Exception):
    """No possible reading turns the text of ingest into the stored value: the two readers disagree on the cell."""


def reread_value(column: Column, stored: Scalar, text_then: str | None, text_now: str | None) -> Scalar:
    """The cell's value now. `stored`: its value in the segment; `text_then`: the second reader's text at ingest.

    How the column writes its values (decimal comma, percent, day before month) is taken from the text of ingest and holds for
    the text of now. Raises UnknownReading. A text that no longer fits the column's type comes back as text, a blank as None."""
    then = list(readings(column, text_then))
    place = next((place for place, reading in enumerate(then) if means(column, stored, reading)), None)
    if place is None:
        if column.type in (ColumnType.DECIMAL, ColumnType.INTEGER):
            raise UnknownReading
        return stored if text_now == text_then else text_now
    if text_now == text_then:
        return stored
    return _alike(list(readings(column, text_now)), then[place], place, len(then), text_now)


def _alike(now: list[Reading], chosen: Reading, place: int, count: int, text: str | None) -> Scalar:
    if len(now) == count:
        return now[place].value
    return next((reading.value for reading in now if reading.style == chosen.style), now[0].value if now else text)


def agrees(column: Column, stored: Scalar, text: str | None) -> bool:
    """Whether the second reader's text of a cell can be read as the stored value."""
    try:
        return reread_value(column, stored, text, text) == stored
    except UnknownReading:
        return False
