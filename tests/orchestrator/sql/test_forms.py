"""Chosen statement forms held against the oracle; those of the shared list are right or refused, never wrong."""

from __future__ import annotations

import csv
import random
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.engine import Engine
from orchestrator.evidence import EvidencedResult
from orchestrator.run_select import run_select
from orchestrator.sql_refusals import GuardRefusal, NoProvenance
from tests.orchestrator.sql.made_tables import Made, store, trade
from tests.orchestrator.sql.oracle import Oracle
from tests.orchestrator.sql.test_guard import SHARED, shared_statements

FORMS = yaml.safe_load((Path(__file__).parent / "forms.yaml").read_text(encoding="utf-8"))
REPLAYED = 4


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    made = {one.name: one for one in trade()}
    directory = tmp_path_factory.mktemp("tables")
    return Oracle(made, {name: store(one, directory) for name, one in made.items()})


@pytest.fixture(scope="module")
def shared_oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    directory = tmp_path_factory.mktemp("tables")
    made = {path.stem: _read(path) for path in sorted((SHARED / "sql_fixture").glob("*.csv")) if path.stem != "secret"}
    return Oracle(made, {name: store(one, directory) for name, one in made.items()})


def _read(path: Path) -> Made:
    head, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    columns: dict[str, list[Any]] = {name: [_typed(name, row[place]) for row in rows] for place, name in enumerate(head)}
    return Made(path.stem, columns, hidden_columns=frozenset({"access"}))


def _typed(name: str, text: str) -> Any:
    if not text:
        return None
    if name in ("amount", "cost", "plan"):
        return Decimal(text)
    return date.fromisoformat(text) if name == "d" else int(text) if text.isdigit() else text


def check(sql: str, result: EvidencedResult, oracle: Oracle, ordered: bool) -> None:
    """Values equal, all proved, and the evidence of some rows replayed."""
    assert oracle.check_values(sql, result) is None
    assert all(value.proved for row in result.rows for value in row), [v.why_not for row in result.rows for v in row]
    if ordered:
        return
    chance = random.Random(1)
    for place in chance.sample(range(len(result.rows)), min(REPLAYED, len(result.rows))):
        row, lineage = result.rows[place], result.lineage[place]
        assert oracle.check_replay(sql, row, lineage) is None
        assert oracle.check_deletion(sql, row, lineage, chance) is None


@pytest.mark.parametrize("sql", FORMS)
def test_forms(sql: str, engine: Engine, oracle: Oracle) -> None:
    result = run_select(sql, oracle.tables, engine, lineage=True)
    assert result.rows or "null)" in sql
    check(sql, result, oracle, ordered="limit" in sql or "row > 10" in sql)


# Forms of the shared list that must be answered: more may be.
ANSWERED = 34


@pytest.mark.skipif(not SHARED.exists(), reason="the shared statements are not here")
def test_shared_forms_are_right_or_refused(engine: Engine, shared_oracle: Oracle) -> None:
    answered = 0
    for name, sql in shared_statements("select_forms.sql"):
        try:
            result = run_select(sql, shared_oracle.tables, engine, lineage=True)
        except (NoProvenance, GuardRefusal):
            continue
        answered += 1
        check(sql, result, shared_oracle, ordered="limit" in sql or "over (order by" in sql)
        assert result.rows, name
    assert answered >= ANSWERED
