"""The points in time that a question about a stock may mean, as ways out of a question back."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.plan import ColumnRef
from orchestrator.planners.decision import Option
from orchestrator.planners.frames import Reading
from orchestrator.planners.slots import append, swap
from parsers.periods import Period

_MOST_TIMES = 8


def times_to_choose(reading: Reading, ref: ColumnRef, said: Sequence[int], windows: Sequence[Period]) -> tuple[Option, ...]:
    """The last times of a period column, those inside what was said before all others. `said`: the mentions of periods on it;
    one is replaced, none is added to, and of several nobody can tell which one to keep."""
    known = sorted(reading.names.values[ref.table].periods.get(ref.column, ()), key=lambda period: period.start, reverse=True)
    inside = [p for p in known if any(window.start <= p.start and p.end <= window.end for window in windows)]
    labels = list(dict.fromkeys(period.label for period in inside or known))[:_MOST_TIMES]
    if len(said) > 1:
        return ()
    if said:
        return tuple(Option(label, swap(reading, said[0], label)) for label in labels)
    return tuple(Option(label, append(reading, f"im {label}", f"in {label}", f"w {label}")) for label in labels)
