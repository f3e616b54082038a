"""Rules for places in an order: listed first or last, the one next to another, the first or last by year or day."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.link_names import is_measure, is_time
from orchestrator.plan import AggregatePlan, Beside, ColumnRef, Condition, ListPlan, Output, TermValue
from orchestrator.planners.asked import asked_entity, says_only, who
from orchestrator.planners.decision import Draft
from orchestrator.planners.ordinals import PLACE_NAMES
from orchestrator.planners.parts import Parts, make_term, where
from orchestrator.planners.requirements import require_fixed, require_named
from orchestrator.planners.slots import Slot
from orchestrator.planners.years import year_slot
from orchestrator.question import words_of
from orchestrator.value_names import visible_rows


def listed_at_end(parts: Parts) -> Draft | None:
    """ "Which nation is listed first / last?": by the order of the rows, which only these words ask for."""
    first, last = parts.marks("listed_first"), parts.marks("listed_last")
    target = asked_entity(parts) or who(parts)
    if bool(first) == bool(last) or target is None or target.ref.table != parts.main_name or parts.amounts or parts.measures:
        return None
    if parts.reading.says("maximum", "minimum", "not", "without", "how_many", "group_by"):
        return None
    found = where(parts)
    if not says_only(parts, found, target):
        return None
    plans = tuple(
        replace(_rows(parts, target, conditions), limit=1, from_end=bool(last)) for conditions in found.alternatives
    )
    used = {target.index, *first, *last} | parts.marks("who")
    return Draft(plans, found.used | used | require_named(parts, found, (target.ref,)))


def next_to(parts: Parts) -> Draft | None:
    """ "Which nation is listed right after Chile?": the neighbour in the order of the rows, of ranked rows only where
    no two share their rank."""
    after, before = parts.marks("right_after"), parts.marks("right_before")
    target = asked_entity(parts) or who(parts)
    if bool(after) == bool(before) or target is None or target.ref.table != parts.main_name or len(parts.values) != 1:
        return None
    anchor = parts.values[0]
    same = len(anchor.slot_columns) == 1 and anchor.column.ref == target.ref and len(anchor.stored[0]) == 1 and not anchor.negated
    if not same or parts.amounts or parts.periods or parts.measures:
        return None
    if not _in_strict_order(parts, target, str(anchor.stored[0][0]), 1 if after else -1):
        return None
    if parts.reading.says("maximum", "minimum", "not", "without", "how_many", "group_by"):
        return None
    beside = Beside(target.ref, str(anchor.stored[0][0]), 1 if after else -1)
    plan = replace(_rows(parts, target, ()), beside=beside)
    ranks = {slot.index for slot in parts.slots if set(words_of(slot.column.column.header)) <= PLACE_NAMES}
    return Draft((plan,), frozenset({target.index, anchor.index, *after, *before, *ranks} | parts.marks("who", "rank")))


def _in_strict_order(parts: Parts, target: Slot, anchor: str, step: int) -> bool:
    """Each name once; and where there is a column of ranks, nobody shares the rank of the two."""
    index = parts.reading.names.values[parts.main_name]
    if index.distinct.get(target.ref.column, 0) < index.rows:
        return False
    ranks = [c for c in parts.main.columns if words_of(c.column.header) and set(words_of(c.column.header)) <= PLACE_NAMES]
    for column in ranks:
        data = visible_rows(parts.main, [target.ref.column, column.sql_name])
        names, places = data[target.ref.column].to_pylist(), data[column.sql_name].to_pylist()
        here = names.index(anchor) if anchor in names else -1
        there = here + step
        if here < 0 or not 0 <= there < len(places) or places.count(places[here]) > 1 or places.count(places[there]) > 1:
            return False
    return True


def first_or_last(parts: Parts) -> Draft | None:
    """ "The first year in which …", "the last venue": by the one column of years or days of the table."""
    first, last = parts.marks("first_of"), parts.marks("last_of")
    marks = sorted(first | last)
    if len(marks) != 1 or parts.amounts or parts.measures or parts.reading.says("maximum", "minimum", "how_many", "group_by"):
        return None
    if parts.marks("not", "without") - parts.blank_marks:
        return None
    when = _when(parts)
    behind = next((i for i in range(marks[0] + 1, len(parts.reading.mentions)) if not _mere(parts, i)), None)
    slot = next((slot for slot in parts.slots if slot.index == behind), None)
    if when is None or slot is None or slot.ref.table != parts.main_name:
        return None
    found = where(parts)
    if slot.ref in found.columns:
        return None
    others = [each for each in parts.slots if each.ref not in found.columns | {slot.ref, when.ref}]
    if len(others) > 1 or (others and (slot.ref == when.ref or others[0].index > marks[0])):
        return None
    if others and others[0].ref.table != parts.main_name:
        return None
    used = found.used | {slot.index, *marks} | parts.marks("who")
    if slot.ref == when.ref:
        if not found.columns:
            return None
        kind = "minimum" if first else "maximum"
        terms = [make_term(parts, kind, [when.ref], found, conditions) for conditions in found.alternatives]
        plans = tuple(AggregatePlan((term,), (Output(when.name, TermValue(0)),)) for term in terms)
        return Draft(plans, used)
    require_fixed(parts, found, (slot.ref, when.ref))
    target = others[0] if others else slot  # "who was her partner at the last tournament?"
    rows = tuple(
        replace(_rows(parts, target, conditions), order=((when.ref, bool(last)),), limit=1) for conditions in found.alternatives
    )
    return Draft(rows, used | {target.index} | require_named(parts, found, (slot.ref, target.ref)))


def _mere(parts: Parts, index: int) -> bool:
    return parts.reading.mentions[index].kind == "function_word"


def _when(parts: Parts) -> Slot | None:
    """The only column of days or years."""
    days = [column for column in parts.main.columns if is_time(column)]
    if len(days) > 1:
        return None
    if days:
        return Slot(-1, ColumnRef(parts.main_name, days[0].sql_name), days[0])
    return year_slot(parts.reading)


def _rows(parts: Parts, target: Slot, conditions: tuple[Condition, ...]) -> ListPlan:
    """Each row for itself: two rows with the same name are two places."""
    if is_measure(target.column):
        raise AssertionError("a place is asked for by name")
    return ListPlan(parts.main_name, (target.ref,), (target.name,), (), conditions, distinct=False)
