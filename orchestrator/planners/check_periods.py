"""What can be wrong with the periods of a question before anything is computed."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.planners.conditions import PeriodUse, data_days
from orchestrator.planners.decision import PlannerStop, Stop
from orchestrator.planners.frames import Reading


def check_periods(reading: Reading, uses: Sequence[PeriodUse]) -> None:
    """Raises Stop for a range that ends before it begins, and where one of several periods lies outside the data: the others
    would be shown as if they were all of it."""
    for use in uses:
        if use.mention.backwards:
            said = reading.text_of(reading.mentions[use.index])
            raise Stop(PlannerStop("refused", "not_understood", "backward_range", (said,)))
    timed = [use for use in uses if use.slot is not None and not use.mention.bound]
    if len(timed) < 2:
        return
    for use in timed:
        if use.slot is None or use.mention.period is None:
            continue
        wanted, days = use.mention.period, data_days(reading, use.slot)
        if days is not None and not any(wanted.start <= last and first <= wanted.end for first, last in days):
            raise Stop(PlannerStop("refused", "not_in_data", "no_such_period", (wanted.label,)))
