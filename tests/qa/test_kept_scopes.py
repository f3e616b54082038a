"""A scope is kept while nothing has changed, for the same levels only, and never outlives what it was built from."""

from __future__ import annotations

from pathlib import Path

from orchestrator.scope import Asker, Scope
from qa.administration import IngestRequest, authorize, ingest
from qa.asking import ask
from qa.settings_file import write_workspace
from qa.wiring import Workspace, open_workspace


def _workspace(root: Path) -> Workspace:
    write_workspace(root, {}, {})
    return open_workspace(root)


def _read(workspace: Workspace, path: Path, text: str, level: str, label: str = "1") -> None:
    path.write_text(text, encoding="utf-8")
    request = IngestRequest(tenant="firma", access_level=level, kind="financial", label=label, create_tenant=True, by="test")
    ingest(workspace, path, request)


def _names(scope: Scope) -> set[str]:
    return {table.version.document for table in scope.tables}


def test_scopes_follow_levels_files_and_versions(tmp_path: Path) -> None:
    with _workspace(tmp_path / "arbeit") as workspace:
        _read(workspace, tmp_path / "offen.csv", "Filiale;Umsatz\nBonn;5\nUlm;7\n", "alle")
        _read(workspace, tmp_path / "geheim.csv", "Person;Gehalt\nWeber;5\nVogel;7\n", "chef")
        staff, boss = Asker("a", "firma", frozenset({"alle"})), Asker("b", "firma", frozenset({"alle", "chef"}))
        first = workspace.scope(staff)
        assert _names(first) == {"offen.csv"}
        assert _names(workspace.scope(boss)) == {"offen.csv", "geheim.csv"}
        other = workspace.scope(Asker("c", "firma", frozenset({"alle"})))
        assert other.tables is first.tables
        assert (first.asker.user, other.asker.user) == ("a", "c")
        _read(workspace, tmp_path / "offen.csv", "Filiale;Umsatz\nBonn;5\nUlm;9\n", "alle", "2")
        assert [table.version.label for table in workspace.scope(staff).tables] == ["1", "2"]
        authorize(workspace, "firma", "offen.csv", "1", "b")
        assert [table.version.binding for table in workspace.scope(staff).tables] == [True, False]


def test_an_answer_follows_a_new_file(tmp_path: Path) -> None:
    asker = Asker("a", "firma", frozenset({"alle"}))
    with _workspace(tmp_path / "arbeit") as workspace:
        _read(workspace, tmp_path / "offen.csv", "Filiale;Umsatz\nBonn;5\nUlm;7\n", "alle")
        assert ask(workspace, "Wie hoch ist der Umsatz in Bonn?", asker)["facts"][0]["value"] == "5"
        assert ask(workspace, "Wie hoch ist der Umsatz in Kiel?", asker)["status"] == "refused"
        _read(workspace, tmp_path / "nord.csv", "Filiale;Umsatz\nKiel;3\n", "alle")
        assert ask(workspace, "Wie hoch ist der Umsatz in Kiel?", asker)["facts"][0]["value"] == "3"
