"""Wordings and failures of a model that made other tools answer wrongly: the right value or a refusal, never theirs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.scope import Asker
from qa.administration import IngestRequest, ingest
from qa.asking import ask
from qa.settings_file import write_workspace
from qa.wiring import Workspace, open_workspace
from tests.language_model.conftest import script_of
from tests.language_model.scripted_server import Scripted, scripted_server

RAW = yaml.safe_load(Path(__file__).with_name("bug_cases.yaml").read_text(encoding="utf-8"))
LEVELS = frozenset({"alle"})
SETTINGS = """
[llm]
cross_check = true
prose = true
free_sql = true
structured_output = "none"
retries = 1
timeout_seconds = 2
breaker_failures = 100000
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, Scripted]]:
    """A tenant for each file, so that no question sees another one's."""
    root = tmp_path_factory.mktemp("bugs") / "workspace"
    write_workspace(root, {}, {})
    settings = next(root.glob("*.toml"))
    settings.write_text(settings.read_text(encoding="utf-8") + SETTINGS, encoding="utf-8")
    with scripted_server([{}]) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("BELEG_LLM_BASE_URL", server.base_url)
        patch.setenv("BELEG_LLM_MODEL", "scripted")
        with open_workspace(root) as workspace:
            for tenant, file in RAW["files"].items():
                path = root.parent / file["name"]
                path.write_text(file["text"], encoding="utf-8")
                ingest(workspace, path, IngestRequest(tenant=tenant, access_level="alle", create_tenant=True, by="test"))
            yield workspace, server


def _script(server: Scripted, case: Mapping[str, Any]) -> None:
    """Two conversations on one server: readings of the question, and sentences."""
    said = {kind: list(script_of(case.get(kind, ['{"rewording": null, "plan": null}']))) for kind in ("plans", "prose")}
    asked = {"plans": 0, "prose": 0}

    def reply(request: Mapping[str, Any]) -> Mapping[str, Any]:
        kind = "prose" if str(request["messages"][0]["content"]).startswith("Write one or two") else "plans"
        asked[kind] += 1
        return said[kind][min(asked[kind], len(said[kind])) - 1]

    server.script = reply
    server.requests.clear()


@pytest.mark.parametrize("case", RAW["cases"], ids=[case["id"] for case in RAW["cases"]])
def test_case(case: Mapping[str, Any], bench: tuple[Workspace, Scripted]) -> None:
    workspace, server = bench
    _script(server, case)
    answer = ask(workspace, case["question"], Asker("weber", case["file"], LEVELS), today=date(2024, 11, 15))
    unseen = ("trace", "question", "answer_id", "session_id", "facts")
    shown = json.dumps({key: answer[key] for key in answer if key not in unseen}, ensure_ascii=False)
    assert len(server.requests) <= 8
    assert [text for text in case.get("never", ()) if text in shown or text in answer["text"] + "\n"] == []
    record = workspace.audit.answer(answer["answer_id"])
    assert record is not None
    if "value" not in case:
        assert answer["status"] in ("refused", "clarify", "pending_review")
        assert answer["result"] is None
        if "says" in case:
            assert case["says"] in answer["refusal"]["message"]
            assert record["detail"]["model"]["outcome"] not in ("", "read")
        if "option" in case:
            assert [each["question"].partition(": ")[2] for each in answer["clarification"]["options"]] == [case["option"]]
        return
    if case.get("may_refuse") and answer["status"] != "answered":
        return
    assert answer["status"] == "answered", answer["text"]
    assert case["value"] in answer["result"]["rows"][0]
    assert case["shown"] in answer["text"].replace("\u00a0", " ").replace("\u202f", " ")
    if "warning" in case:
        assert case["warning"] in [warning["code"] for warning in answer["warnings"]]
    if "source" in case:
        assert [cell for source in answer["facts"][-1]["provenance"]["sources"] for cell in source["cells"]] == [case["source"]]
    assert record["detail"]["model"]
