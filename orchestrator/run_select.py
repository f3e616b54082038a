"""The one entry for SQL, whoever wrote it: guard, scope, engine, evidence, proof."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from orchestrator.derive_rows import DerivedRows, derivation
from orchestrator.engine import Engine
from orchestrator.evaluate_blocks import Slot, read_slot
from orchestrator.evidence import EvidencedResult
from orchestrator.guard import Admitted, SqlLimits, admit
from orchestrator.join_keys import JoinKeys
from orchestrator.lineage_layout import SelectLayout
from orchestrator.prove import CellSource, Prover, StoredCells
from orchestrator.provenance import evidenced_rows
from orchestrator.scope import VisibleTable
from orchestrator.sql_algebra import Query, QuerySource, TableSource, Union, walk
from orchestrator.sql_build import BuildContext, build_query
from orchestrator.sql_emit import Emitted, SqlWriter
from orchestrator.sql_refusals import LimitExceeded

ROW_LIMIT = 100_000
"""Most rows of a result; a statement with more of them comes back `truncated`."""
BYTES_OF_ROW_ID = 8


def run_select(
    sql: str,
    tables: Mapping[str, VisibleTable],
    engine: Engine,
    *,
    limits: SqlLimits | None = None,
    with_totals: frozenset[str] = frozenset(),
    visible_rows_only: frozenset[str] = frozenset(),
    prove: bool = True,
    row_limit: int = ROW_LIMIT,
    cells: CellSource | None = None,
    lineage: bool = False,
) -> EvidencedResult:
    """Runs one SELECT over `tables` (sql_name -> the one version that the name stands for) and gives every value with its cells.

    `with_totals`: tables whose printed total rows are kept; `visible_rows_only`: tables whose hidden rows are left out.
    `prove`: recompute and check against the second reader's cells (`cells`, by default those stored beside the segment).
    `lineage`: also give the source rows behind each result row.
    Raises GuardRefusal, NoProvenance, LimitExceeded or EngineFailed (orchestrator.sql_refusals).
    """
    limits = limits or SqlLimits()
    admitted, query = check_select(sql, tables, limits=limits, with_totals=with_totals, visible_rows_only=visible_rows_only)
    JoinKeys().check(query)
    derived = derivation(query, engine.reader)
    emitted = SqlWriter().statement(query, row_limit, None if derived is None else derived.root)
    used = {source.table.stored.segment_sha256: source.table.stored for source in table_sources(query)}
    found: list[DerivedRows] = []
    meanwhile = (lambda: None) if derived is None else (lambda: found.append(derived.rows()))
    answer = engine.run(emitted.sql, used.values(), limits.seconds, meanwhile).rows
    slots = _derived_rows(found[0], emitted, answer, limits) if found else _named_rows(emitted, answer, limits)
    check = Prover(engine.reader, cells or StoredCells(), engine.confirmed) if prove else None
    shown = evidenced_rows(query, emitted, answer, slots, engine.reader, check, row_limit, lineage)
    return EvidencedResult(admitted.headings, shown.rows, admitted.sql, emitted.sql, shown.truncated, shown.lineage)


def _named_rows(emitted: Emitted, answer: pa.Table, limits: SqlLimits) -> list[Slot]:
    """The lineage that the engine named."""
    assert emitted.layout is not None
    if answer.nbytes > BYTES_OF_ROW_ID * limits.evidence_rows:
        raise _too_many_rows()
    return [read_slot(answer.column(f"l{number}")) for number in range(emitted.layout.width)]


def _derived_rows(rows: DerivedRows, emitted: Emitted, answer: pa.Table, limits: SqlLimits) -> list[Slot]:
    """The lineage that was found without the engine, held against the digests that it gave."""
    assert isinstance(emitted.layout, SelectLayout)
    if sum(map(len, rows.ids.values())) > limits.evidence_rows:
        raise _too_many_rows()
    return rows.slots(emitted.layout, answer)


def _too_many_rows() -> LimitExceeded:
    return LimitExceeded(
        "rows", "Hinter dem Ergebnis stehen zu viele Zeilen.", "Grenzen Sie die Abfrage ein, etwa durch einen Filter."
    )


def check_select(
    sql: str,
    tables: Mapping[str, VisibleTable],
    *,
    limits: SqlLimits | None = None,
    with_totals: frozenset[str] = frozenset(),
    visible_rows_only: frozenset[str] = frozenset(),
) -> tuple[Admitted, Query]:
    """Everything before the engine: raises GuardRefusal or NoProvenance if the statement may not run."""
    limits = limits or SqlLimits()
    admitted = admit(sql, tables, limits)
    query = build_query(admitted.tree, BuildContext(tables, limits, with_totals, visible_rows_only))
    SqlWriter().statement(query, 1)
    return admitted, query


def table_sources(query: Query) -> Iterator[TableSource]:
    """Every table that a statement reads, subqueries included."""
    if isinstance(query, Union):
        for branch in query.branches:
            yield from table_sources(branch)
        return
    for source in query.sources:
        if isinstance(source, TableSource):
            yield source
        elif isinstance(source, QuerySource):
            yield from table_sources(source.query)
    conditions = [query.where, query.having, *(join.condition for join in query.joins)]
    expressions = [
        *conditions,
        *(one.expression for one in query.outputs),
        *(key.expression for key in query.order),
        *query.group_by,
    ]
    for expression in expressions:
        for part in walk(expression) if expression is not None else ():
            if (inner := getattr(part, "query", None)) is not None:
                yield from table_sources(inner)
