"""Rows of a report may be figures of different kinds (sales, heads, a margin); they are not ranked against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from orchestrator.groups import Group
from orchestrator.outcome import Stop, Stopped
from orchestrator.plan import AggregatePlan
from orchestrator.run_terms import TermResult
from parsers.table import ColumnType
from parsers.table_units import counts_things
from parsers.units import split_unit
from schema_maps.aggregation import label_aggregation

Kind = Literal["amount", "count", "ratio"]


def check_like_rows(plan: AggregatePlan, results: Sequence[TermResult], groups: Sequence[Group]) -> None:
    """Stops with not_understood when groups of one label column would be ranked, or held against a bound other than zero, and
    their labels say that they are of different kinds."""
    decides = plan.order is not None or any(having.against_output or having.value != 0 for having in plan.having)
    if not decides or len(plan.group_by) != 1 or (plan.buckets and plan.buckets[0] is not None):
        return
    ref = plan.group_by[0]
    table = results[0].tables.tables.get(ref.table)
    column = table.column(ref.column) if table is not None else None
    if table is None or column is None or column.column.type is not ColumnType.TEXT:
        return
    report = table.stored.table.layout == "tidy" and column.column.role == "dimension" and column.column.position is not None
    seen: dict[Kind, str] = {}
    for group in groups:
        if isinstance(group.keys[0].evidence.value, str):
            seen.setdefault(_kind(group.keys[0].evidence.value, report), group.keys[0].evidence.value)
    if len(seen) > 1:
        raise Stopped(Stop("refused", "not_understood", "unlike_rows", tuple(seen.values())))


def _kind(label: str, report: bool) -> Kind:
    """`report`: the labels of a cross-tab are judged by their words, those of other tables only where they are certain."""
    if counts_things(label):
        return "count"
    if split_unit(label)[1] == "%" or (report and label_aggregation(label) == "none"):
        return "ratio"
    return "amount"
