"""Bare numbers that say how much of a figure there is: "who won two gold medals"."""

from __future__ import annotations

from orchestrator.link_names import is_measure
from orchestrator.planners.frames import Reading


def is_count_of(reading: Reading, index: int) -> bool:
    """ "who won two gold medals", "which riders have 3 wins": a bare number right before a figure, where a thing is asked for."""
    mention = reading.mentions[index]
    behind = reading.mentions[index + 1] if index + 1 < len(reading.mentions) else None
    asks_thing = reading.says("who", "which", "how_many", "list") and not reading.says("top", "maximum", "minimum")
    asks_thing = asks_thing and not (index and reading.mentions[index - 1].says("list"))
    if reading.question.language != "en" or not asks_thing or behind is None or mention.amount is None or mention.amount.unit:
        return False
    return bool(behind.columns) and all(is_measure(name.column) for name in behind.columns)
