"""The command line as users have it, in this process, on a workspace with the demo workbooks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from qa.cli import main

DATA = Path(__file__).resolve().parents[2] / "goldsets" / "demo" / "data"
TENANT = "silbertanne"
ASKER = ("--tenant", TENANT, "--as", "weber", "--levels", "controlling,vertrieb")
REPORT = "bericht_ergebnisse_Q3_2024.xlsx"


@dataclass(frozen=True)
class Said:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Said]

_IDENTIFIER = re.compile(r"[0-9a-f]{32,}")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+")


def without_identifiers(text: str) -> str:
    """The text without digests, answer ids and points of time: by chance any digits occur in one."""
    return _TIME.sub("", _IDENTIFIER.sub("", text))


def run_beleg(*arguments: object) -> Said:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return Said(result.exit_code, result.stdout, result.stderr)


def build(root: Path) -> None:
    """Both versions of the report, the corrected one binding; P&L, open items and orders."""
    here = ("--workspace", root)
    controlling = ("--tenant", TENANT, "--access-level", "controlling", "--sheet-level", "Vorstand=vorstand")
    steps = [
        ("init", root),
        ("ingest", DATA / "entwurf" / REPORT, *controlling, "--version", "Entwurf", "--version-date", "2024-10-12",
         "--status", "draft", "--create-tenant", *here),
        ("ingest", DATA / "korrektur" / REPORT, *controlling, "--version", "nach Korrektur", "--version-date", "2024-10-15",
         "--status", "corrected", *here),
        ("versions", "authorize", REPORT, "nach Korrektur", "--tenant", TENANT, "--by", "A. Weber", *here),
        ("ingest", DATA / "guv_2024.xlsx", DATA / "offene_posten_2024-09.csv", *controlling[:4], *here),
        ("ingest", DATA / "bestellungen_2024.xlsx", "--tenant", TENANT, "--access-level", "vertrieb", *here),
    ]  # fmt: skip
    for step in steps:
        said = run_beleg(*step)
        assert said.code == 0, (step, said)


@pytest.fixture(scope="session")
def shared_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("contract") / "workspace"
    build(root)
    return root


@pytest.fixture
def beleg(shared_root: Path) -> Run:
    """Runs a command on the shared workspace; only for what changes nothing that another test looks at."""
    return lambda *arguments: run_beleg(*arguments, "--workspace", shared_root)


@pytest.fixture
def own(tmp_path: Path) -> tuple[Path, Run]:
    """A workspace of the test's own, and a way to run commands on it."""
    root = tmp_path / "workspace"
    build(root)
    return root, lambda *arguments: run_beleg(*arguments, "--workspace", root)
