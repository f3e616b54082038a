"""The columns of a printed table that are one figure over periods: KW01 … KW52, Jan … Dez, Q1 … Q4."""

from __future__ import annotations

from collections import defaultdict

from orchestrator.link_names import is_measure
from orchestrator.scope import VisibleColumn, VisibleTable
from parsers.periods import parse_period
from parsers.scenarios import scenario_class


def series_columns(table: VisibleTable) -> tuple[VisibleColumn, ...]:
    """The number columns headed by periods, in sheet order, without totals; where they hold several figures or scenarios, those
    of the actual values, else of the first one."""
    found: dict[tuple[str, ...], list[VisibleColumn]] = defaultdict(list)
    for column in table.columns:
        path = column.column.path or (column.column.header,)
        if is_measure(column) and column.column.role != "total" and any(parse_period(part, year_hint=2000) for part in path):
            found[tuple(part for part in path if not parse_period(part, year_hint=2000))].append(column)
    if not found:
        return ()
    actual = [others for others in found if any(scenario_class(part) == "actual" for part in others)]
    return tuple(found[actual[0] if actual else next(iter(found))])
