"""A second look at conditions: every row that the engine let through must meet them when they are computed from the cells.

What the engine kept back cannot be seen here; what it let through wrongly would put a foreign cell under a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from orchestrator.evaluate import Evaluator, Frame, TableRows, is_true
from orchestrator.exact_vectors import Array
from orchestrator.join_rules import conjuncts
from orchestrator.sql_algebra import Expression, Select
from orchestrator.sql_refusals import EngineFailed, NoProvenance

MOST_ROWS = 20_000
"""Rows up to which conditions are computed again: some 5 ms for a comparison of texts."""


def check_conditions(evaluator: Evaluator, select: Select, frame: Frame, present: Callable[[int], Array]) -> None:
    """Raises EngineFailed if a row of the frame fails WHERE or an inner join's ON. Conditions with subqueries are left out.
    `present(source)`: mask of rows where the source has a row."""
    if frame.size == 0 or frame.size > MOST_ROWS or not select.sources:
        return
    real = np.logical_or.reduce([present(source.number) for source in select.sources])
    for condition in _conditions(select):
        try:
            holds = is_true(evaluator.evaluate(condition, frame).vector)
        except NoProvenance:
            continue
        if bool((real & ~holds).any()):
            raise EngineFailed(
                "contradiction",
                "Die Nachrechnung der Bedingungen widerspricht der SQL-Maschine.",
                "Formulieren Sie die Abfrage einfacher.",
            )


def _conditions(select: Select) -> Iterator[Expression]:
    yield from conjuncts(select.where)
    if all(join.kind in ("INNER", "CROSS") for join in select.joins):
        for join in select.joins:
            yield from conjuncts(join.condition)


def rows_present(frame: Frame) -> Callable[[int], Array]:
    """For tables: the row id is there; for queries: as their rows say."""

    def present(source: int) -> Array:
        rows = frame.sources[source]
        if isinstance(rows, TableRows):
            return rows.ids >= 0
        mask: Array = getattr(rows, "present", np.ones(frame.size, dtype=bool))
        return mask

    return present
