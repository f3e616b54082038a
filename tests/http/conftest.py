"""One small workspace with two tenants, built once; a service on a copy of it for each module."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from qa.administration import IngestRequest, ingest
from qa.settings_file import init_workspace
from qa.wiring import open_workspace
from tests.http.running_service import Running, running

SALES = "Niederlassung;Quartal;Nettoumsatz [EUR]\nDanzig;Q3 2024;1250,50\nLublin;Q3 2024;800\nPosen;Q3 2024;k. A.\n"
PAY = "Mitarbeiter;Gehalt [EUR]\nAdam Wolf;5100\nEwa Lis;4800\n"
ABROAD = "Filiale;Ertrag [EUR]\nOslo;77\nBergen;11\n"

FILES = (
    ("umsatz.csv", SALES, "nord", "controlling"),
    ("gehalt.csv", PAY, "nord", "hr"),
    ("ertrag.csv", ABROAD, "sued", "controlling"),
)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("service") / "workspace"
    init_workspace(root)
    with open_workspace(root) as workspace:
        for name, content, tenant, level in FILES:
            path = root.parent / name
            path.write_text(content, encoding="utf-8")
            ingest(workspace, path, IngestRequest(tenant=tenant, access_level=level, create_tenant=True, by="test"))
    return root


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    """A workspace of the test's own."""
    shutil.copytree(built, tmp_path / "workspace")
    return tmp_path / "workspace"


@pytest.fixture(scope="module")
def service(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Shared by the tests of a module; what one changes, the next one sees."""
    root = tmp_path_factory.mktemp("copy") / "workspace"
    shutil.copytree(built, root)
    with running(root) as started:
        yield started
