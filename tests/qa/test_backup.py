"""A backup holds everything, is checked before it is used, and comes back as the same workspace."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.contract.conftest import ASKER, DATA, TENANT, build, run_beleg

DANZIG = "Wie hoch war der Nettoumsatz der Niederlassung in Danzig im Q3 2024?"


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which something was asked; one tenant lies at a place of its own, another store beside the data."""
    root = tmp_path_factory.mktemp("used") / "workspace"
    build(root)
    assert run_beleg("ask", DANZIG, *ASKER, "--workspace", root).code == 0
    with (root / "beleg.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[tenants.sued]\ndata_dir = "../sued"\n')
    there = ("--tenant", "sued", "--access-level", "controlling", "--create-tenant", "--workspace", root)
    assert run_beleg("ingest", DATA / "guv_2024.xlsx", *there).code == 0
    with closing(sqlite3.connect(root / "data" / "other.sqlite")) as other:
        other.execute("CREATE TABLE kept (value TEXT)")
        other.execute("INSERT INTO kept VALUES ('x')")
        other.commit()
    return root


@pytest.fixture
def backup(used: Path, tmp_path: Path) -> Path:
    said = run_beleg("backup", tmp_path / "backup", "--workspace", used, "--json")
    assert said.code == 0, said.err
    assert said.json["records"] > 0
    return tmp_path / "backup"


def _state(root: Path) -> dict[str, object]:
    """Everything that a user could miss."""
    here = ("--workspace", root)
    asked = run_beleg("ask", DANZIG, *ASKER, *here, "--json").json
    return {
        "tables": run_beleg("tables", "--json", *here).json,
        "versions": run_beleg("versions", "--json", *here).json,
        "map": run_beleg("schema-map", "show", "--tenant", TENANT, *here).out,
        "value": asked["result"]["rows"],
        "sources": asked["facts"][0]["provenance"]["sources"],
    }


def test_the_restored_workspace_is_the_same(used: Path, backup: Path, tmp_path: Path) -> None:
    before = [line for line in run_beleg("audit", "export", "--workspace", used).out.splitlines() if line]
    root = tmp_path / "restored" / "workspace"
    said = run_beleg("restore", backup, "--workspace", root)
    assert said.code == 0, said.err
    assert "silbertanne, sued" in said.out
    assert run_beleg("audit", "export", "--workspace", root).out.splitlines() == before
    assert _state(root) == _state(used)
    assert (root.parent / "sued" / "originals").is_dir()
    with closing(sqlite3.connect(root / "data" / "other.sqlite")) as other:
        assert other.execute("SELECT value FROM kept").fetchall() == [("x",)]
    answers = [json.loads(line) for line in before]
    answered = next(record["answer_id"] for record in answers if record["status"] == "answered")
    assert run_beleg("verify", answered, "--workspace", root).code == 0


def test_the_restored_workspace_is_the_same_on_postgresql(used: Path, backup: Path, postgresql_url: str, tmp_path: Path) -> None:
    """And back: from PostgreSQL into SQLite files again."""
    root, again = tmp_path / "in_postgresql" / "workspace", tmp_path / "again" / "workspace"
    assert run_beleg("init", root).code == 0
    (root / "beleg.toml").write_text(
        f'[workspace]\ncatalog_url = "{postgresql_url}"\n[audit]\nurl = "{postgresql_url}"\n'
        '[tenants.sued]\ndata_dir = "../sued"\n',
        encoding="utf-8",
    )
    said = run_beleg("restore", backup, "--workspace", root)
    assert said.code == 0, said.err
    assert _state(root) == _state(used)
    assert run_beleg("audit", "verify", "--workspace", root).code == 0
    assert run_beleg("restore", backup, "--workspace", root).code == 1
    assert run_beleg("backup", tmp_path / "second", "--workspace", root).code == 0
    there = ("--tenant", "sued", "--access-level", "controlling", "--workspace", root)
    said = run_beleg("ingest", DATA / "bestellungen_2024.xlsx", *there)
    assert said.code == 0, said.err
    assert run_beleg("init", again).code == 0
    said = run_beleg("restore", tmp_path / "second", "--workspace", again)
    assert said.code == 0, said.err
    assert _state(again) == _state(used)


def test_a_backup_is_whole_while_the_workspace_is_used(used: Path, tmp_path: Path) -> None:
    """Questions, a new version and its removal go on meanwhile; each of three backups is one that can be restored."""
    root = tmp_path / "busy" / "workspace"
    shutil.copytree(used.parent, root.parent)
    stop, codes = Event(), list[int]()

    def use() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            file = tmp_path / "new.csv"
            file.write_text(f"Filiale;Umsatz\nOslo;{number},50\n", encoding="utf-8")
            there = ("--tenant", TENANT, "--access-level", "controlling", "--workspace", root)
            codes.append(run_beleg("ingest", file, *there).code)

    worker = Thread(target=use)
    worker.start()
    try:
        made = [run_beleg("backup", tmp_path / f"b{number}", "--workspace", root).code for number in range(3)]
    finally:
        stop.set()
        worker.join()
    assert made == [0, 0, 0] and codes and set(codes) == {0}
    for number in range(3):
        back = tmp_path / f"r{number}" / "workspace"
        said = run_beleg("restore", tmp_path / f"b{number}", "--workspace", back)
        assert said.code == 0, said.err
        assert run_beleg("tables", "--workspace", back).code == 0


def _change_original(backup: Path) -> None:
    file = next((backup / "tenants").rglob("originals/**/*.xlsx"), None) or next((backup / "tenants").rglob("originals/*"))
    file.write_bytes(file.read_bytes() + b" ")


def _change_log(backup: Path) -> None:
    """Also where the list of checksums was put right afterwards: the chain of the log tells."""
    import hashlib

    with closing(sqlite3.connect(backup / "audit.sqlite")) as log:
        log.execute("UPDATE audit SET body = replace(body, 'weber', 'xeber')")
        log.commit()
    manifest = json.loads((backup / "manifest.json").read_text(encoding="utf-8"))
    content = (backup / "audit.sqlite").read_bytes()
    manifest["files"]["audit.sqlite"] = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    (backup / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def _rename(backup: Path, name: str) -> None:
    text = (backup / "manifest.json").read_text(encoding="utf-8")
    (backup / "manifest.json").write_text(text.replace('"beleg.toml"', json.dumps(name)), encoding="utf-8")


DAMAGES: list[tuple[str, Callable[[Path], object], str]] = [
    ("an original changed", _change_original, "wurde seit der Sicherung verändert"),
    ("a file gone", lambda backup: (backup / "beleg.toml").unlink(), "Die Datei beleg.toml fehlt"),
    ("the log changed", _change_log, "das Protokoll besteht seine Prüfung nicht"),
    ("no list", lambda backup: (backup / "manifest.json").unlink(), "Das ist keine Sicherung von Beleg"),
    ("no JSON", lambda backup: (backup / "manifest.json").write_text("[1"), "Das ist keine Sicherung von Beleg"),
    (
        "a newer format",
        lambda backup: (backup / "manifest.json").write_text('{"format": 9, "files": {}, "tenants": {}}'),
        "Format 9",
    ),
    ("out of the folder", lambda backup: _rename(backup, "data/../../evil"), "führt aus der Sicherung hinaus"),
    ("a foreign path", lambda backup: _rename(backup, "/etc/passwd"), "führt aus der Sicherung hinaus"),
    ("a foreign tenant", lambda backup: _rename(backup, "tenants/other/x"), "führt aus der Sicherung hinaus"),
]


@pytest.mark.parametrize(("damage", "sentence"), [each[1:] for each in DAMAGES], ids=[each[0] for each in DAMAGES])
def test_a_damaged_backup_is_not_used(damage: Callable[[Path], object], sentence: str, backup: Path, tmp_path: Path) -> None:
    damage(backup)
    said = run_beleg("restore", backup, "--workspace", tmp_path / "r" / "workspace")
    assert said.code == 4
    assert sentence in said.err and said.err.count("\n") == 1


def test_nothing_is_overwritten(used: Path, backup: Path, tmp_path: Path) -> None:
    for arguments in (("restore", backup, "--workspace", used), ("backup", backup, "--workspace", used)):
        said = run_beleg(*arguments)
        assert said.code == 1 and "leeren Ordner" in said.err
    said = run_beleg("backup", used / "data" / "backup", "--workspace", used)
    assert said.code == 1 and "gehört nicht in den Arbeitsbereich" in said.err
    assert not (used / "data" / "backup").exists()
