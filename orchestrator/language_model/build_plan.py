"""A model's plan in Beleg's own plan language, over tables and columns of the asker's scope. What it names must be there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal, InvalidOperation

from orchestrator.language_model.reply import FilterReply, PlanReply
from orchestrator.link_names import Names, display_name
from orchestrator.plan import (
    AggregatePlan,
    ColumnRef,
    Compare,
    Condition,
    ListPlan,
    OneOf,
    Operator,
    Order,
    Output,
    Term,
    TermValue,
    Within,
)
from orchestrator.planners.frames import Frame
from orchestrator.question import words_of
from orchestrator.scope import VisibleColumn
from parsers.periods import Period, parse_period
from parsers.table import ColumnType

_NUMBERS = (ColumnType.DECIMAL, ColumnType.INTEGER)
_DAYS = (ColumnType.DATE, ColumnType.TIMESTAMP)


class WrongPlan(Exception):
    """The plan names or compares what is not there; the message is for the log and for the model."""


def build_plan(reply: PlanReply, frame: Frame, names: Names) -> AggregatePlan | ListPlan:
    """`frame`: that of the reply's table. Raises WrongPlan."""
    conditions = tuple(dict.fromkeys((*_filters(reply.filters, frame, names), *_periods(reply, frame, names))))
    groups = tuple(_ref(name, frame) for name in reply.group_by)
    group_names = tuple(display_name(_column(ref, frame)) for ref in groups)
    if not reply.measures:
        if groups or not reply.columns:
            raise WrongPlan("neither measures nor columns are named")
        return _rows(reply, frame, conditions)
    if _beside(reply, frame):
        raise WrongPlan("measures and columns of rows at once")
    measured = [(measure.aggregation, _measured(measure.column, frame)) for measure in reply.measures]
    terms: list[Term] = []
    for aggregation, columns in measured:
        if not columns and aggregation != "count":
            raise WrongPlan(f"{aggregation} of no column")
        refs = [*columns, *groups, *(condition.column for condition in conditions)]
        terms.append(Term(frame.main, aggregation, columns, frame.joins(refs), tuple(conditions)))
    outputs = tuple(
        Output(display_name(_column(columns[0], frame)) if columns else "Anzahl", TermValue(place))
        for place, (_, columns) in enumerate(measured)
    )
    order = Order(0, reply.order.descending, reply.order.limit) if reply.order is not None else None
    if order is not None and not groups:
        raise WrongPlan("an order without groups")
    return AggregatePlan(tuple(terms), outputs, groups, group_names, order=order)


def _beside(reply: PlanReply, frame: Frame) -> set[ColumnRef]:
    """Columns named beside measures that the plan does not read anyway (models list those, too)."""
    read = [*reply.group_by, *(each.column for each in reply.filters), *(each.column for each in reply.periods)]
    read += [each.column for each in reply.measures if each.column is not None]
    return {_ref(name, frame) for name in reply.columns} - {_ref(name, frame) for name in read}


def _rows(reply: PlanReply, frame: Frame, conditions: Sequence[OneOf | Compare | Within]) -> ListPlan:
    if reply.order is not None:
        raise WrongPlan("an order of rows by a measure that is not there")
    refs = tuple(_ref(name, frame) for name in reply.columns)
    names = tuple(display_name(_column(ref, frame)) for ref in refs)
    joins = frame.joins([*refs, *(condition.column for condition in conditions)])
    return ListPlan(frame.main, refs, names, joins, tuple(conditions))


def _measured(name: str | None, frame: Frame) -> tuple[ColumnRef, ...]:
    if name is None:
        return ()
    ref = _ref(name, frame)
    if ref.table != frame.main:
        raise WrongPlan("a measure of a joined table")
    return (ref,)


