"""What must be said before a number may be given: the period, the scenario, which one of several things."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from orchestrator.plan import ColumnRef, Condition, OneOf
from orchestrator.planners.conditions import overlap
from orchestrator.planners.decision import Option, PlannerStop, Stop
from orchestrator.planners.parts import Parts, Where, columns_of
from orchestrator.planners.slots import Slot, ValueSlot, append, is_singular, swap
from orchestrator.scope import VisibleColumn
from parsers.table import ColumnType
from parsers.table_units import counts, is_money_header
from parsers.units import is_money
from schema_maps.aggregation import label_aggregation

_IN = ("im", "in", "w")


def require_fixed(parts: Parts, found: Where, group_by: Sequence[ColumnRef], *, over_time: bool = False) -> None:
    """Every dimension along which numbers must not be mixed is fixed, grouped, or has one member. Raises Stop (clarify).

    These are the period column of a report, the scenario (Plan, Ist) and other column labels of a cross-tab. `over_time`: the
    question itself runs over the periods (minimum, average over months, explicit sum within one year)."""
    _require_no_doubt(parts, found)
    require_one_kind(parts, found, group_by)
    fixed = found.columns | set(group_by)
    table = parts.reading.names.values[parts.main_name]
    for column in parts.main.columns:
        ref = ColumnRef(parts.main_name, column.sql_name)
        if column.column.role == "parent":
            _require_one_parent(parts, found, column, ref in fixed)
            continue
        from_header = column.column.role == "dimension" and column.column.position is None
        is_label = column.column.type is not ColumnType.PERIOD and (column.column.role == "scenario" or from_header)
        if is_label and ref not in group_by and not all(_one_member(ref, a) for a in found.alternatives) and ref in found.columns:
            raise Stop(_choose_member(parts, column))
        if ref in fixed or table.distinct.get(column.sql_name, 0) <= 1:
            continue
        splits = column.column.type is ColumnType.PERIOD or column.column.role in ("scenario", "dimension")
        if splits and all(table.members_under(column.sql_name, _said_values(parts, a)) <= 1 for a in found.alternatives):
            continue
        if column.column.type is ColumnType.PERIOD:
            _require_period(parts, column, over_time)
        elif column.column.role == "scenario" or (column.column.role == "dimension" and column.column.position is None):
            raise Stop(_choose_member(parts, column))


def _require_one_parent(parts: Parts, found: Where, column: VisibleColumn, fixed: bool) -> None:
    """A label that stands under several rows ("Inland" under "Umsatz" and under "Kosten") is no one thing. Raises Stop."""
    table = parts.reading.names.values[parts.main_name]
    for conditions in () if fixed else found.alternatives:
        said = _said_values(parts, conditions)
        labels = {name: values for name, values in said.items() if _is_text(parts, name)}
        for name, values in labels.items():
            if any(table.occurs_under_several(column.sql_name, name, value) for value in values):
                paths = list(dict.fromkeys(str(hit.stored) for hit in table.of_column(column.sql_name)))[:8]
                heading = column.names[0]
                said_so = [append(parts.reading, *(f"{way} {heading} {path}" for way in _IN)) for path in paths]
                options = tuple(Option(path, question) for path, question in zip(paths, said_so, strict=True))
                raise Stop(PlannerStop("clarify", "ambiguous_term", "which_member", (heading,), options))


def _is_text(parts: Parts, name: str) -> bool:
    return any(column.sql_name == name and column.column.type is ColumnType.TEXT for column in parts.main.columns)


def _one_member(ref: ColumnRef, conditions: Iterable[Condition]) -> bool:
    """The conditions keep one member of a scenario or other column label (periods may be several)."""
    said = [condition for condition in conditions if ref in columns_of(condition)]
    return any(not isinstance(c, OneOf) or (not c.negated and len(c.values) == 1) for c in said)


def _require_no_doubt(parts: Parts, found: Where) -> None:
    """A row that may be a printed total must not enter a sum, count or ranking unless a name chooses the rows. Raises Stop."""
    for total in parts.main.stored.table.suspected_totals:
        for conditions in found.alternatives:
            texts = [
                c
                for c in conditions
                if isinstance(c, OneOf) and isinstance(c.values[0], str) and c.column.table == parts.main_name
            ]
            if not any(not c.negated or total.label in c.values for c in texts):
                without = append(parts.reading, f"ohne {total.label}", f"without {total.label}", f"bez {total.label}")
                options = (Option(f"ohne {total.label}", without),) if total.label else ()
                raise Stop(
                    PlannerStop("clarify", "ambiguous_value", "maybe_total", (total.label or "–", str(total.row)), options)
                )


def require_one_kind(parts: Parts, found: Where, group_by: Sequence[ColumnRef]) -> None:
    """The rows of a cross-tab may be figures of different kinds (sales beside a margin in percent): no number over both. Raises
    Stop unless one label, or labels of one kind, are chosen."""
    if parts.main.stored.table.layout != "tidy":
        return
    names = parts.reading.names.values[parts.main_name]
    for column in parts.main.columns:
        ref = ColumnRef(parts.main_name, column.sql_name)
        if column.column.role != "dimension" or column.column.position is None or ref in group_by:
            continue
        for conditions in found.alternatives:
            without = {v for c in conditions if isinstance(c, OneOf) and c.negated and c.column == ref for v in c.values}
            labels = names.members(column.sql_name, _said_values(parts, conditions)) - without
            if len({label_aggregation(str(label)) == "none" for label in labels}) > 1:
                raise Stop(_choose_member(parts, column))


def require_alike(measures: Sequence[Slot]) -> None:
    """Money is not added to heads, days or pieces, nor taken from them. Raises Stop (refused)."""
    for first, second in combinations(measures, 2):
        for money, other in ((first, second), (second, first)):
            if _is_money(money) and not _is_money(other) and other.column.unit is None and counts(other.column.column.name):
                raise Stop(PlannerStop("refused", "not_understood", "unlike_measures", (first.name, second.name)))


def _is_money(slot: Slot) -> bool:
    unit = slot.column.unit
    return is_money(unit) if unit is not None else is_money_header(slot.column.column.name)


def _said_values(parts: Parts, conditions: Iterable[Condition]) -> dict[str, tuple[object, ...]]:
    """Column -> values that the conditions keep, of the main table."""
    wanted = (c for c in conditions if isinstance(c, OneOf) and not c.negated and c.column.table == parts.main_name)
    return {condition.column.column: condition.values for condition in wanted}


def _require_period(parts: Parts, column: VisibleColumn, over_time: bool) -> None:
    periods = parts.reading.names.values[parts.main_name].periods.get(column.sql_name, ())
    years = {period.start.year for period in periods}
    may_add = over_time or (parts.reading.says("sum", "average", "median") and len(years) == 1)
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


def require_named(parts: Parts, found: Where, group_by: Sequence[ColumnRef], *, any_member: bool = False) -> frozenset[int]:
    """Entities said without a value: plurals mean all of them; a definite singular asks which one. Returns mentions used."""
    used: set[int] = set()
    for slot in parts.entities:
        _check_beside(parts, slot)
        bound = slot.ref in found.columns or slot.ref in group_by
        if not bound and not any_member and is_singular(parts.reading, slot) and not _table_is_bound(parts, slot, found):
            beside = _value_beside(parts, slot)
            if beside is None:
                raise Stop(_which_one(parts, slot))
            if not _same_things(parts, slot, beside.column):
                raise Stop(_other_column(parts, slot, beside))
        used.add(slot.index)
    return frozenset(used)


def _check_beside(parts: Parts, slot: Slot) -> None:
    """ "Lieferant Hamburg": a value right behind a column must be one of that column, or name the same things. Raises Stop."""
    end = parts.reading.mentions[slot.index].last
    value = next((value for value in parts.values if parts.place(value.index) == end), None)
    if value is None or any(other.ref == slot.ref for other in value.slot_columns):
        return
    if not any(_same_things(parts, slot, other) for other in value.slot_columns):
        raise Stop(_other_column(parts, slot, value))


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
