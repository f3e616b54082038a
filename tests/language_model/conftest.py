"""The demo workspace with a scripted model behind real HTTP: one question, asked with and without the model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from goldsets.demo.expected import GOLDSET
from goldsets.read_goldset import read_goldset
from goldsets.run import run_goldset
from orchestrator.scope import Asker
from qa.asking import ask
from qa.goldset_workspace import open_goldset_workspace
from qa.settings import FILE_NAME
from qa.wiring import Workspace, open_workspace
from tests.language_model.scripted_server import Script, Scripted, scripted_server

TENANT = "silbertanne"
EVERYTHING = frozenset({"controlling", "vertrieb", "vorstand"})
TODAY = date(2024, 10, 16)
KEY = "geheimer-schluessel"


@dataclass
class Bench:
    """The workspace, opened once for each set of `[llm]` lines with a server of its own, and once without a model."""

    root: Path
    opened: dict[str | None, tuple[Workspace, Scripted]] = field(default_factory=dict)
    closing: ExitStack = field(default_factory=ExitStack)
    alone: dict[tuple[str, frozenset[str]], dict[str, Any]] = field(default_factory=dict)

    def without(self, question: str, levels: frozenset[str] = EVERYTHING) -> dict[str, Any]:
        """What the rules alone answer."""
        if (question, levels) not in self.alone:
            self.alone[question, levels] = self.ask(self.workspace([], None)[0], question, levels)
        return self.alone[question, levels]

    def workspace(self, script: Script, settings: str | None) -> tuple[Workspace, Scripted]:
        """`settings`: lines of [llm]; None: no model is set. The server has this script and has been asked nothing yet."""
        if settings not in self.opened:
            server = self.closing.enter_context(scripted_server(script))
            self._write(settings)
            with pytest.MonkeyPatch.context() as patch:
                for name, value in (("BASE_URL", server.base_url), ("MODEL", "scripted"), ("API_KEY", KEY)):
                    patch.setenv(f"BELEG_LLM_{name}", value) if settings is not None else patch.delenv(f"BELEG_LLM_{name}", False)
                self.opened[settings] = (self.closing.enter_context(open_workspace(self.root)), server)
        workspace, server = self.opened[settings]
        server.script = script
        server.requests.clear()
        return workspace, server

    def ask(
        self, workspace: Workspace, question: str, levels: frozenset[str] = EVERYTHING, user: str = "weber"
    ) -> dict[str, Any]:
        return ask(workspace, question, Asker(user, TENANT, levels), today=TODAY)

    def _write(self, settings: str | None) -> None:
        said = (settings or "").splitlines()
        given = {line.partition("=")[0].strip() for line in said}
        usual = {"structured_output": '"none"', "retries": "0", "timeout_seconds": "10", "breaker_failures": "100000"}
        lines = [*said, *(f"{key} = {value}" for key, value in usual.items() if key not in given)]
        (self.root / FILE_NAME).write_text("\n".join(["[llm]", *lines, ""]) if settings is not None else "", encoding="utf-8")


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    root = tmp_path_factory.mktemp("model") / "workspace"
    goldset = read_goldset(GOLDSET)
    run_goldset(goldset, root, open_goldset_workspace, only=[goldset.cases[0].case_id])
    made = Bench(root)
    with made.closing:
        yield made


def reply_text(reply: Mapping[str, Any] | str) -> str:
    """A reply of a data file: an object is sent as JSON, a text as it is."""
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def script_of(replies: Sequence[Any]) -> Sequence[Mapping[str, Any]]:
    """Objects with `http` are replies of the server, all others are what the model says."""
    return [
        dict(reply["http"]) if isinstance(reply, Mapping) and "http" in reply else {"text": reply_text(reply)}
        for reply in replies
    ]
