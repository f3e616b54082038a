"""No statement gives a sum in which a join or a union lets a cell enter twice; what repeats nothing is answered."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.engine import Engine
from orchestrator.run_select import run_select
from orchestrator.scope import VisibleTable
from orchestrator.sql_refusals import NoProvenance
from tests.orchestrator.sql.made_tables import Made

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "fan_out.yaml").read_text(encoding="utf-8"))
MADE = (
    Made("rechnungen", {
        "rgnr": ["R1", "R2", "R3"], "kunde": ["Alpha", "Alpha", "Beta"], "betrag": [100, 50, 70], "skonto": [2, None, 1],
    }),
    Made("positionen", {
        "rgnr": ["R1", "R1", "R2", "R3", "R3", "R3"], "artikel": ["a", "b", "a", "a", "b", "c"], "menge": [1, 2, 3, 1, 1, 1],
    }),
    Made("auftraege", {"nr": [1, 2, 3], "kst": [4320, 4320, 4711], "netto": [10, 20, 5]}),
    Made("kostenstellen", {
        "kst": [4320, 4320, 4320, 4711, 4711, 4711], "bezeichnung": ["Vertrieb"] * 3 + ["Lager"] * 3, "monat": [1, 2, 3] * 2,
    }),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["sql"])
def test_a_join_never_multiplies(case: dict[str, Any], engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    if case.get("refused"):
        with pytest.raises(NoProvenance) as refused:
            run_select(case["sql"], tables, engine)
        assert refused.value.rule == "fan_out"
        return
    result = run_select(case["sql"], tables, engine)
    found = [[int(value.value) if isinstance(value.value, Decimal) else value.value for value in row] for row in result.rows]
    assert sorted(found) == sorted(case["rows"])
    assert all(value.proved for row in result.rows for value in row)
