"""English questions over printed reports: each right, and every one with a word that is not there stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from goldsets.read_goldset import read_goldset
from goldsets.run import CaseResult, run_goldset
from goldsets.score import PASSING
from qa.goldset_workspace import open_goldset_workspace
from qa.verification import verify
from qa.wiring import Workspace, open_workspace

GOLDSET = read_goldset(Path(__file__).parent / "printed" / "printed.yaml")
ANSWERED = [case.case_id for case in GOLDSET.cases if case.expect.statuses == ("answered",)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, Mapping[str, CaseResult]]]:
    root = tmp_path_factory.mktemp("printed") / "workspace"
    report = run_goldset(GOLDSET, root, open_goldset_workspace)
    with open_workspace(root) as workspace:
        yield workspace, {result.case.case_id: result for result in report.results}


@pytest.mark.parametrize("case_id", [case.case_id for case in GOLDSET.cases])
def test_case(case_id: str, run: tuple[Workspace, Mapping[str, CaseResult]]) -> None:
    verdict = run[1][case_id].verdict
    assert verdict.score in PASSING, verdict.reason


@pytest.mark.parametrize("case_id", ANSWERED)
def test_answer_is_verified_from_the_original(case_id: str, run: tuple[Workspace, Mapping[str, CaseResult]]) -> None:
    workspace, results = run
    answer = results[case_id].answer
    assert answer is not None
    assert verify(workspace, answer["answer_id"]).ok


def test_no_ability_has_fewer_stops_than_answers() -> None:
    groups = {case.case_id.split("-")[0] for case in GOLDSET.cases}
    for group in groups:
        cases = [case for case in GOLDSET.cases if case.case_id.split("-")[0] == group]
        answers = sum(case.case_id in ANSWERED for case in cases)
        assert 2 * answers <= len(cases), group
