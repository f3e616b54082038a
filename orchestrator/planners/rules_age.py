"""How long open items are past their due date: not due, 1-30, 31-60, 61-90, more than 90 days as of a day."""

from __future__ import annotations

from datetime import date

from orchestrator.plan import AggregatePlan, Bucket, Output, TermValue
from orchestrator.planners.asked import groups_said
from orchestrator.planners.decision import Draft, PlannerStop, Stop
from orchestrator.planners.overdue import due_slot, open_then, settled_on
from orchestrator.planners.parts import Parts, make_term, own_measures, unit_where, where
from orchestrator.planners.requirements import require_fixed, require_named

_LABELS = {
    "de": ("nicht fällig", "1–30 Tage", "31–60 Tage", "61–90 Tage", "über 90 Tage"),
    "en": ("not due", "1–30 days", "31–60 days", "61–90 days", "over 90 days"),
    "pl": ("niewymagalne", "1–30 dni", "31–60 dni", "61–90 dni", "ponad 90 dni"),
}
_NAMES = {"de": "Tage überfällig", "en": "Days overdue", "pl": "Dni po terminie"}


def ageing(parts: Parts) -> Draft | None:
    """ "Altersstruktur der offenen Posten zum 30.09.2024". Raises Stop without a due date or without a day in the question."""
    marks = parts.marks("ageing")
    if not marks:
        return None
    measures = own_measures(parts)
    if parts.reading.says("average", "median", "maximum", "minimum", "share", "not", "running") or parts.amounts:
        return None
    if len(measures) != 1 or measures[0].column.aggregation != "sum":
        return None
    slot = due_slot(parts.reading)
    if slot is None:
        raise Stop(PlannerStop("refused", "not_in_data", "no_due_date", (measures[0].name,)))
    mark, day = _as_of(parts)
    language = parts.reading.question.language
    settled = settled_on(parts.reading)
    found = where(parts, periods=()).plus([open_then(settled, day)] if settled is not None else [])
    found, convert = unit_where(parts, found, measures[0])
    groups = groups_said(parts)
    refs = (*(group.ref for group in groups), slot.ref)
    require_fixed(parts, found, refs)
    buckets = (*(None for _ in groups), Bucket("age", day, _LABELS[language]))
    names = (*(group.name for group in groups), _NAMES[language])
    output = (Output(measures[0].name, TermValue(0), convert_to=convert),)
    plans = tuple(
        AggregatePlan(
            (make_term(parts, "sum", [measures[0].ref], found, conditions, refs),), output, refs, names, buckets=buckets
        )
        for conditions in found.alternatives
    )
    used = {mark, measures[0].index, *marks, *(group.index for group in groups)} | parts.marks("group_by", "sum", "overdue")
    return Draft(plans, found.used | used | require_named(parts, found, refs))


def _as_of(parts: Parts) -> tuple[int, date]:
    """The one day of the question. Raises Stop."""
    days = [(i, m.period) for i, m in enumerate(parts.reading.mentions) if m.period is not None]
    if len(days) == 1 and days[0][1].period is not None and days[0][1].period.grain == "day" and not days[0][1].bound:
        return days[0][0], days[0][1].period.start
    raise Stop(PlannerStop("clarify", "ambiguous_period", "as_of_which_day"))
