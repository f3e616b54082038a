"""The shipped goldset: every case right, and every answer proved once more from the original files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goldsets.demo.expected import GOLDSET
from goldsets.read_goldset import read_goldset
from tests.goldsets.whole_run import Run, assert_replayed, verified, whole_run

SHIPPED = read_goldset(GOLDSET)
CASES = SHIPPED.cases
ANSWERED = [case.case_id for case in CASES if case.expect.statuses == ("answered",)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with whole_run(SHIPPED, tmp_path_factory.mktemp("shipped") / "workspace") as run:
        yield run


@pytest.mark.parametrize("case_id", [case.case_id for case in CASES])
def test_case_is_right(case_id: str, run: Run) -> None:
    verdict = run[1][case_id].verdict
    assert verdict.score == "correct", verdict.reason


@pytest.mark.parametrize("case_id", ANSWERED)
def test_answer_is_the_same_from_the_original_files(case_id: str, run: Run) -> None:
    assert verified(run, case_id)


@pytest.mark.parametrize("case_id", ANSWERED)
def test_a_replay_gives_the_answer_again(case_id: str, run: Run) -> None:
    assert_replayed(run, case_id)


def test_the_log_of_the_run_is_whole(run: Run) -> None:
    workspace, results = run
    assert workspace.audit.check().ok
    assert all(workspace.audit.answer(result.answer["answer_id"]) for result in results.values() if result.answer)
