"""What is shown over the groups of a result once they stand in order: running totals, shares of all, the rank of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from orchestrator.cell_ranges import union
from orchestrator.evidence import EvidencedValue
from orchestrator.exact_numbers import exact
from orchestrator.groups import Group
from orchestrator.outcome import Notice, Stop, Stopped, TracedValue
from orchestrator.plan import Window
from orchestrator.recipe import Node, Recipe
from orchestrator.run_buckets import merged_recipe


def windowed(window: Window, groups: Sequence[Group]) -> list[Group]:
    """The first output of each group replaced by its running total or its share of all; for a rank only the one group, with its
    rank. Raises Stopped where a value is missing, they are in several units, or the group is not there."""
    if window.kind == "rank":
        return [_ranked(window, groups)]
    values = [group.outputs[0] for group in groups]
    if window.kind == "running" and any(key.absent is not None for group in groups for key in group.keys):
        raise Stopped(Stop("refused", "incomplete_data", "group_without_value"))
    found = running_totals(values) if window.kind == "running" else shares(values)
    return [replace(group, outputs=(value, *group.outputs[1:])) for group, value in zip(groups, found, strict=True)]


def _ranked(window: Window, groups: Sequence[Group]) -> Group:
    """Groups without a name or without a value do not take part."""
    named = [group for group in groups if all(key.absent is None for key in group.keys)]
    own = [group for group in named if tuple(key.evidence.value for key in group.keys) == window.rank_of]
    if len(own) != 1:
        raise Stopped(Stop("refused", "not_in_data", "no_rows"))
    others = [group.outputs[0] for group in named if group is not own[0] and group.outputs[0].number is not None]
    return replace(own[0], outputs=(rank(own[0].outputs[0], others, window.descending), *own[0].outputs[1:]))


def rank_notices(own: Group, groups: Sequence[Group]) -> Iterator[Notice]:
    """Who shares the rank and who has no value to be ranked by; `groups`: with their values."""
    value = next(group.outputs[0].number for group in groups if group.keys == own.keys)
    tied = tuple(group.label for group in groups if group.outputs[0].number == value and group.keys != own.keys)
    if tied:
        yield Notice("ties_listed", "rank", (own.label, *tied), (len(tied) + 1,))
    missing = tuple(group.label for group in groups if group.outputs[0].number is None)
    if missing:
        yield Notice("missing_skipped", "groups", missing, (len(missing),))


def running_totals(values: Sequence[TracedValue]) -> list[TracedValue]:
    """Up to each value, in their order. Raises Stopped where one is missing or they are in several units."""
    check_addable(values)
    return [total(values[: place + 1]) for place in range(len(values))]


def shares(values: Sequence[TracedValue]) -> list[TracedValue]:
    """Each value in percent of all. Raises Stopped like running_totals, and for a whole of zero."""
    check_addable(values)
    whole = total(values)
    if not whole.number:
        raise Stopped(Stop("refused", "not_in_data", "not_computable"))
    found = []
    for value in values:
        number = Fraction(value.number or 0) / whole.number * 100
        recipe = Node("/", (_recipe(value), _recipe(whole)), Fraction(100))
        evidence = replace(
            value.evidence,
            value=exact(number),
            unit="%",
            base_cells=whole.evidence.cells,
            skipped=(),
            proved=whole.evidence.proved,
            why_not=whole.evidence.why_not,
        )
        found.append(TracedValue(evidence, recipe, value.queries))
    return found


def rank(own: TracedValue, others: Sequence[TracedValue], descending: bool) -> TracedValue:
    """The place of a value among all: one more than there are better ones. Raises Stopped like running_totals."""
    everything = (own, *others)
    check_addable(everything)
    number = Fraction(own.number or 0)
    better = sum((Fraction(o.number or 0) > number) if descending else (Fraction(o.number or 0) < number) for o in others)
    evidence = replace(
        joined_evidence(everything), value=exact(Fraction(1 + better)), cells=own.evidence.cells, skipped=(), unit=None,
        base_cells=union(*(value.evidence.cells for value in others)),
    )  # fmt: skip
    recipe = Node("rank_down" if descending else "rank_up", tuple(_recipe(value) for value in everything))
    return TracedValue(evidence, recipe, own.queries)


def check_addable(values: Sequence[TracedValue]) -> None:
    """Raises Stopped where a value is missing or cannot be computed again, or where they are in several units."""
    if any(value.number is None or value.recipe is None for value in values):
        raise Stopped(Stop("refused", "incomplete_data", "group_without_value"))
    units = tuple(dict.fromkeys(value.evidence.unit for value in values))
    if len(units) > 1:
        raise Stopped(Stop("refused", "mixed_currency", "mixed_currency", tuple(unit for unit in units if unit is not None)))


def _recipe(value: TracedValue) -> Recipe:
    assert value.recipe is not None
    return value.recipe


def total(values: Sequence[TracedValue]) -> TracedValue:
    """The sum of values in one unit, none of them missing."""
    if len(values) == 1:
        return values[0]
    recipes = [_recipe(value) for value in values]
    columns = getattr(recipes[0], "columns", ())
    same = all(getattr(recipe, "kind", "") == "sum" and getattr(recipe, "columns", None) == columns for recipe in recipes)
    recipe = merged_recipe("sum", recipes, columns) if same else Node("+", tuple(recipes))
    number = sum((Fraction(value.number or 0) for value in values), Fraction(0))
    return TracedValue(replace(joined_evidence(values), value=exact(number)), recipe, values[0].queries)


def joined_evidence(values: Sequence[TracedValue]) -> EvidencedValue:
    """Evidence of something computed from all values, still without its value."""
    found = [value.evidence for value in values]
    return EvidencedValue(
        None,
        cells=union(*(value.cells for value in found)),
        skipped=union(*(value.skipped for value in found)),
        hidden_rows=sum(value.hidden_rows for value in found),
        unit=found[0].unit,
        proved=all(value.proved for value in found),
        why_not=next((value.why_not for value in found if value.why_not), None),
    )
