"""Plan conditions -> SQL expressions. Values go in as literals of their type, never as pasted text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from sqlglot import exp, parse_one
from sqlglot.errors import ParseError

from indexer.segments import period_end, period_start
from orchestrator.plan import (
    AnyOf,
    ColumnRef,
    Compare,
    CompareAggregate,
    CompareColumns,
    Condition,
    HavingIn,
    InRows,
    Missing,
    OneOf,
    TextMatch,
    Within,
)
from parsers.periods import Period
from parsers.table import Column, ColumnType

ColumnOf = Callable[[ColumnRef], Column]

_OPERATORS: dict[str, type[exp.Binary]] = {
    "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE, "=": exp.EQ, "<>": exp.NEQ,
}  # fmt: skip


class UncompilableCondition(Exception):
    """A condition that has no SQL form: a text match that was not resolved to stored values, or a value of a wrong type."""


def column_sql(ref: ColumnRef, qualified: bool) -> exp.Column:
    return exp.column(exp.to_identifier(ref.column, quoted=_reads_otherwise(ref.column)), table=ref.table if qualified else None)


@lru_cache(maxsize=65536)
def _reads_otherwise(name: str) -> bool:
    """A column called like a word of SQL ("alter") is written in quotation marks, so that it is read back as a column."""
    try:
        text = f"SELECT {name}, COUNT({name}) FROM t WHERE {name} < 1 AND {name} IN (1) GROUP BY {name}"
        query = parse_one(text, dialect="duckdb")
    except ParseError:
        return True
    return len(list(query.find_all(exp.Column))) != 5


def where_sql(conditions: Sequence[Condition], column_of: ColumnOf, qualified: bool) -> exp.Expr | None:
    """All conditions joined by AND; None without any. Raises UncompilableCondition."""
    parts = [condition_sql(condition, column_of, qualified) for condition in conditions]
    return exp.and_(*parts) if parts else None


def condition_sql(condition: Condition, column_of: ColumnOf, qualified: bool) -> exp.Expr:
    """One condition. `qualified`: columns are written with their table. Raises UncompilableCondition."""
    match condition:
        case OneOf():
            return _one_of(condition, column_of, qualified)
        case Compare():
            column = column_sql(condition.column, qualified)
            return _compare(column, column_of(condition.column), condition.operator, condition.value)
        case CompareColumns():
            return _OPERATORS[condition.operator](
                this=column_sql(condition.left, qualified), expression=column_sql(condition.right, qualified)
            )
        case Within():
            column = column_sql(condition.column, qualified)
            inside = _within(column, column_of(condition.column), condition.period, condition.exact)
            return _negate(inside, column) if condition.negated else inside
        case Missing():
            blank = exp.Is(this=column_sql(condition.column, qualified), expression=exp.null())
            return exp.Not(this=blank) if condition.negated else blank
        case InRows():
            return _in_rows(condition, column_of, qualified)
        case AnyOf():
            return exp.paren(exp.or_(*(condition_sql(option, column_of, qualified) for option in condition.options)))
        case CompareAggregate():
            return _compare_aggregate(condition, column_of, qualified)
        case TextMatch() | HavingIn():
            raise UncompilableCondition("a text match or nested filter compiles only after it was resolved to stored values")


def _one_of(condition: OneOf, column_of: ColumnOf, qualified: bool) -> exp.Expr:
    column, meta = column_sql(condition.column, qualified), column_of(condition.column)
    found: list[exp.Expr] = []
    literals: list[exp.Expr] = []
    for value in condition.values:
        if meta.type in (ColumnType.TIMESTAMP, ColumnType.PERIOD) and isinstance(value, date):
            found.append(_compare(column, meta, "=", value))
        elif meta.type in (ColumnType.DECIMAL, ColumnType.INTEGER) and isinstance(value, Decimal):
            if _fits(value, meta):
                literals.append(literal(value))
        else:
            literals.append(literal(value))
    if len(literals) == 1:
        found.append(exp.EQ(this=column.copy(), expression=literals[0]))
    elif literals:
        found.append(exp.In(this=column.copy(), expressions=literals))
    inside = exp.or_(*found) if found else never(column)
    return _negate(inside, column) if condition.negated else _parenthesised(inside)


def _in_rows(condition: InRows, column_of: ColumnOf, qualified: bool) -> exp.Expr:
    column = column_sql(condition.column, qualified)
    inner = column_sql(condition.inner, False)
    conditions = (*condition.conditions, Missing(condition.inner, negated=True))
    query = exp.select(inner).from_(exp.to_table(condition.inner.table)).where(where_sql(conditions, column_of, False))
    inside = exp.In(this=column, query=exp.Subquery(this=query))
    return _negate(inside, column) if condition.negated else inside


_AGGREGATES: dict[str, type[exp.AggFunc]] = {"average": exp.Avg, "minimum": exp.Min, "maximum": exp.Max}


def _compare_aggregate(condition: CompareAggregate, column_of: ColumnOf, qualified: bool) -> exp.Expr:
    value = _AGGREGATES[condition.aggregation](this=column_sql(condition.of, False))
    query = exp.select(value).from_(exp.to_table(condition.of.table))
    where = where_sql(condition.conditions, column_of, False)
    query = query.where(where) if where is not None else query
    return _OPERATORS[condition.operator](this=column_sql(condition.column, qualified), expression=exp.Subquery(this=query))


def _within(column: exp.Column, meta: Column, period: Period, exact: bool) -> exp.Expr:
    if meta.type is ColumnType.PERIOD:
        first, last = _period_ends(column)
        if exact:
            return exp.and_(
                exp.EQ(this=first, expression=literal(period.start)), exp.EQ(this=last, expression=literal(period.end))
            )
        return exp.and_(exp.GTE(this=first, expression=literal(period.start)), exp.LTE(this=last, expression=literal(period.end)))
    if meta.type is ColumnType.TIMESTAMP:
        after = _midnight(period.end + timedelta(days=1))
        return exp.and_(
            exp.GTE(this=column.copy(), expression=_midnight(period.start)), exp.LT(this=column.copy(), expression=after)
        )
    if meta.type is ColumnType.DATE:
        return exp.and_(
            exp.GTE(this=column.copy(), expression=literal(period.start)),
            exp.LTE(this=column.copy(), expression=literal(period.end)),
        )
    raise UncompilableCondition(f"{meta.name} holds no dates")


def _compare(column: exp.Column, meta: Column, operator: str, value: Decimal | date) -> exp.Expr:
    if isinstance(value, Decimal):
        if meta.type not in (ColumnType.DECIMAL, ColumnType.INTEGER):
            raise UncompilableCondition(f"{meta.name} holds no numbers")
        return _compare_number(column, meta, operator, value)
    if meta.type is ColumnType.DATE and not isinstance(value, datetime):
        return _OPERATORS[operator](this=column.copy(), expression=literal(value))
    if meta.type is ColumnType.TIMESTAMP:
        return _compare_timestamp(column, operator, value)
    if meta.type is ColumnType.PERIOD:
        first, last = _period_ends(column)
        end = first if operator in (">", ">=") else last
        if operator in ("=", "<>"):
            same = exp.and_(exp.EQ(this=first, expression=literal(value)), exp.EQ(this=last, expression=literal(value)))
            return exp.Not(this=exp.paren(same)) if operator == "<>" else same
        return _OPERATORS[operator](this=end, expression=literal(value))
    raise UncompilableCondition(f"{meta.name} holds no dates")


def _compare_number(column: exp.Column, meta: Column, operator: str, value: Decimal) -> exp.Expr:
    """A bound with more places than the column is moved to the next value that the column can hold, so that both sides of
    the comparison have the column's own exact type."""
    if _fits(value, meta):
        return _OPERATORS[operator](this=column.copy(), expression=literal(value))
    if operator == "=":
        return never(column)
    if operator == "<>":
        return exp.Not(this=exp.Is(this=column.copy(), expression=exp.null()))
    step = 10 ** _scale(meta)
    scaled = Fraction(value) * step
    moved = math.floor(scaled) if operator in (">", "<=") else math.ceil(scaled)
    return _OPERATORS[operator](this=column.copy(), expression=literal(_scaled(moved, _scale(meta))))


