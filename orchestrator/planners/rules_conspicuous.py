"""Rules for what stands out: outliers among many values, and what changed more than all the others together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from orchestrator.compounds import entity_name
from orchestrator.lexicon import Language
from orchestrator.link_names import display_name, is_identifier, is_measure
from orchestrator.period_mention import PeriodMention
from orchestrator.plan import AggregatePlan, Bound, Change, ColumnRef, Conspicuous, Output, TermValue
from orchestrator.planners.asked import asked_entity, groups_said, with_companions
from orchestrator.planners.conditions import PeriodUse, period_condition
from orchestrator.planners.decision import Draft, Option, PlannerStop, Stop
from orchestrator.planners.parts import Parts, own_measures, plans_for, unit_where, where
from orchestrator.planners.requirements import require_fixed, require_named, require_one_kind
from orchestrator.planners.rules_compare import compared_sides, is_earlier, is_scenario_pair, is_time_pair, two_sides
from orchestrator.planners.slots import Slot, append
from parsers.periods import Period
from parsers.table import ColumnType

Side = Literal["up", "down", "both"]
_MOST_OPTIONS = 6
_OTHER_AIMS = (
    "average", "median", "maximum", "minimum", "share", "top", "how_many", "difference", "running", "rank", "sort_up",
    "sort_down", "how_much",
)  # fmt: skip


def outliers(parts: Parts) -> Draft | None:
    """ "Welche Monate haben eine auffällige Quote?", "Gibt es Ausreißer beim Bestellwert?": rows or groups whose figure lies far
    outside the others'. Raises Stop where no figure is said."""
    marks = parts.marks("outlier", "outlier_up", "outlier_down")
    if not marks or parts.amounts or parts.reading.says(*_OTHER_AIMS, "increase", "decrease", "change", "out_of_proportion"):
        return None
    measures = own_measures(parts) or (() if parts.measures else _only_figure(parts))
    target = _target(parts)
    if target is None:
        if measures and not groups_said(parts):
            raise Stop(_among_what(parts, min(marks)))
        return None
    if not measures and not parts.measures:
        raise Stop(_which_figure(parts, min(marks)))
    if len(measures) != 1:
        return None
    measure = measures[0]
    groups = _with_name(parts, target)
    refs = tuple(slot.ref for slot in groups)
    if any(slot.ref in refs for value in parts.values for slot in value.slot_columns if not value.negated):
        return None  # one member alone is compared with nothing
    found, convert = unit_where(parts, where(parts), measure)
    require_fixed(parts, found, refs)
    require_one_kind(parts, found, ())
    names = [slot.name for slot in groups]
    plans = plans_for(parts, found, [measure], group_by=refs, group_names=names, convert=convert)
    side: Side = "up" if parts.reading.says("outlier_up") else "down" if parts.reading.says("outlier_down") else "both"
    bound = {"de": "Grenze", "en": "Limit", "pl": "Granica"}[parts.reading.question.language]
    plans = tuple(
        replace(plan, outputs=(*plan.outputs, Output(bound, Bound())), conspicuous=Conspicuous("outlier", side)) for plan in plans
    )
    used = {measure.index, *marks} | {slot.index for slot in groups} | parts.marks("exists", "group_by", "sum", "stands_out")
    used |= {index for index in _articles(parts) if index + 1 in marks}
    return Draft(plans, found.used | used | require_named(parts, found, refs))


def out_of_proportion(parts: Parts) -> Draft | None:
    """ "Welche Kostenarten sind von 2023 auf 2024 überproportional gestiegen?": a greater change than that of all together.
    Raises Stop where the two periods are open."""
    more, less = parts.marks("out_of_proportion"), parts.marks("below_proportion")
    up, down = parts.reading.says("increase"), parts.reading.says("decrease")
    if bool(more) == bool(less) or up == down or parts.amounts or parts.reading.says(*_OTHER_AIMS):
        return None
    target = _target(parts)
    if target is None:
        return None
    measures = own_measures(parts) or (() if parts.measures else _only_figure(parts))
    if len(measures) != 1 or measures[0].column.aggregation != "sum":
        return None
    parts = replace(parts, measures=measures)
    groups = _with_name(parts, target)
    refs = {slot.ref for slot in groups}
    if any(slot.ref in refs for value in parts.values for slot in value.slot_columns if not value.negated):
        return None
    sides = compared_sides(parts) or compared_sides(_with_two_periods(parts))
    if sides is None or not (is_time_pair(sides) or is_scenario_pair(sides)):
        return None
    if is_earlier(sides):
        sides = (sides[1], sides[0])
    for _, values, periods in sides:
        require_one_kind(parts, where(parts, values=values, periods=periods), ())
    draft = two_sides(parts, sides, lambda: Change(TermValue(0), TermValue(1)), "%", groups)
    if draft is None:
        return None
    words = {"de": ("Veränderung", "insgesamt"), "en": ("Change", "of all"), "pl": ("Zmiana", "łącznie")}
    changed, of_all = words[parts.reading.question.language]
    together = Output(f"{changed} {of_all}", Bound(), unit="%")
    kept = Conspicuous("more" if more else "less", "up" if up else "down")
    plans = []
    for plan in draft.plans:
        assert isinstance(plan, AggregatePlan)
        change = replace(plan.outputs[0], name=f"{changed} {measures[0].name} ({sides[0][0]} – {sides[1][0]})")
        plans.append(replace(plan, outputs=(change, *plan.outputs[1:], together), conspicuous=kept))
    said = parts.marks("increase", "decrease", "change", "percent", "group_by", "sum", "between", "exists")
    return Draft(tuple(plans), draft.used | more | less | said)


