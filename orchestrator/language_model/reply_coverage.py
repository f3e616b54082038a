"""Coverage of a model's plan: everything that the question says is in it, and nothing is in it that the question does not say.

The question is read by the same words, names, periods and numbers as for the rules; the plan has to agree with that reading in
every value, period, number, column and operation. What is left over on either side is a problem, and one is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from orchestrator.language_model.build_plan import conditions_of
from orchestrator.link_names import Names
from orchestrator.mentions import Mention
from orchestrator.plan import AggregatePlan, ColumnRef, Compare, Condition, ListPlan, OneOf, Within
from orchestrator.planners.crossed import crosses
from orchestrator.planners.decision import Draft, Stop
from orchestrator.planners.frames import Frame, Reading, read_in
from orchestrator.planners.parts import Parts, implied_measure, take_apart, where, with_amounts
from orchestrator.planners.slots import SOFT, settle
from orchestrator.planners.universals import leaves_out_every, leaves_out_flag
from orchestrator.question import Question
from orchestrator.scope import VisibleTable
from parsers.table import ColumnType

_OPERATIONS = {
    "average": ("average",),
    "median": ("median",),
    "maximum": ("maximum", "top"),
    "minimum": ("minimum",),
    "count": ("how_many", "how_often"),
    "count_distinct": ("how_many", "distinct"),
}
"""Aggregation -> what the question has to say for it. A sum and a look-up need no word of their own."""
_EXPLAINED = SOFT | {"sum", "average", "median", "maximum", "minimum", "top", "how_many", "distinct", "group_by", "exists", "who"}


def check_plan(
    plan: AggregatePlan | ListPlan, question: Question, frame: Frame, names: Names, mentions: Sequence[Mention]
) -> tuple[str, ...]:
    """What keeps the plan from being a reading of the question; () if nothing does."""
    reading = settle(read_in(frame, question, names, mentions))
    if reading.uncovered:
        return tuple(f"unexplained word: {token.text}" for token in reading.uncovered)
    try:
        parts = take_apart(reading)
        if crosses(parts):
            return ("members and periods said in turn",)
        return tuple(_problems(plan, parts))
    except Stop as stopped:
        return (f"open: {stopped.stop.kind}",)


_PLAIN = frozenset({"sum", "average", "median", "how_much", "all", "from", "according_to", "group_by", "each"})
"""Concepts of questions that a model's plan may answer by itself."""


def is_only_reading(
    plan: AggregatePlan | ListPlan, question: Question, frames: Iterable[Frame], names: Names, mentions: Sequence[Mention]
) -> bool:
    """Whether the plan may answer where the rules have none: figures, no list of rows; no word in the question that asks for a
    thing or for an extreme, whose answer is more than a figure; and no other table explains every word, too."""
    if isinstance(plan, ListPlan) or any(set(mention.concepts) - _PLAIN for mention in mentions):
        return False
    own = plan.terms[0].table
    for frame in frames:
        if frame.main == own or _same_print(frame.tables[frame.main], frame.tables.get(own)):
            continue
        reading = settle(read_in(frame, question, names, mentions))
        if not reading.uncovered and any(any(mention.in_table(frame.main)) for mention in reading.mentions):
            return False
    return True


def _same_print(one: VisibleTable, other: VisibleTable | None) -> bool:
    """A cross-tab as printed and tidied."""
    if other is None or one.version.document != other.version.document:
        return False
    first, second = one.stored.table, other.stored.table
    return first.sheet == second.sheet and (first.printed or first.name) == (second.printed or second.name)


def _problems(plan: AggregatePlan | ListPlan, parts: Parts) -> Iterator[str]:
    """Raises Stop where the question itself leaves something open."""
    expected = with_amounts(parts, where(parts), None)
    given = {_key(condition) for condition in conditions_of(plan)}
    if isinstance(plan, AggregatePlan) and any({_key(c) for c in term.conditions} != given for term in plan.terms):
        yield "terms with different filters"
    if not any({_key(condition) for condition in wanted} == given for wanted in expected.alternatives):
        yield "the filters are not those of the question"
    yield from _columns(plan, parts, expected.columns)
    yield from _operations(plan, parts)
    yield from _left_over(plan, parts, expected.used)
    draft = Draft((plan,), frozenset())
    if leaves_out_every(parts, draft) or leaves_out_flag(parts, draft):
        yield "a word about all rows of a thing"


def _key(condition: Condition) -> tuple[object, ...]:
    """What a condition means, however it is written."""
    if isinstance(condition, Within):
        return ("within", condition.column, condition.period.start, condition.period.end, condition.negated)
    if isinstance(condition, OneOf):
        return ("one of", condition.column, frozenset(map(str, condition.values)), condition.negated)
    if isinstance(condition, Compare):
        return ("compare", condition.column, condition.operator, condition.value)
    return ("other", condition)


