"""The command line in this process, on workspaces copied from one that was built once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from qa.cli import main

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


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bench = Bench(tmp_path_factory.mktemp("review") / "workspace")
    assert bench("init", bench.root).code == 0
    bench.ingest(REPORT, DRAFT, "--version", "Entwurf")
    bench.ingest("plan.csv", "Niederlassung;Planumsatz [EUR]\nDanzig;1300\nLublin;900\n")
    return bench.root


@pytest.fixture
def bench(built: Path, tmp_path: Path) -> Callable[..., Said]:
    """A workspace of the test's own with one draft of a report."""
    shutil.copytree(built, tmp_path / "workspace")
    return Bench(tmp_path / "workspace")
