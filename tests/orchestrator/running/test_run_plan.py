"""Plans over small tables: values, cells, units, warnings and stops; each fact is also recomputed from its recipe."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from orchestrator.build_answer import build_answer
from orchestrator.engine import Engine
from orchestrator.evidence import Scalar
from orchestrator.plan import AggregatePlan
from orchestrator.recipe import CellValue, recipe_from_json, recompute
from orchestrator.run_context import SelectRunner
from orchestrator.run_plan import run_plan
from orchestrator.scope import VisibleTable
from parsers.address import parse_address
from tests.orchestrator.running.engine_select import EngineSelect
from tests.orchestrator.running.plain_select import PlainSelect
from tests.orchestrator.running.plan_cases import CASES, Case
from tests.orchestrator.running.small_tables import scope_of, store


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_plan_on_the_engine(case: Case, tmp_path: Path, engine: Engine) -> None:
    _check(case, tmp_path, EngineSelect(engine))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_plan_on_a_second_evaluator(case: Case, tmp_path: Path) -> None:
    """The same plans through DuckDB's row choice and Python's arithmetic: values and cells must not depend on the engine."""
    _check(case, tmp_path, PlainSelect())


def _check(case: Case, tmp_path: Path, select: SelectRunner) -> None:
    tables = [store(tmp_path, name, small) for name, small in case.tables.items()]
    scope = scope_of(tables)
    versions = {table.version.document: table.version.version_id for table in tables}
    outcome = run_plan(case.plan, scope, versions, select)
    body = build_answer(outcome, case.plan, scope, "de", "Wie hoch?")
    if case.stop is not None:
        assert outcome.stop is not None, outcome.rows
        assert f"{outcome.stop.code}/{outcome.stop.kind}" == case.stop
        assert body.result is None and not body.facts
        assert "{" not in body.text
        return
    assert outcome.stop is None, body.text
    assert body.result is not None
    assert [list(row) for row in body.result.rows] == case.rows
    assert sorted(warning.code for warning in body.warnings) == sorted(case.warnings)
    assert case.text_holds in body.text
    if case.unit is not None:
        assert body.result.columns[-1].unit == case.unit
    last = len(outcome.columns) - 1
    if case.cells is not None:
        facts = [fact for fact in body.facts if fact.column == last]
        assert [sorted(cell for source in fact.provenance.sources for cell in source.cells) for fact in facts] == case.cells
    if case.fraction is not None:
        provenance = body.facts[last].provenance
        assert f"{provenance.numerator}/{provenance.denominator}" == case.fraction
    assert body.recipes is not None
    _check_recipes(case, body.recipes, outcome.rows, tables)


def _check_recipes(case: Case, recipes: Mapping[str, object], rows: object, tables: list[VisibleTable]) -> None:
    """Every recipe gives the shown value from the stored cells alone."""
    value_of = _reader(tables)
    facts = recipes["facts"]
    assert isinstance(facts, list) and isinstance(rows, tuple)
    if isinstance(case.plan, AggregatePlan):
        shown = sum(value.absent is None for row in rows for value in row)
        assert len(facts) == shown
    for fact in facts:
        again = recompute(recipe_from_json(fact["recipe"]), value_of)
        value = rows[fact["row"]][fact["column"]].evidence.value
        assert again == (Fraction(value) if isinstance(value, Decimal) else value)


def _reader(tables: list[VisibleTable]) -> CellValue:
    data = {table.stored.table_id: (table, pq.read_table(table.stored.segment)) for table in tables}

    def value_of(table_id: str, address: str, columns: tuple[str, ...]) -> Scalar:
        table, rows = data[table_id]
        row, column = parse_address(address)
        name = table.columns[column - 1].sql_name
        value = rows[name][rows["_row"].to_pylist().index(row)].as_py()
        return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value

    return value_of
