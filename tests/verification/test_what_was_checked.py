"""What `beleg verify` says that it checked of each value, and that it notices a change of what it names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.contract.conftest import run_beleg

ASKER = ("--tenant", "haus", "--as", "anna", "--levels", "alle", "--json")
FILE = "Kunde;Region;Umsatz [EUR]\nAdler;Nord;130,50\nBirke;Süd;60,25\nCedern;Nord;9,75\n"


@dataclass(frozen=True)
class Case:
    """`old`, `new`: a change of the original that must be noticed; `cell`: the cell that it is named with."""

    name: str
    ask: tuple[str, str]
    checked: str
    old: str
    new: str
    cell: str


CASES = [
    Case("question", ("ask", "Wie hoch ist der Umsatz in Nord?"), "recomputed", "130,50", "130,51", "C2"),
    Case("sum", ("sql", "SELECT sum(umsatz_eur) FROM umsatz WHERE region = 'Nord'"), "rerun", "130,50", "130,51", "C2"),
    Case("ratio", ("sql", "SELECT sum(umsatz_eur) / count(*) FROM umsatz"), "rerun", "60,25", "61,25", "C3"),
    Case("list", ("sql", "SELECT kunde, umsatz_eur FROM umsatz WHERE region = 'Nord'"), "rerun", "Cedern", "Cederne", "A4"),
    Case("header", ("ask", "Welche Spalten gibt es?"), "cells", "Region;", "Gebiet;", "B1"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_was_checked(case: Case, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    (tmp_path / "umsatz.csv").write_text(FILE, encoding="utf-8")
    assert run_beleg("init", workspace).code == 0
    read = ("ingest", tmp_path / "umsatz.csv", "--tenant", "haus", "--access-level", "alle", "--create-tenant")
    assert run_beleg(*read, "--workspace", workspace).code == 0
    answer = run_beleg(*case.ask, *ASKER, "--workspace", workspace).json
    assert answer["status"] == "answered", answer["text"]
    code, shape = _verified(workspace, answer["answer_id"])
    assert code == 0
    assert {fact["checked"] for fact in shape["facts"]} == {case.checked}
    if case.checked != "cells":
        assert all(fact["recomputed"] == fact["value"] for fact in shape["facts"])

    original = next(path for path in workspace.rglob("*") if path.is_file() and path.read_bytes() == FILE.encode())
    original.chmod(0o644)
    original.write_text(FILE.replace(case.old, case.new), encoding="utf-8")
    code, shape = _verified(workspace, answer["answer_id"])
    assert code == 4
    assert not all(fact["equal"] for fact in shape["facts"])
    assert case.cell in [difference["cell"] for difference in shape["differences"]]


def _verified(workspace: Path, answer_id: str) -> tuple[int, Any]:
    said = run_beleg("verify", answer_id, "--json", "--workspace", workspace)
    return said.code, said.json
