"""Coverage of a statement that a model wrote: its tables, columns, literals and functions against the words of the question.

The parsed tree says less about meaning than a plan does, so this only keeps out what is certainly another question. What passes
is computed and waits for a person; it is never shown before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import Decimal, InvalidOperation

import sqlglot
from sqlglot import exp

from orchestrator.link_names import Names
from orchestrator.mentions import Mention
from orchestrator.planners.decision import Stop
from orchestrator.planners.frames import Frame, read_in
from orchestrator.planners.parts import Parts, implied_measure, take_apart
from orchestrator.planners.slots import SOFT, settle
from orchestrator.question import Question, words_of
from parsers.periods import parse_period

_FUNCTIONS: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Avg: ("average",),
    exp.Median: ("median",),
    exp.Max: ("maximum", "top"),
    exp.Min: ("minimum",),
    exp.Count: ("how_many", "how_often", "share", "percent", "average"),
}
_EXPLAINED = SOFT | {
    "sum", "average", "median", "maximum", "minimum", "top", "how_many", "how_often", "distinct", "group_by", "share",
    "percent", "difference", "minus", "plus", "times", "divided_by", "more_than", "at_least", "less_than", "at_most", "equal",
    "without", "not",
}  # fmt: skip
_NEUTRAL = frozenset({Decimal(0), Decimal(1), Decimal(100)})
"""Numbers that a statement may hold without the question saying them: in percentages, limits and guards against zero."""


def check_statement(
    sql: str, question: Question, frames: Sequence[Frame], names: Names, mentions: Sequence[Mention]
) -> tuple[str, ...]:
    """What keeps the statement, which the guard has admitted, from being held for review; () if nothing does."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    hidden = {cte.alias for cte in tree.find_all(exp.CTE)}
    tables = {table.name for table in tree.find_all(exp.Table)} - hidden
    frame = next((frame for frame in frames if tables <= frame.paths.keys() and frame.main in tables), None)
    if frame is None:
        return ("tables that do not go together",)
    reading = settle(read_in(frame, question, names, mentions))
    if reading.uncovered:
        return tuple(f"unexplained word: {token.text}" for token in reading.uncovered)
    try:
        parts = take_apart(reading)
    except Stop as stopped:
        return (f"open: {stopped.stop.kind}",)
    return (*_literals(tree, parts), *_functions(tree, parts), *_columns(tree, parts, frame))


def _literals(tree: exp.Expr, parts: Parts) -> Iterator[str]:
    """Every value, period and number of the question is a literal of the statement, and every literal is one of them."""
    texts = {str(literal.this) for literal in tree.find_all(exp.Literal) if literal.is_string}
    numbers = {_number(str(literal.this)) for literal in tree.find_all(exp.Literal) if not literal.is_string}
    said_values = [{str(v) for stored in value.stored for v in stored} for value in parts.values]
    spans = [use.mention.period for use in parts.periods if use.mention.period is not None]
    amounts = {use.amount.value for use in parts.amounts}
    amounts |= {mention.amount.value for mention in parts.reading.mentions if mention.amount is not None}
    years = {Decimal(span.start.year) for span in spans}
    may_be = {text for values in said_values for text in values} | {str(number) for number in amounts}
    for span in spans:
        may_be |= {span.start.isoformat(), span.end.isoformat(), (span.end + timedelta(days=1)).isoformat()}
    for text in texts - may_be:
        period = parse_period(text)
        if period is None or not any(span.start <= period.start and period.end <= span.end for span in spans):
            yield "a value that the question does not say"
    if numbers - amounts - years - _NEUTRAL:
        yield "a number that the question does not say"
    for values in said_values:
        if not values & (texts | {str(number) for number in numbers}):
            yield "a value is left out"
    for span in spans:
        held = {span.start.isoformat(), span.end.isoformat(), str(span.start.year)} & (texts | {str(n) for n in numbers})
        periods = (parse_period(text) for text in texts)
        if not held and not any(p is not None and span.start <= p.start and p.end <= span.end for p in periods):
            yield "a period is left out"
    if amounts - numbers - {_number(text) for text in texts}:
        yield "a number is left out"


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _functions(tree: exp.Expr, parts: Parts) -> Iterator[str]:
    reading = parts.reading
    for function, concepts in _FUNCTIONS.items():
        used = tree.find(function) is not None
        if used and not reading.says(*concepts):
            yield f"{function.__name__} is not asked for"
    for concept, function in (("average", exp.Avg), ("median", exp.Median)):
        if reading.says(concept) and tree.find(function, exp.Div) is None:
            yield f"{concept} is left out"
    if reading.says("not", "without") != (tree.find(exp.Not, exp.NEQ) is not None):
        yield "a negation"
    if tree.find(exp.Order) is not None and not reading.says("maximum", "minimum", "top", "sort_up", "sort_down"):
        yield "an order that is not asked for"
    for mention in reading.mentions:
        if mention.kind == "concepts" and not set(mention.concepts) & _EXPLAINED:
            yield f"{mention.concepts[0]} is left out"


def _columns(tree: exp.Expr, parts: Parts, frame: Frame) -> Iterator[str]:
    """Columns of the statement are said, or hold a value or period that is said, or join; those said are in it."""
    used = {column.name for column in tree.find_all(exp.Column)}
    implied = implied_measure(parts)
    said = {slot.ref.column for slot in parts.slots} | ({implied.ref.column} if implied is not None else set())
    filtered = {slot.ref.column for value in parts.values for slot in value.slot_columns}
    filtered |= {use.slot.ref.column for use in parts.periods if use.slot is not None}
    filtered |= {slot.ref.column for _, slot, _ in parts.numbers}
    joining = {ref.column for path in frame.paths.values() for join in path for ref in (join.many, join.one)}
    named = {fold_name(alias.alias) for alias in tree.find_all(exp.Alias)}
    if {column for column in used if fold_name(column) not in named} - said - filtered - joining:
        yield "a column that the question does not say"
    if said - used:
        yield "a column of the question is left out"


def fold_name(name: str) -> str:
    return " ".join(words_of(name))
