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
    OneOf,
    Output,
    Term,
    TermValue,
    Within,
)
from orchestrator.planners.conditions import (
    AmountUse,
    PeriodUse,
    amount_in,
    amount_uses,
    bare_unit,
    code_condition,
    consumed_years,
    numbers_beside,
    overlap,
    period_uses,
    value_filters,
)
from orchestrator.planners.decision import Option, PlannerStop, Stop
from orchestrator.planners.frames import Reading
from orchestrator.planners.slots import Slot, ValueSlot, column_slots, is_singular, swap, value_slots
from orchestrator.scope import VisibleColumn, VisibleTable
from parsers.table import ColumnType


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
    free: frozenset[int]
    """Mentions that are explained whatever the rule: soft words, a year that completes another period."""

    @property
    def main(self) -> VisibleTable:
        return self.reading.frame.main_table

    @property
    def main_name(self) -> str:
        return self.reading.frame.main

    def marks(self, *concepts: str) -> set[int]:
        """Mentions that say one of the concepts, by index."""
        return {i for i, mention in enumerate(self.reading.mentions) if mention.says(*concepts)}

    def place(self, index: int) -> int:
        return self.reading.mentions[index].first


def take_apart(reading: Reading) -> Parts:
    """Raises Stop where a word of the reading cannot be tied to one column or period."""
    slots = column_slots(reading)
    numbers = tuple((index, slot, code_condition(slot, amount)) for index, slot, amount in numbers_beside(reading, slots))
    periods = period_uses(reading, slots)
    free = {i for i, m in enumerate(reading.mentions) if m.kind in ("function_word", "tables")} | consumed_years(reading)
    free |= {use.index for use in periods if use.condition is None}
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
        frozenset(free),
    )


_DATES = (ColumnType.DATE, ColumnType.TIMESTAMP)


def implied_measure(parts: Parts) -> Slot | None:
    """The value column of a tidied cross-tab whose only row label is said: there the label itself names the measure."""
    table = parts.main.stored.table
    if table.layout != "tidy":
        return None
    labels = [c for c in parts.main.columns if c.column.role == "dimension" and c.column.position is not None]
    value = [c for c in parts.main.columns if c.column.role == "value"]
    said = {slot.ref.column for value_slot in parts.values for slot in value_slot.slot_columns}
    if len(labels) == 1 and len(value) == 1 and labels[0].sql_name in said:
        return Slot(-1, ColumnRef(parts.main_name, value[0].sql_name), value[0])
    return None


def own_measures(parts: Parts) -> tuple[Slot, ...]:
    """The measures said, all of the main table, or the implied one; () if one belongs to another table."""
    if parts.measures:
        said = tuple({slot.ref: slot for slot in parts.measures}.values())
        return said if all(slot.ref.table == parts.main_name for slot in said) else ()
    implied = implied_measure(parts) or _measure_by_unit(parts)
    return (implied,) if implied else ()


def _measure_by_unit(parts: Parts) -> Slot | None:
    """ "Wie viele Stück …": the only number of the table in that unit."""
    for index, mention in enumerate(parts.reading.mentions):
        before = parts.reading.mentions[index - 1] if index else None
        if mention.unit is None or before is None or not before.says("how_many", "how_much"):
            continue
        said = mention.unit.casefold()
        fitting = [c for c in parts.main.columns if is_measure(c) and c.unit and c.unit.casefold() == said and c.column.role != "total"]
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
        return replace(self, alternatives=tuple((*a, *extra) for a in self.alternatives), used=self.used | set(used), columns=columns)


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
    return result.plus(_together(periods), (use.index for use in periods))


def _together(periods: Sequence[PeriodUse]) -> list[Condition]:
    return [use.condition for use in periods if use.condition is not None]


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
        value, unit_condition = amount_in(parts.reading, slot, use.amount)
        extra: list[Condition] = [Compare(slot.ref, use.operator, value)]
        extra += [unit_condition] if unit_condition else []
        used = [use.index, *([use.operator_index] if use.operator_index is not None else [])]
        used += [slot.index] if slot.index >= 0 else []
        found = found.plus(extra, used)
    return found


