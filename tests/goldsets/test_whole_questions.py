"""Whole questions over small files: faults of other tools known from public reports, what the plan language can say, how
controllers ask, printed reports, things over several tables, retrieval. Each right, every answer verified from the originals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from goldsets.read_goldset import read_goldset
from goldsets.score import PASSING
from tests.goldsets.whole_run import Run, answer_of, verified, whole_run

NAMES = ("reports", "plan_language", "web_tables", "controlling_forms", "controllers", "printed", "things", "retrieval_faults")
GOLDSETS = tuple(read_goldset(Path(__file__).parent / name / f"{name}.yaml") for name in NAMES)
CASES = [(position, case) for position, goldset in enumerate(GOLDSETS) for case in goldset.cases]
ALL = [(position, case.case_id) for position, case in CASES]
ANSWERED = [(position, case.case_id) for position, case in CASES if case.expect.statuses == ("answered",)]

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


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, ...]]:
    with ExitStack() as stack:
        places = [tmp_path_factory.mktemp(goldset.path.stem) / "workspace" for goldset in GOLDSETS]
        yield tuple(stack.enter_context(whole_run(goldset, root)) for goldset, root in zip(GOLDSETS, places, strict=True))


@pytest.mark.parametrize(("goldset", "case_id"), ALL)
def test_case(goldset: int, case_id: str, runs: tuple[Run, ...]) -> None:
    result = runs[goldset][1][case_id]
    assert result.verdict.score in PASSING, f"{result.case.question}: {result.verdict.score}. {result.verdict.reason}"


@pytest.mark.parametrize(("goldset", "case_id"), ANSWERED)
def test_answer_is_verified_from_the_original(goldset: int, case_id: str, runs: tuple[Run, ...]) -> None:
    assert verified(runs[goldset], case_id)


@pytest.mark.parametrize(("case_id", "code"), WARNINGS.items())
def test_the_answer_warns(case_id: str, code: str, runs: tuple[Run, ...]) -> None:
    answer = next(results[case_id].answer for _, results in runs if case_id in results)
    assert answer is not None
    assert code in [warning["code"] for warning in answer["warnings"]]


@pytest.mark.parametrize("case_id", NOTHING_TO_WARN_OF)
def test_the_answer_does_not_warn(case_id: str, runs: tuple[Run, ...]) -> None:
    answer = next(results[case_id].answer for _, results in runs if case_id in results)
    assert answer is not None and answer["warnings"] == []


def test_rows_of_the_same_words_stand_in_the_order_of_the_sheet(runs: tuple[Run, ...]) -> None:
    answer = answer_of(runs[NAMES.index("retrieval_faults")], "c10-order")
    assert [row["provenance"]["sources"][0]["rows"] for row in answer["related"]] == ["2", "3", "4", "5", "6"]


def test_no_ability_over_printed_reports_has_fewer_stops_than_answers() -> None:
    cases = GOLDSETS[NAMES.index("printed")].cases
    for group in {case.case_id.split("-")[0] for case in cases}:
        statuses = [case.expect.statuses for case in cases if case.case_id.split("-")[0] == group]
        assert 2 * statuses.count(("answered",)) <= len(statuses), group
