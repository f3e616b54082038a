"""Rules for two sides: difference, change, share, versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

from orchestrator.plan import (
    AggregatePlan,
    Arithmetic,
    Change,
    ColumnRef,
    Condition,
    DifferencePlan,
    Expression,
    Having,
    Output,
    Ratio,
    Term,
    TermValue,
)
from orchestrator.planners.conditions import PeriodUse, period_condition
from orchestrator.planners.decision import Draft
from orchestrator.planners.parts import (
    Parts,
    Where,
    default_aggregation,
    make_term,
    own_measures,
    unit_where,
    where,
)
from orchestrator.planners.requirements import require_alike, require_fixed, require_named
from orchestrator.planners.scenario_sides import Side, scenario_sides, value_of_each
from orchestrator.planners.slots import Slot, ValueSlot


def versions_differ(parts: Parts) -> Draft | None:
    """ "Welche Werte unterscheiden sich zwischen Entwurf und Korrektur?": the cells that differ."""
    named = [(i, m) for i, m in enumerate(parts.reading.mentions) if m.version and len(m.version.versions) == 1]
    if len(named) != 2 or own_measures(parts) or not parts.reading.says("changed_values", "difference", "change"):
        return None
    first, second = (m.version.versions[0] for _, m in named if m.version)
    if first.document != second.document or first.version_id == second.version_id:
        return None
    older, newer = sorted((first, second), key=lambda version: version.number)
    used = {i for i, _ in named} | parts.marks("changed_values", "difference", "change", "between")
    names_sheet = any(m.tables and parts.main_name in m.tables for m in parts.reading.mentions)
    used |= {
        i for i, m in enumerate(parts.reading.mentions) if m.kind == "columns" and parts.main_name in {c.table for c in m.columns}
    }
    table = parts.main_name if names_sheet or any(m.kind == "columns" for m in parts.reading.mentions) else None
    return Draft((DifferencePlan(older.document, older.version_id, newer.version_id, table),), frozenset(used))


def version_difference(parts: Parts) -> Draft | None:
    """One number in two versions: the first named minus the second."""
    named = [
        (i, m.version.versions[0]) for i, m in enumerate(parts.reading.mentions) if m.version and len(m.version.versions) == 1
    ]
    measures = own_measures(parts)
    if len(named) != 2 or len(measures) != 1 or not parts.reading.says("difference", "minus", "change"):
        return None
    measure = measures[0]
    found, convert = unit_where(parts, where(parts), measure)
    require_fixed(parts, found, ())
    plans = []
    for conditions in found.alternatives:
        base = make_term(parts, default_aggregation(parts, measure, conditions), [measure.ref], found, conditions)
        terms = tuple(replace(base, version_id=version.version_id) for _, version in named)
        plans.append(_difference_plan(terms, measure.name, [version.label for _, version in named], convert, parts))
    used = {i for i, _ in named} | {measure.index} | parts.marks("difference", "minus", "change", "percent")
    return _draft(parts, plans, found, used)


def share(parts: Parts) -> Draft | None:
    """ "Anteil von Danzig am Nettoumsatz aller Niederlassungen": the part's filter is left out of the whole."""
    marks = parts.marks("share") or (parts.marks("falls_to") if parts.reading.says("percent") else set())
    measures = own_measures(parts)
    if not marks or len(measures) != 1 or not parts.values:
        return None
    part = _part_of_whole(parts, min(marks))
    if part is None:
        return None
    group = [value for value in parts.values if value.column.ref == part.column.ref]
    rest = [value for value in parts.values if value not in group]
    if len(group) != 1:
        return None
    own = [value for value in rest if _of_the_part(parts, value)]
    if own and not parts.reading.says("sum", "all"):
        return None
    rest = [value for value in rest if value not in own]
    if _is_settled(parts, part, rest):
        return None
    sides: tuple[Side, Side] = ((str(part.stored[0][0]), parts.values, parts.periods), ("gesamt", rest, parts.periods))
    draft = two_sides(parts, sides, lambda: Ratio(TermValue(0), TermValue(1), percent=True, kind="share"), "%")
    return replace(draft, used=draft.used | marks | parts.marks("sum", "all", "percent", "falls_to")) if draft else None


