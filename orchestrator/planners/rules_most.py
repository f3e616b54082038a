"""Rules for the thing that occurs most: by rows, or by the different things that go with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orchestrator.compounds import entity_name
from orchestrator.link_names import is_measure
from orchestrator.plan import AggregatePlan, ColumnRef, Condition, Having, Order, Output, TermValue
from orchestrator.planners.asked import asked_entity, counted, limit_said, says_only
from orchestrator.planners.decision import Draft
from orchestrator.planners.parts import Parts, Where, make_term, where, with_amounts
from orchestrator.planners.requirements import require_fixed, require_named
from orchestrator.planners.slots import Slot
from orchestrator.things.book import measuring_adjectives
from orchestrator.value_names import visible_rows


def most_often(parts: Parts) -> Draft | None:
    """ "Welcher Kunde hat die meisten Bestellungen?", "Which venue is listed the most?", "What is the most common surface?"."""
    target = asked_entity(parts)
    often, highest, lowest = parts.marks("most_often"), parts.marks("maximum"), parts.marks("minimum")
    if target is None or target.ref.table != parts.main_name or parts.measures or parts.reading.says("top", "average", "share"):
        return None
    thing = _thing(parts, target, {mark for mark in highest | lowest if _word(parts, mark) in _COUNTS})
    if often:
        if highest or lowest or thing is not None:
            return None
    elif thing is None or bool(highest) == bool(lowest):
        return None
    found = with_amounts(parts, where(parts), None)
    if not says_only(parts, found, target, thing) or (lowest and _may_have_none(parts, target, found)):
        return None
    require_fixed(parts, found, (target.ref,), over_time=True)
    limit, limit_used = limit_said(parts, target)
    plans: list[AggregatePlan] = []
    for conditions in found.alternatives:
        for aggregation, columns in _ways(parts, target, thing):
            plans.append(_plan(parts, target, thing, aggregation, columns, found, conditions, Order(0, not lowest, limit)))
    used = {target.index, *often, *highest, *lowest, *limit_used} | ({thing.index} if thing else set())
    return Draft(tuple(plans), found.used | used | require_named(parts, found, (target.ref,)))


_COUNTS = frozenset({"most", "fewest", "least", "meisten", "meiste", "wenigsten", "wenigste"})
"""Superlatives of how many there are; "highest" is about a value."""


def _word(parts: Parts, mark: int) -> str:
    return parts.reading.question.tokens[parts.reading.mentions[mark].last - 1].folded


def _thing(parts: Parts, target: Slot, marks: set[int]) -> Slot | None:
    """The column right behind "die meisten" that is no figure."""
    for mark in marks:
        behind = next((i for i in range(mark + 1, len(parts.reading.mentions)) if not _passed(parts, i)), None)
        slot = next((slot for slot in parts.slots if slot.index == behind), None)
        if slot is not None and not is_measure(slot.column) and slot.ref != target.ref and slot.ref.table == parts.main_name:
            return slot
    return None


def _passed(parts: Parts, index: int) -> bool:
    mention = parts.reading.mentions[index]
    return mention.kind == "function_word" or mention.says("how_many", "distinct")


def _ways(parts: Parts, target: Slot, thing: Slot | None) -> Sequence[tuple[str, tuple[ColumnRef, ...]]]:
    """A key counts things; of any other column its rows and its different values have to agree."""
    if thing is None:
        first = parts.main.columns[0]
        is_key = first.sql_name != target.ref.column and entity_name(first.column.header) is not None
        key = ColumnRef(parts.main_name, first.sql_name)
        lines_of_key = is_key and not _tells_rows_apart(parts)
        return (("count", (target.ref,)), *((("count_distinct", (key,)),) if lines_of_key else ()))
    ends = {end for path in parts.reading.frame.paths.values() for join in path for end in (join.many, join.one)}
    if thing.ref in ends or entity_name(thing.column.column.header) or parts.reading.says("distinct"):
        return (("count_distinct", (thing.ref,)),)
    return (("count_distinct", (thing.ref,)), ("count", (thing.ref,)))


def _tells_rows_apart(parts: Parts) -> bool:
    index = parts.reading.names.values[parts.main_name]
    return index.distinct.get(parts.main.columns[0].sql_name, 0) >= index.rows


def having_count(parts: Parts) -> Draft | None:
    """ "Welche Kunden haben mehr als drei Bestellungen?", "Wie viele Länder haben mindestens zwei Kunden?": groups by how many
    things they have."""
    counts = sorted(parts.marks("how_many"))
    target = counted(parts, counts[0]) if counts else asked_entity(parts)
    if target is None or is_measure(target.column) or target.ref.table != parts.main_name or len(parts.amounts) != 1:
        return None
    use = parts.amounts[0]
    behind = next((i for i in range(use.index + 1, len(parts.reading.mentions)) if not _passed(parts, i)), None)
    thing = next((slot for slot in parts.slots if slot.index == behind), None)
    if thing is None or is_measure(thing.column) or thing.ref == target.ref or thing.ref.table != parts.main_name:
        return None
    if parts.reading.question.tokens[parts.place(thing.index)].folded in measuring_adjectives():
        return None  # "unter 30 Jahre alt" is an age, not how many ages there are
    whole = use.amount.unit is None and use.amount.value == use.amount.value.to_integral_value()
    if not whole or parts.measures or parts.reading.says("maximum", "minimum", "average", "group_by", "share"):
        return None
    found = where(parts)
    few = use.operator in ("<", "<=") or use.amount.value == 0
    if not says_only(parts, found, target, thing) or (few and _may_have_none(parts, target, found)):
        return None
    require_fixed(parts, found, (target.ref,), over_time=True)
    plans = tuple(
        replace(
            _plan(parts, target, thing, aggregation, columns, found, conditions, None),
            having=(Having(0, use.operator, use.amount.value),),
            count_groups=bool(counts),
        )
        for conditions in found.alternatives
        for aggregation, columns in _ways(parts, target, thing)
    )
    used = {target.index, thing.index, use.index, *counts} | parts.marks("whose", "distinct")
    used |= {use.operator_index} if use.operator_index is not None else set()
    return Draft(plans, found.used | used | require_named(parts, found, (target.ref,)))


def _may_have_none(parts: Parts, target: Slot, found: Where) -> bool:
    """Another table lists the things, and some of them, or some under the conditions, may have no row here: the fewest and
    "weniger als zwei" would leave them out."""
    joins = [join for path in parts.reading.frame.paths.values() for join in path if join.many == target.ref]
    for join in joins:
        listed = visible_rows(parts.reading.frame.tables[join.one.table], [join.one.column])[join.one.column].to_pylist()
        here = visible_rows(parts.main, [target.ref.column])[target.ref.column].to_pylist()
        if found.columns or not set(listed) <= set(here):
            return True
    return False


def _plan(
    parts: Parts,
    target: Slot,
    thing: Slot | None,
    aggregation: str,
    columns: tuple[ColumnRef, ...],
    found: Where,
    conditions: tuple[Condition, ...],
    order: Order | None,
) -> AggregatePlan:
    word = {"de": "Anzahl", "en": "Number of", "pl": "Liczba"}[parts.reading.question.language]
    rows = {"de": "Zeilen", "en": "rows", "pl": "wierszy"}[parts.reading.question.language]
    term = make_term(parts, aggregation, columns, found, conditions, (target.ref,))
    name = f"{word} {thing.name if thing else rows}"
    return AggregatePlan((term,), (Output(name, TermValue(0)),), (target.ref,), (target.name,), order=order)
