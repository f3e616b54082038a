"""Search plans: the rows of the searched tables that are near the topic, each value proved from its cell."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from indexer.index_files import IndexedView
from indexer.row_text import RowChunk
from orchestrator.aggregate_notices import hidden_notices
from orchestrator.confirmed_cells import ConfirmedCells
from orchestrator.outcome import Outcome, RelatedRow, Stop, Stopped
from orchestrator.plan import SearchPlan
from orchestrator.run_context import RunContext
from orchestrator.scope import VisibleTable
from orchestrator.search.proved_rows import proved_values, title_of
from orchestrator.search.search_rows import FoundRow, SearchRequest, search_rows
from orchestrator.search.tenant_rows import prepare
from orchestrator.search.views import holds_texts, row_view

MOST_VALUES = 12
"""Values that are shown of a row; those of a wide table beyond that are looked up by their name."""


def run_search(context: RunContext, plan: SearchPlan) -> Outcome:
    """Raises Stopped where nothing is near; ValueError where the run was given no rows to search."""
    rows = context.rows
    if rows is None:
        raise ValueError("a search needs the rows of the tenant")
    tables = {name: context.table(name) for name in plan.tables}
    levels = context.scope.asker.levels
    by_view: dict[str, VisibleTable] = {}
    views: list[IndexedView] = []
    for table in tables.values():
        if holds_texts(table):
            view = row_view(table, levels, rows.limit)
            views.append(view)
            by_view[view.key] = table
    index = prepare(rows, views, context.scope)
    found = search_rows(index, SearchRequest(plan.variants, tuple(views), plan.named, rows.without))
    related = [each for one in found if (each := _related(one, by_view, context)) is not None]
    if not related:
        raise Stopped(Stop("refused", "not_in_data", "nothing_near", (plan.topic,)))
    model = index.dense.name if index.dense is not None and "dense" not in rows.without else ""
    return Outcome(
        "related",
        total_rows=len(related),
        notices=tuple(hidden_notices([[value for _, value in row.values] for row in related], ())),
        tables=dict(context.reading.tables),
        related=tuple(related),
        compared=(model,),
    )


def _related(found: FoundRow, tables: Mapping[str, VisibleTable], context: RunContext) -> RelatedRow | None:
    """None where no value of the row could be proved."""
    chunk = found.row.chunk
    similarity = Fraction(str(found.similarity))
    table = tables.get(found.row.view.key)
    if table is None or not isinstance(chunk, RowChunk):
        return None
    values = proved_values(table, chunk.row_id, context.reader, ConfirmedCells(), MOST_VALUES)
    if not values:
        return None
    cells = tuple(cell for _, value in values for cell in value.evidence.cells)
    return RelatedRow(title_of(values), values, cells, similarity)
