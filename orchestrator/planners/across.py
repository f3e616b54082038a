"""One question over two tables that do not join: "Sachkosten und Personalkosten der Kostenstelle 4400 zusammen"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

from orchestrator.plan import AggregatePlan, Arithmetic, Expression, Output, TermValue
from orchestrator.planners.decision import Draft, Stop
from orchestrator.planners.frames import Reading
from orchestrator.planners.parts import Parts, take_apart
from orchestrator.planners.slots import SOFT

_SIGNS = (("difference", "-"), ("minus", "-"), ("sum", "+"), ("plus", "+"))


SIGN_WORDS = tuple(concept for concept, _ in _SIGNS)
"""Concepts without which no two tables are put together."""


def across_tables(readings: Sequence[Reading], rules: tuple[Callable[[Parts], Draft | None], ...]) -> list[tuple[Draft, Reading]]:
    """Each measure read in the one table that has it, everything else said to all of them; then added or subtracted.

    Only where two or three tables each miss nothing but the other measures."""
    open_readings = (reading for reading in readings if reading.uncovered and not reading.inner and reading.says(*SIGN_WORDS))
    gaps = [(reading, _gap(reading)) for reading in open_readings]
    gaps = [(reading, gap) for reading, gap in gaps if gap and all(token.text[:1].isalpha() for token in reading.uncovered)]
    found = []
    for (left, left_gap), (right, right_gap) in product(gaps, gaps):
        if left.frame.main >= right.frame.main or left_gap & right_gap:
            continue
        sign = next((sign for concept, sign in _SIGNS if left.says(concept) and right.says(concept)), None)
        if sign is None or not _own(left, right_gap) or not _own(right, left_gap):
            continue
        first, second = (left, right) if min(right_gap) < min(left_gap) else (right, left)
        draft = _combine(first, second, sign, rules)
        if draft is not None:
            found.append((draft, first))
    return found


def _gap(reading: Reading) -> frozenset[int]:
    return frozenset(token.index for token in reading.uncovered)


def _own(reading: Reading, gap: frozenset[int]) -> bool:
    """What the other table misses is a measure of this one."""
    columns = [mention for mention in reading.mentions if mention.kind == "columns"]
    return all(any(mention.first <= index < mention.last for mention in columns) for index in gap)


def _combine(first: Reading, second: Reading, sign: str, rules: tuple[Callable[[Parts], Draft | None], ...]) -> Draft | None:
    plans = []
    for reading in (first, second):
        single = _alone(reading)
        try:
            parts = take_apart(single)
            draft = next((draft for rule in rules if (draft := rule(parts)) is not None and len(draft.plans) == 1), None)
        except Stop:
            return None
        if (
            draft is None
            or not _all_used(parts, draft)
            or not isinstance(draft.plans[0], AggregatePlan)
            or draft.plans[0].group_by
        ):
            return None
        plans.append(draft.plans[0])
    terms = (*plans[0].terms[:1], *plans[1].terms[:1])
    expression: Expression = Arithmetic("-" if sign == "-" else "+", TermValue(0), TermValue(1))
    name = f" {'–' if sign == '-' else '+'} ".join(plan.outputs[0].name for plan in plans)
    outputs = (
        Output(name, expression, convert_to=plans[0].outputs[0].convert_to),
        *(Output(plan.outputs[0].name, TermValue(i), shown=False) for i, plan in enumerate(plans)),
    )
    return Draft((AggregatePlan(terms, outputs),), frozenset(range(len(first.mentions))))


def _alone(reading: Reading) -> Reading:
    """The reading without the words that put the two sides together."""
    concepts = {concept for concept, _ in _SIGNS} | {"between"}
    return replace(reading, uncovered=(), mentions=tuple(m for m in reading.mentions if not m.says(*concepts)))


def _all_used(parts: Parts, draft: Draft) -> bool:
    return all(
        index in draft.used or index in parts.free or bool(set(mention.concepts) & SOFT)
        for index, mention in enumerate(parts.reading.mentions)
    )
