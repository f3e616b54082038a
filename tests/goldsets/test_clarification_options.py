"""A question back offers ways out, and each of them is a question that is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from goldsets.goldset import Case
from goldsets.read_goldset import read_goldset
from goldsets.run import RunWorkspace, prepare_workspace
from goldsets.score import JsonObject
from orchestrator.scope import Asker
from qa.goldset_workspace import open_goldset_workspace

ROOT = Path(__file__).parents[2]
SETS = yaml.safe_load((Path(__file__).parent / "paraphrases" / "clarifications.yaml").read_text(encoding="utf-8"))
DEEPEST = 3
"""Questions back in a row after which a person would have given up."""


@dataclass(frozen=True)
class Asked:
    """A set of cases and the workspace that holds the files of their tenants."""

    entry: Mapping[str, Any]
    cases: Mapping[str, Case]
    workspace: RunWorkspace

    def ask(self, case_id: str, question: str | None = None, session: str | None = None) -> JsonObject:
        case = self.cases[case_id]
        asker = Asker(user="goldset", tenant=case.tenant, levels=case.levels)
        return self.workspace.ask(question or case.question, asker, session, case.asked_on)

    def chosen(self, case_id: str) -> list[tuple[str, JsonObject]]:
        """Each option's question, asked in the session of the question back."""
        first = self.ask(case_id)
        assert first["status"] == "clarify", case_id
        options = [option["question"] for option in first["clarification"]["options"]]
        return [(question, self.ask(case_id, question, first["session_id"])) for question in options]

    def ends_answered(self, case_id: str, answer: JsonObject, depth: int = 1) -> bool:
        """Whether every further choice ends in an answer."""
        if answer["status"] == "answered":
            return True
        options = (answer.get("clarification") or {}).get("options") or ()
        session = answer["session_id"]
        return depth < DEEPEST and all(
            self.ends_answered(case_id, self.ask(case_id, option["question"], session), depth + 1) for option in options
        )


@pytest.fixture(scope="module", params=SETS, ids=[Path(entry["goldset"]).stem for entry in SETS])
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    entry = request.param
    goldset = read_goldset(ROOT / entry["goldset"])
    listed = [*entry["cases"], *entry.get("asked_on", ()), *entry.get("without_options", ())]
    cases = {case.case_id: case for case in goldset.cases if case.case_id in listed}
    tenants = {case.tenant for case in cases.values()}
    corpus = tuple(file for file in goldset.corpus if file.tenant in tenants)
    wanted = replace(goldset, corpus=corpus, cases=tuple(cases.values()))
    root = tmp_path_factory.mktemp("clarifications") / "workspace"
    return Asked(entry, cases, prepare_workspace(wanted, root, open_goldset_workspace))


def test_the_question_of_every_option_is_answered(asked: Asked) -> None:
    stopped = []
    for case_id in asked.entry["cases"]:
        chosen = asked.chosen(case_id)
        stopped += [f"{case_id}: no options"] if not chosen else []
        stopped += [f"{case_id}: {question}: {answer['text']}" for question, answer in chosen if answer["status"] != "answered"]
    assert stopped == [], "\n".join(stopped)


def test_the_label_of_an_option_is_a_reply(asked: Asked) -> None:
    for case_id in asked.entry["cases"]:
        first = asked.ask(case_id)
        option = first["clarification"]["options"][0]
        reply = asked.ask(case_id, option["label"], first["session_id"])
        in_full = asked.ask(case_id, option["question"])
        assert (reply["status"], reply["result"]) == (in_full["status"], in_full["result"]), (case_id, option)


def test_what_is_asked_back_twice_is_answered_then(asked: Asked) -> None:
    for case_id in asked.entry.get("asked_on", ()):
        chosen = asked.chosen(case_id)
        assert any(answer["status"] == "clarify" for _, answer in chosen), case_id
        assert [question for question, answer in chosen if answer["status"] == "refused"] == [], case_id
        assert any(asked.ends_answered(case_id, answer) for _, answer in chosen), case_id


def test_a_question_back_without_options_says_what_is_open(asked: Asked) -> None:
    for case_id in asked.entry.get("without_options", ()):
        first = asked.ask(case_id)
        assert first["status"] == "clarify", case_id
        assert first["clarification"]["options"] == [], case_id
        assert first["clarification"]["question"], case_id
