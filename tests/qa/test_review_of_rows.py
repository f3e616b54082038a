"""Answers with related rows: which of them wait for a person, what comes out again of them, what is read from the files again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from goldsets.goldset import CorpusFile
from goldsets.read_goldset import read_goldset
from orchestrator.cell_ranges import expand_cells
from orchestrator.scope import Asker
from parsers.address import parse_address
from qa.asking import ask
from qa.goldset_workspace import open_goldset_workspace
from qa.replay import replay
from qa.review import decide, entry_of
from qa.verification import verify
from qa.wiring import Workspace, open_workspace

GOLDSET = read_goldset(Path(__file__).parents[1] / "goldsets" / "likeness" / "likeness.yaml")
ALIKE = "Welche Artikel haben einen ähnlichen Absatzverlauf wie die Kühlbox 20 l?"
ALIKE_TOO = "Welche Artikel haben einen ähnlichen Absatzverlauf wie der Eiskratzer?"
MIXED = "Wie hoch war der Jahresabsatz 2023 von P-104, und welche Produkte haben einen ähnlichen Absatzverlauf?"
MIXED_TOO = "Wie hoch war der Jahresabsatz 2023 von P-109, und welche Produkte haben einen ähnlichen Absatzverlauf?"
NUMBER = "Wie hoch war der Jahresabsatz 2023 von P-104?"

Open = Callable[[str], Workspace]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """A workspace a policy."""
    known: dict[str, Workspace] = {}

    def of(policy: str) -> Workspace:
        if policy not in known:
            root = tmp_path_factory.mktemp("review") / "workspace"
            goldset = replace(GOLDSET, settings=replace(GOLDSET.settings, review=policy))
            filled = open_goldset_workspace(root, goldset)
            for entry in goldset.corpus:
                filled.read(entry)
            filled.approve("west", goldset.contract)
            known[policy] = open_workspace(root)
        return known[policy]

    yield of
    for workspace in known.values():
        workspace.close()


def _ask(workspace: Workspace, question: str) -> dict[str, Any]:
    return ask(workspace, question, Asker("weber", "west", frozenset({"vertrieb"})))


WAITING = [
    ("log", ALIKE, "answered"),
    ("log", MIXED, "answered"),
    ("mixed", NUMBER, "answered"),
    ("mixed", ALIKE, "answered"),
    ("mixed", MIXED, "pending_review"),
    ("new_shapes", ALIKE, "pending_review"),
    ("new_shapes", MIXED, "pending_review"),
    ("all", ALIKE, "pending_review"),
    ("all", MIXED, "pending_review"),
]


@pytest.mark.parametrize(("policy", "question", "status"), WAITING)
def test_what_waits(policy: str, question: str, status: str, opened: Open) -> None:
    answer = _ask(opened(policy), question)
    assert answer["status"] == status
    assert ("Zur Prüfung:" in answer["text"]) == (question == MIXED)
    if status == "pending_review":
        assert not answer["related"] and not answer["facts"] and answer["result"] is None
        held = entry_of(opened(policy), answer["answer_id"]).record["detail"]["held"]
        assert held["related"] and len(held["facts"]) > len(held["related"])


@pytest.mark.parametrize(("first", "then"), [(ALIKE, ALIKE_TOO), (MIXED, MIXED_TOO)])
def test_what_a_person_approved_holds_for_another_name(first: str, then: str, opened: Open) -> None:
    workspace = opened("new_shapes")
    waiting = _ask(workspace, first)
    decide(workspace, waiting["answer_id"], approve=True, by="A. Prüfer", reason="")
    again, other = _ask(workspace, first), _ask(workspace, then)
    assert again["status"] == other["status"] == "answered" and again["related"] and other["related"]
    assert "Geprüft von A. Prüfer" in again["text"] and "Abfrageform geprüft von A. Prüfer" in other["text"]
    assert "Zur Prüfung" not in again["text"]
    assert replay(workspace, waiting["answer_id"]).same


@pytest.mark.parametrize("question", [ALIKE, MIXED])
def test_the_same_rows_and_numbers_come_out_again(question: str, opened: Open) -> None:
    workspace = opened("log")
    answer = _ask(workspace, question)
    found = replay(workspace, answer["answer_id"])
    assert found.same and not found.why
    assert len(found.then) == len(answer["related"]) + (1 if question == MIXED else 0)
    assert [row[-1][0] for row in found.then[-len(answer["related"]) :]] == [
        str(row["provenance"]["similarity"]) for row in answer["related"]
    ]


@dataclass(frozen=True)
class _Csv:
    path: Path

    def change(self, cell: str) -> None:
        """Another content in one cell, nothing else."""
        row, column = parse_address(cell)
        lines = self.path.read_text(encoding="utf-8").split("\n")
        fields = lines[row - 1].split(";")
        fields[column - 1] = f"{fields[column - 1]}1"
        lines[row - 1] = ";".join(fields)
        self.path.write_text("\n".join(lines), encoding="utf-8")


def _cells(facts: list[Mapping[str, Any]]) -> list[str]:
    return [cell for fact in facts for source in fact["provenance"]["sources"] for cell in expand_cells(source["cells"])]


@pytest.mark.parametrize("question", [ALIKE, MIXED])
def test_a_change_behind_a_related_number_is_found(question: str, opened: Open) -> None:
    workspace = opened("log")
    answer = _ask(workspace, question)
    checked = verify(workspace, answer["answer_id"])
    assert checked.ok and checked.original is not None
    original = _Csv(Path(checked.original))
    content = original.path.read_bytes()
    original.path.chmod(0o644)
    related = [fact for fact in answer["facts"] if fact.get("related") is not None]
    for cell in _cells(related)[:: max(1, len(_cells(related)) // 8)]:
        original.change(cell)
        found = verify(workspace, answer["answer_id"])
        assert not found.ok
        assert any(cell in _cells([fact]) for fact, told in zip(answer["facts"], found.facts, strict=True) if not told.equal)
        assert all(told.equal for fact, told in zip(answer["facts"], found.facts, strict=True) if cell not in _cells([fact]))
        original.path.write_bytes(content)
    compared = answer["related"][0]["provenance"]["sources"][0]["cells"]
    original.change(expand_cells(compared)[-1])  # only compared, perhaps not shown
    assert not verify(workspace, answer["answer_id"]).ok
    original.path.write_bytes(content)
    assert verify(workspace, answer["answer_id"]).ok


def test_the_corpus_is_of_one_tenant() -> None:
    entries: tuple[CorpusFile, ...] = GOLDSET.corpus
    assert {entry.tenant for entry in entries} == {"west"}
