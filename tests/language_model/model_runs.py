"""Goldset questions with a chosen model in the place of the tenant's: by the rules, by the model's plan alone, or by both."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

import pytest

from goldsets.goldset import Goldset
from goldsets.run import RunReport, run_goldset
from goldsets.score import PASSING, JsonObject
from orchestrator import ask as ask_module
from orchestrator.language_model.exchange import ChatModel, Completion, Message, ModelFailure, ReplyFormat, Spending
from orchestrator.language_model.model_settings import ModelSettings
from orchestrator.language_model.second_planner import SecondPlanner
from orchestrator.planners.decision import PlannerStop
from orchestrator.planners.grammar import Decision
from orchestrator.scope import Asker
from orchestrator.understand import Understanding
from qa.goldset_workspace import GoldsetWorkspace, open_goldset_workspace

Way = Literal["rules", "model", "both"]
SHARED = Path(__file__).parents[2] / ".." / "shared"
SETTINGS = ModelSettings(
    "http://127.0.0.1:9/v1", "sample", structured_output="json_object", prompt_tokens=2_700, answer_tokens=300,
    tokens_per_question=0, tokens_per_day=0, cross_check=True,
)  # fmt: skip


@dataclass
class NotedReplies:
    """A model whose replies are kept by case and number of the call: replayed where they are noted, else asked of `server` and
    added to the file `to`."""

    noted: dict[tuple[str, int], str]
    server: ChatModel | None = None
    to: Path | None = None
    case: str = ""
    calls: int = 0

    def ask_for(self, case: str) -> None:
        """What comes is asked for this case."""
        self.case, self.calls = case, 0

    def complete(
        self, messages: Sequence[Message], reply: ReplyFormat | None, spent: Spending, seed_offset: int = 0
    ) -> Completion:
        key = (self.case, self.calls)
        self.calls += 1
        spent.calls += 1
        if key in self.noted:
            return Completion(self.noted[key], 0, 0)
        if self.server is None:
            raise ModelFailure("unreadable", "no reply is noted")
        found = self.server.complete(messages, reply, spent, seed_offset)
        self.noted[key] = found.text
        line = {"case": key[0], "call": key[1], "tokens": [found.prompt_tokens, found.reply_tokens], "reply": found.text}
        if self.to is not None:
            with self.to.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        return found


def read_replies(path: Path) -> dict[tuple[str, int], str]:
    """A file of one JSON object a line."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {(each["case"], each["call"]): each["reply"] for each in map(json.loads, lines)}


class _WorkspaceOfModel(GoldsetWorkspace):
    """A goldset's workspace in which every tenant has the model."""

    model: Any = None
    cases: Mapping[tuple[str, str], str] = {}

    def ask(self, question: str, asker: Asker, session_id: str | None, today: date | None) -> JsonObject:
        if hasattr(self.model, "ask_for"):
            self.model.ask_for(self.cases[asker.tenant, question])
        return super().ask(question, asker, session_id, today)


def run_with(
    goldset: Goldset,
    root: Path,
    model: ChatModel | None,
    way: Way,
    only: Collection[str] = (),
    settings: ModelSettings = SETTINGS,
) -> RunReport:
    """`model` None only for the rules alone."""
    second = SecondPlanner(model, settings) if model is not None and way != "rules" else None

    def open_workspace(folder: Path, of: Goldset) -> _WorkspaceOfModel:
        opened = open_goldset_workspace(folder, of)
        opened.__class__ = _WorkspaceOfModel
        assert isinstance(opened, _WorkspaceOfModel)
        opened.model = model
        opened.cases = {(case.tenant, case.question): f"{of.name}/{case.case_id}" for case in of.cases}
        opened._workspace._second_planner = lambda tenant: second  # type: ignore[method-assign]
        return opened

    with _without_rules() if way == "model" else _as_it_is():
        return run_goldset(goldset, root, open_workspace, only=only)


@contextmanager
def _without_rules() -> Iterator[None]:
    """The rules never have a plan, nor rows that fit; what they refuse for its content they refuse."""
    real = ask_module.understand

    def understand(*args: Any, **named: Any) -> Understanding:
        found = real(*args, **named)
        if found.decision.stop is not None and found.decision.stop.code == "unsafe_query":
            return found
        return replace(found, decision=Decision((), PlannerStop("refused", "not_understood", "no_rule"), None))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ask_module, "understand", understand)
        patch.setattr(ask_module, "answer_rows", lambda *args, **named: None)
        yield


@contextmanager
def _as_it_is() -> Iterator[None]:
    yield


def tally(report: RunReport) -> Counter[str]:
    """right (also a stop that was expected), wrong (answered otherwise than it should be), stopped."""

    def kind(score: str) -> str:
        return "right" if score in PASSING else "stopped" if score == "missed" else "wrong"

    return Counter(kind(result.verdict.score) for result in report.results)
