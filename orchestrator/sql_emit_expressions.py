"""Expressions of the algebra -> SQL text. No division reaches the engine: a quotient is written as a pair of exact numbers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal

from orchestrator.rewrite_scope import quoted, text_literal
from orchestrator.sql_algebra import (
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
    Window,
)
from orchestrator.sql_functions import FUNCTIONS
from orchestrator.sql_refusals import NoProvenance

_LARGEST = 2**63 - 1
_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
Pair = tuple[str, str]


def alias(number: int | str) -> str:
    return f'"t{number}"'


class ExpressionWriter:
    """`subquery(query, part)` writes a subquery that gives one column."""

    def __init__(self, subquery: Callable[[Query, str], str]) -> None:
        self._subquery = subquery

    def exact(self, expression: Expression) -> str:
        """SQL text of an expression that is not a fraction."""
        match expression:
            case Constant():
                return constant_sql(expression)
            case Reference():
                column = f"v{expression.column}" if isinstance(expression.column, int) else expression.column
                return f"{alias(expression.source)}.{quoted(column)}"
            case Case():
                branches = " ".join(f"WHEN {self.exact(test)} THEN {self.exact(value)}" for test, value in expression.branches)
                return f"CASE {branches} ELSE {self.exact(expression.otherwise)} END"
            case Aggregate():
                return self._aggregate(expression)
            case Window():
                return self._window(expression)
            case ScalarQuery():
                return self._subquery(expression.query, "v0")
            case Exists():
                return f"EXISTS {self._subquery(expression.query, '*')}"
            case InQuery():
                return f"({self.exact(expression.operand)} IN {self._subquery(expression.query, 'v0')})"
            case AllQuery():
                inner = self._subquery(expression.query, "v0")
                return f"({self.exact(expression.operand)} {expression.operator} {expression.quantifier} {inner})"
            case Apply():
                return self._apply(expression)

    def _apply(self, expression: Apply) -> str:
        name, arguments = expression.name, expression.arguments
        fractions = any(one.type.kind is Kind.RATIONAL for one in arguments)
        if name in _COMPARISONS:
            return (
                self._comparison(name, *arguments)
                if fractions
                else f"({self.exact(arguments[0])} {name} {self.exact(arguments[1])})"
            )
        if name == "is_null":
            numerator, denominator = self.pair(arguments[0])
            return f"({numerator} IS NULL)" if denominator == "1" else f"({numerator} IS NULL OR {denominator} IS NULL)"
        if fractions:
            raise NoProvenance(
                "ratio_here", "Ein Quotient ist an dieser Stelle nicht exakt möglich.", "Rechnen Sie ihn ganz außen aus."
            )
        written = [self.exact(one) for one in arguments]
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
                return f"({written[0]} {name} {written[1]})"
            case "*":
                return times(written[0], written[1], all(one.type.kind is not Kind.DECIMAL for one in arguments))
            case "negative":
                return f"(-{written[0]})"
            case "coalesce":
                return f"coalesce({', '.join(written)})"
        return FUNCTIONS[name].sql(*written)

    def _comparison(self, operator: str, left: Expression, right: Expression) -> str:
        """a/b < c/d with positive denominators is a*d < c*b."""
        first, second = self.pair(left), self.pair(right)
        return f"({times(first[0], second[1])} {operator} {times(second[0], first[1])})"

    def pair(self, expression: Expression) -> Pair:
        """Numerator and denominator; the denominator is positive, or NULL where the value is missing or divided by zero."""
        if expression.type.kind is not Kind.RATIONAL:
            return self.exact(expression), "1"
        match expression:
            case Reference():
                name = alias(expression.source)
                return f'{name}."n{expression.column}"', f'{name}."d{expression.column}"'
            case ScalarQuery():
                return self._subquery(expression.query, "n0"), self._subquery(expression.query, "d0")
            case Aggregate():
                return self._aggregate_pair(expression)
            case Window():
                return self._window_as(expression, "sum"), f"nullif({self._window_as(expression, 'count')}, 0)"
            case Case():
                return self._case_pair(expression)
            case Apply():
                return self._apply_pair(expression)
        raise NoProvenance(
            "ratio_here", "Ein Quotient ist an dieser Stelle nicht exakt möglich.", "Rechnen Sie ihn ganz außen aus."
        )

    def _apply_pair(self, expression: Apply) -> Pair:
        parts = [self.pair(one) for one in expression.arguments]
        if expression.name == "negative":
            return f"(-{parts[0][0]})", parts[0][1]
        if expression.name == "coalesce":
            return self._coalesce_pair(parts)
        (n1, d1), (n2, d2) = parts
        match expression.name:
            case "+" | "-":
                if d1 == d2:
                    return f"({n1} {expression.name} {n2})", d1
                return f"({times(n1, d2)} {expression.name} {times(n2, d1)})", times(d1, d2)
            case "*":
                return times(n1, n2), times(d1, d2)
            case "/":
                top = times(n1, d2)
                return f"CASE WHEN {n2} < 0 THEN -{top} ELSE {top} END", f"nullif(abs({times(d1, n2)}), 0)"
        raise NoProvenance(
            "ratio_here", "Ein Quotient ist an dieser Stelle nicht exakt möglich.", "Rechnen Sie ihn ganz außen aus."
        )

    def _coalesce_pair(self, parts: list[Pair]) -> Pair:
        tests = [f"{n} IS NOT NULL" if d == "1" else f"({n} IS NOT NULL AND {d} IS NOT NULL)" for n, d in parts]
        tops = " ".join(f"WHEN {test} THEN {n}" for test, (n, _) in zip(tests, parts, strict=True))
        bottoms = " ".join(f"WHEN {test} THEN {d}" for test, (_, d) in zip(tests, parts, strict=True))
        return f"CASE {tops} END", f"CASE {bottoms} END"

    def _case_pair(self, expression: Case) -> Pair:
        tests = [self.exact(test) for test, _ in expression.branches]
        parts = [self.pair(value) for _, value in expression.branches]
        last = self.pair(expression.otherwise)
        tops = " ".join(f"WHEN {test} THEN {n}" for test, (n, _) in zip(tests, parts, strict=True))
        bottoms = " ".join(f"WHEN {test} THEN {d}" for test, (_, d) in zip(tests, parts, strict=True))
        return f"CASE {tops} ELSE {last[0]} END", f"CASE {bottoms} ELSE {last[1]} END"

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
        if aggregate.name == "avg":
            return self._sum(aggregate, inner), f"nullif({self._filtered(f'count({inner})', aggregate)}, 0)"
        if aggregate.name == "median" and not aggregate.distinct:
            # The lower and the upper middle value, one and the same for an odd number; DuckDB's own median and quantiles
            # go through binary numbers.
            condition = "" if aggregate.condition is None else f" AND {self.exact(aggregate.condition)}"
            ordered = f"list_sort(list({inner}) FILTER (WHERE {inner} IS NOT NULL{condition}))"
            size = self._filtered(f"count({inner})", aggregate)
            return f"({ordered}[({size} + 1) // 2] + {ordered}[{size} // 2 + 1])", "2"
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
            parts.append(f"ORDER BY {', '.join(self._order_key(key) for key in window.order)}")
        if window.frame:
            parts.append(window.frame)
        return f"({' '.join(parts)})"

    def _order_key(self, key: OrderKey) -> str:
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


def times(left: str, right: str, whole: bool = False) -> str:
    """A product; two whole numbers are multiplied as DECIMAL(38, 0), where an overflow is an error at 38 digits, not at 18."""
    if right == "1":
        return left
    if left == "1":
        return right
    return f"(CAST({left} AS DECIMAL(38, 0)) * {right})" if whole else f"({left} * {right})"


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
    digits = len(value.as_tuple().digits)
    return f"CAST('{value:f}' AS DECIMAL({max(digits, scale + 1)}, {scale}))"
