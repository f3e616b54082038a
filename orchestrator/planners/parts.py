"""A reading taken apart once, and the pieces of plans that all rules build from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from orchestrator.link_names import is_measure, is_time
from orchestrator.plan import (
    AggregatePlan,
    ColumnRef,
    Compare,
    CompareColumns,
    Condition,
    Join,
    Missing,
    OneOf,
    Output,
    Term,
    TermValue,
    TextMatch,
    Within,
)
from orchestrator.planners.blanks import blank_columns, text_matches
from orchestrator.planners.check_periods import check_periods
from orchestrator.planners.conditions import (
    AmountUse,
    PeriodUse,
    amount_in,
    amount_uses,
    bare_unit,
    code_condition,
    consumed_years,
    numbers_beside,
    period_uses,
    value_filters,
)
from orchestrator.planners.decision import PlannerStop, Stop
from orchestrator.planners.frames import Reading
from orchestrator.planners.light_words import light_words
from orchestrator.planners.ordinals import place_conditions
from orchestrator.planners.slots import Slot, ValueSlot, column_slots, value_slots
from orchestrator.planners.times_to_choose import times_to_choose
from orchestrator.planners.years import several_years
from orchestrator.scope import VisibleTable
from parsers.table import ColumnType
from schema_maps.aggregation import label_aggregation, strictest


@dataclass(frozen=True)
class Parts:
    """`slots`: every column said; `measures`, `entities`, `times` sort them; `numbers`: (mention, column, condition) of codes."""

    reading: Reading
    slots: tuple[Slot, ...]
    measures: tuple[Slot, ...]
    entities: tuple[Slot, ...]
    times: tuple[Slot, ...]
    values: tuple[ValueSlot, ...]
    amounts: tuple[AmountUse, ...]
    periods: tuple[PeriodUse, ...]
    numbers: tuple[tuple[int, Slot, Condition], ...]
    blanks: tuple[tuple[int, Slot], ...]
    """(mention of "ohne" or "keine", column): rows without a value in it."""
    texts: tuple[tuple[int, Slot, TextMatch], ...]
    free: frozenset[int]
    """Mentions that are explained whatever the rule: soft words, a year that completes another period."""

    @property
    def main(self) -> VisibleTable:
        return self.reading.frame.main_table

    @property
    def main_name(self) -> str:
        return self.reading.frame.main

    @property
    def blank_marks(self) -> set[int]:
        return {mark for mark, _ in self.blanks}

    def marks(self, *concepts: str) -> set[int]:
        """Mentions that say one of the concepts, by index."""
        return {i for i, mention in enumerate(self.reading.mentions) if mention.says(*concepts)}

    def place(self, index: int) -> int:
        return self.reading.mentions[index].first


def take_apart(reading: Reading) -> Parts:
    """Raises Stop where a word of the reading cannot be tied to one column or period."""
    slots = column_slots(reading)
    numbers = tuple((index, slot, code_condition(slot, amount)) for index, slot, amount in numbers_beside(reading, slots))
    numbers = (*numbers, *place_conditions(reading))
    periods = period_uses(reading, slots)
    check_periods(reading, periods)
    free = {i for i, m in enumerate(reading.mentions) if m.kind in ("function_word", "tables")} | consumed_years(reading)
    free |= {use.index for use in periods if use.condition is None}
    free |= light_words(reading, slots)
    free |= _mere_relatives(reading, slots) | {i for i, m in enumerate(reading.mentions) if m.says("visible_only")}
    if periods and reading.says("overdue"):
        free |= {i for i, m in enumerate(reading.mentions) if m.says("overdue")}
    return Parts(
        reading,
        slots,
        tuple(slot for slot in slots if is_measure(slot.column)),
        tuple(slot for slot in slots if not is_measure(slot.column) and slot.column.column.type not in _DATES),
        tuple(slot for slot in slots if is_time(slot.column)),
        value_slots(reading, slots),
        amount_uses(reading),
        tuple(use for use in periods if use.condition is not None),
        numbers,
        blank_columns(reading, slots),
        text_matches(reading, slots),
        frozenset(free),
    )


def _mere_relatives(reading: Reading, slots: Iterable[Slot]) -> set[int]:
    """ "Artikel, deren Listenpreis …": a relative pronoun before anything but a measure that adds up is no filter of its own."""
    by_index = {slot.index: slot for slot in slots}
    marks = [i for i, mention in enumerate(reading.mentions) if mention.says("whose")]
    behind = {i: next((by_index[k] for k in range(i + 1, len(reading.mentions)) if k in by_index), None) for i in marks}
    return {i for i, slot in behind.items() if slot is None or slot.column.aggregation != "sum" or _is_row(reading, slots, i)}


def _is_row(reading: Reading, slots: Iterable[Slot], mark: int) -> bool:
    """The thing before the pronoun is what each row of the table is about."""
    before = [slot for slot in slots if slot.index < mark]
    index = reading.names.values[reading.frame.main]
    return bool(before) and before[-1].ref.table == reading.frame.main and (
        index.distinct.get(before[-1].ref.column, 0) >= index.rows
    )


_DATES = (ColumnType.DATE, ColumnType.TIMESTAMP)


def implied_measure(parts: Parts) -> Slot | None:
    """The value column of a tidied cross-tab whose only row label is said: there the label itself names the measure, and says
    whether its numbers add up ("Mitarbeiter", "Marge %")."""
    table = parts.main.stored.table
    if table.layout != "tidy":
        return None
    labels = [c for c in parts.main.columns if c.column.role == "dimension" and c.column.position is not None]
    value = [c for c in parts.main.columns if c.column.role == "value"]
    pairs = [pair for said in parts.values for pair in zip(said.slot_columns, said.stored, strict=True)]
    if len(labels) != 1 or len(value) != 1 or labels[0].sql_name not in {slot.ref.column for slot, _ in pairs}:
        return None
    said = [str(label) for slot, stored in pairs if slot.ref.column == labels[0].sql_name for label in stored]
    column = replace(value[0], aggregation=strictest([value[0].aggregation, *map(label_aggregation, said)]))
    return Slot(-1, ColumnRef(parts.main_name, column.sql_name), column)


def own_measures(parts: Parts) -> tuple[Slot, ...]:
    """The measures said, all of the main table, or the implied one; () if one belongs to another table."""
    if parts.measures:
        said = tuple({slot.ref: slot for slot in parts.measures}.values())
        return said if all(slot.ref.table == parts.main_name for slot in said) else ()
    implied = implied_measure(parts) or (_measure_by_unit(parts) if _label_is_said(parts) else None)
    return (implied,) if implied else ()


def _label_is_said(parts: Parts) -> bool:
    """In a cross-tab a unit alone names no figure: the row must be said, too."""
    if parts.main.stored.table.layout != "tidy":
        return True
    labels = {c.sql_name for c in parts.main.columns if c.column.role == "dimension" and c.column.position is not None}
    said = {slot.ref.column for value in parts.values for slot in value.slot_columns} | {
        slot.ref.column for _, slot, _ in parts.numbers
    }
    return bool(labels & said)


def _measure_by_unit(parts: Parts) -> Slot | None:
    """ "Wie viele Stück …": the only number of the table in that unit."""
    for index, mention in enumerate(parts.reading.mentions):
        before = parts.reading.mentions[index - 1] if index else None
        if mention.unit is None or before is None or not before.says("how_many", "how_much"):
            continue
        said = mention.unit.casefold()
        fitting = [
            c for c in parts.main.columns if is_measure(c) and c.unit and c.unit.casefold() == said and c.column.role != "total"
        ]
        if len(fitting) == 1:
            return Slot(-1, ColumnRef(parts.main_name, fitting[0].sql_name), fitting[0])
    return None


@dataclass(frozen=True)
class Where:
    """Conditions in alternative readings and the mentions that they explain."""

    alternatives: tuple[tuple[Condition, ...], ...]
    used: frozenset[int]
    columns: frozenset[ColumnRef]
    totals: bool

    def plus(self, conditions: Iterable[Condition], used: Iterable[int] = ()) -> Where:
        extra = tuple(conditions)
        columns = self.columns | {ref for condition in extra for ref in columns_of(condition)}
        return replace(
            self, alternatives=tuple((*a, *extra) for a in self.alternatives), used=self.used | set(used), columns=columns
        )


def where(
    parts: Parts,
    *,
    values: Sequence[ValueSlot] | None = None,
    periods: Sequence[PeriodUse] | None = None,
) -> Where:
    """Value, code and period conditions; `values`, `periods` replace those of the reading (for the two sides of a comparison)."""
    values = parts.values if values is None else values
    periods = parts.periods if periods is None else periods
    filters = value_filters(parts.reading, values)
    result = Where(filters.alternatives, filters.used, filters.bound, any(value.total_only for value in values))
    result = result.plus((c for _, _, c in parts.numbers), (i for i, _, _ in parts.numbers))
    result = result.plus((Missing(slot.ref) for _, slot in parts.blanks), parts.blank_marks)
    result = result.plus((match for _, _, match in parts.texts), (i for i, _, _ in parts.texts))
    return result.plus(_together(parts, periods), (use.index for use in periods))


def _together(parts: Parts, periods: Sequence[PeriodUse]) -> list[Condition]:
    """The conditions of all periods; several on one column mean any of them, never all at once. Raises Stop on dates."""
    conditions = [use.condition for use in periods if use.condition is not None]
    listed = [condition for condition in conditions if isinstance(condition, OneOf)]
    if len(listed) > 1 and len({condition.column for condition in listed}) == 1:  # "2003 and 2004" of a column of years
        values = tuple(dict.fromkeys(value for condition in listed for value in condition.values))
        conditions = [condition for condition in conditions if condition not in listed] + [OneOf(listed[0].column, values)]
    windows = [condition for condition in conditions if isinstance(condition, Within)]
    for column in {window.column for window in windows}:
        same = [window for window in windows if window.column == column]
        if len(same) < 2:
            continue
        known = parts.reading.names.values[column.table].periods.get(column.column)
        if known is None:
            raise Stop(PlannerStop("refused", "not_understood", "several_periods"))
        labels = tuple(p.label for p in known if any(w.period.start <= p.start and p.end <= w.period.end for w in same))
        conditions = [condition for condition in conditions if condition not in same] + [OneOf(column, labels)]
    return [*conditions, *(use.also for use in periods if use.also is not None)]


def columns_of(condition: Condition) -> tuple[ColumnRef, ...]:
    if isinstance(condition, CompareColumns):
        return condition.left, condition.right
    return (condition.column,)


def with_amounts(parts: Parts, found: Where, measure: Slot | None) -> Where:
    """Row conditions of amounts on columns other than the measure; those on the measure itself are left to the rule."""
    for use in parts.amounts:
        slot = amount_slot(parts, use)
        if slot is None or (measure is not None and slot.ref == measure.ref):
            continue
        if members_meant(parts, use) is not None or _counts_what_follows(parts, use, slot):
            raise Stop(PlannerStop("refused", "not_understood", "no_rule"))
        value, unit_condition = amount_in(parts.reading, slot, use.amount)
        extra: list[Condition] = [Compare(slot.ref, use.operator, value), *([unit_condition] if unit_condition else [])]
        used = [use.index, *([use.operator_index] if use.operator_index is not None else [])]
        used += [slot.index] if slot.index >= 0 else []
        found = found.plus(extra, used)
    return found


def _counts_what_follows(parts: Parts, use: AmountUse, slot: Slot) -> bool:
    """ "der Kunden mit mehr als 2 Aufträgen": a bare number before a thing is how many there are, no bound on a figure."""
    return use.amount.unit is None and any(each.index == use.index + 1 and each.ref != slot.ref for each in parts.entities)


def members_meant(parts: Parts, use: AmountUse) -> Slot | None:
    """The entity right before a comparison of a measure that adds up over its several rows ("der Kunden, deren Umsatz über …",
    "der Kunden mit Umsatz über …"): the amount is about its total, not about one row. None elsewhere."""
    about = amount_slot(parts, use)
    if about is None or about.index < 0 or about.column.aggregation != "sum":
        return None
    start = min(about.index, use.index, use.operator_index if use.operator_index is not None else use.index)
    entity = next((slot for slot in reversed(parts.entities) if slot.index < start), None)
    if entity is None or entity.ref.table != parts.main_name:
        return None
    between = parts.reading.mentions[entity.index + 1 : start]
    index = parts.reading.names.values[parts.main_name]
    unique = index.distinct.get(entity.ref.column, 0) >= index.rows
    return entity if not unique and all(m.kind == "function_word" or m.says("whose") for m in between) else None


def amount_slot(parts: Parts, use: AmountUse) -> Slot | None:
    """The number column that an amount is about: the nearest one said, or the implied measure."""
    numbers = [slot for slot in parts.slots if slot.column.column.type in (ColumnType.DECIMAL, ColumnType.INTEGER)]
    numbers = [slot for slot in numbers if not _names_the_thing(parts, slot)]
    if not numbers:
        return implied_measure(parts)
    return min(numbers, key=lambda slot: abs(parts.place(slot.index) - parts.place(use.index)))


def _names_the_thing(parts: Parts, slot: Slot) -> bool:
    """ "Lehrer über 30": the word names the thing of a key column, not the number in it."""
    names = parts.reading.mentions[slot.index].columns if slot.index >= 0 else ()
    return bool(names) and all(name.strength == "entity" for name in names)


def default_aggregation(parts: Parts, measure: Slot, conditions: Iterable[Condition], group_by: Sequence[ColumnRef] = ()) -> str:
    """sum where numbers may be added over the rows left; else "value": one and the same number is expected."""
    if measure.column.aggregation == "sum":
        return "sum"
    if measure.column.aggregation == "stock":
        periods = (c for c in parts.main.columns if c.column.type is ColumnType.PERIOD)
        period_columns = [ColumnRef(parts.main_name, column.sql_name) for column in periods]
        conditions = tuple(conditions)
        fixed = {c.column for c in conditions if isinstance(c, Within) and c.exact} | set(group_by)
        open_periods = [ref for ref in period_columns if ref not in fixed and _periods_left(parts, ref, conditions) > 1]
        if open_periods:
            uses = [use.index for use in parts.periods if use.slot is not None and use.slot.ref == open_periods[0]]
            windows = [c.period for c in conditions if isinstance(c, Within) and c.column == open_periods[0]]
            options = times_to_choose(parts.reading, open_periods[0], uses, windows)
            raise Stop(PlannerStop("clarify", "ambiguous_period", "stock_at_which_time", (measure.name,), options))
        dated = any(c.column.type in _DATES for c in parts.main.columns)
        return "value" if dated or several_years(parts.reading, conditions, group_by) else "sum"
    return "value"


def _periods_left(parts: Parts, ref: ColumnRef, conditions: Sequence[Condition]) -> int:
    """How many periods of a column the conditions on it leave."""
    windows = [c.period for c in conditions if isinstance(c, Within) and c.column == ref]
    if windows:
        return 2  # "2024", "nach Mai": not the very time at which a stock is known, however many lie inside
    known = parts.reading.names.values[parts.main_name].periods.get(ref.column, ())
    return len({(p.start, p.end) for p in known})


def make_term(
    parts: Parts,
    aggregation: str,
    columns: Sequence[ColumnRef],
    found: Where,
    conditions: tuple[Condition, ...],
    group_by: Sequence[ColumnRef] = (),
) -> Term:
    """A term over the main table with just the joins that its columns need."""
    refs = [*columns, *group_by, *(ref for condition in conditions for ref in columns_of(condition))]
    joins: tuple[Join, ...] = parts.reading.frame.joins(refs)
    return Term(
        parts.main_name,
        aggregation,  # type: ignore[arg-type]
        tuple(columns),
        joins,
        conditions,
        with_totals=found.totals,
        visible_rows_only=parts.reading.says("visible_only"),
    )


def qualifies(parts: Parts, mark: int, measure: Slot) -> bool:
    """A superlative belongs to the measure: right before it ("die höchste Marge"), or behind it at the end of what is said
    ("am höchsten"); "der größte Spieler" is about something else."""
    mentions = parts.reading.mentions
    after = [i for i in range(mark + 1, len(mentions)) if mentions[i].kind != "function_word"]
    if measure.index < 0:
        return not after or mentions[after[0]].kind in ("values", "period", "unit")
    soft = [i for i in after if not mentions[i].says("sum", "average", "unweighted", "how_many") and mentions[i].amount is None]
    if soft and (
        soft[0] == measure.index or any(name.key == (measure.ref.table, measure.ref.column) for name in mentions[soft[0]].columns)
    ):
        return True
    return mentions[mark].first > parts.place(measure.index) and all(mentions[i].kind in ("period", "concepts") for i in after)


def plans_for(
    parts: Parts,
    found: Where,
    measures: Sequence[Slot],
    *,
    aggregation: str | None = None,
    group_by: Sequence[ColumnRef] = (),
    group_names: Sequence[str] = (),
    convert: str | None = None,
) -> tuple[AggregatePlan, ...]:
    """One aggregate a measure, in every alternative reading of the values."""
    plans = []
    for conditions in found.alternatives:
        terms = tuple(
            make_term(
                parts,
                aggregation or default_aggregation(parts, measure, conditions, group_by),
                [measure.ref],
                found,
                conditions,
                group_by,
            )
            for measure in measures
        )
        outputs = tuple(Output(measure.name, TermValue(i), convert_to=convert) for i, measure in enumerate(measures))
        plans.append(AggregatePlan(terms, outputs, tuple(group_by), tuple(group_names)))
    return tuple(plans)


def unit_where(parts: Parts, found: Where, measure: Slot) -> tuple[Where, str | None]:
    """Adds what bare unit words say about the measure; second: the unit to convert to."""
    used, condition, convert = bare_unit(parts.reading, measure)
    return found.plus([condition] if condition else [], used), convert