def amount_slot(parts: Parts, use: AmountUse) -> Slot | None:
    """The number column that an amount is about: the nearest one said, or the implied measure."""
    numbers = [slot for slot in parts.slots if slot.column.column.type in (ColumnType.DECIMAL, ColumnType.INTEGER)]
    if not numbers:
        return implied_measure(parts)
    return min(numbers, key=lambda slot: abs(parts.place(slot.index) - parts.place(use.index)))


def default_aggregation(parts: Parts, measure: Slot, conditions: Iterable[Condition], group_by: Sequence[ColumnRef] = ()) -> str:
    """sum where numbers may be added over the rows left; else "value": one and the same number is expected."""
    if measure.column.aggregation == "sum":
        return "sum"
    if measure.column.aggregation == "stock":
        period_columns = [ref for ref in _time_refs(parts) if parts.main.column(ref.column)]
        fixed = {c.column for c in conditions if isinstance(c, Within) and c.exact} | set(group_by)
        return "sum" if all(ref in fixed for ref in period_columns) and not _has_dates(parts) else "value"
    return "value"


def _time_refs(parts: Parts) -> list[ColumnRef]:
    return [ColumnRef(parts.main_name, c.sql_name) for c in parts.main.columns if c.column.type is ColumnType.PERIOD]


def _has_dates(parts: Parts) -> bool:
    return any(c.column.type in _DATES for c in parts.main.columns)


def make_term(
    parts: Parts, aggregation: str, columns: Sequence[ColumnRef], found: Where, conditions: tuple[Condition, ...], group_by: Sequence[ColumnRef] = ()
) -> Term:
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


def one_output(name: str, convert: str | None = None) -> tuple[Output, ...]:
    return (Output(name, TermValue(0), convert_to=convert),)


def qualifies(parts: Parts, mark: int, measure: Slot) -> bool:
    """A superlative belongs to the measure: right before it ("die höchste Marge"), or behind it at the end of what is said
    ("am höchsten"); "der größte Spieler" is about something else."""
    mentions = parts.reading.mentions
    after = [i for i in range(mark + 1, len(mentions)) if mentions[i].kind != "function_word"]
    if measure.index < 0:
        return not after or mentions[after[0]].kind in ("values", "period", "unit")
    soft = [i for i in after if not mentions[i].says("sum", "average", "unweighted") and mentions[i].amount is None]
    if soft and (soft[0] == measure.index or any(name.key == (measure.ref.table, measure.ref.column) for name in mentions[soft[0]].columns)):
        return True
    return mentions[mark].first > parts.place(measure.index) and all(mentions[i].kind in ("period", "concepts") for i in after)


# --- what must be said before a number may be given


def require_fixed(parts: Parts, found: Where, group_by: Sequence[ColumnRef], *, over_time: bool = False) -> None:
    """Every dimension along which numbers must not be mixed is fixed, grouped, or has one member. Raises Stop (clarify).

    These are the period column of a report, the scenario (Plan, Ist) and other column labels of a cross-tab. `over_time`: the
    question itself runs over the periods (minimum, average over months, explicit sum within one year)."""
    fixed = found.columns | set(group_by)
    table = parts.reading.names.values[parts.main_name]
    for column in parts.main.columns:
        ref = ColumnRef(parts.main_name, column.sql_name)
        if ref in fixed or table.distinct.get(column.sql_name, 0) <= 1:
            continue
        if column.column.type is ColumnType.PERIOD or column.column.role in ("scenario", "dimension"):
            if all(table.members_under(column.sql_name, _said_values(parts, a)) <= 1 for a in found.alternatives):
                continue
        if column.column.type is ColumnType.PERIOD:
            _require_period(parts, column, over_time)
        elif column.column.role == "scenario" or (column.column.role == "dimension" and column.column.position is None):
            raise Stop(_choose_member(parts, column))


def _said_values(parts: Parts, conditions: Iterable[Condition]) -> dict[str, tuple[object, ...]]:
    """Column -> values that the conditions keep, of the main table."""
    wanted = (c for c in conditions if isinstance(c, OneOf) and not c.negated and c.column.table == parts.main_name)
    return {condition.column.column: condition.values for condition in wanted}


def _require_period(parts: Parts, column: VisibleColumn, over_time: bool) -> None:
    periods = parts.reading.names.values[parts.main_name].periods.get(column.sql_name, ())
    years = {period.start.year for period in periods}
    may_add = over_time or (parts.reading.says("sum") and len(years) == 1)
    if may_add and not overlap(periods):
        return
    labels = [period.label for period in reversed(periods)][:8]
    options = tuple(Option(label, append(parts.reading, f"im {label}", f"in {label}", f"w {label}")) for label in labels)
    raise Stop(PlannerStop("clarify", "ambiguous_period", "which_period", (column.names[0],), options))


