"""Questions about what texts say: whole questions, every shown value verified from the originals and found again by a replay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from goldsets.read_goldset import read_goldset
from goldsets.run import CaseResult, run_goldset
from qa.goldset_workspace import open_goldset_workspace
from qa.replay import replay
from qa.verification import verify
from qa.wiring import Workspace, open_workspace

GOLDSET = read_goldset(Path(__file__).parent / "search" / "search.yaml")
ANSWERED = [case.case_id for case in GOLDSET.cases if case.expect.statuses == ("answered",)]
Run = tuple[Workspace, Mapping[str, CaseResult]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    root = tmp_path_factory.mktemp("search") / "workspace"
    report = run_goldset(GOLDSET, root, open_goldset_workspace)
    with open_workspace(root) as workspace:
        yield workspace, {result.case.case_id: result for result in report.results}


@pytest.mark.parametrize("case_id", [case.case_id for case in GOLDSET.cases])
def test_every_case_is_right(case_id: str, run: Run) -> None:
    verdict = run[1][case_id].verdict
    assert verdict.score == "correct", verdict.reason


@pytest.mark.parametrize("case_id", ANSWERED)
def test_every_shown_value_has_its_cell_and_stands_in_the_original(case_id: str, run: Run) -> None:
    workspace, results = run
    answer = results[case_id].answer
    assert answer is not None
    shown = sum(len([value for value in row["values"].values() if value]) for row in answer["related"])
    facts = [fact for fact in answer["facts"] if fact.get("related") is not None]
    assert len(facts) == shown > 0
    assert all(len(fact["provenance"]["sources"][0]["cells"]) == 1 for fact in facts)
    assert verify(workspace, answer["answer_id"]).ok


@pytest.mark.parametrize("case_id", ANSWERED)
def test_a_replay_finds_the_same_rows(case_id: str, run: Run) -> None:
    workspace, results = run
    answer = results[case_id].answer
    assert answer is not None
    again = replay(workspace, answer["answer_id"])
    assert again.same, again.why
    assert again.then
