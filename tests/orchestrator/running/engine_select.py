"""The product's own run_select on one engine, in the shape that plans are run with."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.engine import Engine
from orchestrator.evidence import EvidencedResult
from orchestrator.run_context import ROW_LIMIT
from orchestrator.run_select import run_select
from orchestrator.scope import VisibleTable


class EngineSelect:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __call__(
        self,
        sql: str,
        tables: Sequence[VisibleTable],
        *,
        with_totals: bool = False,
        visible_rows_only: bool = False,
        prove: bool = True,
        row_limit: int = ROW_LIMIT,
    ) -> EvidencedResult:
        named = {table.sql_name: table for table in tables}
        return run_select(
            sql,
            named,
            self._engine,
            with_totals=frozenset(named) if with_totals else frozenset(),
            visible_rows_only=frozenset(named) if visible_rows_only else frozenset(),
            prove=prove,
            row_limit=row_limit,
        )
