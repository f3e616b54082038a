"""Expressions of the algebra -> SQL text. No division reaches the engine: a quotient is written as a pair of exact numbers.

Where numbers of different scale meet, they are cast to the larger scale first: DuckDB caps a mixed type at 38 digits by dropping
decimal places (CASE, COALESCE, UNION, IN: 1.4 IN (SELECT 1) would be true).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from orchestrator.rewrite_scope import quoted, text_literal
from orchestrator.sql_algebra import (
    EXACT_NUMBERS,
    INTEGER,
    Aggregate,
    AllQuery,
    Apply,
    Case,
    Constant,
    Exists,
    Expression,
    InQuery,
    Kind,
    OrderKey,
    Query,
    Reference,
    ScalarQuery,
    Type,
    Window,
    common_type,
)
from orchestrator.sql_functions import FUNCTIONS
from orchestrator.sql_refusals import NoProvenance

_LARGEST = 2**63 - 1
_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_SAME_SCALE = frozenset({"coalesce", "greatest", "least", "mod"})


@dataclass(frozen=True)
class Number:
    """SQL text of an exact number with its decimal places."""

    text: str
    scale: int


ONE = Number("1", 0)
Pair = tuple[Number, Number]


def alias(number: int | str) -> str:
    """The quoted name of a source."""
    return f'"t{number}"'


class ExpressionWriter:
    """`subquery(query, part, type)` writes a subquery that gives one column, cast to the type if one is given. `queries`: the
    queries in FROM by the number of their source."""

    def __init__(self, subquery: Callable[[Query, str, Type | None], str], queries: Mapping[int, Query]) -> None:
        self._subquery = subquery
        self._queries = queries

    def exact(self, expression: Expression) -> str:
        """SQL text of an expression that is not a fraction."""
        match expression:
            case Constant():
                return constant_sql(expression)
            case Reference():
                column = f"v{expression.column}" if isinstance(expression.column, int) else expression.column
                return f"{alias(expression.source)}.{quoted(column)}"
            case Case():
                tests = [self.exact(test) for test, _ in expression.branches]
                values = [self.exact_as(value, expression.type) for _, value in expression.branches]
                return _case(tests, values, self.exact_as(expression.otherwise, expression.type))
            case Aggregate():
                return self._aggregate(expression)
            case Window():
                return self._window(expression)
            case ScalarQuery():
                return self._subquery(expression.query, "v0", None)
            case Exists():
                return f"EXISTS {self._subquery(expression.query, '*', None)}"
            case InQuery():
                left, right = self._against_query(expression.operand, expression.query)
                return f"({left} IN {right})"
            case AllQuery():
                left, right = self._against_query(expression.operand, expression.query)
                return f"({left} {expression.operator} {expression.quantifier} {right})"
            case Apply():
                return self._apply(expression)

    def exact_as(self, expression: Expression, kind: Type) -> str:
        """The same with the scale of `kind`."""
        text = self.exact(expression)
        if kind.kind not in EXACT_NUMBERS or expression.type.kind not in EXACT_NUMBERS or expression.type.scale == kind.scale:
            return text
        return f"CAST({text} AS DECIMAL(38, {kind.scale}))"

    def _against_query(self, operand: Expression, query: Query) -> tuple[str, str]:
        common = common_type([operand.type, query.outputs[0].expression.type])
        assert common is not None
        return self.exact_as(operand, common), self._subquery(query, "v0", common)

    def _apply(self, expression: Apply) -> str:
        name, arguments = expression.name, expression.arguments
        fractions = any(one.type.kind is Kind.RATIONAL for one in arguments)
        if name in _COMPARISONS:
            return self._comparison(name, *arguments) if fractions else self._plain_comparison(name, *arguments)
        if name == "is_null":
            numerator, denominator = self.pair(arguments[0]) if fractions else (Number(self.exact(arguments[0]), 0), ONE)
            if denominator == ONE:
                return f"({numerator.text} IS NULL)"
            return f"({numerator.text} IS NULL OR {denominator.text} IS NULL)"
        if fractions:
            raise _no_fraction()
        written = [self.exact_as(one, expression.type) if name in _SAME_SCALE else self.exact(one) for one in arguments]
        match name:
            case "and" | "or":
                return f"({f' {name.upper()} '.join(written)})"
            case "not":
                return f"(NOT {written[0]})"
            case "is_true":
                return f"({written[0]} IS TRUE)"
            case "is_false":
                return f"({written[0]} IS FALSE)"
            case "+" | "-":
                return f"({self.exact_as(arguments[0], expression.type)} {name} {self.exact_as(arguments[1], expression.type)})"
            case "*":
                return times(self._number(arguments[0]), self._number(arguments[1])).text
            case "negative":
                return f"(-{written[0]})"
            case "coalesce":
                return f"coalesce({', '.join(written)})"
        return FUNCTIONS[name].sql(*written)

    def _number(self, expression: Expression) -> Number:
        return Number(self.exact(expression), expression.type.scale)

    def _plain_comparison(self, operator: str, left: Expression, right: Expression) -> str:
        common = common_type([left.type, right.type])
        assert common is not None
        return f"({self.exact_as(left, common)} {operator} {self.exact_as(right, common)})"

    def _comparison(self, operator: str, left: Expression, right: Expression) -> str:
        """a/b < c/d with positive denominators is a*d < c*b."""
        first, second = self.pair(left), self.pair(right)
        sides = _same_scale([times(first[0], second[1]), times(second[0], first[1])])
        return f"({sides[0].text} {operator} {sides[1].text})"

    # --- fractions

    def pair(self, expression: Expression) -> Pair:
        """Numerator and denominator; the denominator is positive, or NULL where the value is missing or divided by zero."""
        if expression.type.kind is not Kind.RATIONAL:
            return self._number(expression), ONE
        match expression:
            case Reference():
                return self._reference_pair(expression)
            case ScalarQuery():
                top, bottom = self.pair(expression.query.outputs[0].expression)
                return (
                    Number(self._subquery(expression.query, "n0", None), top.scale),
                    Number(self._subquery(expression.query, "d0", None), bottom.scale),
                )
            case Aggregate():
                return self._aggregate_pair(expression)
            case Window():
                assert expression.argument is not None
                count = Number(f"nullif({self._window_as(expression, 'count')}, 0)", 0)
                return Number(self._window_as(expression, "sum"), expression.argument.type.scale), count
            case Case():
                tests = [self.exact(test) for test, _ in expression.branches]
                return _chosen(tests, [self.pair(value) for _, value in expression.branches], self.pair(expression.otherwise))
            case Apply():
                return self._apply_pair(expression)
        raise _no_fraction()

    def _reference_pair(self, reference: Reference) -> Pair:
        inner = self._queries[reference.source]
        assert isinstance(reference.column, int)
        top, bottom = self.pair(inner.outputs[reference.column].expression)
        name = alias(reference.source)
        return Number(f'{name}."n{reference.column}"', top.scale), Number(f'{name}."d{reference.column}"', bottom.scale)

    def _apply_pair(self, expression: Apply) -> Pair:
        parts = [self.pair(one) for one in expression.arguments]
        if expression.name == "negative":
            return Number(f"(-{parts[0][0].text})", parts[0][0].scale), parts[0][1]
        if expression.name == "coalesce":
            tests = [_there(part) for part in parts]
            return _chosen(tests, parts, (Number("NULL", 0), ONE))
        (top, bottom), (other_top, other_bottom) = parts
        match expression.name:
            case "+" | "-":
                if bottom == other_bottom:
                    left, right = _same_scale([top, other_top])
                else:
                    left, right = _same_scale([times(top, other_bottom), times(other_top, bottom)])
                joined = Number(f"({left.text} {expression.name} {right.text})", left.scale)
                return joined, bottom if bottom == other_bottom else times(bottom, other_bottom)
            case "*":
                return times(top, other_top), times(bottom, other_bottom)
            case "/":
                product, divisor = times(top, other_bottom), times(bottom, other_top)
                signed = f"CASE WHEN {other_top.text} < 0 THEN -{product.text} ELSE {product.text} END"
                return Number(signed, product.scale), Number(f"nullif(abs({divisor.text}), 0)", divisor.scale)
        raise _no_fraction()

    # --- aggregates

    def _aggregate(self, aggregate: Aggregate) -> str:
        inner = self._inner(aggregate)
        match aggregate.name:
            case "count_rows":
                return self._filtered("count(*)", aggregate)
            case "sum":
                return self._sum(aggregate, inner)
            case "count" | "min" | "max":
                return self._filtered(f"{aggregate.name}({inner})", aggregate)
        raise AssertionError(aggregate.name)

    def _sum(self, aggregate: Aggregate, inner: str) -> str:
        text = self._filtered(f"sum({inner})", aggregate)
        argument = aggregate.argument
        return f"CAST({text} AS DECIMAL(38, 0))" if argument is not None and argument.type == INTEGER else text

    def _aggregate_pair(self, aggregate: Aggregate) -> Pair:
        inner = self._inner(aggregate)
        assert aggregate.argument is not None
        scale = aggregate.argument.type.scale
        if aggregate.name == "avg":
            count = self._filtered(f"count({inner})", aggregate)
            return Number(self._sum(aggregate, inner), scale), Number(f"nullif({count}, 0)", 0)
        if aggregate.name == "median" and not aggregate.distinct:
            # The lower and the upper middle value, one and the same for an odd number; DuckDB's own median and quantiles
            # go through binary numbers.
            condition = "" if aggregate.condition is None else f" AND {self.exact(aggregate.condition)}"
            ordered = f"list_sort(list({inner}) FILTER (WHERE {inner} IS NOT NULL{condition}))"
            size = self._filtered(f"count({inner})", aggregate)
            return Number(f"({ordered}[({size} + 1) // 2] + {ordered}[{size} // 2 + 1])", scale), Number("2", 0)
        raise NoProvenance("aggregate_form", "Diese Aggregation ist nicht exakt möglich.", "Lassen Sie DISTINCT weg.")

    def _inner(self, aggregate: Aggregate) -> str:
        text = "" if aggregate.argument is None else self.exact(aggregate.argument)
        return f"DISTINCT {text}" if aggregate.distinct else text

    def _filtered(self, call: str, aggregate: Aggregate) -> str:
        return call if aggregate.condition is None else f"{call} FILTER (WHERE {self.exact(aggregate.condition)})"

    # --- windows

    def over(self, window: Window) -> str:
        """The text behind OVER."""
        parts = []
        if window.partition:
            parts.append(f"PARTITION BY {', '.join(self.exact(one) for one in window.partition)}")
        if window.order:
            parts.append(f"ORDER BY {', '.join(self.order_key(key) for key in window.order)}")
        if window.frame:
            parts.append(window.frame)
        return f"({' '.join(parts)})"

    def order_key(self, key: OrderKey) -> str:
        """One key of ORDER BY."""
        direction, nulls = "DESC" if key.descending else "ASC", "FIRST" if key.nulls_first else "LAST"
        return f"{self.exact(key.expression)} {direction} NULLS {nulls}"

    def _window(self, window: Window) -> str:
        if window.name in ("lag", "lead", "first_value"):
            assert window.argument is not None
            offset = "" if window.name == "first_value" else f", {window.offset}"
            return f"{window.name}({self.exact(window.argument)}{offset}) OVER {self.over(window)}"
        return self._window_as(window, "count(*)" if window.name == "count_rows" else window.name)

    def _window_as(self, window: Window, name: str) -> str:
        if name == "count(*)":
            return f"count(*) OVER {self.over(window)}"
        assert window.argument is not None
        text = f"{name}({self.exact(window.argument)}) OVER {self.over(window)}"
        return f"CAST({text} AS DECIMAL(38, 0))" if name == "sum" and window.argument.type == INTEGER else text


def _no_fraction() -> NoProvenance:
    return NoProvenance("ratio_here", "Ein Quotient ist an dieser Stelle nicht exakt möglich.", "Rechnen Sie ihn ganz außen aus.")


def _case(tests: Sequence[str], values: Sequence[str], otherwise: str) -> str:
    branches = " ".join(f"WHEN {test} THEN {value}" for test, value in zip(tests, values, strict=True))
    return f"CASE {branches} ELSE {otherwise} END"


def _chosen(tests: Sequence[str], pairs: Sequence[Pair], otherwise: Pair) -> Pair:
    """The pair of the first test that holds."""
    *tops, last_top = _same_scale([*(top for top, _ in pairs), otherwise[0]])
    *bottoms, last_bottom = _same_scale([*(bottom for _, bottom in pairs), otherwise[1]])
    return (
        Number(_case(tests, [top.text for top in tops], last_top.text), last_top.scale),
        Number(_case(tests, [bottom.text for bottom in bottoms], last_bottom.text), last_bottom.scale),
    )


def _there(pair: Pair) -> str:
    top, bottom = pair
    return f"{top.text} IS NOT NULL" if bottom == ONE else f"({top.text} IS NOT NULL AND {bottom.text} IS NOT NULL)"


def _same_scale(numbers: Sequence[Number]) -> list[Number]:
    scale = max(one.scale for one in numbers)
    return [one if one.scale == scale else Number(f"CAST({one.text} AS DECIMAL(38, {scale}))", scale) for one in numbers]


def times(left: Number, right: Number) -> Number:
    """A product; whole numbers are multiplied as DECIMAL(38, 0), where an overflow is an error at 38 digits, not at 18."""
    if right == ONE:
        return left
    if left == ONE:
        return right
    scale = left.scale + right.scale
    return Number(
        f"(CAST({left.text} AS DECIMAL(38, 0)) * {right.text})" if scale == 0 else f"({left.text} * {right.text})", scale
    )


def constant_sql(constant: Constant) -> str:
    """A typed literal."""
    value = constant.value
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, Decimal):
        return _number_sql(value, constant.type.scale)
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    return text_literal(value)


def _number_sql(value: Decimal, scale: int) -> str:
    if scale == 0 and abs(value) <= _LARGEST:
        return f"({value})" if value < 0 else format(value, "f")
    return f"CAST('{value:f}' AS DECIMAL(38, {scale}))"  # a narrower type would overflow at its own width
