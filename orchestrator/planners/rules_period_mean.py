"""The mean of a figure over the periods of a report: "durchschnittlicher Wochenabsatz", "im Schnitt über die 52 Wochen"."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orchestrator.period_mention import PERIOD_NOUNS
from orchestrator.plan import AggregatePlan, ColumnRef, Condition, Missing, OneOf, Output, Ratio, TermValue, Within
from orchestrator.planners.decision import Draft
from orchestrator.planners.parts import Parts, Where, make_term, own_measures, plans_for, unit_where, where
from orchestrator.planners.requirements import require_fixed, require_named
from orchestrator.planners.slots import Slot
from parsers.periods import Grain, Period
from parsers.table import ColumnType

_GRAINS: tuple[Grain, ...] = ("week", "month", "quarter")
_PER = {
    "de": {"week": "je Woche", "month": "je Monat", "quarter": "je Quartal"},
    "en": {"week": "per week", "month": "per month", "quarter": "per quarter"},
    "pl": {"week": "na tydzień", "month": "na miesiąc", "quarter": "na kwartał"},
}


@dataclass(frozen=True)
class _Said:
    """`used`: the mentions that say it; `number`: of the periods, where it is said ("über die 52 Wochen")."""

    grain: Grain
    used: frozenset[int]
    number: int | None = None


def period_mean(parts: Parts) -> Draft | None:
    """The sum over the number of periods of that length that have a value. None where the report has others, or another number
    of them than is said."""
    said, measures = _said(parts), own_measures(parts)
    if said is None or len(measures) != 1 or measures[0].column.aggregation != "sum" or _other_aims(parts, said):
        return None
    measure, slot = measures[0], _periods_of(parts, said.grain)
    if slot is None:
        return None
    found, convert = unit_where(parts, where(parts), measure)
    if said.number is not None and any(_how_many(parts, slot, each) != said.number for each in found.alternatives):
        return None
    require_fixed(parts, found, (slot.ref,))
    name = f"Ø {measure.name} {_PER[parts.reading.question.language][said.grain]}"
    if all(_one_row_each(parts, slot, conditions) for conditions in found.alternatives):
        plans = plans_for(parts, found, [measure], aggregation="average", convert=convert)
        plans = tuple(replace(plan, outputs=(replace(plan.outputs[0], name=name),)) for plan in plans)
    else:
        plans = tuple(_over_periods(parts, found, conditions, measure, slot, name, convert) for conditions in found.alternatives)
    used = found.used | said.used | {measure.index} | parts.marks("average", "unweighted")
    return Draft(plans, used | require_named(parts, found, (slot.ref,), any_member=True))


def _other_aims(parts: Parts, said: _Said) -> bool:
    if parts.reading.says("median", "share", "difference", "maximum", "minimum", "top", "running", "group_by", "how_many"):
        return True
    return any(use.index not in said.used for use in parts.amounts)


def _said(parts: Parts) -> _Said | None:
    average = parts.marks("average")
    found: list[_Said] = []
    for index, mention in enumerate(parts.reading.mentions):
        for grain in _GRAINS:
            if mention.says(f"mean_{grain}") or (average and mention.says(f"by_{grain}") and mention.last == mention.first + 1):
                found.append(_Said(grain, frozenset({index}) | average))
    found += [said for said in (_over_the(parts),) if said is not None and (average or found)]
    if not found or len({said.grain for said in found}) > 1:
        return None
    return _Said(found[0].grain, frozenset().union(*(said.used for said in found)) | average, found[-1].number)


def _over_the(parts: Parts) -> _Said | None:
    """ "über die 52 Wochen", "over the 12 months"."""
    tokens, mentions = parts.reading.question.tokens, parts.reading.mentions
    for mark in parts.marks("across"):
        place = mentions[mark].last
        behind = [(i, mention) for i, mention in enumerate(mentions) if mention.first >= place]
        amounts = [(i, mention.amount) for i, mention in behind if mention.first == place and mention.amount is not None]
        noun = place + bool(amounts)
        grain = PERIOD_NOUNS.get(tokens[noun].folded) if noun < len(tokens) else None
        if grain is None:
            continue
        used = frozenset({mark, *(i for i, _ in amounts), *(i for i, mention in behind if mention.first <= noun < mention.last)})
        number = amounts[0][1] if amounts else None
        return _Said(grain, used, int(number.value) if number is not None else None)
    return None


def _periods_of(parts: Parts, grain: Grain) -> Slot | None:
    """The report's column of periods, if all of them are of that length."""
    index = parts.reading.names.values[parts.main_name]
    columns = [column for column in parts.main.columns if column.column.type is ColumnType.PERIOD]
    if len(columns) != 1 or {period.grain for period in index.periods.get(columns[0].sql_name, ())} != {grain}:
        return None
    return Slot(-1, ColumnRef(parts.main_name, columns[0].sql_name), columns[0])


def _how_many(parts: Parts, slot: Slot, conditions: tuple[Condition, ...]) -> int:
    known = parts.reading.names.values[parts.main_name].periods.get(slot.ref.column, ())
    windows = [c for c in conditions if isinstance(c, Within) and c.column == slot.ref and not c.negated]
    chosen = {(period.start, period.end) for period in known if all(_lies_in(period, window.period) for window in windows)}
    return len(chosen)


def _lies_in(period: Period, window: Period) -> bool:
    """As rows are chosen by their periods: a week that begins in the window's year, and ends there."""
    return window.start <= period.start and period.end <= window.end


def _one_row_each(parts: Parts, slot: Slot, conditions: tuple[Condition, ...]) -> bool:
    """One name is said of which the report has one value in each period."""
    index = parts.reading.names.values[parts.main_name]
    periods = index.distinct.get(slot.ref.column, 0)
    names = [c.column.column for c in conditions if isinstance(c, OneOf) and len(c.values) == 1 and not c.negated]
    return any(index.distinct.get(name, 0) * periods >= index.rows > 0 for name in names)


def _over_periods(
    parts: Parts, found: Where, conditions: tuple[Condition, ...], measure: Slot, slot: Slot, name: str, convert: str | None
) -> AggregatePlan:
    total = make_term(parts, "sum", [measure.ref], found, conditions)
    periods = make_term(parts, "count_distinct", [slot.ref], found, (*conditions, Missing(measure.ref, negated=True)))
    ratio = Ratio(TermValue(0), TermValue(1))
    return AggregatePlan((total, periods), (Output(name, ratio, unit=measure.column.unit, convert_to=convert),))
