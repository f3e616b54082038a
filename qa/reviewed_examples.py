"""Reviewed questions of a tenant that a language model is told as examples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from orchestrator.language_model.examples import Reviewed, choose_examples
from orchestrator.language_model.prompt import Example
from orchestrator.plan_json import plan_from_json
from orchestrator.scope import Scope
from qa.review_gate import decisions_of
from qa.visible_cells import rests_on_visible_cells
from qa.wiring import Workspace

MOST_READ = 200
"""Approved answers, the newest first, among which the examples are chosen."""


def examples_for(workspace: Workspace, question: str, scope: Scope, most: int) -> tuple[Example, ...]:
    """Approved answers that rest on what this asker sees, by people with no more levels."""
    return choose_examples(question, islice(_approved(workspace, scope), MOST_READ), scope, most) if most else ()


def _approved(workspace: Workspace, scope: Scope) -> Iterator[Reviewed]:
    asker = scope.asker
    answers = decisions_of(workspace, asker.tenant).answers
    for answer_id in reversed([each for each, verdict in answers.items() if verdict.approved]):
        record = workspace.audit.answer(answer_id)
        if record is None or "plan" not in record["detail"] or not frozenset(record["levels"]) <= asker.levels:
            continue
        if rests_on_visible_cells(workspace, asker, record):
            turn = record["detail"].get("turn", {})
            yield Reviewed(turn.get("text") or record["question"], plan_from_json(record["detail"]["plan"]))
