"""The row index of a workspace follows versions, removals and levels, shows nobody what they may not see, and keeps its order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.scope import Asker
from qa.administration import IngestRequest, ingest, remove, set_level
from qa.asking import ask
from qa.map_administration import apply_contract
from qa.settings import FILE_NAME
from qa.settings_file import write_workspace
from qa.wiring import Workspace, open_workspace
from schema_maps.contract import Contract

HEADER = "Artikelnr;Artikeltext;Notiz\n"
ROWS = {
    "A-1": "Schlauch zum Bewässern von Beeten im Garten;intern",
    "A-2": "Räumschild für Schnee auf dem Hof;geheim",
    "A-3": "Lampe für den Schreibtisch im Büro;offen",
}
QUESTION = "Welche Artikeltexte handeln von Schnee?"
MAP = {"schema_map": [{"file": "artikel.csv", "columns": {"Notiz": {"levels": ["leitung"]}}}]}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Searched by words alone, so that the tests need no model."""
    write_workspace(tmp_path / "workspace", {}, {})
    with (tmp_path / "workspace" / FILE_NAME).open("a", encoding="utf-8") as file:
        file.write('\n[index]\nmodel = "none"\n')
    with open_workspace(tmp_path / "workspace", {}) as opened:
        opened.catalog.create_tenant("nord")
        opened.catalog.create_tenant("sued")
        read(opened, HEADER + "".join(f"{code};{rest}\n" for code, rest in ROWS.items()))
        apply_contract(opened, "nord", Contract.model_validate(MAP), "weber", "test")
        yield opened


def read(workspace: Workspace, text: str, tenant: str = "nord", level: str = "vertrieb", name: str = "artikel.csv") -> None:
    path = workspace.settings.data.parent / f"{tenant}-{name}"
    path.write_text(text, encoding="utf-8")
    ingest(workspace, path, IngestRequest(tenant, level, by="weber", file_name=name))


def found(workspace: Workspace, question: str = QUESTION, levels: str = "vertrieb", tenant: str = "nord") -> list[str]:
    """The codes of the rows that are shown, best first."""
    answer = asked(workspace, question, levels, tenant)
    assert answer["status"] == ("answered" if answer["related"] else "refused"), answer["text"]
    return [row["values"]["Artikelnr"] for row in answer["related"]]


def asked(workspace: Workspace, question: str, levels: str = "vertrieb", tenant: str = "nord") -> Any:
    return ask(workspace, question, Asker("weber", tenant, frozenset(levels.split(","))))


def test_a_new_version_is_found_and_the_old_one_no_more(workspace: Workspace) -> None:
    assert found(workspace) == ["A-2"]
    read(workspace, HEADER + "A-7;Fräse gegen Schnee auf Wegen;5\nA-3;Lampe für den Schreibtisch im Büro;12\n")
    newest = max(workspace.catalog.versions("nord"), key=lambda version: version.number)
    workspace.catalog.authorize("nord", "artikel.csv", newest.label, "weber")
    assert found(workspace) == ["A-7"]
    assert workspace.row_indexes.check("nord").ok


def test_a_removed_file_answers_nothing_and_leaves_no_vector(workspace: Workspace) -> None:
    assert found(workspace) == ["A-2"]
    remove(workspace, "nord", "artikel.csv", None, "weber")
    assert found(workspace) == []
    report = workspace.row_indexes.check("nord")
    assert (report.ok, report.rows) == (True, 0)


def test_another_level_hides_the_rows_at_once(workspace: Workspace) -> None:
    assert found(workspace) == ["A-2"]
    set_level(workspace, "nord", "artikel.csv", "leitung", None, "weber")
    assert found(workspace) == []
    assert found(workspace, levels="leitung") == ["A-2"]
    assert workspace.row_indexes.check("nord").ok


def test_a_column_that_may_not_be_seen_neither_shows_nor_finds(workspace: Workspace) -> None:
    answer = asked(workspace, QUESTION)
    assert "Notiz" not in str(answer) and "geheim" not in str(answer)
    hidden = "Welche Artikeltexte handeln von geheim?"
    assert found(workspace, hidden) == []
    assert found(workspace, hidden, levels="vertrieb,leitung") == ["A-2"]


def test_rows_of_other_tenants_never_rank(workspace: Workspace) -> None:
    read(workspace, HEADER + "".join(f"S-{n};Räumschild für Schnee auf dem Hof;1\n" for n in range(500)), tenant="sued")
    assert {code[0] for code in found(workspace, tenant="sued")} == {"S"}
    assert found(workspace) == ["A-2"]


@pytest.mark.parametrize("damage", ["left_over", "without_record", "rows_differ"])
def test_the_check_finds_what_is_wrong_and_rebuilding_mends_it(workspace: Workspace, damage: str) -> None:
    assert found(workspace) == ["A-2"]
    index = workspace.row_indexes.opened("nord").index
    (file,) = index.files.all()
    if damage == "left_over":  # as where another process removed the file while this one held the index
        workspace.catalog.remove("nord", "artikel.csv", by="weber")
    elif damage == "without_record":
        index.files.delete(file.view)
    else:
        index.store.delete_views([file.view])
    report = workspace.row_indexes.check("nord")
    assert [finding.kind for finding in report.findings] == [damage]
    workspace.row_indexes.repair("nord")
    assert workspace.row_indexes.check("nord").ok
    assert found(workspace) == ([] if damage == "left_over" else ["A-2"])


def test_the_order_is_the_same_over_eight_indexings_and_restarts(workspace: Workspace) -> None:
    rows = "".join(f"B-{n:02d};Streusalz gegen Schnee und Eis auf Wegen;{n}\n" for n in range(40))
    read(workspace, HEADER + rows, name="salz.csv")
    root = workspace.settings.data.parent
    orders = set()
    for _ in range(8):
        index = workspace.row_indexes.opened("nord").index
        index.forget([file.view for file in index.files.all()])
        orders.add(tuple(found(workspace)))
        workspace.row_indexes.close()
    with open_workspace(root, {}) as again:
        orders.add(tuple(found(again)))
    assert len(orders) == 1
    assert [code for code in orders.pop() if code.startswith("B")] == sorted(f"B-{n:02d}" for n in range(40))[:4]
