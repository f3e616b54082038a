"""Members and periods said in turn: each member then has a period of its own."""

from __future__ import annotations

from orchestrator.plan import ColumnRef
from orchestrator.planners.parts import Parts


def crosses(parts: Parts) -> bool:
    """ "A in 2022 and B in 2023": two cells are meant, not all members in all periods. "A and B in 2022 and 2023" is not."""
    times = [parts.place(use.index) for use in parts.periods]
    if len(times) < 2:
        return False
    members: dict[ColumnRef, list[int]] = {}
    for value in parts.values:
        members.setdefault(value.column.ref, []).append(parts.place(value.index))
    pairs = [places for places in members.values() if len(places) > 1]
    return any(min(places) < max(times) and min(times) < max(places) for places in pairs)