def _compare_timestamp(column: exp.Column, operator: str, value: date) -> exp.Expr:
    if isinstance(value, datetime):
        return _OPERATORS[operator](this=column.copy(), expression=literal(value))
    start, after = _midnight(value), _midnight(value + timedelta(days=1))
    if operator in ("=", "<>"):
        inside = exp.and_(exp.GTE(this=column.copy(), expression=start), exp.LT(this=column.copy(), expression=after))
        return exp.Not(this=exp.paren(inside)) if operator == "<>" else inside
    bound = {"<": start, ">=": start, "<=": after, ">": after}[operator]
    strict = {"<": exp.LT, ">=": exp.GTE, "<=": exp.LT, ">": exp.GTE}[operator]
    return strict(this=column.copy(), expression=bound)


def literal(value: str | Decimal | date | datetime | bool) -> exp.Expr:
    """A value as an SQL literal of its own type."""
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, Decimal):
        number = exp.Literal.number(format(abs(value), "f"))
        return exp.Neg(this=number) if value < 0 else number
    if isinstance(value, datetime):
        return exp.cast(exp.Literal.string(value.isoformat(sep=" ")), "TIMESTAMP", dialect="duckdb")
    if isinstance(value, date):
        return exp.cast(exp.Literal.string(value.isoformat()), "DATE", dialect="duckdb")
    return exp.Literal.string(value)


def never(column: exp.Column) -> exp.Expr:
    """A condition that no row meets."""
    blank = exp.Is(this=column.copy(), expression=exp.null())
    return exp.and_(blank, exp.Not(this=blank.copy()))


def _negate(inside: exp.Expr, column: exp.Column) -> exp.Expr:
    """Not inside; rows where the column is blank stay ("ohne Danzig" keeps the row without a place)."""
    blank = exp.Is(this=column.copy(), expression=exp.null())
    if isinstance(inside, exp.EQ):
        outside: exp.Expr = exp.NEQ(this=inside.this, expression=inside.expression)
    else:
        outside = exp.Not(this=_parenthesised(inside))
    return exp.paren(exp.or_(outside, blank))


def _parenthesised(inside: exp.Expr) -> exp.Expr:
    return exp.paren(inside) if isinstance(inside, exp.Or | exp.And) else inside


def _period_ends(column: exp.Column) -> tuple[exp.Column, exp.Column]:
    table = column.args.get("table")
    return (
        exp.column(period_start(column.name), table=table.copy() if table else None),
        exp.column(period_end(column.name), table=table.copy() if table else None),
    )


def _midnight(day: date) -> exp.Expr:
    return literal(datetime(day.year, day.month, day.day))


def _scale(meta: Column) -> int:
    return meta.scale if meta.type is ColumnType.DECIMAL else 0


def _fits(value: Decimal, meta: Column) -> bool:
    step: int = 10 ** _scale(meta)
    return (Fraction(value) * step).denominator == 1


def _scaled(number: int, scale: int) -> Decimal:
    return Decimal((int(number < 0), tuple(int(digit) for digit in str(abs(number))), -scale))
