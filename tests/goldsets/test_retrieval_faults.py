"""Faults that retrieval over rows is known for, as questions (retrieval_faults/retrieval_faults.yaml)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from goldsets.read_goldset import read_goldset
from goldsets.run import CaseResult, run_goldset
from goldsets.score import PASSING
from qa.goldset_workspace import open_goldset_workspace

GOLDSET = read_goldset(Path(__file__).parent / "retrieval_faults" / "retrieval_faults.yaml")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, CaseResult]:
    report = run_goldset(GOLDSET, tmp_path_factory.mktemp("faults") / "workspace", open_goldset_workspace)
    return {each.case.case_id: each for each in report.results}


@pytest.mark.parametrize("case_id", [case.case_id for case in GOLDSET.cases])
def test_case(case_id: str, results: Mapping[str, CaseResult]) -> None:
    verdict = results[case_id].verdict
    assert verdict.score in PASSING, f"{results[case_id].case.question}: {verdict.score}. {verdict.reason}"


def test_rows_of_the_same_words_stand_in_the_order_of_the_sheet(results: Mapping[str, CaseResult]) -> None:
    answer = results["c10-order"].answer
    assert answer is not None
    assert [row["provenance"]["sources"][0]["rows"] for row in answer["related"]] == ["2", "3", "4", "5", "6"]
