"""Reviewed questions of a tenant as examples in a prompt: those most like the one asked, with the reply that was right.

Only what people approved and what this asker may see is an example; a plan that the reply language cannot say is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from orchestrator.language_model.prompt import Example
from orchestrator.plan import (
    AggregatePlan,
    ColumnRef,
    Compare,
    Condition,
    ListPlan,
    OneOf,
    Plan,
    Term,
    TermValue,
    Within,
)
from orchestrator.scope import Scope
from parsers.fold import fold

_LEAST_ALIKE = 0.2
"""Share of three-letter pieces that two questions have in common, below which one says nothing about the other."""


@dataclass(frozen=True)
class Reviewed:
    """A question that a person approved, in full, and the plan that answered it."""

    question: str
    plan: Plan


def choose_examples(question: str, reviewed: Iterable[Reviewed], scope: Scope, most: int) -> tuple[Example, ...]:
    """At most `most`, the most alike first; each form of reply once, and never the very question asked."""
    asked = _pieces(question)
    rated = ((_alike(asked, _pieces(one.question)), one.question, one) for one in reviewed)
    ranked = sorted(rated, key=lambda each: (-each[0], each[1]))
    found: dict[str, Example] = {}
    for likeness, text, one in ranked:
        if likeness < _LEAST_ALIKE or len(found) >= most:
            break
        reply = reply_of(one.plan, scope)
        if reply is not None and fold(text) != fold(question):
            found.setdefault(reply, Example(text, reply))
    return tuple(found.values())


def _pieces(text: str) -> frozenset[str]:
    padded = f" {fold(text).rstrip('?.! ')} "
    return frozenset(padded[start : start + 3] for start in range(len(padded) - 2))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def reply_of(plan: Plan, scope: Scope) -> str | None:
    """The reply whose plan this is, as JSON; None where the reply language has no words for it, or where it names a table or a
    column that is not in the scope."""
    said = _of_groups(plan) if isinstance(plan, AggregatePlan) else _of_rows(plan) if isinstance(plan, ListPlan) else None
    if said is None or not _is_seen(said[0], said[1], scope):
        return None
    return json.dumps({"rewording": None, "plan": said[2]}, ensure_ascii=False)


Said = tuple[str, Sequence[ColumnRef], dict[str, Any]]
"""Main table, every column, the plan of the reply."""


def _of_groups(plan: AggregatePlan) -> Said | None:
    first = plan.terms[0]
    plain = AggregatePlan(plan.terms, plan.outputs, plan.group_by, plan.group_names, order=plan.order)
    simple = [Term(first.table, each.aggregation, each.columns, each.joins, first.conditions) for each in plan.terms]
    values = [TermValue(place) for place in range(len(plan.terms))]
    if plan != plain or list(plan.terms) != simple or [each.expression for each in plan.outputs] != values:
        return None
    if any(len(term.columns) > 1 for term in plan.terms) or any(each.convert_to for each in plan.outputs):
        return None
    where = _where(first.conditions, first.table)
    if where is None or (plan.order is not None and (plan.order.output != 0 or not plan.group_by)):
        return None
    measures = [
        {"aggregation": term.aggregation, "column": _name(term.columns[0], first.table) if term.columns else None}
        for term in plan.terms
    ]
    order = {"descending": plan.order.descending, "limit": plan.order.limit} if plan.order is not None else None
    groups = [_name(ref, first.table) for ref in plan.group_by]
    refs = [*plan.group_by, *(ref for term in plan.terms for ref in term.columns), *_columns(first.conditions)]
    return first.table, refs, _reply(first.table, where, measures=measures, group_by=groups, order=order)


def _of_rows(plan: ListPlan) -> Said | None:
    where = _where(plan.conditions, plan.table)
    if where is None or plan != ListPlan(plan.table, plan.columns, plan.names, plan.joins, plan.conditions):
        return None
    refs = [*plan.columns, *_columns(plan.conditions)]
    return plan.table, refs, _reply(plan.table, where, columns=[_name(ref, plan.table) for ref in plan.columns])


def _reply(table: str, where: Mapping[str, Any], **said: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"measures": [], "columns": [], "filters": [], "periods": [], "group_by": [], "order": None}
    return {"table": table, **empty, **where, **said}


def _name(ref: ColumnRef, main: str) -> str:
    return ref.column if ref.table == main else f"{ref.table}.{ref.column}"


def _columns(conditions: Iterable[Condition]) -> list[ColumnRef]:
    return [each.column for each in conditions if isinstance(each, OneOf | Compare | Within)]


def _where(conditions: Iterable[Condition], main: str) -> dict[str, Any] | None:
    filters: list[dict[str, str]] = []
    periods: list[dict[str, str]] = []
    for each in conditions:
        if isinstance(each, OneOf):
            operator = "<>" if each.negated else "="
            name = _name(each.column, main)
            filters += [{"column": name, "operator": operator, "value": _text(value)} for value in each.values]
        elif isinstance(each, Compare):
            filters.append({"column": _name(each.column, main), "operator": each.operator, "value": _text(each.value)})
        elif isinstance(each, Within) and not each.negated:
            first, last = each.period.start.isoformat(), each.period.end.isoformat()
            periods.append({"column": _name(each.column, main), "first_day": first, "last_day": last})
        else:
            return None
    return {"filters": filters, "periods": periods}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)


def _is_seen(main: str, refs: Sequence[ColumnRef], scope: Scope) -> bool:
    seen = {(table.sql_name, column.sql_name) for table in scope.tables for column in table.columns}
    return any(name == main for name, _ in seen) and all((ref.table, ref.column) in seen for ref in refs)
