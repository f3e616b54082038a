""" "Who came in second?": a place said in words is about the one column of ranks or positions of the table."""

from __future__ import annotations

import re
from decimal import Decimal

from orchestrator.plan import ColumnRef, Condition, OneOf
from orchestrator.planners.frames import Reading
from orchestrator.planners.slots import Slot
from orchestrator.question import words_of
from parsers.table import ColumnType

PLACE_NAMES = frozenset({"rank", "rang", "pos", "position", "place", "platz", "standing", "ranking"})
_PLACES = ("place_1", "place_2", "place_3", "place_4", "place_5")


def place_slot(reading: Reading) -> Slot | None:
    """The one column of ranks; None where there is none or there are several."""
    table = reading.frame.main_table
    found = [c for c in table.columns if len(words_of(c.column.header)) == 1 and words_of(c.column.header)[0] in PLACE_NAMES]
    return Slot(-1, ColumnRef(reading.frame.main, found[0].sql_name), found[0]) if len(found) == 1 else None


def place_conditions(reading: Reading) -> tuple[tuple[int, Slot, Condition], ...]:
    """(mention, column, condition) of each place said; one that no column holds stays unexplained."""
    slot = place_slot(reading)
    found: list[tuple[int, Slot, Condition]] = []
    for index, mention in enumerate(reading.mentions):
        place = next((number for number, concept in enumerate(_PLACES, start=1) if mention.says(concept)), None)
        if place is None or slot is None:
            continue
        if slot.column.column.type is ColumnType.TEXT:
            hits = reading.names.values[slot.ref.table].of_column(slot.ref.column)
            written = re.compile(rf"{place}(?:st|nd|rd|th|\.)?")
            fitting = tuple(str(hit.stored) for hit in hits if written.fullmatch(str(hit.stored).strip()))
            if fitting:
                found.append((index, slot, OneOf(slot.ref, fitting)))
        elif slot.column.column.type in (ColumnType.INTEGER, ColumnType.DECIMAL):
            found.append((index, slot, OneOf(slot.ref, (Decimal(place),))))
    return tuple(found)
