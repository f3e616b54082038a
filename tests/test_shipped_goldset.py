"""The shipped goldset: every case right, and every answer proved once more from the original files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goldsets.demo.expected import GOLDSET
from goldsets.read_goldset import read_goldset
from goldsets.run import CaseResult, run_goldset
from qa.goldset_workspace import open_goldset_workspace
from qa.replay import replay
from qa.verification import verify
from qa.wiring import Workspace, open_workspace

CASES = read_goldset(GOLDSET).cases
ANSWERED = [case.case_id for case in CASES if case.expect.statuses == ("answered",)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, dict[str, CaseResult]]]:
    root = tmp_path_factory.mktemp("shipped") / "workspace"
    report = run_goldset(read_goldset(GOLDSET), root, open_goldset_workspace)
    with open_workspace(root) as workspace:
        yield workspace, {result.case.case_id: result for result in report.results}


@pytest.mark.parametrize("case_id", [case.case_id for case in CASES])
def test_case_is_right(case_id: str, run: tuple[Workspace, dict[str, CaseResult]]) -> None:
    verdict = run[1][case_id].verdict
    assert verdict.score == "correct", verdict.reason


@pytest.mark.parametrize("case_id", ANSWERED)
def test_answer_is_the_same_from_the_original_files(case_id: str, run: tuple[Workspace, dict[str, CaseResult]]) -> None:
    workspace, results = run
    answer = results[case_id].answer
    assert answer is not None
    verified = verify(workspace, answer["answer_id"])
    assert verified.ok
    assert len(verified.facts) == len(answer["facts"]) > 0


@pytest.mark.parametrize("case_id", ANSWERED)
def test_a_replay_gives_the_answer_again(case_id: str, run: tuple[Workspace, dict[str, CaseResult]]) -> None:
    workspace, results = run
    answer = results[case_id].answer
    assert answer is not None
    again = replay(workspace, answer["answer_id"])
    assert again.same, again.why
    assert again.then


def test_the_log_of_the_run_is_whole(run: tuple[Workspace, dict[str, CaseResult]]) -> None:
    workspace, results = run
    assert workspace.audit.check().ok
    assert all(workspace.audit.answer(result.answer["answer_id"]) for result in results.values() if result.answer)