def how_strongly(parts: Parts) -> Draft | None:
    """ "Welche Kosten sind stark gestiegen?": nobody has said from where on a change is strong. Raises Stop."""
    marks = parts.marks("strongly")
    if len(marks) != 1 or parts.reading.says("increase") == parts.reading.says("decrease") or _target(parts) is None:
        return None
    reading = parts.reading
    mention = reading.mentions[min(marks)]
    first, last = reading.question.tokens[mention.first], reading.question.tokens[mention.last - 1]
    before, after = reading.question.text[: first.start], reading.question.text[last.end :]
    word, meaning = _PROPORTION[reading.question.language]
    options = (
        Option(f"{word} ({meaning})", f"{before}{word}{after}"),
        Option(_ALL_THAT_MOVED[reading.question.language], f"{before.rstrip()} {after.lstrip()}"),
    )
    raise Stop(PlannerStop("clarify", "ambiguous_term", "what_is_strong", (reading.text_of(mention),), options))


_PROPORTION: Mapping[Language, tuple[str, str]] = {
    "de": ("überproportional", "stärker als alle zusammen"),
    "en": ("disproportionately", "more than all together"),
    "pl": ("nieproporcjonalnie", "bardziej niż wszystkie razem"),
}
_ALL_THAT_MOVED: Mapping[Language, str] = {"de": "alle, gleich wie stark", "en": "all, however much", "pl": "wszystkie"}


# --- whose figures, and which


def _target(parts: Parts) -> Slot | None:
    """What is asked for or grouped by; else what the rows are about: their only label, or the first column that names each."""
    groups = groups_said(parts)
    if groups:
        return groups[0] if len(groups) == 1 else None
    asked = asked_entity(parts)
    if asked is not None:
        return asked
    labels = [column for column in parts.main.columns if column.column.role == "dimension" and column.column.position is not None]
    index = parts.reading.names.values[parts.main_name]
    if parts.main.stored.table.layout != "tidy":
        kinds = (ColumnType.TEXT, ColumnType.PERIOD, ColumnType.DATE)
        labels = [column for column in parts.main.columns if column.column.type in kinds]
        labels = [column for column in labels if index.distinct.get(column.sql_name, 0) >= index.rows][:1]
    return Slot(-1, ColumnRef(parts.main_name, labels[0].sql_name), labels[0]) if len(labels) == 1 else None


def _with_name(parts: Parts, target: Slot) -> tuple[Slot, ...]:
    """A thing that is known by its number is shown with its name, where the table has one."""
    groups = with_companions(parts, target) if target.index >= 0 else (target,)
    is_key = is_identifier(target.column) or entity_name(target.column.column.header) is not None
    if len(groups) > 1 or target.ref.table != parts.main_name or not is_key:
        return groups
    index = parts.reading.names.values[parts.main_name]
    texts = [
        column
        for column in parts.main.columns
        if column.column.type is ColumnType.TEXT and column.sql_name != target.ref.column
        if index.one_to_one(target.ref.column, column.sql_name)
    ]
    return (target, Slot(-1, ColumnRef(parts.main_name, texts[0].sql_name), texts[0])) if texts else groups


def _articles(parts: Parts) -> set[int]:
    """ "ein auffälliges Gewicht": the article is no number."""
    tokens = parts.reading.question.tokens
    amounts = ((i, m) for i, m in enumerate(parts.reading.mentions) if m.amount is not None)
    return {i for i, m in amounts if m.amount is not None and m.amount.value == 1 and tokens[m.first].text.isalpha()}


