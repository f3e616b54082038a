"""Documents with several versions and none binding: answered where all agree, else the versions are put to the asker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from indexer.stored import Version
from orchestrator.cell_ranges import union
from orchestrator.check_conditions import condition_tables
from orchestrator.outcome import Notice, Outcome, Stop, StopOption, TracedValue
from orchestrator.plan import AggregatePlan, LikenessPlan, ListPlan, Plan, SearchPlan
from orchestrator.recipe import Node
from orchestrator.run_context import SelectRunner
from orchestrator.run_plan import run_plan
from orchestrator.run_terms import term_tables
from orchestrator.scope import Scope
from orchestrator.search.tenant_rows import TenantRows
from orchestrator.segment_reader import SegmentReader

MOST_COMBINATIONS = 12
"""Combinations of versions that are tried before the asker is asked outright."""


def run_over_versions(
    plan: Plan,
    scope: Scope,
    candidates: Mapping[str, Sequence[Version]],
    select: SelectRunner,
    *,
    require_proof: bool = True,
    reader: SegmentReader | None = None,
    rows: TenantRows | None = None,
) -> Outcome:
    """`candidates`: document -> versions to read, the preferred first; one each is an ordinary run."""
    chosen = {document: versions[0].version_id for document, versions in candidates.items() if versions}
    open_documents = [document for document in _free_documents(plan, scope) if len(candidates.get(document, ())) > 1]
    if not open_documents:
        return run_plan(plan, scope, chosen, select, require_proof=require_proof, reader=reader, rows=rows)
    combinations = list(product(*(candidates[document] for document in open_documents)))
    if len(combinations) > MOST_COMBINATIONS:
        options = tuple(StopOption(version_label(version), kind="version") for version in candidates[open_documents[0]])
        return Outcome("rows", stop=Stop("clarify", "ambiguous_version", "versions_many", tuple(open_documents), options=options))
    outcomes = [
        run_plan(
            plan,
            scope,
            chosen | {version.document: version.version_id for version in combination},
            select,
            require_proof=require_proof,
            reader=reader,
            rows=rows,
            agreed_documents=frozenset(open_documents),
        )
        for combination in combinations
    ]
    if all(outcome.stop is not None for outcome in outcomes):
        return outcomes[0]
    labels = [", ".join(version_label(version) for version in combination) for combination in combinations]
    if all(_same(outcomes[0], outcome) for outcome in outcomes[1:]):
        return _agreed(outcomes, labels)
    return _disagreed(outcomes, labels, open_documents)


def version_label(version: Version) -> str:
    """ "nach Korrektur 2024-10-15": how a version is named to people."""
    date = version.date.isoformat() if version.date is not None else ""
    return f"{version.label} {date}".strip()


def _free_documents(plan: Plan, scope: Scope) -> list[str]:
    """Documents whose version the plan leaves open."""
    document_of = {table.sql_name: table.version.document for table in scope.tables}
    found: list[str] = []
    if isinstance(plan, AggregatePlan):
        for term in plan.terms:
            pinned = document_of.get(term.table) if term.version_id is not None else None
            documents = [document_of[name] for name in term_tables(term) if name in document_of]
            found += [document for document in documents if document != pinned]
    elif isinstance(plan, ListPlan):
        names = (plan.table, *(join.one.table for join in plan.joins), *condition_tables(plan.conditions))
        found += [document_of[name] for name in names if name in document_of]
    elif isinstance(plan, LikenessPlan):
        found += [document_of[plan.table]] if plan.table in document_of else []
    elif isinstance(plan, SearchPlan):
        found += [document_of[name] for name in plan.tables if name in document_of]
    return list(dict.fromkeys(found))


def _same(first: Outcome, second: Outcome) -> bool:
    return first.stop is None and second.stop is None and _shape(first) == _shape(second)


def _shape(outcome: Outcome) -> object:
    rows = [
        tuple((value.evidence.value, value.evidence.unit, value.absent) for value in row) for row in outcome.rows
    ]  # fmt: skip
    related = [(row.title, row.similarity, [value.evidence.value for _, value in row.values]) for row in outcome.related]
    return [(column.name, column.type) for column in outcome.columns], rows, outcome.total_rows, related


def _agreed(outcomes: Sequence[Outcome], labels: Sequence[str]) -> Outcome:
    rows = tuple(
        tuple(_cited(values) for values in zip(*rows, strict=True))
        for rows in zip(*(outcome.rows for outcome in outcomes), strict=True)
    )
    notices = dict.fromkeys(notice for outcome in outcomes for notice in outcome.notices)
    tables = {table_id: table for outcome in outcomes for table_id, table in outcome.tables.items()}
    queries = dict.fromkeys(query for outcome in outcomes for query in outcome.queries)
    agree = Notice("several_versions_agree", "", tuple(labels), (len(labels),))
    return replace(outcomes[0], rows=rows, notices=(*notices, agree), tables=tables, queries=tuple(queries))


def _cited(values: Sequence[TracedValue]) -> TracedValue:
    """One value with the cells of every version."""
    evidence = [value.evidence for value in values]
    recipes = [value.recipe for value in values if value.recipe is not None]
    merged = replace(
        evidence[0],
        cells=union(*(value.cells for value in evidence)),
        base_cells=union(*(value.base_cells for value in evidence)),
        skipped=union(*(value.skipped for value in evidence)),
        hidden_rows=max(value.hidden_rows for value in evidence),
        proved=all(value.proved for value in evidence),
        why_not=next((value.why_not for value in evidence if value.why_not), None),
    )
    recipe = Node("all_equal", tuple(recipes)) if len(recipes) == len(values) else None
    return replace(values[0], evidence=merged, recipe=recipe)


def _disagreed(outcomes: Sequence[Outcome], labels: Sequence[str], documents: Sequence[str]) -> Outcome:
    options = tuple(
        _option(outcome, label) for outcome, label in zip(outcomes, labels, strict=True)
    )  # fmt: skip
    tables = {table_id: table for outcome in outcomes for table_id, table in outcome.tables.items()}
    queries = dict.fromkeys(query for outcome in outcomes for query in outcome.queries)
    stop = Stop("clarify", "ambiguous_version", "versions_differ", tuple(documents), options=options)
    return replace(outcomes[0], columns=(), rows=(), notices=(), stop=stop, tables=tables, queries=tuple(queries))


def _option(outcome: Outcome, label: str) -> StopOption:
    """A version with its number where the answer is a single one."""
    if outcome.stop is not None or len(outcome.rows) != 1:
        return StopOption(label, kind="version")
    value = outcome.rows[0][-1]
    if value.number is not None:
        return StopOption(label, (value.number, value.evidence.unit), kind="version")
    text = value.evidence.value
    return StopOption(label, text=str(text) if text is not None else None, kind="version")
