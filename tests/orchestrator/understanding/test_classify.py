"""Which way a question goes: single questions, and every question of the project's own goldsets against the mode they name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from benchmarks.routes import matrix_of, table
from goldsets.read_goldset import read_goldset
from orchestrator.classify import classify
from orchestrator.question import read_question

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
QUESTIONS: list[Mapping[str, str]] = yaml.safe_load((HERE / "routes.yaml").read_text(encoding="utf-8"))
OWN = ("attacks", "conspicuous", "likeness", "plan_language", "printed", "reports", "search", "things", "web_tables")
BY_FALLBACK = {("search", "rows", "sql"): 1}
"""A command to search that no word of likeness or topic tells: figures do not understand it, so the texts are searched."""


@pytest.mark.parametrize("case", QUESTIONS, ids=lambda case: case["question"])
def test_the_way_of_a_question_and_why(case: Mapping[str, str]) -> None:
    found = classify(read_question(case["question"]))
    assert (found.route, found.why) == (case["route"], case["why"])


@pytest.mark.parametrize("name", ["demo", *OWN])
def test_no_question_of_our_goldsets_goes_the_wrong_way(name: str) -> None:
    folder = ROOT / "goldsets" / "demo" if name == "demo" else ROOT / "tests" / "goldsets" / name
    goldset = read_goldset(folder / f"{name}.yaml")
    wrong = {(name, mode, route): count for (mode, route), count in matrix_of(goldset).items() if mode != route}
    assert wrong == {key: count for key, count in BY_FALLBACK.items() if key[0] == name}


def test_the_matrix_is_a_table_of_every_route() -> None:
    goldset = read_goldset(ROOT / "tests" / "goldsets" / "likeness" / "likeness.yaml")
    lines = list(table([("likeness", matrix_of(goldset))]))
    assert lines[0] == "| set | mode | sql | rows | mixed | out_of_scope |" and len(lines) == 5