def _only_figure(parts: Parts) -> tuple[Slot, ...]:
    """The one figure of the table, where the question names none ("Welche Kostenarten sind … gestiegen?")."""
    figures = [column for column in parts.main.columns if is_measure(column) and column.column.role != "total"]
    return tuple(Slot(-1, ColumnRef(parts.main_name, each.sql_name), each) for each in figures) if len(figures) == 1 else ()


def _which_figure(parts: Parts, mark: int) -> PlannerStop:
    said = parts.reading.text_of(parts.reading.mentions[mark])
    labels = [display_name(column) for column in parts.main.columns if is_measure(column) and column.column.role != "total"]
    labels = list(dict.fromkeys(labels))[:_MOST_OPTIONS]
    options = tuple(Option(label, append(parts.reading, f"bei {label}", f"in {label}", f"w {label}")) for label in labels)
    return PlannerStop("clarify", "ambiguous_term", "which_measure", (said,), options)


def _among_what(parts: Parts, mark: int) -> PlannerStop:
    """No column tells the rows apart: which of them gives the groups."""
    said = parts.reading.text_of(parts.reading.mentions[mark])
    kinds = (ColumnType.TEXT, ColumnType.PERIOD)
    labels = [display_name(column) for column in parts.main.columns if column.column.type in kinds and not is_measure(column)]
    labels = list(dict.fromkeys(labels))[:_MOST_OPTIONS]
    options = tuple(Option(label, append(parts.reading, f"je {label}", f"per {label}", f"na {label}")) for label in labels)
    return PlannerStop("clarify", "ambiguous_term", "outliers_of_what", (said,), options)


# --- the two periods


def _with_two_periods(parts: Parts) -> Parts:
    """With both periods of a change whose question says one year or none: the year before, or the only two there are. Raises Stop
    where more could be meant."""
    times = [column for column in parts.main.columns if column.column.type is ColumnType.PERIOD]
    if len(times) != 1 or len(parts.periods) > 1 or any(use.mention.bound or use.mention.ends for use in parts.periods):
        return parts
    slot = Slot(-1, ColumnRef(parts.main_name, times[0].sql_name), times[0])
    known = _known(parts, slot)
    if not parts.periods:
        if len(known) == 2:
            return replace(parts, periods=tuple(_use(parts, slot, period) for period in known))
        raise Stop(_which_periods(parts, slot, list(pairwise(known))))
    said = parts.periods[0]
    if said.mention.period is None or said.slot is None or said.slot.ref != slot.ref:
        return parts
    same = [period for period in known if period.grain == said.mention.period.grain and period.end < said.mention.period.start]
    if not same:
        return parts
    if said.mention.period.grain != "year":
        raise Stop(_which_periods(parts, slot, _earlier(same, said.mention.period), said.index))
    before = same[-1]
    if before.start.year != said.mention.period.start.year - 1:
        return parts
    return replace(parts, periods=(_use(parts, slot, before), said))


def _known(parts: Parts, slot: Slot) -> list[Period]:
    """The periods of the column, oldest first; where it holds several grains, those of none."""
    periods = parts.reading.names.values[slot.ref.table].periods.get(slot.ref.column, ())
    single = {(period.start, period.end): period for period in periods}
    ordered = [single[key] for key in sorted(single)]
    return ordered if len({period.grain for period in ordered}) == 1 else []


def _earlier(same: Sequence[Period], said: Period) -> list[tuple[Period, Period]]:
    """The period just before, and the same one a year earlier."""
    year_ago = [period for period in same if (period.start.year, period.start.month) == (said.start.year - 1, said.start.month)]
    return [(period, said) for period in dict.fromkeys((same[-1], *year_ago))]


def _use(parts: Parts, slot: Slot, period: Period) -> PeriodUse:
    mention = PeriodMention(0, 0, period=period)
    return PeriodUse(-1, mention, slot, period_condition(parts.reading, slot, mention))


def _which_periods(parts: Parts, slot: Slot, pairs: Sequence[tuple[Period, Period]], said: int | None = None) -> PlannerStop:
    options = []
    for before, after in list(reversed(pairs))[:_MOST_OPTIONS]:
        one, other = before.label, after.label
        if said is None:
            question = append(parts.reading, f"von {one} auf {other}", f"from {one} to {other}", f"od {one} do {other}")
        else:
            question = append(parts.reading, f"gegenüber {one}", f"compared to {one}", f"w porównaniu do {one}")
        options.append(Option(f"{one} – {other}", question))
    return PlannerStop("clarify", "ambiguous_period", "which_two_periods", (slot.name,), tuple(options))