def _choose_member(parts: Parts, column: VisibleColumn) -> PlannerStop:
    values = parts.reading.names.values[parts.main_name].of_column(column.sql_name)
    labels = list(dict.fromkeys(str(hit.stored) for hit in values))[:8]
    options = tuple(Option(label, append(parts.reading, f"im {label}", f"for {label}", label)) for label in labels)
    return PlannerStop("clarify", "ambiguous_term", "which_member", (column.names[0],), options)


def append(reading: Reading, german: str, english: str, polish: str) -> str:
    """The question with words added at its end."""
    words = {"de": german, "en": english, "pl": polish}[reading.question.language]
    text = reading.question.text.rstrip()
    mark = text[-1] if text[-1:] in "?!." else ""
    return f"{text.removesuffix(mark) if mark else text} {words}{mark}"


def require_named(parts: Parts, found: Where, group_by: Sequence[ColumnRef], *, any_member: bool = False) -> frozenset[int]:
    """Entities said without a value: plurals mean all of them; a definite singular asks which one. Returns mentions used."""
    used: set[int] = set()
    for slot in parts.entities:
        bound = slot.ref in found.columns or slot.ref in group_by
        if not bound and not any_member and is_singular(parts.reading, slot) and not _table_is_bound(parts, slot, found):
            beside = _value_beside(parts, slot)
            if beside is None:
                raise Stop(_which_one(parts, slot))
            if not _same_things(parts, slot, beside.column):
                raise Stop(_other_column(parts, slot, beside))
        used.add(slot.index)
    return frozenset(used)


def _value_beside(parts: Parts, slot: Slot) -> ValueSlot | None:
    """The value right behind the entity ("der Kostenstelle Buchhaltung")."""
    end = parts.reading.mentions[slot.index].last
    return next((value for value in parts.values if 0 <= parts.place(value.index) - end <= 1), None)


def _same_things(parts: Parts, slot: Slot, other: Slot) -> bool:
    """Number and name of the same thing: the two columns of one table go together one to one."""
    if slot.ref.table != other.ref.table:
        return False
    return parts.reading.names.values[slot.ref.table].one_to_one(slot.ref.column, other.ref.column)


def _other_column(parts: Parts, slot: Slot, value: ValueSlot) -> PlannerStop:
    said = parts.reading.text_of(parts.reading.mentions[value.index])
    option = Option(f"{value.column.name} {said}", swap(parts.reading, slot.index, value.column.name))
    return PlannerStop("clarify", "ambiguous_value", "value_of_other_column", (said, slot.name, value.column.name), (option,))


def _table_is_bound(parts: Parts, slot: Slot, found: Where) -> bool:
    """ "des Kunden aus Polen": another column of the entity's own table chooses its rows; or the other table's key does."""
    if slot.ref.table == parts.main_name:
        key_tables = {join.one.table for path in parts.reading.frame.paths.values() for join in path if join.many == slot.ref}
        same_table = [ref for ref in found.columns if ref.table == slot.ref.table]
        index = parts.reading.names.values[parts.main_name]
        named = any(index.one_to_one(slot.ref.column, ref.column) for ref in same_table if ref.column in index.distinct)
        return named or any(ref.table in key_tables for ref in found.columns)
    return any(ref.table == slot.ref.table for ref in found.columns)


def _which_one(parts: Parts, slot: Slot) -> PlannerStop:
    values = parts.reading.names.values[slot.ref.table].of_column(slot.ref.column)
    labels = sorted({str(hit.stored) for hit in values})[:8]
    said = parts.reading.text_of(parts.reading.mentions[slot.index])
    text, tokens = parts.reading.question.text, parts.reading.question.tokens
    end = tokens[parts.reading.mentions[slot.index].last - 1].end
    options = tuple(Option(label, f"{text[:end]} {label}{text[end:]}") for label in labels)
    return PlannerStop("clarify", "ambiguous_value", "which_one", (said,), options)


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
                parts, aggregation or default_aggregation(parts, measure, conditions, group_by), [measure.ref], found, conditions, group_by
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


