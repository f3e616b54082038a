"""Rules for two named members: how much more one has than the other, and which of them has more."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.plan import AggregatePlan, Arithmetic, ColumnRef, Order, TermValue
from orchestrator.planners.asked import says_only
from orchestrator.planners.decision import Draft
from orchestrator.planners.parts import Parts, own_measures, plans_for, unit_where, where
from orchestrator.planners.requirements import require_fixed, require_named
from orchestrator.planners.rules_compare import two_sides
from orchestrator.planners.scenario_sides import Side
from orchestrator.planners.slots import ValueSlot


def how_much_more(parts: Parts) -> Draft | None:
    """ "How many more points did A score than B?": A minus B; of "fewer" B minus A."""
    more, less = parts.marks("how_much_more"), parts.marks("how_much_less")
    pair = _pair(parts)
    if bool(more) == bool(less) or pair is None:
        return None
    first, second = pair
    between = parts.reading.question.tokens[parts.place(first.index) : parts.place(second.index)]
    if not any(token.folded in ("than", "als") for token in between):
        return None
    rest = [value for value in parts.values if value not in pair]
    upper, lower = (first, second) if more else (second, first)
    sides: tuple[Side, Side] = ((_name(upper), [*rest, upper], parts.periods), (_name(lower), [*rest, lower], parts.periods))
    draft = two_sides(parts, sides, lambda: Arithmetic("-", TermValue(0), TermValue(1)), None)
    return replace(draft, used=draft.used | more | less | parts.marks("than", "sum")) if draft else None


def which_of_two(parts: Parts) -> Draft | None:
    """ "Who scored more points, A or B?", "Wer hatte mehr Umsatz, Danzig oder Krakau?": the higher of the two with its value."""
    more, less = parts.marks("has_more"), parts.marks("has_less")
    pair, measures = _pair(parts), own_measures(parts)
    asks = parts.marks("which", "who")
    if bool(more) == bool(less) or pair is None or len(measures) != 1 or not asks or not parts.marks("or"):
        return None
    if parts.amounts or parts.reading.says("than", "average", "median", "maximum", "minimum", "share", "group_by", "how_many"):
        return None
    column = pair[0].column
    found, convert = unit_where(parts, where(parts), measures[0])
    if not says_only(parts, found, measures[0], column):
        return None
    refs: tuple[ColumnRef, ...] = (column.ref,)
    require_fixed(parts, found, refs)
    order = Order(0, descending=bool(more), limit=1)
    plans = plans_for(parts, found, measures, group_by=refs, group_names=(column.name,), convert=convert)
    ordered: tuple[AggregatePlan, ...] = tuple(replace(plan, order=order) for plan in plans)
    used = {measures[0].index, *more, *less, *asks} | parts.marks("sum", "or")
    return Draft(ordered, found.used | used | require_named(parts, found, refs))


def _pair(parts: Parts) -> tuple[ValueSlot, ValueSlot] | None:
    """The two members, in the order of the question: the only column of which two single values are said."""
    by_column: dict[ColumnRef, list[ValueSlot]] = {}
    for value in parts.values:
        if value.negated or len(value.slot_columns) != 1 or len(value.stored[0]) != 1:
            return None
        by_column.setdefault(value.column.ref, []).append(value)
    pairs = [values for values in by_column.values() if len(values) == 2]
    if len(pairs) != 1 or any(len(values) > 2 for values in by_column.values()):
        return None
    first, second = sorted(pairs[0], key=lambda value: parts.place(value.index))
    return first, second


def _name(value: ValueSlot) -> str:
    return str(value.stored[0][0])
