"""Words about all rows of a thing ("nur gelieferte Aufträge", "keine offenen Aufträge"): no plan says that, and one that keeps
the rows that meet the condition would also name things with other rows. And words that a plan may not pass over."""

from __future__ import annotations

from itertools import pairwise

from orchestrator.plan import AggregatePlan, ColumnRef, Condition, ListPlan, OneOf, Plan
from orchestrator.planners.decision import Draft
from orchestrator.planners.parts import Parts, columns_of
from orchestrator.question import Question
from orchestrator.value_names import visible_rows
from parsers.fold import fold
from parsers.table import ColumnType

_ONLY = frozenset({"nur", "ausschliesslich", "lediglich", "only", "exclusively", "solely", "tylko", "wylacznie"})
_ALL = frozenset({"alle", "allen", "saemtliche", "saemtlichen", "all", "every", "wszystkie", "wszystkich"})
_OF_THINGS = frozenset({"deren", "dessen", "denen", "haben", "hat", "hatten", "hatte", "whose", "have", "has", "had", "ktorych"})
_YES_AND_NO = frozenset({"ja", "nein", "j", "n", "x", "wahr", "falsch", "yes", "no", "y", "true", "false", "tak", "nie", "t"})


def says_every(question: Question, explained: frozenset[int] = frozenset()) -> bool:
    """ "nur" anywhere, "alle" behind a word that turns to what belongs to the things. `explained`: words that a phrase uses."""
    words = ["" if token.index in explained else token.folded for token in question.tokens]
    turn = next((i for i, word in enumerate(words) if word in _OF_THINGS), len(words))
    return any(word in _ONLY or (word in _ALL and i > turn) for i, word in enumerate(words))


def leaves_out_every(parts: Parts, draft: Draft) -> bool:
    """All rows of a thing are to meet a condition, or none, and the plan lists or counts the things that have one such row."""
    every = says_every(parts.reading.question, _explained(parts))
    for plan in draft.plans:
        for ref in _things_of(plan):
            conditions = _conditions(plan)
            if every and not conditions and _repeats(parts, ref):
                return True
            for condition in conditions:
                denied = isinstance(condition, OneOf) and condition.negated
                if (every or denied) and any(not _decides(parts, ref, other) for other in columns_of(condition)):
                    return True
    return False


def _explained(parts: Parts) -> frozenset[int]:
    """The words of phrases like "nur sichtbare Zeilen" and "nicht nur"."""
    phrases = (m for m in parts.reading.mentions if m.kind == "concepts" and m.last - m.first > 1)
    return frozenset(index for mention in phrases for index in range(mention.first, mention.last))


def leaves_out_flag(parts: Parts, draft: Draft) -> bool:
    """ "Mitarbeiter in Vollzeit" of a column of "ja" and "nein": a condition, and the plan does without it."""
    flags = {slot.ref for slot in parts.slots if _is_flag(parts, slot.ref)}
    return bool(flags) and any(not flags <= _refs(plan) for plan in draft.plans)


def leaves_out_thing(parts: Parts, draft: Draft) -> bool:
    """ "Welche Maschine hat die meisten Stunden?" of a sheet of machines: a plan that shows none answers another question."""
    mentions = [mention for mention in parts.reading.mentions if mention.kind != "function_word"]
    asked = any(one.says("which") and two.kind == "tables" for one, two in pairwise(mentions))
    return asked and any(isinstance(plan, AggregatePlan) and not plan.group_by for plan in draft.plans)


def _refs(plan: Plan) -> set[ColumnRef]:
    shown = plan.group_by if isinstance(plan, AggregatePlan) else plan.columns if isinstance(plan, ListPlan) else ()
    terms = plan.terms if isinstance(plan, AggregatePlan) else ()
    measured = (ref for term in terms for ref in term.columns)
    return {*shown, *measured, *(ref for condition in _conditions(plan) for ref in columns_of(condition))}


def _is_flag(parts: Parts, ref: ColumnRef) -> bool:
    index = parts.reading.names.values[ref.table]
    column = parts.reading.frame.tables[ref.table].column(ref.column)
    if column is not None and column.column.type is ColumnType.BOOLEAN:
        return True
    if not 1 <= index.distinct.get(ref.column, 0) <= 3:
        return False
    values = {fold(str(hit.stored)) for hit in index.of_column(ref.column)}
    return bool(values) and values <= _YES_AND_NO


def _conditions(plan: Plan) -> tuple[Condition, ...]:
    if isinstance(plan, AggregatePlan):
        return tuple(condition for term in plan.terms for condition in term.conditions)
    return plan.conditions if isinstance(plan, ListPlan) else ()


def _things_of(plan: Plan) -> tuple[ColumnRef, ...]:
    """The columns whose different values are listed or counted."""
    if isinstance(plan, ListPlan):
        return plan.columns[:1]
    if not isinstance(plan, AggregatePlan):
        return ()
    counted = [ref for term in plan.terms if term.aggregation == "count_distinct" for ref in term.columns]
    return (*counted, *(plan.group_by if plan.having or plan.count_groups else ()))


def _repeats(parts: Parts, ref: ColumnRef) -> bool:
    index = parts.reading.names.values[ref.table]
    return ref.table != parts.main_name or index.distinct.get(ref.column, 0) < index.rows


def _decides(parts: Parts, ref: ColumnRef, other: ColumnRef) -> bool:
    """Each thing has one value in the other column, whatever row it is read from."""
    if ref == other or not _repeats(parts, ref):
        return True
    if ref.table != other.table:
        path = parts.reading.frame.paths.get(other.table, ())
        return bool(path) and ref.table == parts.main_name and path[0].many == ref
    data = visible_rows(parts.reading.frame.tables[ref.table], [ref.column, other.column])
    pairs = data.group_by([ref.column, other.column]).aggregate([]).num_rows
    return bool(pairs == data.group_by([ref.column]).aggregate([]).num_rows)
