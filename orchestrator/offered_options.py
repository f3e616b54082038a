"""Ways out of a question back: only those that lead on are offered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from orchestrator.outcome import Stop
from orchestrator.planners.decision import PlannerStop

Ending = PlannerStop | Stop | None
"""How a question ends that is asked: None with an answer."""


def leading_on(stop: PlannerStop, ending: Callable[[str], Ending]) -> PlannerStop:
    """A question back with the options whose question is answered, or asked back about something else. Where there is none, it
    is no choice: the stop that choosing would have led to."""
    if stop.status != "clarify" or not stop.options:
        return stop
    endings = [(option, ending(option.question)) for option in stop.options]
    kept = tuple(option for option, end in endings if end is None or (end.status == "clarify" and not _same(stop, end)))
    if kept:
        return replace(stop, options=kept)
    ends = [end for _, end in endings if end is not None and end.status == "refused"]
    planned = next((end for end in ends if isinstance(end, PlannerStop)), None)
    if planned is not None:
        return planned
    return PlannerStop("refused", ends[0].code, "no_choice") if ends else replace(stop, options=())


def _same(stop: PlannerStop, end: PlannerStop | Stop) -> bool:
    """The same question back once more."""
    return end.kind == stop.kind and (end.words if isinstance(end, PlannerStop) else end.names) == stop.words
