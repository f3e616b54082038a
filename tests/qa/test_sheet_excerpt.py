"""The surroundings of a cited cell hold what the asker may see and nothing else; expected grids are written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from goldsets.read_goldset import read_goldset
from goldsets.run import prepare_workspace
from orchestrator.scope import Asker
from qa.asking import ask
from qa.goldset_workspace import open_goldset_workspace
from qa.sheet_excerpt import CitedCells, Excerpt, may_see_whole_file, sheet_excerpt, visible_version
from qa.wiring import Workspace, open_workspace

GOLDSET = Path(__file__).resolve().parents[1] / "access" / "goldset" / "access.yaml"
DEMO = Path(__file__).resolve().parents[2] / "goldsets" / "demo" / "demo.yaml"


@pytest.fixture(scope="module")
def access(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = tmp_path_factory.mktemp("access")
    prepare_workspace(read_goldset(GOLDSET), root, open_goldset_workspace)
    with open_workspace(root) as workspace:
        yield workspace


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = tmp_path_factory.mktemp("demo")
    prepare_workspace(read_goldset(DEMO), root, open_goldset_workspace)
    with open_workspace(root) as workspace:
        yield workspace


def _asker(tenant: str, *levels: str) -> Asker:
    return Asker("weber", tenant, frozenset(levels))


def _excerpt(workspace: Workspace, asker: Asker, question: str, start: int = 0) -> Excerpt:
    answer = ask(workspace, question, asker)
    assert answer["status"] == "answered", answer["text"]
    found = sheet_excerpt(workspace, asker, answer["facts"][-1]["provenance"]["sources"][0], start=start)
    assert found is not None
    return found


def _drawn(excerpt: Excerpt) -> list[str]:
    """One text a row: cited cells in brackets, a gap as the count of rows left out."""
    return [
        f"… {row.number}"
        if row.kind == "gap"
        else f"{row.number}{'=' if row.kind == 'total' else ':'} "
        + " | ".join(f"[{cell.text}]" if cell.cited else cell.text for cell in row.cells)
        for row in excerpt.rows
    ]


def test_everyone_sees_the_columns_and_rows_of_their_levels(access: Workspace) -> None:
    question = "Wie hoch ist der Umsatz von Alsterwerft?"
    sales = _excerpt(access, _asker("ost", "vertrieb"), question)
    assert [column.letter for column in sales.columns] == ["A", "B", "C"]
    assert any("Weserkiste" in line for line in _drawn(sales))
    board = _excerpt(access, _asker("ost", "vertrieb", "vorstand"), question)
    assert len(board.columns) == 5
    branch = _excerpt(access, _asker("ost", "filiale_hamburg"), "Wie hoch ist der Umsatz gesamt?")
    assert {row.cells[0].text for row in branch.rows if row.kind != "gap"} == {"Hamburg"}
    assert branch.cited_rows == 3


def test_a_source_of_others_gives_nothing(access: Workspace) -> None:
    answer = ask(access, "Wie hoch ist das Jahresgehalt von Mirbach?", _asker("ost", "hr"))
    source = answer["facts"][0]["provenance"]["sources"][0]
    assert sheet_excerpt(access, _asker("ost", "hr"), source) is not None
    for asker in (_asker("ost", "vertrieb"), _asker("west", "vertrieb"), _asker("west", "hr"), _asker("ost")):
        assert sheet_excerpt(access, asker, source) is None
    whole = ask(access, "Wie hoch ist der Umsatz gesamt?", _asker("ost", "vertrieb"))["facts"][0]["provenance"]["sources"][0]
    elsewhere = {**whole, "cells": ["C900"], "rows": "900"}
    assert sheet_excerpt(access, _asker("ost", "vertrieb"), elsewhere) is None
    hidden = ask(access, "Wie hoch ist der Umsatz von Weserkiste?", _asker("ost", "vertrieb"))
    assert sheet_excerpt(access, _asker("ost", "filiale_hamburg"), hidden["facts"][0]["provenance"]["sources"][0]) is None


@pytest.mark.parametrize(
    ("document", "label", "levels", "allowed"),
    [
        ("umsatz.csv", "1", ("vertrieb", "vorstand"), True),
        ("umsatz.csv", "1", ("vertrieb",), False),  # two columns are the board's
        ("umsatz.csv", "1", ("filiale_hamburg",), False),  # some rows
        ("umsatz.csv", "1", ("filiale_hamburg", "vorstand"), False),
        ("gehalt.csv", "1", ("hr",), True),
        ("budget.csv", "Endfassung", ("vertrieb",), True),
        ("budget.csv", "Entwurf", ("vertrieb",), None),
        ("budget.csv", "Entwurf", ("vertrieb", "vorstand"), True),
    ],
)
def test_the_original_is_for_those_who_see_all_of_it(
    access: Workspace, document: str, label: str, levels: tuple[str, ...], allowed: bool | None
) -> None:
    asker = _asker("ost", *levels)
    version = visible_version(access, asker, document, label)
    assert (version is None) == (allowed is None)
    assert version is None or may_see_whole_file(access, asker, version) is allowed


def test_a_file_with_a_sheet_of_another_level_is_not_handed_out(demo: Workspace) -> None:
    report = "bericht_ergebnisse_Q3_2024.xlsx"
    for levels, allowed in ((("controlling",), False), (("vorstand",), False), (("controlling", "vorstand"), True)):
        asker = _asker("silbertanne", *levels)
        version = visible_version(demo, asker, report, "nach Korrektur")
        assert version is not None
        assert may_see_whole_file(demo, asker, version) is allowed


def test_a_cell_of_a_report_in_its_surroundings(demo: Workspace) -> None:
    found = _excerpt(demo, _asker("silbertanne", "controlling"), "Wie hoch war der Nettoumsatz in Danzig im Q3 2024?")
    assert (found.file, found.sheet, found.version.label) == (
        "bericht_ergebnisse_Q3_2024.xlsx", "Niederlassungen", "nach Korrektur",
    )  # fmt: skip
    assert found.title[0] == "Silbertanne Werkzeuge · Ergebnisse der Niederlassungen"
    assert [(column.letter, column.header, column.name) for column in found.columns[2:4]] == [
        ("C", ("Nettoumsatz [PLN]",), "Nettoumsatz"), ("D", ("Bruttomarge",), None),
    ]  # fmt: skip
    drawn = _drawn(found)
    assert drawn[0].startswith("… ") and drawn[-1].startswith("… ")
    assert "47: Nord | Danzig | [1.247.890] | 34,20 % | Q3 2024 | 34,9 | 41" in drawn
    assert sum("[" in line for line in drawn) == 1
    merged = next(row for row in found.rows if row.number == 47).cells[0]
    assert (merged.address, merged.is_merged) == ("A45", True)


def test_a_cross_tab_keeps_its_printed_form(demo: Workspace) -> None:
    found = _excerpt(demo, _asker("silbertanne", "controlling"), "Materialaufwand Ist im Q2 2024?")
    assert [column.header for column in found.columns][3:5] == [("Q2 2024", "Plan"), ("Q2 2024", "Ist")]
    drawn = _drawn(found)
    assert any(line.startswith("7: Materialaufwand | -2.610 | -2.560,4 | -2.688,3 | [-2.698,7]") for line in drawn)
    assert any(line.startswith("8= Rohertrag") for line in drawn)


def test_many_cited_rows_come_in_pages(demo: Workspace) -> None:
    asker, question = _asker("silbertanne", "controlling"), "Nettoumsatz insgesamt?"
    first = _excerpt(demo, asker, question)
    assert (first.cited_from, first.cited_to, first.cited_rows) == (1, 30, 62)
    last = _excerpt(demo, asker, question, start=60)
    assert (last.cited_from, last.cited_to, last.cited_rows) == (61, 62, 62)
    assert sum(cell.cited for row in first.rows for cell in row.cells) >= 30
    assert sum(cell.cited for row in last.rows for cell in row.cells) >= 2


def test_a_million_cells_are_areas() -> None:
    cited = CitedCells.of(["C5:C1000004"])
    assert cited.near(range(7, 9)) == {"C7", "C8"}
    assert len(cited.rows()) == 1_000_000
