"""Whole questions over small files: faults known from public bug reports, and what the plan language can say. Each right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from goldsets.read_goldset import read_goldset
from goldsets.run import CaseResult, run_goldset
from goldsets.score import PASSING
from qa.goldset_workspace import open_goldset_workspace
from qa.verification import verify
from qa.wiring import Workspace, open_workspace

NAMES = ("reports", "plan_language", "web_tables", "controlling_forms", "controllers")
GOLDSETS = tuple(read_goldset(Path(__file__).parent / name / f"{name}.yaml") for name in NAMES)
CASES = [(position, case) for position, goldset in enumerate(GOLDSETS) for case in goldset.cases]
ALL = [(position, case.case_id) for position, case in CASES]
ANSWERED = [(position, case.case_id) for position, case in CASES if case.expect.statuses == ("answered",)]
REFUSED_TODAY: frozenset[str] = frozenset()
"""Questions that should be answered and are refused: no harm, and not yet right."""

WARNINGS = {
    "a08-alle": "hidden_included",
    "b05-mittel": "missing_skipped",
    "b10-drei": "ties_listed",
    "d08-jahr": "partial_period",
    "monat-2024": "partial_period",
    "quartal": "partial_period",
    "rauschen-birke": "computed_cell",
    "rauschen-gesamt": "computed_cell",
    "rauschen-liste": "computed_cell",
    "woche": "partial_period",
}
NOTHING_TO_WARN_OF = ("rauschen-cedern", "rauschen-menge")

Run = tuple[Workspace, Mapping[str, CaseResult]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, ...]]:
    with ExitStack() as stack:
        found = []
        for goldset in GOLDSETS:
            root = tmp_path_factory.mktemp(goldset.path.stem) / "workspace"
            report = run_goldset(goldset, root, open_goldset_workspace)
            results = {result.case.case_id: result for result in report.results}
            found.append((stack.enter_context(open_workspace(root)), results))
        yield tuple(found)


@pytest.mark.parametrize(("goldset", "case_id"), ALL)
def test_case(goldset: int, case_id: str, runs: tuple[Run, ...]) -> None:
    verdict = runs[goldset][1][case_id].verdict
    allowed = (*PASSING, "missed") if case_id in REFUSED_TODAY else PASSING
    assert verdict.score in allowed, verdict.reason


@pytest.mark.parametrize(("goldset", "case_id"), ANSWERED)
def test_answer_is_verified_from_the_original(goldset: int, case_id: str, runs: tuple[Run, ...]) -> None:
    workspace, results = runs[goldset]
    answer = results[case_id].answer
    assert answer is not None
    if answer["status"] == "answered":
        assert verify(workspace, answer["answer_id"]).ok


@pytest.mark.parametrize(("case_id", "code"), WARNINGS.items())
def test_the_answer_warns(case_id: str, code: str, runs: tuple[Run, ...]) -> None:
    answer = next(results[case_id].answer for _, results in runs if case_id in results)
    assert answer is not None
    assert code in [warning["code"] for warning in answer["warnings"]]


@pytest.mark.parametrize("case_id", NOTHING_TO_WARN_OF)
def test_the_answer_does_not_warn(case_id: str, runs: tuple[Run, ...]) -> None:
    answer = next(results[case_id].answer for _, results in runs if case_id in results)
    assert answer is not None and answer["warnings"] == []
