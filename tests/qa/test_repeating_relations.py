"""A relation whose one side holds a value twice: refused when approved, out of use once it came to be so, never multiplying."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.ask_sql import ask_sql
from orchestrator.scope import Asker
from qa.wiring import open_workspace
from tests.qa.conftest import TENANT, Bench

ORDERS = "Auftrag;kst_nr;Nettoumsatz [EUR]\nA1;K1;10\nA2;K1;20\nA3;K2;5\n"
ONCE = "Kostenstelle;Bezeichnung\nK1;Vertrieb\nK2;Lager\n"
THRICE = "Kostenstelle;Bezeichnung\n" + "K1;Vertrieb\nK2;Lager\n" * 3
RELATION = {
    "relations": [
        {"from": {"file": "auftraege.csv", "column": "kst_nr"}, "to": {"file": "kostenstellen.csv", "column": "Kostenstelle"}}
    ]
}
QUESTION = "Summe Nettoumsatz je Bezeichnung"
JOINED = (
    "SELECT k.bezeichnung, SUM(a.nettoumsatz_eur) FROM auftraege a LEFT JOIN kostenstellen k ON k.kostenstelle = a.kst_nr "
    "GROUP BY k.bezeichnung"
)


def _apply(bench: Bench, tmp_path: Path) -> Any:
    file = tmp_path / "beziehungen.yaml"
    file.write_text(yaml.safe_dump(RELATION), encoding="utf-8")
    return bench("schema-map", "apply", file, "--tenant", TENANT, "--by", "anna")


def _sql(bench: Bench, sql: str) -> Any:
    with open_workspace(bench.root) as workspace:
        names = {table.sql_name for table in workspace.scope(ASKER).tables}
        assert {"auftraege", "kostenstellen"} <= names
        return ask_sql(sql, ASKER, workspace.tenant_data(TENANT)).answer


ASKER = Asker("weber", TENANT, frozenset({"controlling"}))


def test_a_key_that_stands_once_joins(bench: Bench, tmp_path: Path) -> None:
    bench.ingest("auftraege.csv", ORDERS)
    bench.ingest("kostenstellen.csv", ONCE)
    assert _apply(bench, tmp_path).code == 0
    answer = bench.ask(QUESTION)
    assert answer["status"] == "answered"
    assert sorted(answer["result"]["rows"]) == [["Lager", "5"], ["Vertrieb", "30"]]
    assert [list(row) for row in sorted(_sql(bench, JOINED).result.rows)] == [["Lager", "5"], ["Vertrieb", "30"]]


def test_approval_names_the_column_and_stores_nothing(bench: Bench, tmp_path: Path) -> None:
    bench.ingest("auftraege.csv", ORDERS)
    bench.ingest("kostenstellen.csv", THRICE)
    said = _apply(bench, tmp_path)
    assert said.code != 0
    for part in ("kostenstellen.csv", "„Kostenstelle“", "2 Werte kommen mehrfach vor", "bis zu 3-mal"):
        assert part in said.err
    with open_workspace(bench.root) as workspace:
        assert workspace.schema_maps.load(TENANT).relations == ()
    assert bench.ask(QUESTION)["status"] != "answered"


@pytest.mark.parametrize("bound", [False, True])
def test_a_version_that_repeats_the_key_ends_the_relation(bound: bool, bench: Bench, tmp_path: Path) -> None:
    bench.ingest("auftraege.csv", ORDERS)
    bench.ingest("kostenstellen.csv", ONCE, "--version", "Januar")
    assert _apply(bench, tmp_path).code == 0
    path = tmp_path / "kostenstellen.csv"
    path.write_text(THRICE, encoding="utf-8")
    said = bench("ingest", path, "--tenant", TENANT, "--access-level", "controlling", "--version", "Februar")
    assert said.code == 0
    assert "mehrfach vor" in said.out + said.err
    if bound:
        assert bench("versions", "authorize", "kostenstellen.csv", "Februar", "--tenant", TENANT, "--by", "anna").code == 0
    answer = bench.ask(QUESTION)
    assert answer["status"] != "answered"
    assert "90" not in answer["text"]
    found = _sql(bench, JOINED)
    assert found.status != "answered"
    if bound:
        assert found.refusal is not None and found.refusal.code == "no_provenance"


def test_sql_without_any_relation_is_refused_too(bench: Bench) -> None:
    bench.ingest("auftraege.csv", ORDERS)
    bench.ingest("kostenstellen.csv", THRICE)
    found = _sql(bench, JOINED)
    assert found.status == "refused" and found.refusal is not None
    assert found.refusal.code == "no_provenance"
    assert "mehrfach ein" in found.refusal.message
