"""The small algebra that admitted SELECTs are read into: what is not in it does not run.

One tree serves both sides: orchestrator.sql_emit writes it as SQL for the engine, orchestrator.provenance computes it again
from the cells. Sources have numbers that are unique in one statement, so a column of an outer query needs no name lookup.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Literal as OneOf

from orchestrator.scope import VisibleTable


class Kind(StrEnum):
    """INTEGER and DECIMAL are exact in the engine; RATIONAL is a pair of exact numbers (numerator, positive denominator),
    because the engine's own division is binary. NULL is the bare word NULL."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    RATIONAL = "rational"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"
    NULL = "null"


NUMBERS = frozenset({Kind.INTEGER, Kind.DECIMAL, Kind.RATIONAL})
EXACT_NUMBERS = frozenset({Kind.INTEGER, Kind.DECIMAL})
MOMENTS = frozenset({Kind.DATE, Kind.TIMESTAMP})


@dataclass(frozen=True)
class Type:
    """`scale`: decimal places of a DECIMAL, else 0."""

    kind: Kind
    scale: int = 0


INTEGER, RATIONAL, TEXT = Type(Kind.INTEGER), Type(Kind.RATIONAL), Type(Kind.TEXT)
DATE, TIMESTAMP, BOOLEAN, NULL = Type(Kind.DATE), Type(Kind.TIMESTAMP), Type(Kind.BOOLEAN), Type(Kind.NULL)


# --- expressions


@dataclass(frozen=True)
class Constant:
    value: Decimal | str | date | datetime | bool | None
    type: Type


@dataclass(frozen=True)
class Reference:
    """A column of a source of this or an enclosing query. `column`: sql_name for a table, output index for a query."""

    source: int
    column: str | int
    type: Type


@dataclass(frozen=True)
class Apply:
    """A scalar operation; `name` is a key of orchestrator.sql_functions.FUNCTIONS."""

    name: str
    arguments: tuple[Expression, ...]
    type: Type


@dataclass(frozen=True)
class Case:
    """CASE WHEN condition THEN value … ELSE otherwise END."""

    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression
    type: Type


AggregateName = OneOf["sum", "count", "count_rows", "avg", "min", "max", "median"]


@dataclass(frozen=True)
class Aggregate:
    """`argument` None only for count_rows (COUNT(*)). `condition`: FILTER (WHERE …)."""

    name: AggregateName
    argument: Expression | None
    distinct: bool
    condition: Expression | None
    type: Type


@dataclass(frozen=True)
class Window:
    """An aggregate, lag, lead or first_value over rows around this one. `frame` is checked, regenerated SQL text."""

    name: OneOf["sum", "count", "count_rows", "avg", "min", "max", "lag", "lead", "first_value"]
    argument: Expression | None
    offset: int
    partition: tuple[Expression, ...]
    order: tuple[OrderKey, ...]
    frame: str
    type: Type


@dataclass(frozen=True)
class ScalarQuery:
    """A subquery that gives one value."""

    query: Query
    type: Type


@dataclass(frozen=True)
class Exists:
    query: Query
    type: Type = BOOLEAN


@dataclass(frozen=True)
class InQuery:
    operand: Expression
    query: Query
    type: Type = BOOLEAN


@dataclass(frozen=True)
class AllQuery:
    """operand operator ALL (subquery), or ANY."""

    operand: Expression
    operator: str
    quantifier: OneOf["ALL", "ANY"]
    query: Query
    type: Type = BOOLEAN


Expression = Constant | Reference | Apply | Case | Aggregate | Window | ScalarQuery | Exists | InQuery | AllQuery


# --- relations


@dataclass(frozen=True, eq=False)
class TableSource:
    """`with_totals`: printed total rows are kept. `visible_rows_only`: hidden rows are left out."""

    number: int
    table: VisibleTable
    with_totals: bool
    visible_rows_only: bool


@dataclass(frozen=True, eq=False)
class QuerySource:
    number: int
    query: Query


Source = TableSource | QuerySource


@dataclass(frozen=True, eq=False)
class JoinStep:
    kind: OneOf["INNER", "LEFT", "RIGHT", "FULL", "CROSS"]
    source: Source
    condition: Expression | None


@dataclass(frozen=True)
class OrderKey:
    """`nulls_first` is always said, so that no default of an engine matters."""

    expression: Expression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class OutputColumn:
    """`places`: ROUND(…, places) around a RATIONAL, done on the exact fraction outside the engine."""

    name: str
    expression: Expression
    places: int | None = None


@dataclass(frozen=True, eq=False)
class Select:
    """One SELECT. `grouped`: it aggregates (with or without keys). SELECT DISTINCT is written as grouping by all outputs.
    `rollup`: grouping sets as indexes into group_by; None for plain grouping."""

    first: Source | None
    joins: tuple[JoinStep, ...]
    where: Expression | None
    grouped: bool
    group_by: tuple[Expression, ...]
    rollup: tuple[tuple[int, ...], ...] | None
    having: Expression | None
    outputs: tuple[OutputColumn, ...]
    order: tuple[OrderKey, ...]
    limit: int | None
    offset: int | None

    @property
    def sources(self) -> tuple[Source, ...]:
        return () if self.first is None else (self.first, *(join.source for join in self.joins))


@dataclass(frozen=True, eq=False)
class Union:
    """UNION ALL of at least two branches with outputs of equal kinds; names from the first branch."""

    branches: tuple[Query, ...]
    outputs: tuple[OutputColumn, ...]  # expressions are those of the first branch, for names and types only


Query = Select | Union


def children(expression: Expression) -> Iterator[Expression]:
    """Direct subexpressions, those inside subqueries left out."""
    match expression:
        case Apply():
            yield from expression.arguments
        case Case():
            for condition, value in expression.branches:
                yield condition
                yield value
            yield expression.otherwise
        case Aggregate():
            if expression.argument is not None:
                yield expression.argument
            if expression.condition is not None:
                yield expression.condition
        case Window():
            if expression.argument is not None:
                yield expression.argument
            yield from expression.partition
            for key in expression.order:
                yield key.expression
        case InQuery() | AllQuery():
            yield expression.operand
        case _:
            return


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything below it, subqueries not entered."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def has_aggregate(expression: Expression) -> bool:
    return any(isinstance(part, Aggregate) for part in walk(expression))


def common_type(types: list[Type]) -> Type | None:
    """The type that holds all of these exactly, or None if they do not go together."""
    known = [one for one in types if one.kind is not Kind.NULL]
    if not known:
        return NULL
    kinds = {one.kind for one in known}
    if kinds <= NUMBERS:
        if Kind.RATIONAL in kinds:
            return RATIONAL
        scale = max(one.scale for one in known)
        return INTEGER if kinds == {Kind.INTEGER} else Type(Kind.DECIMAL, scale)
    if kinds <= MOMENTS:
        return known[0] if len(kinds) == 1 else TIMESTAMP
    return known[0] if len(kinds) == 1 else None