def _columns(plan: AggregatePlan | ListPlan, parts: Parts, filtered: Iterable[ColumnRef]) -> Iterator[str]:
    """Every column said is measured, grouped by, shown or filtered on; every column of the plan is said."""
    said = {slot.ref for slot in parts.slots}
    implied = implied_measure(parts)
    may_be = said | ({implied.ref} if implied is not None else set())
    if isinstance(plan, AggregatePlan):
        measured = {ref for term in plan.terms for ref in term.columns}
        used = measured | set(plan.group_by)
    else:
        used = set(plan.columns)
    if used - may_be:
        yield "a column that the question does not say"
    if said - used - set(filtered):
        yield "a column of the question is left out"


def _operations(plan: AggregatePlan | ListPlan, parts: Parts) -> Iterator[str]:
    """Averages, extremes, counts and groups are those said, and all that are said are done."""
    reading = parts.reading
    aggregations = {term.aggregation for term in plan.terms} if isinstance(plan, AggregatePlan) else set()
    done: set[str] = set()
    for aggregation in aggregations:
        wanted = _OPERATIONS.get(aggregation, ())
        if wanted and not reading.says(*wanted):
            yield f"{aggregation} is not asked for"
        done.update(wanted)
    if isinstance(plan, AggregatePlan) and plan.order is not None:
        highest = plan.order.descending
        if not reading.says("maximum", "top") if highest else not reading.says("minimum"):
            yield "an order that is not asked for"
        done.update(("maximum", "top") if highest else ("minimum",))
    for concept in ("average", "median", "maximum", "minimum", "top", "how_many", "distinct"):
        if reading.says(concept) and concept not in done:
            yield f"{concept} is left out"
    grouped = isinstance(plan, AggregatePlan) and bool(plan.group_by)
    if grouped and not reading.says("group_by", "which", "list", "who", "top", "each"):
        yield "groups that are not asked for"
    if reading.says("group_by", "each") and not grouped:
        yield "groups are left out"
    if reading.says("sum") and aggregations - {"sum"}:
        yield "a sum is left out"
    yield from _may_add_up(plan, parts)


def _may_add_up(plan: AggregatePlan | ListPlan, parts: Parts) -> Iterator[str]:
    """Only what may be added up is added up, by whoever."""
    terms = plan.terms if isinstance(plan, AggregatePlan) else ()
    for term in terms:
        for ref in term.columns if term.aggregation == "sum" else ():
            column = parts.reading.frame.tables[ref.table].column(ref.column)
            if column is None or column.aggregation not in ("sum", "stock"):
                yield "a sum of what does not add up"
        for ref in term.columns if term.aggregation in ("average", "median") else ():
            column = parts.reading.frame.tables[ref.table].column(ref.column)
            if column is None or column.column.type not in (ColumnType.DECIMAL, ColumnType.INTEGER):
                yield "an average of what is no number"


def _left_over(plan: AggregatePlan | ListPlan, parts: Parts, used: frozenset[int]) -> Iterator[str]:
    """Numbers, comparisons, negations and every other word with a meaning of its own."""
    limit = plan.order.limit if isinstance(plan, AggregatePlan) and plan.order is not None else None
    limit_said = False
    if len(parts.reading.find("version")) > 1:
        yield "several versions are named"
    for index, mention in enumerate(parts.reading.mentions):
        if index in used or index in parts.free:
            continue
        if mention.amount is not None:
            if limit is not None and mention.amount.unit is None and mention.amount.value == limit:
                limit_said = True
                continue
            yield "a number is left out"
        elif mention.kind in ("values", "period", "text"):
            yield "a value or period is left out"
        elif mention.kind == "concepts" and not set(mention.concepts) & _EXPLAINED:
            yield f"{mention.concepts[0]} is left out"
        elif mention.unit is not None and not _unit_of_measure(plan, parts.reading, mention.unit):
            yield "another unit is asked for"
    if limit is not None and limit > 1 and not limit_said:
        yield "a limit that is not asked for"
    if (
        limit is None
        and isinstance(plan, AggregatePlan)
        and plan.order is not None
        and parts.reading.says("top", "maximum", "minimum")
    ):
        yield "the limit is left out"


def _unit_of_measure(plan: AggregatePlan | ListPlan, reading: Reading, unit: str) -> bool:
    refs = [ref for term in plan.terms for ref in term.columns] if isinstance(plan, AggregatePlan) else plan.columns
    columns = (reading.frame.tables[ref.table].column(ref.column) for ref in refs)
    return any(column is not None and (column.unit or "").casefold() == unit.casefold() for column in columns)
