"""The two scenarios that a question compares: actual against plan, plan against prior year."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orchestrator.plan import ColumnRef
from orchestrator.planners.conditions import PeriodUse
from orchestrator.planners.parts import Parts, own_measures
from orchestrator.planners.slots import Slot, ValueSlot
from parsers.scenarios import scenario_class

Side = tuple[str, Sequence[ValueSlot], Sequence[PeriodUse]]
"""Its label, its names and its periods."""


def scenario_sides(parts: Parts, *, as_said: bool = False, implied: bool = False) -> tuple[Side, Side] | None:
    """Actual against plan: with "minus" or `as_said` as the question says it, else actual first. `implied`: where only another
    scenario is said ("über Plan", "Abweichung vom Budget"), it is the actual that is held against it."""
    pair = [value for value in parts.values if value.column.column.column.role == "scenario"]
    rest = [value for value in parts.values if value not in pair]
    if implied and len(pair) == 1 and not pair[0].negated:
        actual = _actual_beside(parts, pair[0])
        if actual is None:
            return None
        return (str(actual.stored[0][0]), [*rest, actual], parts.periods), (
            str(pair[0].stored[0][0]), [*rest, pair[0]], parts.periods,
        )  # fmt: skip
    if len(pair) != 2 or len({str(value.stored[0]) for value in pair}) != 2:
        return None
    ordered = sorted(pair, key=lambda value: parts.place(value.index))
    if not as_said and not parts.reading.says("minus"):
        ordered.sort(key=lambda value: scenario_class(str(value.stored[0][0])) != "actual")
    first, second = ((str(value.stored[0][0]), [*rest, value], parts.periods) for value in ordered)
    return first, second


def value_of_each(parts: Parts, groups: Sequence[Slot]) -> tuple[Slot, ...]:
    """The measures said; in a cross-tab grouped by its only row label, the value that each row has ("Welche Kostenarten lagen
    über Plan?" names no figure, since the rows are the figures)."""
    said = own_measures(parts)
    table = parts.main.stored.table
    labels = [c.sql_name for c in parts.main.columns if c.column.role == "dimension" and c.column.position is not None]
    values = [c for c in parts.main.columns if c.column.role == "value"]
    if said or parts.measures or table.layout != "tidy" or len(labels) != 1 or len(values) != 1:
        return said
    grouped = any(slot.ref == ColumnRef(parts.main_name, labels[0]) for slot in groups)
    return (Slot(-1, ColumnRef(parts.main_name, values[0].sql_name), values[0]),) if grouped else ()


def _actual_beside(parts: Parts, other: ValueSlot) -> ValueSlot | None:
    """The one member of the scenario column that is the actual, as if it had been said with the other; None if there is none, or
    if the other is it."""
    if len(other.slot_columns) != 1 or len(other.stored[0]) != 1 or other.column.ref.table != parts.main_name:
        return None
    if scenario_class(str(other.stored[0][0])) in (None, "actual"):
        return None
    members = parts.reading.names.values[parts.main_name].of_column(other.column.ref.column)
    actual = {named.stored for named in members if scenario_class(str(named.stored)) == "actual"}
    return replace(other, stored=((actual.pop(),),)) if len(actual) == 1 else None
