"""Questions about things over one or several tables: those that may be answered are, rightly; the others stop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from goldsets.read_goldset import read_goldset
from goldsets.run import CaseResult, run_goldset
from goldsets.score import PASSING
from qa.goldset_workspace import open_goldset_workspace

GOLDSET = read_goldset(Path(__file__).parent / "things" / "things.yaml")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, CaseResult]:
    report = run_goldset(GOLDSET, tmp_path_factory.mktemp("things") / "workspace", open_goldset_workspace)
    return {each.case.case_id: each for each in report.results}


@pytest.mark.parametrize("case_id", [case.case_id for case in GOLDSET.cases])
def test_case(case_id: str, results: Mapping[str, CaseResult]) -> None:
    verdict = results[case_id].verdict
    assert verdict.score in PASSING, f"{results[case_id].case.question}: {verdict.score}. {verdict.reason}"
