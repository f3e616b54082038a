"""Values and evidence of random statements, and of the forms that issue reports and users name, held against the oracle.

BELEG_RANDOM_QUERIES and BELEG_RANDOM_SEEDS set how many statements are made and from how many seeds (default 1,000 from 20).
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.engine import Engine
from orchestrator.run_select import run_select
from orchestrator.sql_refusals import NoProvenance
from tests.orchestrator.sql.made_tables import store, trade
from tests.orchestrator.sql.oracle import Oracle
from tests.orchestrator.sql.random_queries import QueryMaker

QUERIES = int(os.environ.get("BELEG_RANDOM_QUERIES", "1000"))
SEEDS = int(os.environ.get("BELEG_RANDOM_SEEDS", "20"))
ROWS_CHECKED = 3
"""Result rows of each statement that are replayed."""


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_statements(seed: int, engine: Engine, tmp_path: Path) -> None:
    made = {one.name: one for one in trade(seed)}
    tables = {name: store(one, tmp_path) for name, one in made.items()}
    oracle, maker, chance = Oracle(made, tables), QueryMaker(seed), random.Random(seed)
    faults, answered = [], 0
    for _ in range(QUERIES // SEEDS):
        sql = maker.statement()
        limited = maker.limited
        try:
            result = run_select(sql, tables, engine, lineage=True)
        except NoProvenance:
            continue
        answered += 1
        faults += [f"{fault}\n  {sql}" for fault in _faults(sql, limited, result, oracle, chance)]
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults[:5])
    assert answered > 0.6 * (QUERIES // SEEDS), "too many statements were refused to say anything"


def _faults(sql: str, limited: bool, result: object, oracle: Oracle, chance: random.Random) -> Iterator[str]:
    from orchestrator.evidence import EvidencedResult

    assert isinstance(result, EvidencedResult)
    if (fault := oracle.check_values(sql, result)) is not None:
        yield fault
        return
    for row in result.rows:
        for value in row:
            if not value.proved:
                yield f"not proved: {value.why_not}"
                return
    for place in chance.sample(range(len(result.rows)), min(ROWS_CHECKED, len(result.rows))):
        row, lineage = result.rows[place], result.lineage[place]
        if (fault := oracle.check_replay(sql, row, lineage)) is not None:
            yield fault
        if not limited and (fault := oracle.check_deletion(sql, row, lineage, chance)) is not None:
            yield fault
