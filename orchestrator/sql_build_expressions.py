"""Admitted syntax tree -> expressions of orchestrator.sql_algebra, with exact types. Each node type has one reader; a node
without a reader does not run."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Protocol

from sqlglot import exp

from orchestrator.sql_algebra import (
    BOOLEAN,
    DATE,
    EXACT_NUMBERS,
    INTEGER,
    NULL,
    NUMBERS,
    Aggregate,
    AggregateName,
    AllQuery,
    Apply,
    Constant,
    Exists,
    Expression,
    InQuery,
    Kind,
    OrderKey,
    Query,
    ScalarQuery,
    Type,
    Window,
    common_type,
)
from orchestrator.sql_functions import TRUNCATIONS
from orchestrator.sql_refusals import GuardRefusal
from orchestrator.sql_typing import (
    aggregate_type,
    apply,
    arithmetic,
    both,
    case,
    compare,
    moment_constant,
    number_or_text,
    truth,
    unfit,
    unsupported,
    window_frame,
)

COMPARISONS: dict[type[exp.Expr], str] = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_ARITHMETIC: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}
_AGGREGATES: dict[type[exp.Expr], AggregateName] = {
    exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max", exp.Median: "median", exp.Count: "count",
}  # fmt: skip
_UNARY: dict[type[exp.Expr], str] = {
    exp.Abs: "abs", exp.Floor: "floor", exp.Ceil: "ceil", exp.Upper: "upper", exp.Lower: "lower", exp.Trim: "trim",
    exp.Length: "length",
    exp.Year: "year", exp.Month: "month", exp.Day: "day", exp.Quarter: "quarter",
}  # fmt: skip
_BINARY: dict[type[exp.Expr], str] = {
    exp.Mod: "mod", exp.DPipe: "concat", exp.Like: "like", exp.ILike: "ilike", exp.Contains: "contains",
    exp.StartsWith: "starts_with",
    exp.EndsWith: "ends_with", exp.Left: "left", exp.Right: "right",
}  # fmt: skip


class Names(Protocol):
    """What the reader of queries gives to the reader of expressions."""

    def column(self, node: exp.Column) -> Expression: ...

    def query(self, node: exp.Expr) -> Query: ...


class ExpressionReader:
    """Reads one SELECT's expressions; `names` resolves columns and subqueries in that SELECT's scope."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._readers: dict[type[exp.Expr], Callable[..., Expression]] = {
            exp.Column: lambda node: self._names.column(node),
            exp.Paren: lambda node: self.read(node.this),
            exp.Literal: number_or_text,
            exp.Boolean: lambda node: Constant(bool(node.this), BOOLEAN),
            exp.Null: lambda node: Constant(None, NULL),
            exp.Neg: self._negative,
            exp.Not: lambda node: Apply("not", (truth(self.read(node.this)),), BOOLEAN),
            exp.And: lambda node: Apply("and", tuple(truth(self.read(one)) for one in node.flatten()), BOOLEAN),
            exp.Or: lambda node: Apply("or", tuple(truth(self.read(one)) for one in node.flatten()), BOOLEAN),
            exp.Is: self._is,
            exp.In: self._in,
            exp.Between: self._between,
            exp.Div: lambda node: arithmetic("/", self.read(node.this), self.read(node.expression)),
            exp.Case: self._case,
            exp.If: self._if,
            exp.Coalesce: self._coalesce,
            exp.Nullif: self._nullif,
            exp.Greatest: lambda node: apply("greatest", *self._list(node)),
            exp.Least: lambda node: apply("least", *self._list(node)),
            exp.Round: self._round,
            exp.Substring: self._substring,
            exp.Extract: self._extract,
            exp.TimestampTrunc: self._truncate,
            exp.DateTrunc: self._truncate,
            exp.TimeToStr: lambda node: apply("strftime", self.read(node.this), self.read(node.args["format"])),
            exp.Cast: self._cast,
            exp.Filter: self._filter,
            exp.Window: self._window,
            exp.Exists: lambda node: Exists(self._names.query(node.this)),
            exp.Subquery: lambda node: self._scalar(node),
            exp.Select: lambda node: self._scalar(node),
        }
        for kind, operator in COMPARISONS.items():
            self._readers[kind] = lambda node, operator=operator: self._comparison(operator, node)
        for kind, operator in _ARITHMETIC.items():
            self._readers[kind] = lambda node, operator=operator: arithmetic(
                operator, self.read(node.this), self.read(node.expression)
            )
        for kind, name in _UNARY.items():
            self._readers[kind] = lambda node, name=name: apply(name, self.read(node.this))
        for kind, name in _BINARY.items():
            self._readers[kind] = lambda node, name=name: apply(name, self.read(node.this), self.read(node.expression))
        for kind in _AGGREGATES:
            self._readers[kind] = lambda node: self._aggregate(node, None)

    def read(self, node: exp.Expr) -> Expression:
        """Raises NoProvenance or GuardRefusal."""
        reader = self._readers.get(type(node))
        if reader is None:
            raise unsupported(f"das Sprachmittel {type(node).__name__}")
        return reader(node)

    def _list(self, node: exp.Expr) -> list[Expression]:
        return [self.read(one) for one in (node.this, *node.expressions)]

    def _negative(self, node: exp.Neg) -> Expression:
        inner = self.read(node.this)
        if inner.type.kind not in NUMBERS:
            raise unfit("dem Minuszeichen")
        if isinstance(inner, Constant) and isinstance(inner.value, Decimal):
            return Constant(inner.value.copy_negate(), inner.type)
        return Apply("negative", (inner,), inner.type)

    def _comparison(self, operator: str, node: exp.Binary) -> Expression:
        quantified = node.expression
        if isinstance(quantified, exp.All | exp.Any):
            operand, query = self.read(node.this), self._names.query(quantified.this)
            output = self._single(query)
            if common_type([operand.type, output]) is None or Kind.RATIONAL in (operand.type.kind, output.kind):
                raise unsupported("ALL und ANY mit Quotienten")
            return AllQuery(operand, operator, "ALL" if isinstance(quantified, exp.All) else "ANY", query)
        return compare(operator, self.read(node.this), self.read(node.expression))

    def _is(self, node: exp.Is) -> Expression:
        inner = self.read(node.this)
        if isinstance(node.expression, exp.Null):
            return Apply("is_null", (inner,), BOOLEAN)
        if isinstance(node.expression, exp.Boolean):
            return Apply("is_true" if node.expression.this else "is_false", (truth(inner),), BOOLEAN)
        raise unsupported("diese Form von IS")

    def _in(self, node: exp.In) -> Expression:
        operand = self.read(node.this)
        if node.args.get("query") is not None:
            query = self._names.query(node.args["query"])
            output = self._single(query)
            if common_type([operand.type, output]) is None or Kind.RATIONAL in (operand.type.kind, output.kind):
                raise unfit("IN (SELECT …)")
            return InQuery(operand, query)
        comparisons = tuple(compare("=", operand, self.read(one)) for one in node.expressions)
        return comparisons[0] if len(comparisons) == 1 else Apply("or", comparisons, BOOLEAN)

    def _between(self, node: exp.Between) -> Expression:
        operand = self.read(node.this)
        return both(compare(">=", operand, self.read(node.args["low"])), compare("<=", operand, self.read(node.args["high"])))

    def _case(self, node: exp.Case) -> Expression:
        subject = None if node.this is None else self.read(node.this)
        branches = []
        for branch in node.args["ifs"]:
            condition = self.read(branch.this)
            test = truth(condition) if subject is None else compare("=", subject, condition)
            branches.append((test, self.read(branch.args["true"])))
        default = node.args.get("default")
        return case(branches, Constant(None, NULL) if default is None else self.read(default))

    def _if(self, node: exp.If) -> Expression:
        otherwise = node.args.get("false")
        branch = (truth(self.read(node.this)), self.read(node.args["true"]))
        return case([branch], Constant(None, NULL) if otherwise is None else self.read(otherwise))

    def _coalesce(self, node: exp.Coalesce) -> Expression:
        arguments = self._list(node)
        found = common_type([one.type for one in arguments])
        if found is None:
            raise unfit("COALESCE")
        return Apply("coalesce", tuple(arguments), found)

    def _nullif(self, node: exp.Nullif) -> Expression:
        left = self.read(node.this)
        return case([(compare("=", left, self.read(node.expression)), Constant(None, NULL))], left)

    def _round(self, node: exp.Round) -> Expression:
        places = node.args.get("decimals")
        return apply("round", self.read(node.this), Constant(Decimal(0), INTEGER) if places is None else self.read(places))

    def _substring(self, node: exp.Substring) -> Expression:
        length = node.args.get("length")
        text, start = self.read(node.this), self.read(node.args["start"])
        return apply("substring_from", text, start) if length is None else apply("substring", text, start, self.read(length))

    def _extract(self, node: exp.Extract) -> Expression:
        part = node.this.name.lower()
        if part not in ("year", "month", "day", "quarter"):
            raise unsupported(f"EXTRACT({part.upper()})")
        return apply(part, self.read(node.expression))

    def _truncate(self, node: exp.Expr) -> Expression:
        unit = node.args["unit"].name.lower()
        if unit not in TRUNCATIONS:
            raise unsupported(f"DATE_TRUNC('{unit[:20]}')")
        return apply(f"trunc_{unit}", self.read(node.this))

    def _cast(self, node: exp.Cast) -> Expression:
        inner, target = self.read(node.this), node.args["to"]
        kind = target.this
        if isinstance(inner, Constant) and isinstance(inner.value, str) and kind in _MOMENT_TYPES:
            moment = moment_constant(inner.value)
            if kind is exp.DType.DATE and moment.type != DATE:
                raise GuardRefusal(
                    "bad_date", "Ein Datum der Abfrage hat eine Uhrzeit.", "Schreiben Sie es als DATE '2024-10-15'."
                )
            return moment
        if kind in exp.DataType.TEXT_TYPES:
            return apply("to_text", inner)
        if kind is exp.DType.DATE:
            return apply("to_date", inner)
        if kind in _MOMENT_TYPES:
            return apply("to_timestamp", inner)
        if kind in exp.DataType.INTEGER_TYPES and inner.type.kind is Kind.INTEGER:
            return inner
        if kind is exp.DType.DECIMAL and inner.type.kind in EXACT_NUMBERS and _scale_of(target) >= inner.type.scale:
            return inner
        raise GuardRefusal(
            "cast",
            "Diese Umwandlung (CAST) könnte Stellen verlieren.",
            "Rechnen Sie mit den Spalten, wie sie sind; sie sind schon exakt.",
        )

    def _filter(self, node: exp.Filter) -> Expression:
        condition = truth(self.read(node.expression.this))
        return self._aggregate(node.this, condition)

    def _aggregate(self, node: exp.Expr, condition: Expression | None) -> Expression:
        name = _AGGREGATES.get(type(node))
        if name is None:
            raise unsupported("diese Aggregation")
        inner = node.this
        distinct = isinstance(inner, exp.Distinct)
        if distinct:
            if len(inner.expressions) != 1:
                raise unsupported("DISTINCT über mehrere Spalten")
            inner = inner.expressions[0]
        if name == "count" and (isinstance(inner, exp.Star) or inner is None):
            return Aggregate("count_rows", None, False, condition, INTEGER)
        argument = self.read(inner)
        if name == "count" and isinstance(argument, Constant) and argument.value is not None and not distinct:
            return Aggregate("count_rows", None, False, condition, INTEGER)
        return Aggregate(name, argument, distinct and name not in ("min", "max"), condition, aggregate_type(name, argument))

    def _window(self, node: exp.Window) -> Expression:
        order = node.args.get("order")
        keys = tuple(self.order_key(one) for one in order.expressions) if order is not None else ()
        partition = tuple(self.read(one) for one in node.args.get("partition_by") or ())
        frame = window_frame(node.args.get("spec"))
        inner, offset = node.this, 1
        if isinstance(inner, exp.Lag | exp.Lead | exp.FirstValue):
            argument = self.read(inner.this)
            if inner.args.get("offset") is not None:
                step = self.read(inner.args["offset"])
                if not isinstance(step, Constant) or step.type != INTEGER:
                    raise unsupported("diesen Abstand")
                offset = int(str(step.value))
            if not keys:
                raise unsupported("LAG und LEAD ohne ORDER BY")
            name = "lag" if isinstance(inner, exp.Lag) else "lead" if isinstance(inner, exp.Lead) else "first_value"
            return Window(name, argument, offset, partition, keys, frame, argument.type)  # type: ignore[arg-type]
        aggregate = self.read(inner)
        if (
            not isinstance(aggregate, Aggregate)
            or aggregate.condition is not None
            or aggregate.distinct
            or aggregate.name == "median"
        ):
            raise unsupported("diese Fensterfunktion")
        return Window(aggregate.name, aggregate.argument, 0, partition, keys, frame, aggregate.type)

    def order_key(self, node: exp.Ordered) -> OrderKey:
        return OrderKey(self.read(node.this), bool(node.args.get("desc")), bool(node.args.get("nulls_first")))

    def _scalar(self, node: exp.Expr) -> Expression:
        query = self._names.query(node)
        return ScalarQuery(query, self._single(query))

    def _single(self, query: Query) -> Type:
        if len(query.outputs) != 1:
            raise GuardRefusal(
                "subquery_columns", "Eine Unterabfrage muss genau eine Spalte haben.", "Wählen Sie dort eine Spalte."
            )
        return query.outputs[0].expression.type


_MOMENT_TYPES = {exp.DType.DATE, exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.DATETIME}


def _scale_of(target: exp.DataType) -> int:
    parameters = target.expressions
    return int(parameters[1].name) if len(parameters) > 1 else 3 if not parameters else 0