def _ref(name: str, frame: Frame) -> ColumnRef:
    """ "column" of the plan's own table, or "table.column" of one that can be joined to it. Raises WrongPlan."""
    table, _, column = name.rpartition(".")
    table = table or frame.main
    if table not in frame.paths or frame.tables[table].column(column) is None:
        raise WrongPlan("a column that is not in the tables")
    return ColumnRef(table, column)


def _column(ref: ColumnRef, frame: Frame) -> VisibleColumn:
    found = frame.tables[ref.table].column(ref.column)
    assert found is not None
    return found


def _filters(replies: Sequence[FilterReply], frame: Frame, names: Names) -> list[OneOf | Compare | Within]:
    found: list[OneOf | Compare | Within] = []
    listed: dict[tuple[ColumnRef, bool], list[str | Decimal | date | bool]] = {}
    for reply in replies:
        ref = _ref(reply.column, frame)
        column = _column(ref, frame)
        if reply.operator not in ("=", "<>"):
            found.append(Compare(ref, _operator(reply.operator), _comparable(reply.value, column)))
        elif column.column.type in (ColumnType.PERIOD, *_DAYS):
            found.append(_within(ref, column, reply))
        else:
            listed.setdefault((ref, reply.operator == "<>"), []).extend(_stored(reply.value, ref, column, names))
    for (ref, negated), values in listed.items():
        found.append(OneOf(ref, tuple(dict.fromkeys(values)), negated))
    return found


def _operator(said: str) -> Operator:
    operators: dict[str, Operator] = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
    return operators[said]


def _comparable(text: str, column: VisibleColumn) -> Decimal | date:
    if column.column.type in _NUMBERS:
        return _number(text)
    if column.column.type in _DAYS:
        return _day(text)
    raise WrongPlan("a comparison with a column that has no order")


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise WrongPlan("a number that is none") from None
    if not number.is_finite():
        raise WrongPlan("a number that is none")
    return number


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise WrongPlan("a day that is none") from None


def _within(ref: ColumnRef, column: VisibleColumn, reply: FilterReply) -> Within:
    period = parse_period(reply.value) if column.column.type is ColumnType.PERIOD else None
    if period is None:
        day = _day(reply.value)
        period = Period(day, day, "day", reply.value)
    return Within(ref, period, exact=column.column.type is ColumnType.PERIOD, negated=reply.operator == "<>")


def _stored(text: str, ref: ColumnRef, column: VisibleColumn, names: Names) -> list[str | Decimal | date | bool]:
    """The value as it is stored: a text only if the column holds it. Raises WrongPlan."""
    if column.column.type in _NUMBERS:
        return [_number(text)]
    if column.column.type is ColumnType.BOOLEAN:
        if text.lower() not in ("true", "false"):
            raise WrongPlan("a truth value that is none")
        return [text.lower() == "true"]
    hits = names.values[ref.table].exact.get(" ".join(words_of(text)), ()) if ref.table in names.values else ()
    held = [hit.stored for hit in hits if hit.column == ref.column]
    if not held:
        raise WrongPlan("a value that the column does not hold")
    return list(held)


def _periods(reply: PlanReply, frame: Frame, names: Names) -> list[Within]:
    found = []
    for said in reply.periods:
        ref = _ref(said.column, frame)
        if _column(ref, frame).column.type not in (ColumnType.PERIOD, *_DAYS):
            raise WrongPlan("a period of a column without time")
        first, last = _day(said.first_day), _day(said.last_day)
        if last < first:
            raise WrongPlan("a period that ends before it begins")
        held = names.values[ref.table].periods.get(ref.column, ()) if ref.table in names.values else ()
        exact = any((period.start, period.end) == (first, last) for period in held)
        found.append(Within(ref, Period(first, last, "range", f"{first} – {last}"), exact=exact))
    return found


def conditions_of(plan: AggregatePlan | ListPlan) -> tuple[Condition, ...]:
    """Of a list, or of the first term (a model's terms have all the same)."""
    return plan.terms[0].conditions if isinstance(plan, AggregatePlan) else plan.conditions
