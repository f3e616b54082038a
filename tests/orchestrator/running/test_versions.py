"""Several versions of one document: binding, named, agreeing, disagreeing; kinds of case B20."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from orchestrator.build_answer import build_answer
from orchestrator.plan import AggregatePlan, Arithmetic, ColumnRef, DifferencePlan, OneOf, Output, Plan, Term, TermValue
from orchestrator.run_versions import run_over_versions
from tests.orchestrator.running.plain_select import PlainSelect
from tests.orchestrator.running.small_tables import Small, SmallVersion, scope_of, store

FIRST = Small("Kst:text;Plan:decimal:EUR\n10;100\n20;200")
SECOND = Small("Kst:text;Plan:decimal:EUR\n10;110\n20;200")
PLAN = ColumnRef("plan", "plan")
WHOLE = AggregatePlan((Term("plan", "sum", (PLAN,)),), (Output("Plan", TermValue(0)),))
KST_20 = AggregatePlan(
    (Term("plan", "sum", (PLAN,), conditions=(OneOf(ColumnRef("plan", "kst"), ("20",)),)),), (Output("Plan", TermValue(0)),)
)
CHANGE = AggregatePlan(
    (Term("plan", "sum", (PLAN,)), Term("plan", "sum", (PLAN,), version_id="plan.csv:1")),
    (Output("Plan", Arithmetic("-", TermValue(0), TermValue(1))),),
)


@dataclass(frozen=True)
class Case:
    """`candidates`: version numbers to read, the preferred first; `binding`: the number declared so, 0 for none."""

    name: str
    plan: Plan
    candidates: tuple[int, ...]
    binding: int
    rows: list[list[str]] | None
    warnings: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    versions: frozenset[str] = frozenset()


CASES = [
    Case("the binding one", WHOLE, (2,), 2, [["310"]], versions=frozenset({"Korrektur"})),
    Case("a named one that is not binding", WHOLE, (1,), 2, [["300"]], ("version_not_binding",), versions=frozenset({"Entwurf"})),
    Case("none binding, they differ", WHOLE, (2, 1), 0, None,
         options=("Korrektur 2024-10-15: 310 EUR", "Entwurf 2024-10-12: 300 EUR")),
    Case("none binding, they agree", KST_20, (2, 1), 0, [["200"]], ("several_versions_agree",),
         versions=frozenset({"Korrektur", "Entwurf"})),
    Case("one against the other", CHANGE, (2,), 2, [["10"]], ("version_not_binding",), versions=frozenset({"Korrektur",
         "Entwurf"})),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_versions(case: Case, tmp_path: Path) -> None:
    tables = _tables(tmp_path, case.binding)
    scope = scope_of(tables)
    by_number = {table.version.number: table.version for table in tables}
    candidates = {"plan.csv": [by_number[number] for number in case.candidates]}
    outcome = run_over_versions(case.plan, scope, candidates, PlainSelect())
    body = build_answer(outcome, case.plan, scope, "de", "Wie hoch ist der Plan?")
    if case.rows is None:
        assert body.clarification is not None and body.clarification.code == "ambiguous_version"
        assert tuple(option.label for option in body.clarification.options) == case.options
        assert all("laut Version" in option.question for option in body.clarification.options)
        return
    assert body.result is not None, body.text
    assert [list(row) for row in body.result.rows] == case.rows
    assert tuple(warning.code for warning in body.warnings) == case.warnings
    assert {source.version.label for fact in body.facts for source in fact.provenance.sources} == case.versions


def test_difference(tmp_path: Path) -> None:
    tables = _tables(tmp_path, 2)
    scope = scope_of(tables)
    plan = DifferencePlan("plan.csv", "plan.csv:1", "plan.csv:2")
    outcome = run_over_versions(plan, scope, {"plan.csv": [tables[1].version]}, PlainSelect())
    body = build_answer(outcome, plan, scope, "en", "What changed?")
    assert body.result is not None, body.text
    assert [column.name for column in body.result.columns] == ["Sheet", "Key", "Column", "old", "new"]
    assert [row[1:] for row in body.result.rows] == [("10", "Plan", "100", "110")]
    old, new = body.facts[3], body.facts[4]
    assert (old.provenance.sources[0].cells, old.provenance.sources[0].version.label) == (("B2",), "Entwurf")
    assert (new.provenance.sources[0].cells, new.provenance.sources[0].version.label) == (("B2",), "Korrektur")


def _tables(directory: Path, binding: int) -> Sequence:  # type: ignore[type-arg]
    versions = [SmallVersion("Entwurf", 1, binding == 1, date(2024, 10, 12)), SmallVersion("Korrektur", 2, binding == 2,
    date(2024, 10, 15))]
    return [store(directory, "plan", small, version) for small, version in zip((FIRST, SECOND), versions, strict=True)]
