"""Rules for one scenario against another: over or under plan, plan attainment."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.plan import Arithmetic, Change, Ratio, TermValue
from orchestrator.planners.decision import Draft
from orchestrator.planners.parts import Parts
from orchestrator.planners.rules_compare import asked_groups, only_moved, two_sides
from orchestrator.planners.scenario_sides import scenario_sides, value_of_each


def attained(parts: Parts) -> Draft | None:
    """ "Wie viel Prozent des Plans haben die Erlöse im Ist erreicht?": actual / plan."""
    sides = scenario_sides(parts, implied=True)
    if sides is None or not parts.reading.says("attained", "divided_by") or not parts.reading.says("percent", "attained"):
        return None
    draft = two_sides(parts, sides, lambda: Ratio(TermValue(0), TermValue(1), percent=True), "%")
    return replace(draft, used=draft.used | parts.marks("attained", "divided_by", "percent")) if draft else None


def above_other_scenario(parts: Parts) -> Draft | None:
    """ "In welchen Quartalen lag der Umsatz im Ist über dem Plan?", "Um wie viel Prozent lag Strom über Plan?", "Welche Kostenart
    hat den Plan überschritten?": one scenario against the other, as one number or for each member of a group."""
    sides = scenario_sides(parts, as_said=True, implied=True)
    operators = [m for m in parts.reading.mentions if m.says("more_than", "less_than")]
    groups = asked_groups(parts)
    if sides is None or len(operators) != 1 or parts.amounts or not (groups or parts.reading.says("how_much")):
        return None
    up = operators[0].says("more_than")
    measures = value_of_each(parts, groups)
    if parts.reading.says("percent") and measures and measures[0].column.unit != "%":
        draft = two_sides(parts, sides, lambda: Change(TermValue(0), TermValue(1)), "%", groups)
    else:
        ordered = sides if up or groups else (sides[1], sides[0])
        draft = two_sides(parts, ordered, lambda: Arithmetic("-", TermValue(0), TermValue(1)), None, groups)
    if draft is None:
        return None
    draft = replace(draft, used=draft.used | parts.marks("more_than", "less_than", "passes", "percent"))
    return only_moved(draft, up=up) if groups else draft
