"""Groups that stand out among all: outliers, and those that changed more or less than all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from orchestrator.evidence import EvidencedValue
from orchestrator.exact_numbers import exact
from orchestrator.groups import Group
from orchestrator.outcome import Notice, Stop, Stopped, TracedValue
from orchestrator.plan import Conspicuous
from orchestrator.recipe import Node, Recipe, fences
from orchestrator.run_windows import check_addable, joined_evidence, total

LEAST_GROUPS = 5
"""Fewer values have no quartiles that mean anything."""


NEARLY = Fraction(1, 10)
"""A group this near to the bound is said: in parts of the reach of a fence, or of the change of all together."""


@dataclass(frozen=True)
class _Held:
    """A group held against its bound. `beyond`: how far it goes past it, negative short of it; `near`: what counts as near."""

    group: Group
    beyond: Fraction
    near: Fraction


def standing_out(
    conspicuous: Conspicuous, groups: Sequence[Group], everyone: Sequence[Group]
) -> tuple[list[Group], list[Notice]]:
    """Those that stand out, furthest first, with the bound as their last output, and which were a near thing. `groups`: each
    with its value; `everyone`: also those without. Raises Stopped where nothing stands out or nothing can be said."""
    below = [group.label for group in everyone if conspicuous.kind != "outlier" and _number(group.outputs[2]) < 0]
    if below:  # a whole of which only some parts have a change is none
        raise Stopped(Stop("refused", "not_in_data", "not_computable", tuple(below)))
    found = _outliers(conspicuous, groups) if conspicuous.kind == "outlier" else _out_of_proportion(conspicuous, groups)
    past = sorted((held for held in found if held.beyond > 0), key=lambda held: -held.beyond)
    if not past:
        raise Stopped(Stop("refused", "not_in_data", f"nothing_stands_out/{conspicuous.kind}", counts=(len(groups),)))
    return [held.group for held in past], list(_near_the_bound(past, [held for held in found if held.beyond <= 0]))


def _near_the_bound(past: Sequence[_Held], short: Sequence[_Held]) -> Iterator[Notice]:
    for kind, several in (("just_beyond", past), ("just_short", short)):
        near = tuple(held.group.label for held in several if abs(held.beyond) <= held.near)
        if near:
            yield Notice("ties_listed", kind, near, (len(near),))


def _outliers(conspicuous: Conspicuous, groups: Sequence[Group]) -> list[_Held]:
    values = [group.outputs[0] for group in groups]
    if len(values) < LEAST_GROUPS:
        raise Stopped(Stop("refused", "not_in_data", "too_few_values", counts=(len(values), LEAST_GROUPS)))
    check_addable(values)
    numbers = [_number(value) for value in values]
    lower, upper = fences(numbers)
    if lower == upper:
        raise Stopped(Stop("refused", "not_in_data", "no_spread", counts=(len(values),)))
    low = _bound(values, lower, Node("lower_fence", _recipes(values)))
    high = _bound(values, upper, Node("upper_fence", _recipes(values)))
    near = (upper - lower) * _REACH_IN_FENCES * NEARLY
    middle = (upper + lower) / 2
    found: list[_Held] = []
    for number, group in zip(numbers, groups, strict=True):
        if number > middle and conspicuous.side != "down":
            found.append(_Held(_held_against(group, high), number - upper, near))
        elif number <= middle and conspicuous.side != "up":
            found.append(_Held(_held_against(group, low), lower - number, near))
    return found


_REACH_IN_FENCES = Fraction(3, 8)
"""From a quartile to its fence are one and a half of the four interquartile ranges between the fences."""


def _out_of_proportion(conspicuous: Conspicuous, groups: Sequence[Group]) -> list[_Held]:
    """Each change against that of all groups together. Without a positive total to start from there is none."""
    if len(groups) < 2:
        raise Stopped(Stop("refused", "not_in_data", "too_few_values", counts=(len(groups), 2)))
    sides = [[group.outputs[place] for group in groups] for place in (1, 2)]
    for side in sides:
        check_addable(side)
    new, old = (total(side) for side in sides)
    if new.evidence.unit != old.evidence.unit:
        raise Stopped(Stop("refused", "not_understood", "units_differ", (new.evidence.unit or "–", old.evidence.unit or "–")))
    before = _number(old)
    if before <= 0:
        raise Stopped(Stop("refused", "not_in_data", "not_computable"))
    together = (_number(new) - before) / before * 100
    node = Node("change", (*_recipes([new]), *_recipes([old])), Fraction(100))
    bound = _bound([new, old], together, node, "%")
    sign = 1 if conspicuous.side == "up" else -1
    moved = [group for group in groups if _number(group.outputs[0]) * sign > 0]
    way = sign if conspicuous.kind == "more" else -sign
    near = abs(together) * NEARLY
    return [_Held(_held_against(group, bound), (_number(group.outputs[0]) - together) * way, near) for group in moved]


def _held_against(group: Group, bound: TracedValue) -> Group:
    return replace(group, outputs=(*group.outputs[:-1], bound))


def _bound(values: Sequence[TracedValue], number: Fraction, node: Node, unit: str | None = None) -> TracedValue:
    evidence: EvidencedValue = joined_evidence(values)
    queries = tuple(dict.fromkeys(query for value in values for query in value.queries))
    return TracedValue(replace(evidence, value=exact(number), skipped=(), unit=unit or evidence.unit), node, queries)


def _number(value: TracedValue) -> Fraction:
    return Fraction(value.number or 0)


def _recipes(values: Sequence[TracedValue]) -> tuple[Recipe, ...]:
    return tuple(value.recipe for value in values if value.recipe is not None)