def _is_settled(parts: Parts, part: ValueSlot, rest: Sequence[ValueSlot]) -> bool:
    """The other names leave one member of the part's column: its share of them would be all of it."""
    said = {value.column.ref.column: value.stored[0] for value in rest if value.column.ref.table == parts.main_name}
    if not said or part.column.ref.table != parts.main_name or any(value.negated for value in rest):
        return False
    return parts.reading.names.values[parts.main_name].members_under(part.column.ref.column, said) <= 1


def _part_of_whole(parts: Parts, mark: int) -> ValueSlot | None:
    """The value whose share is asked for: right behind "entfallen auf", else the one nearest to "Anteil"."""
    falls = parts.marks("falls_to")
    if not falls:
        return min(parts.values, key=lambda value: abs(parts.place(value.index) - parts.place(mark)))
    end = parts.reading.mentions[min(falls)].last
    behind = [value for value in parts.values if parts.place(value.index) >= end]
    return min(behind, key=lambda value: parts.place(value.index)) if len(falls) == 1 and len(behind) == 1 else None


def _of_the_part(parts: Parts, value: ValueSlot) -> bool:
    """A filter said before the measure belongs to the part alone ("Anteil von A in Nord am gesamten Wert")."""
    measure = own_measures(parts)[0]
    by_row = value.column.column.column.role == "scenario" or value.column.column.sql_name == measure.column.column.unit_column
    return not by_row and measure.index >= 0 and parts.place(value.index) < parts.place(measure.index)


def change_or_difference(parts: Parts) -> Draft | None:
    """A difference or change between two periods, scenarios or members, as one number or one row a group."""
    reading = parts.reading
    moved = reading.says("increase", "decrease", "change")
    if not moved and not reading.says("difference", "minus"):
        return None
    sides = compared_sides(parts)
    if sides is None:
        return _two_measures(parts) if reading.says("difference", "minus") else None
    if moved or is_time_pair(sides):
        new, old = (sides[1], sides[0]) if is_earlier(sides) else (sides[0], sides[1])
        if not reading.says("minus"):
            sides = (new, old)
    groups = asked_groups(parts)
    percent = reading.says("percent")
    measures = value_of_each(parts, groups)
    in_points = bool(measures) and measures[0].column.unit == "%"
    if percent and not in_points:
        draft = two_sides(parts, sides, lambda: Change(TermValue(0), TermValue(1)), "%", groups)
    else:
        draft = two_sides(parts, sides, lambda: Arithmetic("-", TermValue(0), TermValue(1)), None, groups)
    if draft is None:
        return None
    draft = replace(
        draft,
        used=draft.used | parts.marks(
            "increase", "decrease", "change", "difference", "minus", "percent", "between", "group_by", "sum"
        ),
    )
    if groups and reading.says("which", "list") and reading.says("increase", "decrease"):
        draft = only_moved(draft, up=reading.says("increase"))
    return draft


# --- the two sides


def compared_sides(parts: Parts) -> tuple[Side, Side] | None:
    """The two periods, scenarios or members that are compared, in the order of the question; None if there are not two."""
    if len(parts.periods) == 2:
        first, second = (_as_a_side(parts, use) for use in parts.periods)
        return _period_side(parts, first), _period_side(parts, second)
    ends = _range_ends(parts)
    if ends is not None:
        return _period_side(parts, ends[0]), _period_side(parts, ends[1])
    scenarios = scenario_sides(parts, implied=parts.reading.says("difference"))
    if scenarios is not None:
        return scenarios
    by_column: dict[ColumnRef, list[ValueSlot]] = {}
    for value in parts.values:
        by_column.setdefault(value.column.ref, []).append(value)
    pairs = [values for values in by_column.values() if len(values) == 2]
    if len(pairs) != 1:
        return None
    rest = [value for value in parts.values if value not in pairs[0]]
    first_side, second_side = (
        (_said(parts, value.index), [*rest, value], parts.periods)
        for value in sorted(pairs[0], key=lambda v: parts.place(v.index))
    )
    return first_side, second_side


