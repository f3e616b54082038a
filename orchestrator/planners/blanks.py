"""Filters by what a column does not hold ("ohne Region") and by parts of its texts ("beginnt mit")."""

from __future__ import annotations

from orchestrator.compounds import entity_name
from orchestrator.link_names import is_measure, is_time
from orchestrator.plan import TextMatch
from orchestrator.planners.frames import Reading
from orchestrator.planners.slots import Slot, negation_index
from orchestrator.value_names import visible_rows
from parsers.table import ColumnType


def blank_columns(reading: Reading, slots: tuple[Slot, ...]) -> tuple[tuple[int, Slot], ...]:
    """ "ohne Mahnstufe", "haben keine Region": a column with blanks right behind the word, and no value of it behind that.

    Keys and figures are left out: a thing without orders, a figure without tax mean something else."""
    negating = {negation_index(reading, i) for i, mention in enumerate(reading.mentions) if mention.kind == "values"}
    by_index = {slot.index: slot for slot in slots}
    found = []
    for mark, mention in enumerate(reading.mentions):
        if not mention.says("without", "not") or mark in negating:
            continue
        behind = next((i for i in range(mark + 1, len(reading.mentions)) if reading.mentions[i].kind != "function_word"), None)
        slot = by_index.get(behind) if behind is not None else None
        if slot is None or is_measure(slot.column) or is_time(slot.column) or not _may_be_blank(reading, slot):
            continue
        after = reading.mentions[slot.index + 1 : slot.index + 2]
        if after and any(name.key == (slot.ref.table, slot.ref.column) for name in after[0].values):
            continue
        found.append((mark, slot))
    return tuple(found)


def _may_be_blank(reading: Reading, slot: Slot) -> bool:
    ends = {end for path in reading.frame.paths.values() for join in path for end in (join.many, join.one)}
    if slot.ref in ends or entity_name(slot.column.column.header) or slot.ref.table != reading.frame.main:
        return False
    data = visible_rows(reading.frame.main_table, [slot.ref.column])
    return bool(data[slot.ref.column].null_count)


def text_matches(reading: Reading, slots: tuple[Slot, ...]) -> tuple[tuple[int, Slot, TextMatch], ...]:
    """ "Firmen, die mit Ahorn beginnen": the text column said last before the words, else the next one behind them.

    A text that no column takes stays unexplained."""
    texts = [slot for slot in slots if slot.column.column.type is ColumnType.TEXT]
    found = []
    for index, mention in enumerate(reading.mentions):
        if mention.text is None:
            continue
        before = [slot for slot in texts if slot.index < index]
        behind = [slot for slot in texts if slot.index > index]
        slot = before[-1] if before else behind[0] if behind else None
        if slot is not None:
            found.append((index, slot, TextMatch(slot.ref, mention.text.kind, mention.text.text)))
    return tuple(found)
