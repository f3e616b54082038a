"""Plans over a join whose one side repeats: the engine's rows refuse them, and so does the proof over the cited cells alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.engine import Engine
from orchestrator.plan import AggregatePlan, ColumnRef, Join, Output, Term, TermValue
from orchestrator.run_plan import run_plan
from tests.orchestrator.running.engine_select import EngineSelect
from tests.orchestrator.running.plain_select import PlainSelect
from tests.orchestrator.running.small_tables import Small, scope_of, store

TABLES = {
    "auftraege": Small("Nr:text;kst:text;Netto:integer:EUR;Stück:integer\n1;4320;10;1\n2;4320;20;2\n3;4711;5;3"),
    "einfach": Small("kst:text;Name:text;Satz:integer\n4320;Vertrieb;2\n4711;Lager;3"),
    "mehrfach": Small("kst:text;Name:text;Satz:integer" + "\n4320;Vertrieb;2\n4711;Lager;3" * 3),
}
NETTO, STUECK = ColumnRef("auftraege", "netto"), ColumnRef("auftraege", "stueck")
EACH_ONCE = {
    "sum": [["Vertrieb", 30], ["Lager", 5]],
    "average": [["Vertrieb", 15], ["Lager", 5]],
    "median": [["Vertrieb", 15], ["Lager", 5]],
    "count": [["Vertrieb", 2], ["Lager", 1]],
    "count_distinct": [["Vertrieb", 2], ["Lager", 1]],
    "minimum": [["Vertrieb", 10], ["Lager", 5]],
    "maximum": [["Vertrieb", 20], ["Lager", 5]],
}
UNAFFECTED = frozenset({"count_distinct", "minimum", "maximum"})


def _plan(one_side: str, aggregation: str, columns: tuple[ColumnRef, ...]) -> AggregatePlan:
    join = Join(ColumnRef("auftraege", "kst"), ColumnRef(one_side, "kst"), True)
    term = Term("auftraege", aggregation, columns, (join,))  # type: ignore[arg-type]
    return AggregatePlan((term,), (Output("Wert", TermValue(0)),), (ColumnRef(one_side, "name"),), ("Name",))


@pytest.mark.parametrize("one_side", ["einfach", "mehrfach"])
@pytest.mark.parametrize("aggregation", EACH_ONCE)
def test_each_cell_once_or_no_answer(one_side: str, aggregation: str, tmp_path: Path, engine: Engine) -> None:
    tables = [store(tmp_path, name, small) for name, small in TABLES.items()]
    versions = {table.version.document: table.version.version_id for table in tables}
    outcome = run_plan(_plan(one_side, aggregation, (NETTO,)), scope_of(tables), versions, EngineSelect(engine))
    if one_side == "mehrfach" and aggregation not in UNAFFECTED:
        assert outcome.stop is not None and outcome.stop.code == "no_provenance"
        assert "mehrfach ein" in outcome.stop.names[0]
        return
    assert outcome.stop is None
    assert [[value.evidence.value for value in row] for row in outcome.rows] == EACH_ONCE[aggregation]


@pytest.mark.parametrize(("one_side", "stop"), [("einfach", None), ("mehrfach", "no_provenance/not_proved")])
def test_the_proof_sees_it_by_itself(one_side: str, stop: str | None, tmp_path: Path) -> None:
    """An evaluator that knows nothing of repeated rows gives three times the sum and calls it proved."""
    tables = [store(tmp_path, name, small) for name, small in TABLES.items()]
    versions = {table.version.document: table.version.version_id for table in tables}
    outcome = run_plan(_plan(one_side, "sum", (NETTO,)), scope_of(tables), versions, PlainSelect())
    assert (f"{outcome.stop.code}/{outcome.stop.kind}" if outcome.stop else None) == stop


def test_a_price_of_the_one_side_may_repeat(tmp_path: Path, engine: Engine) -> None:
    tables = [store(tmp_path, name, small) for name, small in TABLES.items()]
    versions = {table.version.document: table.version.version_id for table in tables}
    plan = _plan("einfach", "sum", (STUECK, ColumnRef("einfach", "satz")))
    outcome = run_plan(plan, scope_of(tables), versions, EngineSelect(engine))
    assert [[value.evidence.value for value in row] for row in outcome.rows] == [["Vertrieb", 6], ["Lager", 9]]
    plan = _plan("mehrfach", "sum", (STUECK, ColumnRef("mehrfach", "satz")))
    repeated = run_plan(plan, scope_of(tables), versions, EngineSelect(engine))
    assert repeated.stop is not None and repeated.stop.code == "no_provenance"
