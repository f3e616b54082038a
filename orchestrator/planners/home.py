"""A figure about a thing is read from the table that lists the thing, not from rows of others that mention it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from orchestrator.plan import AggregatePlan, ColumnRef, OneOf
from orchestrator.planners.decision import Draft
from orchestrator.planners.frames import Reading


class PlannedDraft(Protocol):
    """A draft with the reading it comes from."""

    @property
    def draft(self) -> Draft: ...

    @property
    def reading(self) -> Reading: ...


P = TypeVar("P", bound=PlannedDraft)


def at_home(planned: Sequence[P]) -> list[P]:
    """Where some plans read the table whose rows are the things named ("Einwohner von Oregon" from the list of states) and others
    rows that only mention them (cities in Oregon), the former; all of them where the figures may be added up."""
    if len({one.reading.frame.main for one in planned}) < 2 or any(_adds_up(one) for one in planned):
        return list(planned)
    own = [one for one in planned if _lists_the_things(one)]
    if any(_counts(one) for one in planned):
        own = [one for one in own if all(other is one or _refers(other, one.reading.frame.main) for other in planned)]
    return own or list(planned)


def _counts(one: PlannedDraft) -> bool:
    plans = [plan for plan in one.draft.plans if isinstance(plan, AggregatePlan)]
    return any(term.aggregation in ("count", "count_distinct") for plan in plans for term in plan.terms)


def _refers(one: PlannedDraft, table: str) -> bool:
    """A person has approved that the rows refer to that table: it then lists all of them."""
    path = one.reading.frame.paths.get(table, ())
    return bool(path) and all(join.approved for join in path)


def _adds_up(one: PlannedDraft) -> bool:
    """A sum over rows that mention a thing may be what is meant, unless the figures are levels or stocks."""
    tables = one.reading.frame.tables
    for plan in one.draft.plans:
        if not isinstance(plan, AggregatePlan):
            return True
        counts = [term for term in plan.terms if term.aggregation in ("count", "count_distinct")]
        if any(term.conditions or plan.group_by for term in counts):
            return True
        for ref in (ref for term in plan.terms if term not in counts for ref in term.columns):
            column = tables[ref.table].column(ref.column)
            if column is None or column.aggregation == "sum":
                return True
    return False


def _lists_the_things(one: PlannedDraft) -> bool:
    """Every thing named, grouped by or asked about is what the rows of the table are told apart by."""
    index = one.reading.names.values[one.reading.frame.main]
    named = dict.fromkeys(_named(one))
    return bool(named) and all(
        ref.table == one.reading.frame.main and _tells_apart(index.distinct, ref, index.rows) for ref in named
    )


def _tells_apart(distinct: object, ref: ColumnRef, rows: int) -> bool:
    return isinstance(distinct, dict) and rows > 0 and distinct.get(ref.column) == rows


def _named(one: PlannedDraft) -> Iterable[ColumnRef]:
    for plan in one.draft.plans:
        if isinstance(plan, AggregatePlan):
            yield from plan.group_by
            for term in plan.terms:
                yield from (condition.column for condition in term.conditions if isinstance(condition, OneOf))
                yield from term.columns if term.aggregation == "count_distinct" else ()
    measured = {ref for plan in one.draft.plans if isinstance(plan, AggregatePlan) for term in plan.terms for ref in term.columns}
    for mention in one.reading.mentions:
        refs = [ColumnRef(name.table, name.column.sql_name) for name in mention.columns]
        own = [ref for ref in refs if ref.table == one.reading.frame.main and ref not in measured]
        if own and not measured.intersection(refs):
            yield own[0]
