"""The command line in this process, on workspaces copied from one that was built once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from indexer.catalog import Catalog
from qa.audit_store import AuditStore
from qa.backup import fill_catalog
from qa.cli import main
from tests.postgresql_server import Databases
from tests.qa.kept_log import KeptLog

TENANT = "nord"
REPORT = "umsatz.csv"
STAFF = "personal.csv"

DRAFT = (
    "Niederlassung;Quartal;Nettoumsatz [EUR];Kosten [EUR]\n"
    "Danzig;Q3 2024;1250,50;700\nLublin;Q3 2024;800;500\nPosen;Q3 2024;k. A.;90\n"
)
FINAL = DRAFT.replace("1250,50", "1247,90")


@dataclass(frozen=True)
class Said:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Bench:
    """A workspace and the command line on it."""

    root: Path

    def __call__(self, *arguments: object, environment: dict[str, str | None] | None = None) -> Said:
        given = [*map(str, arguments), "--workspace", str(self.root)]
        result = CliRunner().invoke(main, given, env=environment)
        return Said(result.exit_code, result.stdout, result.stderr)

    def ask(self, question: str, *more: str, user: str = "weber", levels: str = "controlling") -> Any:
        return self("ask", question, "--tenant", TENANT, "--as", user, "--levels", levels, "--json", *more).json

    def policy(self, text: str) -> None:
        (self.root / "beleg.toml").write_text(f"[tenants.{TENANT}]\n{text}\n", encoding="utf-8")

    def ingest(self, name: str, content: str, *more: str, level: str = "controlling") -> None:
        path = self.root / "in" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        said = self("ingest", path, "--tenant", TENANT, "--access-level", level, "--create-tenant", *more)
        assert said.code == 0, said

    def log(self) -> list[Any]:
        return [json.loads(line) for line in self("audit", "export").out.splitlines()]


@pytest.fixture
def kept(tmp_path: Path, server_url: str | None) -> KeptLog:
    """An audit log that has not begun, on SQLite and on PostgreSQL."""
    return KeptLog(tmp_path, server_url or f"sqlite:///{tmp_path}/audit.sqlite")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bench = Bench(tmp_path_factory.mktemp("review") / "workspace")
    assert bench("init", bench.root).code == 0
    bench.ingest(REPORT, DRAFT, "--version", "Entwurf")
    bench.ingest("plan.csv", "Niederlassung;Planumsatz [EUR]\nDanzig;1300\nLublin;900\n")
    return bench.root


@pytest.fixture(scope="session")
def built_on_server(built: Path, postgresql: Databases) -> str:
    """The database that the built workspace would have on a server, to be copied."""
    url, data = postgresql.new(), built / "data"
    Catalog.open(url, data).close()
    fill_catalog(data / "catalog.sqlite", url, data)
    log = AuditStore(url, data / "audit.checkpoint.json")
    log.fill_from(data / "audit.sqlite", data / "audit.checkpoint.json")
    log.close()
    return url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def bench(request: pytest.FixtureRequest, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A workspace of the test's own with one draft of a report. On PostgreSQL only where `-m slow` or ON_BOTH says so."""
    root = tmp_path / "workspace"
    shutil.copytree(built, root)
    if request.param == "sqlite":
        yield Bench(root)
        return
    databases: Databases = request.getfixturevalue("postgresql")
    url = databases.new(request.getfixturevalue("built_on_server"))
    for path in (root / "data").glob("*.sqlite*"):
        path.unlink()
    monkeypatch.setenv("BELEG_CATALOG_URL", url)
    monkeypatch.setenv("BELEG_AUDIT_URL", url)
    yield Bench(root)
    databases.drop(url)


ON_BOTH = pytest.mark.parametrize("bench", ["sqlite", "postgresql"], indirect=True)
