"""One run of a goldset that stays open, and what every answered case of it has to stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from goldsets.goldset import Goldset
from goldsets.run import CaseResult, run_goldset
from orchestrator.verify_answer import VerifiedFact
from qa.goldset_workspace import open_goldset_workspace
from qa.replay import replay
from qa.verification import verify
from qa.wiring import Workspace, open_workspace

Run = tuple[Workspace, Mapping[str, CaseResult]]
"""The workspace of the run, and its results by case."""


@contextmanager
def whole_run(goldset: Goldset, root: Path) -> Iterator[Run]:
    """`root`: an empty or missing folder for the workspace."""
    report = run_goldset(goldset, root, open_goldset_workspace)
    with open_workspace(root) as workspace:
        yield workspace, {result.case.case_id: result for result in report.results}


def answer_of(run: Run, case_id: str) -> Mapping[str, Any]:
    """The answer object of a case that was answered."""
    answer = run[1][case_id].answer
    assert answer is not None and answer["status"] == "answered", case_id
    return answer


def verified(run: Run, case_id: str) -> tuple[VerifiedFact, ...]:
    """All facts of an answer, read again from the original files and equal."""
    answer = answer_of(run, case_id)
    checked = verify(run[0], answer["answer_id"])
    assert checked.ok, case_id
    assert len(checked.facts) == len(answer["facts"]) > 0
    return checked.facts


def assert_replayed(run: Run, case_id: str) -> None:
    """The query of the answer, run again, gives the same."""
    again = replay(run[0], answer_of(run, case_id)["answer_id"])
    assert again.same, again.why
    assert again.then