def _as_a_side(parts: Parts, use: PeriodUse) -> PeriodUse:
    """ "in 2019 from 2018": what a change starts from is that period alone, not everything since."""
    if use.mention.bound != "from" or use.slot is None:
        return use
    mention = replace(use.mention, bound="")
    return replace(use, mention=mention, condition=period_condition(parts.reading, use.slot, mention))


def _range_ends(parts: Parts) -> tuple[PeriodUse, PeriodUse] | None:
    """ "from 2018 to 2019": the two ends of a range are what a change is between."""
    use = parts.periods[0] if len(parts.periods) == 1 else None
    if use is None or use.slot is None or use.mention.ends is None:
        return None
    uses = []
    for period in use.mention.ends:
        mention = replace(use.mention, period=period, ends=None)
        uses.append(replace(use, mention=mention, condition=period_condition(parts.reading, use.slot, mention)))
    return uses[0], uses[1]


def _period_side(parts: Parts, use: PeriodUse) -> Side:
    label = use.mention.period.label if use.mention.period else ""
    return label, parts.values, (use,)


def _said(parts: Parts, index: int) -> str:
    return parts.reading.text_of(parts.reading.mentions[index])


def is_time_pair(sides: tuple[Side, Side]) -> bool:
    """Two periods are compared."""
    return len(sides[0][2]) == 1 and len(sides[1][2]) == 1 and sides[0][2][0] is not sides[1][2][0]


def is_scenario_pair(sides: tuple[Side, Side]) -> bool:
    """Plan and actual are compared."""
    return any(value.column.column.column.role == "scenario" for value in sides[0][1] if value not in sides[1][1])


def is_earlier(sides: tuple[Side, Side]) -> bool:
    """The first side is the earlier one (then the second is the new)."""
    if not is_time_pair(sides):
        return False
    first, second = sides[0][2][0].mention.period, sides[1][2][0].mention.period
    return first is not None and second is not None and first.start < second.start


def asked_groups(parts: Parts) -> tuple[Slot, ...]:
    """Entities that the question asks for by name ("bei welchen Niederlassungen") or groups by ("je Region")."""
    groups = []
    for slot in parts.entities:
        before = [m for m in parts.reading.mentions if m.last <= parts.place(slot.index) and m.kind != "function_word"]
        if before and before[-1].says("which", "group_by", "list", "how_many"):
            groups.append(slot)
    return tuple(groups)


def two_sides(
    parts: Parts, sides: tuple[Side, Side], combine: Callable[[], Expression], unit: str | None, groups: Sequence[Slot] = ()
) -> Draft | None:
    """One measure on both sides, put together by `combine`; one row a group where groups are asked for."""
    measures = value_of_each(parts, groups)
    if len(measures) != 1:
        return None
    measure = measures[0]
    refs = tuple(slot.ref for slot in groups)
    show_sides = bool(groups) or (
        parts.reading.says("change") and not parts.reading.says("percent", "minus", "difference", "share")
    )
    wheres = []
    for _, values, periods in sides:
        found, convert = unit_where(parts, where(parts, values=values, periods=periods), measure)
        require_fixed(parts, found, refs)
        wheres.append(found)
    plans = []
    for left, right in _paired(wheres[0], wheres[1]):
        terms = tuple(
            make_term(parts, default_aggregation(parts, measure, conditions, refs), [measure.ref], found, conditions, refs)
            for found, conditions in ((wheres[0], left), (wheres[1], right))
        )
        if terms[0] == terms[1]:  # one thing said twice is not compared with itself
            return None
        expression: Expression = combine()
        outputs = (
            Output(_combined_name(parts, measure, sides), expression, unit=unit),
            Output(f"{measure.name} {sides[0][0]}", TermValue(0), convert_to=convert, shown=show_sides),
            Output(f"{measure.name} {sides[1][0]}", TermValue(1), convert_to=convert, shown=show_sides),
        )
        plans.append(AggregatePlan(terms, outputs, refs, tuple(slot.name for slot in groups)))
    used = wheres[0].used | wheres[1].used | {measure.index} | {slot.index for slot in groups}
    merged = replace(wheres[0], used=frozenset(used), columns=wheres[0].columns | wheres[1].columns)
    return _draft(parts, plans, merged, used, refs)


