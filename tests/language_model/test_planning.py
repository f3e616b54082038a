"""What a model's reply changes: a choice, a question back, a note; and what it does not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.language_model.conftest import EVERYTHING, KEY, TENANT, Bench, script_of

CASES = yaml.safe_load(Path(__file__).with_name("planning_cases.yaml").read_text(encoding="utf-8"))


def _note(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    found = [step["detail"] for step in answer["trace"] if step["stage"] in ("model", "cross_check")]
    return found[0] if found else {}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: Mapping[str, Any], bench: Bench) -> None:
    levels, expect = frozenset(case.get("levels", EVERYTHING)), case["expect"]
    workspace, server = bench.workspace(script_of(case["replies"]), case["settings"])
    answer = bench.ask(workspace, case["question"], levels)
    assert answer["status"] == expect["status"], (answer["text"], _note(answer))
    if "code" in expect:
        assert answer["refusal"]["code"] == expect["code"]
    if "value" in expect:
        assert expect["value"] in answer["result"]["rows"][0]
    if "requests" in expect:
        assert len(server.requests) == expect["requests"]
    if "options" in expect:
        options = answer["clarification"]["options"]
        assert [option["question"] for option in options] == expect["options"]
        for option in options:  # also with the model at hand
            assert bench.ask(workspace, option["question"], levels)["status"] == "answered"
    assert _note(answer).items() >= expect.get("note", {}).items()


def test_the_log_says_what_was_asked_of_which_model(bench: Bench) -> None:
    workspace, _ = bench.workspace(script_of(CASES[0]["replies"]), "cross_check = true")
    answer = bench.ask(workspace, CASES[0]["question"])
    record = workspace.audit.answer(answer["answer_id"])
    assert record is not None
    said = record["detail"]["model"]
    assert (said["model"], said["seed"], said["prompt_tokens"], said["reply_tokens"], said["calls"]) == (
        "scripted",
        42,
        100,
        20,
        1,
    )
    assert len(said["prompt"]) == 16
    assert KEY not in "\n".join(workspace.audit.export_lines())


def test_a_day_has_its_budget_whichever_process_asks(bench: Bench) -> None:
    file = bench.root / "data" / "llm_spending.json"
    workspace, _ = bench.workspace([{"text": '{"rewording": null}'}], "tokens_per_day = 9000")
    outcomes = []
    for spent in ("{}", f'{{"{TENANT}": {{"{datetime.now(UTC).date()}": [8900, 0]}}}}', "broken"):
        file.write_text(spent, encoding="utf-8")
        outcomes.append(_note(bench.ask(workspace, "Was geht ab im Lager?"))["outcome"])
    file.unlink()
    assert outcomes == ["read", "budget", "budget"]


FAILING: Mapping[str, Mapping[str, Any]] = {
    "500": {"status": 500},
    "429": {"status": 429, "headers": {"Retry-After": "2"}},
    "401": {"status": 401},
    "slow": {"wait": 2},
    "cut": {"text": "{}", "cut": True},
    "no JSON": {"body": b"<html>"},
    "event stream": {"body": b"data: x\n\n", "content_type": "text/event-stream"},
    "huge": {"text": "1" * 2_000_000},
    "length": {"text": '{"sql": "SELECT', "finish": "length"},
    "refusal": {"text": None, "message": {"refusal": "no"}},
    "wrong schema": {"text": '{"plan": 5}'},
    "prose": {"text": "Der Umsatz beträgt 1.24"},
}
SHOWN = ("status", "text", "result", "facts", "warnings")
ANSWERED = [
    "Wie hoch war der Nettoumsatz der Niederlassung in Danzig im Q3 2024?",
    "Summe der offenen Beträge je Währung",
    "Welche Niederlassung hatte im Q3 2024 den höchsten Nettoumsatz?",
]


@pytest.mark.parametrize("name", FAILING)
def test_what_the_rules_answer_is_the_same_however_the_model_fails(name: str, bench: Bench) -> None:
    settings = "cross_check = true\nprose = true\nfree_sql = true" + ("\ntimeout_seconds = 1" if name == "slow" else "")
    right = [bench.without(question) for question in ANSWERED]
    workspace, _ = bench.workspace([FAILING[name]], settings)
    for question, alone in zip(ANSWERED, right, strict=True):
        answer = bench.ask(workspace, question)
        assert {key: answer[key] for key in SHOWN} == {key: alone[key] for key in SHOWN}
    nowhere = bench.ask(workspace, "Was geht ab im Lager?")
    assert (nowhere["status"], nowhere["refusal"]["code"]) == ("refused", "llm_unavailable")
