"""Terms and lists -> business SQL over the tables' SQL names. Pure: no data is read here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from orchestrator.compile_conditions import ColumnOf, column_sql, where_sql
from orchestrator.plan import (
    AnyOf,
    ColumnRef,
    Compare,
    CompareAggregate,
    CompareColumns,
    Condition,
    HavingIn,
    Join,
    ListPlan,
    Missing,
    Term,
)


@dataclass(frozen=True)
class CompiledTerm:
    """`sql` selects, in this order: the group keys, the unit columns (one for each measured column that has one), then the
    leaves: sum: SUM; average: SUM, COUNT; product: SUM, COUNT, COUNT(*); median: value, COUNT(value); value: the distinct value;
    others: the one aggregate."""

    sql: str
    keys: int
    units: int
    leaves: int


def compile_term(
    term: Term,
    group_by: Sequence[ColumnRef],
    unit_columns: Sequence[ColumnRef],
    column_of: ColumnOf,
    truncations: Mapping[ColumnRef, str] | None = None,
) -> CompiledTerm:
    """The statement of one aggregate term. `unit_columns`: per-row units of the measured columns; the result has one row for
    each of their combinations, so that no sum runs over two units. `truncations`: group columns that are cut to the first day
    of their month or the like. Raises UncompilableCondition."""
    qualified = bool(term.joins)
    keys = [_key_sql(ref, qualified, (truncations or {}).get(ref)) for ref in (*group_by, *unit_columns)]
    measure = _measure(term.columns, qualified)
    leaves = _leaves(term, measure)
    query = exp.select(*(key.copy() for key in keys), *leaves)
    query = _from(query, term.table, term.joins, term.conditions)
    where = where_sql(term.conditions, column_of, qualified)
    if where is not None:
        query = query.where(where)
    if term.aggregation == "value":
        query = query.distinct()
    elif term.aggregation == "median":
        query = query.group_by(*(key.copy() for key in keys), _required(measure).copy())
    elif keys:
        query = query.group_by(*(key.copy() for key in keys))
    return CompiledTerm(to_sql(query), len(group_by), len(unit_columns), len(leaves))


def _key_sql(ref: ColumnRef, qualified: bool, unit: str | None) -> exp.Expr:
    column = column_sql(ref, qualified)
    return column if unit is None else exp.TimestampTrunc(this=column, unit=exp.var(unit.upper()))


def compile_factors(term: Term, group_by: Sequence[ColumnRef], column_of: ColumnOf) -> str:
    """The rows behind a sum of products, group keys, then one output column a factor: which cell is multiplied with which."""
    return _compile_rows(term.table, (*group_by, *term.columns), term.joins, term.conditions, column_of, distinct=False)


def compile_list(plan: ListPlan, columns: Sequence[ColumnRef], column_of: ColumnOf) -> str:
    """The rows of a list; `columns`: those to fetch (shown, order and unit columns)."""
    return _compile_rows(plan.table, columns, plan.joins, plan.conditions, column_of, distinct=plan.distinct)


def compile_list_count(plan: ListPlan, columns: Sequence[ColumnRef], column_of: ColumnOf) -> str:
    """How many rows compile_list gives."""
    inner = _rows_query(plan.table, columns, plan.joins, plan.conditions, column_of, distinct=plan.distinct)
    return to_sql(exp.select(exp.Count(this=exp.Star())).from_(inner.subquery("listed")))


def compile_values(
    table: str, column: ColumnRef, conditions: Sequence[Condition], column_of: ColumnOf, joins: Sequence[Join] = ()
) -> str:
    """The distinct values of one column."""
    return _compile_rows(table, (column,), joins, conditions, column_of, distinct=True)


def compile_bounds(column: ColumnRef) -> str:
    """The smallest and the largest value of one column."""
    value = column_sql(column, False)
    return to_sql(exp.select(exp.Min(this=value), exp.Max(this=value.copy())).from_(exp.to_table(column.table)))


def to_sql(query: exp.Expr) -> str:
    return query.sql(dialect="duckdb")


def _compile_rows(
    table: str,
    columns: Sequence[ColumnRef],
    joins: Sequence[Join],
    conditions: Sequence[Condition],
    column_of: ColumnOf,
    distinct: bool,
) -> str:
    return to_sql(_rows_query(table, columns, joins, conditions, column_of, distinct))


def _rows_query(
    table: str,
    columns: Sequence[ColumnRef],
    joins: Sequence[Join],
    conditions: Sequence[Condition],
    column_of: ColumnOf,
    distinct: bool,
) -> exp.Select:
    qualified = bool(joins)
    query = _from(exp.select(*(column_sql(ref, qualified) for ref in columns)), table, joins, conditions)
    where = where_sql(conditions, column_of, qualified)
    if where is not None:
        query = query.where(where)
    return query.distinct() if distinct else query


def _from(query: exp.Select, table: str, joins: Sequence[Join], conditions: Sequence[Condition]) -> exp.Select:
    """Joins go from the many side to the one side. LEFT keeps rows without a partner; where a condition reads the one side
    they could not meet it anyway, except for conditions that a blank meets, which keep LEFT."""
    query = query.from_(exp.to_table(table))
    for join in joins:
        on = exp.EQ(this=column_sql(join.many, True), expression=column_sql(join.one, True))
        kind = "inner" if _needs_partner(join.one.table, conditions) else "left"
        query = query.join(exp.to_table(join.one.table), on=on, join_type=kind)
    return query


def _needs_partner(table: str, conditions: Sequence[Condition]) -> bool:
    return any(_reads(condition) == table and not _meets_blank(condition) for condition in conditions)


def _meets_blank(condition: Condition) -> bool:
    """Whether a row that has a blank in the condition's column is kept."""
    if isinstance(condition, Missing):
        return not condition.negated
    return not isinstance(condition, Compare | CompareColumns | CompareAggregate | AnyOf | HavingIn) and condition.negated


def _reads(condition: Condition) -> str:
    return condition.left.table if isinstance(condition, CompareColumns) else condition.column.table


def _measure(columns: Sequence[ColumnRef], qualified: bool) -> exp.Expr | None:
    factors: list[exp.Expr] = [column_sql(ref, qualified) for ref in columns]
    if not factors:
        return None
    product = factors[0]
    for factor in factors[1:]:
        product = exp.Mul(this=product, expression=factor)
    return product


def _leaves(term: Term, measure: exp.Expr | None) -> list[exp.Expr]:
    if term.aggregation == "count":
        return [exp.Count(this=measure if measure is not None else exp.Star())]
    value = _required(measure)
    match term.aggregation:
        case "sum":
            if len(term.columns) > 1:
                return [exp.Sum(this=value), exp.Count(this=value.copy()), exp.Count(this=exp.Star())]
            return [exp.Sum(this=value)]
        case "average":
            return [exp.Sum(this=value), exp.Count(this=value.copy())]
        case "median":
            return [value.copy(), exp.Count(this=value.copy())]
        case "minimum":
            return [exp.Min(this=value)]
        case "maximum":
            return [exp.Max(this=value)]
        case "count_distinct":
            return [exp.Count(this=exp.Distinct(expressions=[value]))]
        case "value":
            return [value]
    raise AssertionError(term.aggregation)


def _required(measure: exp.Expr | None) -> exp.Expr:
    if measure is None:
        raise ValueError("only a count works without a column")
    return measure
