"""One word of an answered question is changed: the answer is another one, or there is none. It never stays the same silently."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
import yaml

from goldsets.demo.expected import GOLDSET as DEMO
from goldsets.goldset import Case
from goldsets.read_goldset import read_goldset
from goldsets.run import RunWorkspace, prepare_workspace
from orchestrator.scope import Asker
from qa.goldset_workspace import open_goldset_workspace

HERE = Path(__file__).parent
SHARED = HERE.parents[1] / "shared" / "goldsets" / "controlling_sql.yaml"
CHANGES: Mapping[str, Any] = yaml.safe_load((HERE / "mutated_questions.yaml").read_text(encoding="utf-8"))
CLOSED = frozenset(CHANGES["closed"].split())
SAME_ANSWER = {(each["case"], each["question"]) for each in CHANGES["same_answer"]}
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\w*\d\w*(?:[.,]\d+)*")
HANDED_IS_THERE = pytest.mark.skipif(not SHARED.exists(), reason="the handed goldset is not beside the project")
SETS = [
    pytest.param(DEMO, 1, id="demo"),
    pytest.param(HERE / "goldsets" / "attacks" / "attacks.yaml", 6, id="attacks"),
    pytest.param(HERE / "goldsets" / "attacks" / "attacks.yaml", 1, id="all attacks", marks=pytest.mark.slow),
    pytest.param(SHARED, 1, id="handed", marks=[pytest.mark.slow, HANDED_IS_THERE]),
]


@dataclass(frozen=True)
class Mutant:
    """`nonsense`: the new word means nothing, so that there must be no answer at all."""

    question: str
    nonsense: bool


def mutants(question: str) -> Iterator[Mutant]:
    nonsense = cycle(CHANGES["nonsense"])
    for match in WORD.finditer(question):
        word = match.group()

        def put(new: str, word: str = word, match: re.Match[str] = match) -> str:
            new = new.capitalize() if word[0].isupper() else new.lower() if word.islower() else new
            return question[: match.start()] + new + question[match.end() :]

        for others in CHANGES["swaps"]:
            if word.lower() in others:
                yield from (Mutant(put(other), False) for other in others if other != word.lower())
        if any(letter.isdigit() for letter in word):
            yield Mutant(put(re.sub(r"\d(?=\D*\Z)", lambda digit: str((int(digit[0]) + 3) % 10), word)), False)
        elif word.lower() not in CLOSED and len(word) > 1:
            yield Mutant(put(next(nonsense)), True)


def said(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """The numbers and the cells of an answer, and how the question was understood: where that names the change, the same number
    ("über 6.003" instead of "über 6.000") is not silent."""
    cells = [repr(source) for fact in answer["facts"] for source in fact["provenance"]["sources"]]
    return (repr(answer["result"] and answer["result"]["rows"]), answer["text"], *sorted(cells))


@pytest.mark.parametrize(("path", "step"), SETS)
def test_the_answer_changes_or_stops(path: Path, step: int, tmp_path: Path) -> None:
    goldset = read_goldset(path)
    workspace = prepare_workspace(goldset, tmp_path / "workspace", open_goldset_workspace)
    faults, tried = [], 0
    for case in [case for case in goldset.cases if case.after is None and "answered" in case.expect.statuses][::step]:
        original = _ask(workspace, case, case.question)
        for mutant in mutants(case.question) if original["status"] == "answered" else ():
            tried += 1
            answer = _ask(workspace, case, mutant.question)
            if answer["status"] != "answered" or (case.case_id, mutant.question) in SAME_ANSWER:
                continue
            if mutant.nonsense or said(answer) == said(original):
                faults.append(f"{case.case_id}: {mutant.question} -> {answer['text']}")
    assert faults == [], f"{len(faults)} of {tried} mutants:\n" + "\n".join(faults)
    assert tried > 100


def _ask(workspace: RunWorkspace, case: Case, question: str) -> Mapping[str, Any]:
    return workspace.ask(question, Asker("mutant", case.tenant, case.levels), None, case.asked_on)


def test_same_answers_name_cases_that_are_there() -> None:
    paths = {path for path in (param.values[0] for param in SETS) if isinstance(path, Path) and path.exists()}
    known = {case.case_id for path in paths for case in read_goldset(path).cases}
    assert {case for case, _ in SAME_ANSWER} <= known
