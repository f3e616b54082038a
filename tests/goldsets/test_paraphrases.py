"""Cases in other words: the answer of the case, a question back or a refusal, never another number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from goldsets.goldset import Case, Goldset
from goldsets.read_goldset import read_goldset
from goldsets.run import RunWorkspace, prepare_workspace
from goldsets.score import JsonObject, Verdict, score
from orchestrator.scope import Asker
from qa.goldset_workspace import open_goldset_workspace

ROOT = Path(__file__).parents[2]
SETS = yaml.safe_load((Path(__file__).parent / "paraphrases" / "paraphrases.yaml").read_text(encoding="utf-8"))
FORBIDDEN = frozenset({"wrong_number", "false_answer", "bad_source"})


@dataclass(frozen=True)
class Wording:
    """`answer` None: asking ended in an error. `other_cells`: one number from other cells than the case's own question gives."""

    case: Case
    text: str
    language: str
    answer: JsonObject | None
    verdict: Verdict
    other_cells: bool


@dataclass(frozen=True)
class Asked:
    name: str
    answered_at_least: int
    cases: Mapping[str, JsonObject | None]
    """Each case's own question and its answer."""
    wordings: tuple[Wording, ...]


def ask_wordings(entry: dict[str, Any], folder: Path) -> Asked:
    """Every wording of one goldset, on one workspace that holds the files of the tenants asked."""
    goldset = read_goldset(ROOT / entry["goldset"])
    cases = {case.case_id: case for case in goldset.cases}
    tenants = {cases[each["case"]].tenant for each in entry["cases"]}
    wanted = replace(goldset, corpus=tuple(file for file in goldset.corpus if file.tenant in tenants))
    wanted = replace(wanted, cases=tuple(case for case in goldset.cases if case.tenant in tenants))
    workspace = prepare_workspace(wanted, folder / "workspace", open_goldset_workspace)
    wordings = []
    own: dict[str, JsonObject | None] = {}
    for each in entry["cases"]:
        case = cases[each["case"]]
        if case.case_id not in own:
            own[case.case_id] = _ask(case.question, case, goldset, workspace)
        cells = _cells(own[case.case_id])
        for text in each["wordings"]:
            answer = _ask(text, case, goldset, workspace)
            verdict = score(replace(case, question=text), answer, goldset)
            other = _cells(answer) != cells and len(_cells(answer)) == len(cells) == 1
            wordings.append(Wording(case, text, each.get("language", "de"), answer, verdict, other))
    return Asked(entry["goldset"], entry["answered_at_least"], own, tuple(wordings))


def _ask(text: str, case: Case, goldset: Goldset, workspace: RunWorkspace) -> JsonObject | None:
    """The answer to a text asked in the place of the case, behind the questions that come before it in its session."""
    asker = Asker(user="goldset", tenant=case.tenant, levels=case.levels)
    session: str | None = None
    for before in goldset.chain(case)[:-1]:
        session = workspace.ask(before.question, asker, session, before.asked_on).get("session_id")
    try:
        return workspace.ask(text, asker, session, case.asked_on)
    except Exception:  # one wording that fails must not hide the others; a test of its own looks for errors
        return None


def _cells(answer: JsonObject | None) -> list[frozenset[tuple[str, ...]]]:
    """The cells of each number that the answer shows."""
    return [
        frozenset(
            (source["file"], str(source.get("sheet")), source["version"]["label"], cell)
            for source in fact["provenance"]["sources"]
            for cell in source.get("cells") or ()
        )
        for fact in (answer or {}).get("facts", ())
        if fact.get("row") is not None
    ]


@pytest.fixture(scope="module", params=SETS, ids=[Path(entry["goldset"]).stem for entry in SETS])
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    return ask_wordings(request.param, tmp_path_factory.mktemp("paraphrases"))


def test_the_cases_themselves_are_answered(asked: Asked) -> None:
    assert [case_id for case_id, answer in asked.cases.items() if (answer or {}).get("status") != "answered"] == []


def test_no_wording_gives_another_number(asked: Asked) -> None:
    wrong = [
        f"{each.case.case_id} {each.text}: {each.verdict.score}. {each.verdict.reason or 'Other cells than those of the case.'}"
        for each in asked.wordings
        if each.verdict.score in FORBIDDEN or each.other_cells
    ]
    assert wrong == [], "\n".join(wrong)


def test_no_wording_ends_in_an_error(asked: Asked) -> None:
    assert [each.text for each in asked.wordings if each.answer is None] == []


def test_no_fewer_wordings_are_answered_than_before(asked: Asked, record_property: pytest.RecordProperty) -> None:
    answered = [each for each in asked.wordings if (each.answer or {}).get("status") == "answered"]
    record_property("answered", f"{len(answered)} of {len(asked.wordings)}")
    for language in sorted({each.language for each in asked.wordings}):
        of_all = [each.language for each in asked.wordings].count(language)
        print(f"{asked.name} {language}: {[each.language for each in answered].count(language)} of {of_all} wordings answered")
    assert len(answered) >= asked.answered_at_least


def test_sixty_cases_have_five_wordings() -> None:
    of_case: dict[str, list[str]] = {}
    for entry in SETS:
        for each in entry["cases"]:
            of_case.setdefault(each["case"], []).extend(each["wordings"])
    assert len(of_case) >= 60
    assert {case: len(set(texts)) for case, texts in of_case.items() if len(set(texts)) < 5} == {}
