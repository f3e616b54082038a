"""Reviewed questions as examples: their replies lead back to the plan that was approved, and only to whom it is open."""

from __future__ import annotations

import json
from typing import Any

import pytest

from goldsets.demo.expected import GOLDSET
from goldsets.read_goldset import read_goldset
from orchestrator.language_model.examples import Reviewed, choose_examples, reply_of
from orchestrator.plan_json import plan_from_json
from orchestrator.scope import Asker
from qa.review import decide
from tests.language_model.conftest import EVERYTHING, TENANT, Bench

CASES = [case for case in read_goldset(GOLDSET).cases if case.after is None and "answered" in case.expect.statuses][::3]
ASKER = Asker("weber", TENANT, EVERYTHING)
DANZIG = "Wie hoch war der Nettoumsatz der Niederlassung in Danzig im Q3 2024?"


def _compared(answer: Any) -> str:
    return next((step["detail"]["compared"] for step in answer["trace"] if step["stage"] == "cross_check"), "")


@pytest.mark.parametrize("case", CASES, ids=[case.case_id for case in CASES])
def test_the_reply_of_a_plan_is_that_plan(case: Any, bench: Bench) -> None:
    """The model that says just what the rules plan is agreed with, or its plan is more than a reply can say."""
    alone = bench.workspace([], None)[0]
    answer = bench.ask(alone, case.question)
    record = alone.audit.answer(answer["answer_id"])
    assert record is not None
    plan = record["detail"].get("plan")
    reply = reply_of(plan_from_json(plan), alone.scope(ASKER)) if plan is not None else None
    if reply is None:
        return
    workspace, _ = bench.workspace([{"text": reply}], "cross_check = true")
    again = bench.ask(workspace, case.question)
    assert (again["result"], again["facts"]) == (answer["result"], answer["facts"])
    assert _compared(again) in ("agreed", "not_compared")


def test_approved_questions_are_told_to_those_who_may_see_them(bench: Bench) -> None:
    workspace, server = bench.workspace([{"text": '{"rewording": null, "plan": null}'}], "examples = 2\ncross_check = true")
    answer = bench.ask(workspace, DANZIG)
    assert "Reviewed questions" not in server.prompts[-1]
    decide(workspace, answer["answer_id"], approve=True, by="A. Prüfer", reason="")
    bench.ask(workspace, "Wie hoch war der Nettoumsatz der Niederlassung in Posen im Q3 2024?")
    assert "Reviewed questions" in server.prompts[-1]
    assert json.dumps(DANZIG, ensure_ascii=False) in server.prompts[-1]
    bench.ask(workspace, "Wie hoch war der Nettoumsatz der Niederlassung in Posen im Q3 2024?", frozenset({"vertrieb"}))
    assert "Reviewed questions" not in server.prompts[-1]


def test_the_most_alike_first_and_not_the_question_itself(bench: Bench) -> None:
    workspace = bench.workspace([], None)[0]
    scope = workspace.scope(ASKER)
    margin = "Wie hoch war die Bruttomarge der Niederlassung in Danzig im Q3 2024?"
    texts = [DANZIG, margin, "Summe der offenen Beträge je Währung"]
    reviewed = []
    for text in texts:
        record = workspace.audit.answer(bench.ask(workspace, text)["answer_id"])
        assert record is not None
        reviewed.append(Reviewed(text, plan_from_json(record["detail"]["plan"])))
    chosen = choose_examples("Wie hoch war der Nettoumsatz der Niederlassung in Posen im Q3 2024?", reviewed, scope, 2)
    assert [each.question for each in chosen] == texts[:2]
    assert texts[0] not in [each.question for each in choose_examples(texts[0], reviewed, scope, 3)]
    assert choose_examples("Ganz etwas anderes", reviewed, scope, 3) == ()
