"""Exact types of expressions: what may be compared, added, multiplied and aggregated, and with which result."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from orchestrator.sql_algebra import (
    BOOLEAN,
    DATE,
    EXACT_NUMBERS,
    INTEGER,
    MOMENTS,
    NUMBERS,
    RATIONAL,
    TEXT,
    TIMESTAMP,
    AggregateName,
    Apply,
    Case,
    Constant,
    Expression,
    Kind,
    Type,
    common_type,
)
from orchestrator.sql_functions import FUNCTIONS
from orchestrator.sql_refusals import GuardRefusal, NoProvenance

MOST_DIGITS = 38
"""Digits of the engine's widest exact number."""


def unfit(what: str) -> GuardRefusal:
    return GuardRefusal("types", f"Die Werte passen nicht zu {what}.", "Vergleichen und rechnen Sie nur mit Werten gleicher Art.")


def unsupported(what: str, hint: str = "Formulieren Sie die Abfrage ohne dieses Mittel.") -> NoProvenance:
    return NoProvenance("form", f"Für {what} lässt sich nicht angeben, aus welchen Zellen die Werte stammen.", hint)


def apply(name: str, *arguments: Expression) -> Expression:
    """A scalar function of FUNCTIONS with its type. Raises GuardRefusal if the arguments do not fit."""
    found = FUNCTIONS[name].result(arguments)
    if found is None:
        raise unfit(name.upper())
    return Apply(name, arguments, found)


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    left, right = matched(left, right)
    if common_type([left.type, right.type]) is None:
        raise unfit(f"dem Vergleich {operator}")
    return Apply(operator, (left, right), BOOLEAN)


def matched(left: Expression, right: Expression) -> tuple[Expression, Expression]:
    """A text constant beside a date becomes a date."""
    return _as_moment(left, right.type), _as_moment(right, left.type)


def _as_moment(expression: Expression, other: Type) -> Expression:
    if other.kind not in MOMENTS or not isinstance(expression, Constant) or not isinstance(expression.value, str):
        return expression
    return moment_constant(expression.value)


def moment_constant(text: str) -> Constant:
    """ISO text as a DATE or TIMESTAMP constant. Raises GuardRefusal."""
    try:
        if len(text.strip()) == 10:
            return Constant(date.fromisoformat(text.strip()), DATE)
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is not None:
        raise GuardRefusal("bad_date", "Ein Datum der Abfrage ist nicht lesbar.", "Schreiben Sie es als DATE '2024-10-15'.")
    return Constant(moment, TIMESTAMP)


def arithmetic(operator: str, left: Expression, right: Expression) -> Expression:
    """+ - * / with exact result types."""
    kinds = {left.type.kind, right.type.kind}
    if not kinds <= NUMBERS | {Kind.NULL}:
        raise unfit(f"der Rechnung {operator}")
    if operator == "/" or Kind.RATIONAL in kinds:
        return Apply(operator, (left, right), RATIONAL)
    if operator == "*":
        scale = left.type.scale + right.type.scale
        if scale > MOST_DIGITS - 8:
            raise GuardRefusal(
                "too_many_digits", "Das Produkt hätte zu viele Nachkommastellen.", "Multiplizieren Sie weniger Spalten."
            )
        return Apply(operator, (left, right), Type(Kind.DECIMAL, scale) if kinds - {Kind.INTEGER, Kind.NULL} else INTEGER)
    found = common_type([left.type, right.type])
    assert found is not None
    return Apply(operator, (left, right), found)


def both(*parts: Expression) -> Expression:
    return parts[0] if len(parts) == 1 else Apply("and", parts, BOOLEAN)


def truth(expression: Expression) -> Expression:
    if expression.type.kind not in (Kind.BOOLEAN, Kind.NULL):
        raise unfit("einer Bedingung")
    return expression


def aggregate_type(name: AggregateName, argument: Expression) -> Type:
    """Raises GuardRefusal or NoProvenance where the aggregate cannot be exact."""
    kind = argument.type.kind
    if name == "count":
        if kind is Kind.RATIONAL:
            raise unsupported("COUNT über Quotienten")
        return INTEGER
    if kind is Kind.RATIONAL:
        raise NoProvenance(
            "aggregate_of_ratio", f"{name.upper()} über Quotienten oder Durchschnitte ist hier nicht exakt möglich.",
            "Summieren Sie Zähler und Nenner getrennt.",
        )  # fmt: skip
    if name in ("sum", "avg", "median"):
        if kind not in EXACT_NUMBERS:
            raise unfit(name.upper())
        return argument.type if name == "sum" else RATIONAL
    if kind is Kind.NULL:
        raise unfit(name.upper())
    return argument.type


def case(branches: list[tuple[Expression, Expression]], otherwise: Expression) -> Expression:
    found = common_type([*(value.type for _, value in branches), otherwise.type])
    if found is None:
        raise unfit("CASE")
    return Case(tuple(branches), otherwise, found)


def number_or_text(node: exp.Literal) -> Expression:
    """A literal with its exact type. Raises GuardRefusal for a number with too many digits."""
    if node.is_string:
        return Constant(node.name, TEXT)
    try:
        number = Decimal(node.name)
    except InvalidOperation:
        raise GuardRefusal(
            "bad_number", "Eine Zahl der Abfrage ist nicht lesbar.", "Schreiben Sie sie mit Punkt, etwa 1234.50."
        ) from None
    number = Decimal(format(number, "f")) if number.is_finite() and abs(number.adjusted()) < MOST_DIGITS else number
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or len(number.as_tuple().digits) > MOST_DIGITS or -exponent > 30:
        raise GuardRefusal("bad_number", f"Eine Zahl der Abfrage hat mehr als {MOST_DIGITS} Stellen.", "Kürzen Sie sie.")
    return Constant(number, Type(Kind.DECIMAL, -exponent) if exponent < 0 else INTEGER)


_SIDES = {"PRECEDING", "FOLLOWING"}


def window_frame(spec: exp.WindowSpec | None) -> str:
    """ROWS or RANGE BETWEEN …, written anew; without one the engine's default (RANGE up to the current row, if ordered)."""
    if spec is None:
        return ""
    kind = str(spec.args.get("kind") or "").upper()
    if kind not in ("ROWS", "RANGE"):
        raise unsupported("diesen Fensterrahmen")
    ends = [
        _frame_end(spec.args.get("start"), spec.args.get("start_side")),
        _frame_end(spec.args.get("end"), spec.args.get("end_side")),
    ]
    return f"{kind} BETWEEN {ends[0]} AND {ends[1] or 'CURRENT ROW'}"


def _frame_end(end: object, side: object) -> str:
    if end is None:
        return ""
    text = str(end.name if isinstance(end, exp.Expr) else end).upper()
    if text == "CURRENT ROW":
        return text
    if str(side).upper() in _SIDES and (text == "UNBOUNDED" or text.isdigit()):
        return f"{text} {str(side).upper()}"
    raise unsupported("diesen Fensterrahmen")
