"""A model that guesses: whatever plans it draws, no answer becomes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldsets.demo.expected import GOLDSET
from goldsets.read_goldset import read_goldset
from tests.language_model.model_runs import SHARED, Way, run_with, tally
from tests.language_model.random_plans import RandomPlans

SETS = {path.stem: path for folder in ("goldsets", "benchmarks") for path in sorted((SHARED / folder).glob("*.yaml"))}


def _wrong(path: Path, root: Path, way: Way, seed: int, only: int | None = None) -> list[str]:
    goldset, model = read_goldset(path), RandomPlans(seed)
    chosen = [case.case_id for case in goldset.cases][:: len(goldset.cases) // only] if only else ()
    report = run_with(goldset, root / "workspace", model, way, chosen)
    assert model.asked
    assert sum(tally(report).values()) == len(chosen or goldset.cases)
    return [f"{each.case.case_id}: {each.verdict.reason}" for each in report.results if tally_of(each.verdict.score) == "wrong"]


def tally_of(score: str) -> str:
    return "wrong" if score in ("wrong_number", "false_answer", "bad_source") else score


@pytest.mark.parametrize("way", ["both", "model"])
@pytest.mark.parametrize("seed", [1, 2])
def test_demo(way: Way, seed: int, tmp_path: Path) -> None:
    assert _wrong(GOLDSET, tmp_path, way, seed, only=14) == []


@pytest.mark.slow
@pytest.mark.parametrize("way", ["both", "model"])
@pytest.mark.parametrize("name", [*SETS] or ["none"])
def test_handed_sets(name: str, way: Way, tmp_path: Path) -> None:
    if name not in SETS:
        pytest.skip("the sets are not here")
    for seed in (1, 2, 3):
        assert _wrong(SETS[name], tmp_path / str(seed), way, seed) == []
