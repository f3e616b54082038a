"""Values, amounts and periods of a reading as conditions of the plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from typing import cast

from orchestrator.link_names import display_name, is_identifier, is_measure, is_number, is_time
from orchestrator.link_numbers import Amount
from orchestrator.period_mention import PeriodMention
from orchestrator.plan import ColumnRef, Condition, OneOf, Operator, Within
from orchestrator.planners.counts_said import is_amount_of, is_count_of
from orchestrator.planners.decision import Option, PlannerStop, Stop
from orchestrator.planners.frames import Reading
from orchestrator.planners.overdue import due_slot, open_then, settled_on
from orchestrator.planners.slots import COMPARATORS, Slot, ValueSlot, negation_index, swap
from orchestrator.planners.years import year_condition, year_slot
from orchestrator.units import factor_between, is_currency, parse_unit, same_base
from parsers.periods import Period
from parsers.table import ColumnType

_MOST_ALTERNATIVES = 4
StoredValue = str | Decimal | date | bool


@dataclass(frozen=True)
class Filters:
    """Conditions by what said them. `alternatives`: each is a full set of value conditions; `used`: mentions explained;
    `bound`: columns that a condition names."""

    alternatives: tuple[tuple[Condition, ...], ...]
    used: frozenset[int]
    bound: frozenset[ColumnRef]


def value_filters(reading: Reading, values: Iterable[ValueSlot]) -> Filters:
    """Value conditions: values of one column belong together (IN); a word held by several columns gives alternatives."""
    values = tuple(values)
    used = {value.index for value in values}
    used |= {index for value in values if value.negated and (index := negation_index(reading, value.index)) is not None}
    count = 1
    for value in values:
        count *= len(value.slot_columns)
    if count > _MOST_ALTERNATIVES:
        open_value = next(value for value in values if len(value.slot_columns) > 1)
        raise Stop(_which_column(reading, open_value))
    alternatives = []
    for choice in product(*(range(len(value.slot_columns)) for value in values)):
        merged: dict[tuple[ColumnRef, bool], tuple[StoredValue, ...]] = {}
        for value, position in zip(values, choice, strict=True):
            key = (value.slot_columns[position].ref, value.negated)
            stored = cast(tuple[StoredValue, ...], value.stored[position])
            merged[key] = tuple(dict.fromkeys((*merged.get(key, ()), *stored)))
        if any((ref, not is_negated) in merged for ref, is_negated in merged):
            raise Stop(PlannerStop("refused", "not_understood", "contradiction"))
        alternatives.append(tuple(OneOf(ref, stored, is_negated) for (ref, is_negated), stored in merged.items()))
    bound = {slot.ref for value in values for slot in value.slot_columns}
    return Filters(tuple(alternatives), frozenset(used), frozenset(bound))


def _which_column(reading: Reading, value: ValueSlot) -> PlannerStop:
    said = reading.text_of(reading.mentions[value.index])
    options = tuple(
        Option(f"{slot.name} {said}", swap(reading, value.index, f"{slot.name} {said}")) for slot in value.slot_columns[:6]
    )
    return PlannerStop("clarify", "ambiguous_value", "value_in_several_columns", (said,), options)


@dataclass(frozen=True)
class AmountUse:
    """An amount with the comparison said before it and the column it is about, None if none stands near."""

    index: int
    operator_index: int | None
    operator: Operator
    amount: Amount


def amount_uses(reading: Reading) -> tuple[AmountUse, ...]:
    """Amounts that a comparison word introduces; bare numbers are left to the rules (top 5, Mahnstufe 3)."""
    found: list[AmountUse] = []
    for index, mention in enumerate(reading.mentions):
        if mention.amount is None:
            continue
        before = next((i for i in range(index - 1, -1, -1) if reading.mentions[i].kind != "function_word"), None)
        words = reading.mentions[before].concepts if before is not None else ()
        concept = next((word for word in words if word in COMPARATORS), None)
        if concept is not None:
            found.append(AmountUse(index, before, COMPARATORS[concept], mention.amount))
        elif "between" in words:
            found.append(AmountUse(index, before, ">=", mention.amount))
        elif found and found[-1].operator == ">=" and before == found[-1].index and _says_between(reading, found[-1]):
            found.append(AmountUse(index, None, "<=", mention.amount))
        elif is_count_of(reading, index) or is_amount_of(reading, index):
            found.append(AmountUse(index, None, "=", mention.amount))
    return tuple(found)


def _says_between(reading: Reading, use: AmountUse) -> bool:
    return use.operator_index is not None and reading.mentions[use.operator_index].says("between")


def amount_in(reading: Reading, slot: Slot, amount: Amount) -> tuple[Decimal, Condition | None]:
    """The amount in the column's unit, and the condition on the currency column where the amount names the currency.

    Raises Stop where the amount's unit and the column's do not go together.
    """
    unit = slot.column.unit
    if unit == "%" and amount.unit is None and abs(amount.value) < 1:
        percent = f"{amount.value * 100:f}".rstrip("0").rstrip(".")
        raise Stop(PlannerStop("clarify", "ambiguous_value", "percent_or_fraction", (amount.code, percent)))
    if amount.scaled and amount.unit is None and unit is not None and parse_unit(unit).factor > 1:
        return _decimal(Fraction(amount.value) / parse_unit(unit).factor), None
    if amount.unit is None or (unit is not None and amount.unit == unit):
        return amount.value, None
    by_row = slot.column.column.unit_column
    if unit is None and by_row is not None and is_currency(amount.unit):
        return amount.value, OneOf(ColumnRef(slot.ref.table, by_row), (amount.unit,))
    if unit is not None and same_base(amount.unit, unit):
        factor = factor_between(amount.unit, unit)
        if factor is not None:
            return _decimal(Fraction(amount.value) * factor), None
    if unit is None and amount.unit != "%" and not is_currency(amount.unit):
        return amount.value, None
    raise Stop(PlannerStop("refused", "not_in_data", "other_unit", (slot.name, unit or "–", amount.unit)))


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def code_condition(slot: Slot, amount: Amount) -> Condition:
    """A bare number behind a column of names or identifiers: equality, as written for text."""
    if slot.column.column.type is ColumnType.TEXT:
        return OneOf(slot.ref, (amount.code,))
    return OneOf(slot.ref, (amount.value,))


# --- periods


@dataclass(frozen=True)
class PeriodUse:
    """A period of the question on a time column; `condition` None: the document itself is of that period. `also`: what it asks of
    another column."""

    index: int
    mention: PeriodMention
    slot: Slot | None
    condition: Condition | None
    also: Condition | None = None


def period_uses(reading: Reading, slots: tuple[Slot, ...]) -> tuple[PeriodUse, ...]:
    """Every period of the question with the time column it is about. Raises Stop where the column or the year is open."""
    mentions = _with_years(reading)
    found = []
    overdue = reading.says("overdue", "ageing")
    for index, mention in mentions:
        slot = due_slot(reading) if overdue else time_slot(reading, slots, index)
        years = year_slot(reading) if slot is None else None
        of_year = year_condition(years, mention) if years is not None else None
        if of_year is not None:
            found.append(PeriodUse(index, mention, years, of_year))
            continue
        if overdue and slot is not None and mention.period is not None:
            before = replace(mention, bound="before")
            settled = settled_on(reading)
            still_open = open_then(settled, mention.period.start) if settled is not None else None
            found.append(PeriodUse(index, before, slot, period_condition(reading, slot, before), still_open))
            continue
        if slot is None:
            if mention.period is not None and (mention.bound or not _of_document(reading, mention.period)):
                raise Stop(PlannerStop("refused", "not_in_data", "no_period_column", (mention.period.label,)))
            if mention.period is None:
                raise Stop(PlannerStop("refused", "not_in_data", "no_period_column", (reading.text_of(reading.mentions[index]),)))
            found.append(PeriodUse(index, mention, None, None))
            continue
        if _names_document(reading, index, mention):
            found.append(PeriodUse(index, mention, None, None))
            continue
        mention = _year_from_data(reading, index, mention, slot)
        found.append(PeriodUse(index, mention, slot, period_condition(reading, slot, mention)))
    return tuple(found)


def _with_years(reading: Reading) -> list[tuple[int, PeriodMention]]:
    """A period without a year ("KW 25") takes the year said elsewhere ("2023"), which then is no period of its own."""
    pairs = [(i, m.period) for i, m in enumerate(reading.mentions) if m.period is not None]
    for index, mention in pairs:
        if mention.fiscal_unclear:
            raise Stop(_fiscal_stop(reading, index, mention))
    years = [(i, p) for i, p in pairs if p.period is not None and p.period.grain == "year" and not p.bound]
    partial = [i for i, p in pairs if p.period is None]
    if partial and len(years) == 1 and years[0][1].period is not None:
        year = years[0][1].period.start.year
        return [(i, p.in_year(year) if p.period is None else p) for i, p in pairs if i != years[0][0]]
    return pairs


def consumed_years(reading: Reading) -> frozenset[int]:
    """Mentions of a bare year that only completes another period."""
    kept = {index for index, _ in _with_years(reading)}
    return frozenset(i for i, m in enumerate(reading.mentions) if m.period is not None and i not in kept)


def _fiscal_stop(reading: Reading, index: int, mention: PeriodMention) -> PlannerStop:
    year = mention.number
    options = tuple(
        Option(label, swap(reading, index, label))
        for label in (f"GJ {year - 1}/{year % 100:02d}", f"GJ {year}/{(year + 1) % 100:02d}")
    )
    return PlannerStop("clarify", "ambiguous_period", "fiscal_year", (reading.text_of(reading.mentions[index]),), options)


def time_slot(reading: Reading, slots: tuple[Slot, ...], index: int) -> Slot | None:
    """The time column a period is about: the one said nearest, else the only one of the main table. Raises Stop if open."""
    said = [slot for slot in slots if is_time(slot.column)]
    if said:
        place = reading.mentions[index].first
        return min(said, key=lambda slot: abs(reading.mentions[slot.index].first - place))
    table = reading.frame.main_table
    times = [column for column in table.columns if is_time(column)]
    periods = [column for column in times if column.column.type is ColumnType.PERIOD]
    if len(periods) == 1:
        times = periods
    if len(times) > 1:
        names = tuple(display_name(column) for column in times)
        here = reading.text_of(reading.mentions[index])
        options = tuple(Option(name, swap(reading, index, f"{name} {here}")) for name in names)
        raise Stop(PlannerStop("clarify", "ambiguous_period", "several_time_columns", names, options))
    return Slot(index, ColumnRef(reading.frame.main, times[0].sql_name), times[0]) if times else None


def _of_document(reading: Reading, period: Period) -> bool:
    """A table without a time column: its file, sheet or caption names the very year."""
    words = reading.names.words.get(str(period.start.year), ())
    tables = {reading.frame.main, *([reading.inner.many.table] if reading.inner else [])}
    return period.grain == "year" and any(word.table in tables for word in words)


def _names_document(reading: Reading, index: int, mention: PeriodMention) -> bool:
    """ "laut Auftragsliste 2024": a year right behind a word of the document belongs to its name."""
    if mention.period is None or mention.period.grain != "year" or mention.bound or index == 0:
        return False
    before = reading.mentions[index - 1]
    return before.kind == "tables" and before.last == reading.mentions[index].first and _of_document(reading, mention.period)


def _year_from_data(reading: Reading, index: int, mention: PeriodMention, slot: Slot) -> PeriodMention:
    if mention.period is not None:
        return mention
    years = sorted({year for year in data_years(reading, slot) if _occurs(reading, slot, mention.in_year(year))})
    if len(years) == 1:
        return mention.in_year(years[0])
    said = reading.text_of(reading.mentions[index])
    if not years:
        raise Stop(PlannerStop("refused", "not_in_data", "no_such_period", (said,)))
    options = tuple(Option(f"{said} {year}", swap(reading, index, f"{said} {year}")) for year in reversed(years))
    raise Stop(PlannerStop("clarify", "ambiguous_period", "several_years", (said,), options[:8]))


def data_years(reading: Reading, slot: Slot) -> frozenset[int]:
    """Calendar years in which a time column has anything."""
    index = reading.names.values[slot.ref.table]
    if slot.column.column.type is ColumnType.PERIOD:
        return frozenset(p.start.year for p in index.periods.get(slot.ref.column, ()))
    first, last = index.bounds.get(slot.ref.column, (None, None))
    if isinstance(first, date) and isinstance(last, date):
        return frozenset(range(first.year, last.year + 1))
    return frozenset()


def data_days(reading: Reading, slot: Slot) -> tuple[tuple[date, date], ...] | None:
    """First and last days of what a time column holds: of each period, or of all its dates; None if they are not known."""
    index = reading.names.values[slot.ref.table]
    if slot.column.column.type is ColumnType.PERIOD:
        return tuple((p.start, p.end) for p in index.periods.get(slot.ref.column, ()))
    first, last = (_day(end) for end in index.bounds.get(slot.ref.column, (None, None)))
    return ((first, last),) if first is not None and last is not None else None


def _day(moment: object) -> date | None:
    if isinstance(moment, datetime):
        return moment.date()
    return moment if isinstance(moment, date) else None


def _occurs(reading: Reading, slot: Slot, mention: PeriodMention) -> bool:
    if mention.period is None or slot.column.column.type is not ColumnType.PERIOD:
        return True
    wanted = mention.period
    periods = reading.names.values[slot.ref.table].periods.get(slot.ref.column, ())
    return any(wanted.start <= p.start and p.end <= wanted.end for p in periods)


_FIRST_DAY, _LAST_DAY = date(1, 1, 1), date(9999, 12, 31)


def period_condition(reading: Reading, slot: Slot, mention: PeriodMention) -> Condition:
    """The days of the period, or everything before, after, from or until it. A period column with several grains is
    reduced to the grain asked for, so that a quarter is not added to its months."""
    period = mention.period
    if period is None:
        raise ValueError("the year of the period must be known here")
    if mention.bound == "before":
        period = Period(_FIRST_DAY, period.start - timedelta(days=1), "range", f"vor {period.label}")
    elif mention.bound == "after":
        period = Period(period.end + timedelta(days=1), _LAST_DAY, "range", f"nach {period.label}")
    elif mention.bound == "from":
        period = Period(period.start, _LAST_DAY, "range", f"ab {period.label}")
    elif mention.bound == "until":
        period = Period(_FIRST_DAY, period.end, "range", f"bis {period.label}")
    if slot.column.column.type is not ColumnType.PERIOD:
        return Within(slot.ref, period)
    inside = [
        p
        for p in reading.names.values[slot.ref.table].periods.get(slot.ref.column, ())
        if period.start <= p.start and p.end <= period.end
    ]
    same = [p for p in inside if p.start == period.start and p.end == period.end]
    if same and not mention.bound:
        return Within(slot.ref, period, exact=True)
    if overlap(inside):
        raise Stop(PlannerStop("clarify", "ambiguous_period", "overlapping_periods", (period.label,)))
    return Within(slot.ref, period)


def overlap(periods: Iterable[Period]) -> bool:
    """True if a day lies in two different periods (a quarter beside its months)."""
    spans = sorted({(period.start, period.end) for period in periods})
    return any(left[1] >= right[0] for left, right in pairwise(spans))


def bare_unit(reading: Reading, slot: Slot) -> tuple[frozenset[int], Condition | None, str | None]:
    """Units said without a number: explained by the measure's own unit, a filter on its currency column, or a conversion.

    Returns the mentions used, the condition, and the unit to convert to. Raises Stop for another currency.
    """
    used: set[int] = set()
    condition: Condition | None = None
    convert: str | None = None
    unit, by_row = slot.column.unit, slot.column.column.unit_column
    for index, mention in enumerate(reading.mentions):
        said = mention.unit
        if said is None:
            continue
        if unit is not None and said.casefold() == unit.casefold():
            used.add(index)
        elif unit is not None and same_base(said, unit) and is_measure(slot.column):
            used.add(index)
            convert = said
        elif unit is None and by_row is not None and is_currency(said):
            used.add(index)
            condition = OneOf(ColumnRef(slot.ref.table, by_row), (said,))
        elif unit is not None and is_currency(unit) and is_currency(said):
            raise Stop(PlannerStop("refused", "not_in_data", "other_unit", (slot.name, unit, said)))
    return frozenset(used), condition, convert


def numbers_beside(reading: Reading, slots: tuple[Slot, ...]) -> tuple[tuple[int, Slot, Amount], ...]:
    """Bare numbers right behind a column of names, codes or identifiers ("Mahnstufe 3", "Kunde 0009999")."""
    found = []
    by_index = {slot.index: slot for slot in slots}
    for index, mention in enumerate(reading.mentions):
        if mention.amount is None or mention.amount.unit is not None or mention.amount.in_words or is_count_of(reading, index):
            continue
        before = next((i for i in range(index - 1, -1, -1) if reading.mentions[i].kind != "function_word"), None)
        slot = by_index.get(before) if before is not None else None
        if slot is None or mention.first - reading.mentions[slot.index].last > 2:
            continue
        if (
            slot.column.column.type is ColumnType.TEXT
            or is_identifier(slot.column)
            or (is_number(slot.column) and not is_measure(slot.column))
        ):
            found.append((index, slot, mention.amount))
    return tuple(found)
