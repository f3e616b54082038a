"""Reviewed questions of a tenant that a language model is told as examples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from orchestrator.language_model.examples import Reviewed, choose_examples
from orchestrator.language_model.prompt import Example
from orchestrator.plan_json import plan_from_json
from orchestrator.scope import Scope
from qa.audit import AuditLog
from qa.review_decisions import DECISIONS, Decisions

MOST_READ = 200
"""Approved answers, the newest first, among which the examples are chosen."""


def examples_for(audit: AuditLog, question: str, scope: Scope, most: int) -> tuple[Example, ...]:
    """Approved answers from tables that this asker sees, asked by people with no level that the asker lacks."""
    return choose_examples(question, islice(_approved(audit, scope), MOST_READ), scope, most) if most else ()


def _approved(audit: AuditLog, scope: Scope) -> Iterator[Reviewed]:
    asker, seen = scope.asker, {table.stored.table_id for table in scope.tables}
    answers = Decisions.of(audit.events(asker.tenant, DECISIONS)).answers
    for answer_id in reversed([each for each, verdict in answers.items() if verdict.approved]):
        record = audit.answer(answer_id)
        if record is None or "plan" not in record["detail"] or not frozenset(record["levels"]) <= asker.levels:
            continue
        if {table["table_id"] for table in record["tables"]} <= seen:
            turn = record["detail"].get("turn", {})
            yield Reviewed(turn.get("text") or record["question"], plan_from_json(record["detail"]["plan"]))