def _paired(left: Where, right: Where) -> list[tuple[tuple[Condition, ...], tuple[Condition, ...]]]:
    if len(left.alternatives) == len(right.alternatives):
        return list(zip(left.alternatives, right.alternatives, strict=True))
    return [(a, b) for a in left.alternatives for b in right.alternatives]


def _combined_name(parts: Parts, measure: Slot, sides: tuple[Side, Side]) -> str:
    words = {
        "de": ("Anteil", "Veränderung", "Differenz"),
        "en": ("Share", "Change", "Difference"),
        "pl": ("Udział", "Zmiana", "Różnica"),
    }
    share_word, change_word, difference_word = words[parts.reading.question.language]
    word = (
        share_word
        if parts.reading.says("share", "attained", "falls_to")
        else change_word
        if parts.reading.says("percent", "increase", "decrease")
        else difference_word
    )
    return (
        f"{word} {measure.name}: {sides[0][0]} / {sides[1][0]}"
        if word == share_word
        else f"{word} {measure.name} ({sides[0][0]} – {sides[1][0]})"
    )


def _difference_plan(terms: Sequence[Term], name: str, labels: Sequence[str], convert: str | None, parts: Parts) -> AggregatePlan:
    percent = parts.reading.says("percent")
    expression: Expression = Change(TermValue(0), TermValue(1)) if percent else Arithmetic("-", TermValue(0), TermValue(1))
    outputs = (
        Output(f"{name} ({labels[0]} – {labels[1]})", expression, unit="%" if percent else None),
        Output(f"{name} {labels[0]}", TermValue(0), convert_to=convert, shown=False),
        Output(f"{name} {labels[1]}", TermValue(1), convert_to=convert, shown=False),
    )
    return AggregatePlan(tuple(terms), outputs)


def _two_measures(parts: Parts) -> Draft | None:
    """ "Differenz zwischen Listenpreis und Einkaufspreis": two columns of the same rows."""
    measures = own_measures(parts)
    if len(measures) != 2:
        return None
    require_alike(measures)
    found = where(parts)
    require_fixed(parts, found, ())
    word = {"de": "Differenz", "en": "Difference", "pl": "Różnica"}[parts.reading.question.language]
    plans = []
    for conditions in found.alternatives:
        terms = [make_term(parts, default_aggregation(parts, m, conditions), [m.ref], found, conditions) for m in measures]
        labels = [measure.name for measure in measures]
        plans.append(_difference_plan(terms, word, labels, None, parts))
    used = (
        {m.index for m in measures} | {s.index for s in parts.measures} | parts.marks("difference", "minus", "between", "percent")
    )
    return _draft(parts, plans, found, used)


def only_moved(draft: Draft, *, up: bool) -> Draft:
    plans = []
    for plan in draft.plans:
        assert isinstance(plan, AggregatePlan)
        plans.append(replace(plan, having=(*plan.having, Having(0, ">" if up else "<", Decimal(0)))))
    return replace(draft, plans=tuple(plans))


def _draft(
    parts: Parts, plans: Sequence[AggregatePlan], found: Where, used: set[int] | frozenset[int], groups: Sequence[ColumnRef] = ()
) -> Draft:
    named = require_named(parts, found, groups)
    return Draft(tuple(plans), frozenset(used) | found.used | named)
