"""Questions about what texts say: whole questions, every shown value verified from the originals and found again by a replay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from goldsets.read_goldset import read_goldset
from tests.goldsets.whole_run import Run, answer_of, assert_replayed, verified, whole_run

GOLDSET = read_goldset(Path(__file__).parent / "search" / "search.yaml")
ANSWERED = [case.case_id for case in GOLDSET.cases if case.expect.statuses == ("answered",)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with whole_run(GOLDSET, tmp_path_factory.mktemp("search") / "workspace") as run:
        yield run


@pytest.mark.parametrize("case_id", [case.case_id for case in GOLDSET.cases])
def test_every_case_is_right(case_id: str, run: Run) -> None:
    verdict = run[1][case_id].verdict
    assert verdict.score == "correct", verdict.reason


@pytest.mark.parametrize("case_id", ANSWERED)
def test_every_shown_value_has_its_cell_and_stands_in_the_original(case_id: str, run: Run) -> None:
    answer = answer_of(run, case_id)
    shown = sum(len([value for value in row["values"].values() if value]) for row in answer["related"])
    facts = [fact for fact in answer["facts"] if fact.get("related") is not None]
    assert len(facts) == shown > 0
    assert all(len(fact["provenance"]["sources"][0]["cells"]) == 1 for fact in facts)
    assert verified(run, case_id)


@pytest.mark.parametrize("case_id", ANSWERED)
def test_a_replay_finds_the_same_rows(case_id: str, run: Run) -> None:
    assert_replayed(run, case_id)
