"""Tables of medals: columns Gold, Silver and Bronze together say what is counted, which no header names."""

from __future__ import annotations

from orchestrator.scope import VisibleColumn, VisibleTable
from parsers.fold import fold

_KINDS = frozenset({"gold", "silver", "bronze"})
_TOTALS = frozenset({"total", "medals"})


def medal_names(table: VisibleTable, column: VisibleColumn) -> tuple[str, ...]:
    """ "gold medals" for the column Gold, "medals" for the total of a medal table; () in every other table."""
    headers = {fold(other.column.header) for other in table.columns}
    own = fold(column.column.header)
    if not headers >= _KINDS:
        return ()
    if own in _KINDS:
        return (f"{own} medals", f"{own} medal")
    return ("medals", "medal") if own in _TOTALS and len(_TOTALS & headers) == 1 else ()
