"""A model that lies in a hundred ways: no number but the one of the rules, nothing foreign, no side effect."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.language_model.conftest import EVERYTHING, TENANT, Bench, script_of

LIES = yaml.safe_load(Path(__file__).with_name("lies.yaml").read_text(encoding="utf-8"))
_WORKING_MARKS = (
    "vorstand",
    "umsatzrendite",
    "filialergebnis",
    "einkaufspreis",
    "purch_price",
    "999999",
    "0900",
    "<script",
    "hostname",
)


def test_there_are_a_hundred() -> None:
    assert len({lie["name"] for lie in LIES}) == len(LIES) >= 100


ALL_ON = "cross_check = true\nfree_sql = true\nprose = true"


@pytest.mark.parametrize("lie", LIES, ids=[lie["name"] for lie in LIES])
def test_no_lie_is_shown(lie: Mapping[str, Any], bench: Bench) -> None:
    levels = frozenset(lie.get("levels", EVERYTHING))
    right = bench.without(lie["question"], levels)
    files = _files(bench.root)
    workspace, server = bench.workspace(script_of(lie["replies"]), ALL_ON)
    answer = bench.ask(workspace, lie["question"], levels)
    assert server.requests, "the model was not asked"
    assert _files(bench.root) == files
    _check_shown(answer, right, lie["question"])
    if answer["clarification"] is not None:
        for option in answer["clarification"]["options"]:
            assert bench.without(option["question"], levels)["status"] == "answered"


def _check_shown(answer: Mapping[str, Any], right: Mapping[str, Any], question: str) -> None:
    """Answered: as by the rules alone. Else: no digits but those asked with, and nothing that only a liar says."""
    if answer["status"] == "answered":
        assert (answer["result"], answer["facts"], answer["text"]) == (right["result"], right["facts"], right["text"])
        return
    assert answer["result"] is None
    assert answer["facts"] == []
    said = {"text": answer["text"], "refusal": answer["refusal"], "clarification": answer["clarification"]}
    shown = json.dumps(said, ensure_ascii=False)
    known = set(re.findall(r"\d+", question)) | set(re.findall(r"\d+", right["text"] if right["status"] != "answered" else ""))
    digits = set(re.findall(r"\d+", shown)) - known
    assert not digits or right["status"] == "answered", f"numbers from nowhere: {digits}"
    if right["status"] == "answered":
        value = re.sub(r"\D", "", str(right["result"]["rows"][0][0]))
        assert value not in re.sub(r"\D", "", shown) or len(value) < 4
    marks = [mark for mark in _WORKING_MARKS if mark in shown.casefold() and mark not in question.casefold()]
    assert not marks, marks


def _files(root: Path) -> dict[str, int]:
    """Every file but the stores that a question writes."""
    own = ("audit", "llm_spending", "catalog", "beleg.toml")
    return {
        str(path.relative_to(root)): path.stat().st_size
        for path in root.rglob("*")
        if path.is_file() and not path.name.startswith(own)
    }


def test_tables_and_log_are_as_they_were(bench: Bench) -> None:
    """After all of the above, in any order."""
    workspace, _ = bench.workspace([], None)
    assert len(workspace.catalog.tables(TENANT)) == 11
    assert workspace.audit.check().ok
