"""`beleg sql` as an attacker uses it, in this process: refused before the engine, logged, nothing changed, nothing told."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract.conftest import Said, run_beleg, without_identifiers
from tests.orchestrator.sql.test_guard import SHARED, shared_statements

REPORTS = yaml.safe_load((Path(__file__).parent / "sql_reports.yaml").read_text(encoding="utf-8"))
FIXTURE = SHARED / "sql_fixture"
SECRETS = ("GEHEIM", "98765", "SECRET_B")
LONGEST = 5.0  # seconds that the engine may take, and as much for the rest on a busy machine


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("house")
    rows = ("Kunde;Umsatz;Notiz", "Alpha;100;ok", "Beta;200;offen", 'Gamma;300;"bitte update prüfen; drop"')
    (root / "umsatz.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (root / "vertraulich.csv").write_text("Kunde;Betrag\nGEHEIM;98765\n", encoding="utf-8")
    workspace = root / "workspace"
    assert run_beleg("init", workspace).code == 0
    for name, tenant in (("umsatz.csv", "haus"), ("vertraulich.csv", "nachbar")):
        read = ("ingest", root / name, "--tenant", tenant, "--access-level", "alle", "--create-tenant", "--workspace", workspace)
        assert run_beleg(*read).code == 0
    return workspace


def _sql(workspace: Path, tenant: str, statement: str, *more: str) -> Said:
    return run_beleg(
        "sql", statement, "--tenant", tenant, "--as", "anna", "--levels", "alle", "--json", *more, "--workspace", workspace
    )


@pytest.mark.parametrize("case", REPORTS, ids=lambda case: f"{case['report']} {case['sql'][:40]}")
def test_report(case: Mapping[str, Any], house: Path) -> None:
    said = _sql(house, "haus", case["sql"])
    answer = said.json
    if "value" in case:
        assert (said.code, answer["result"]["rows"]) == (0, [[case["value"]]])
        return
    assert (said.code, answer["status"], answer["refusal"]["code"]) == (3, "refused", case["code"])
    assert not any(secret in without_identifiers(said.out) for secret in SECRETS)
    assert not [step for step in answer["trace"] if step["stage"] == "run"]
    log = run_beleg("audit", "export", "--workspace", house).out
    assert answer["answer_id"] in log
    assert not any(secret in without_identifiers(log) for secret in SECRETS)
    assert _sql(house, "haus", "SELECT count(*), sum(umsatz) FROM umsatz").json["result"]["rows"] == [["3", "600"]]


@pytest.fixture(scope="module")
def shared_house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tenant a with sales, whose column access only level board sees, products and budget; tenant b with secret."""
    root = tmp_path_factory.mktemp("shared_house")
    workspace = root / "workspace"
    assert run_beleg("init", workspace).code == 0
    for name, tenant in (("sales", "a"), ("products", "a"), ("budget", "a"), ("secret", "b")):
        shutil.copy(FIXTURE / f"{name}.csv", root)
        read = ("ingest", root / f"{name}.csv", "--tenant", tenant, "--access-level", "alle", "--create-tenant")
        assert run_beleg(*read, "--locale", "en", "--workspace", workspace).code == 0
    (root / "map.yaml").write_text(
        "schema_map:\n  - {file: sales.csv, columns: {access: {name: access, levels: [board]}}}\n", encoding="utf-8"
    )
    applied = run_beleg("schema-map", "apply", root / "map.yaml", "--tenant", "a", "--by", "anna", "--workspace", workspace)
    assert applied.code == 0, applied
    return workspace


@pytest.mark.skipif(not SHARED.exists(), reason="the shared statements are not here")
def test_shared_attacks_are_refused_before_the_engine(shared_house: Path) -> None:
    admitted = []
    for name, statement in shared_statements("sql_attacks.sql"):
        said = _sql(shared_house, "a", statement, "--check")
        if said.code != 3 or said.json["refusal"]["code"] != "unsafe_query" or "SECRET_B" in said.out:
            admitted.append((name, said))
    assert admitted == []
    assert _sql(shared_house, "a", "SELECT count(*) FROM sales", "--check").code == 0


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="the shared statements are not here")
def test_shared_bombs_end_and_the_next_question_is_answered(shared_house: Path) -> None:
    for name, statement in shared_statements("sql_bombs.sql"):
        started = time.perf_counter()
        said = _sql(shared_house, "a", statement)
        assert said.code in (0, 3), (name, said)
        assert time.perf_counter() - started < 2 * LONGEST, name
        after = _sql(shared_house, "a", "SELECT sum(qty) FROM sales")
        assert after.code == 0 and after.json["status"] == "answered", name
