"""Numbers that say how much of a figure there is: "who won two gold medals", "with a discount of 10 %"."""

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


def is_amount_of(reading: Reading, index: int) -> bool:
    """ "with a discount of 10 %", "mit 500 EUR Warenwert", where things are asked for: an amount in the unit of the figure right
    beside it."""
    amount = reading.mentions[index].amount
    if amount is None or amount.unit is None or not reading.says("which", "list", "how_many", "who"):
        return False
    said = (i for i in range(index - 1, -1, -1) if reading.mentions[i].kind != "function_word")
    before = next((i for i in said if not reading.mentions[i].says("from")), None)
    beside = [i for i in (before, index + 1) if i is not None and i < len(reading.mentions)]
    return any(
        names and all(is_measure(name.column) and name.column.unit == amount.unit for name in names)
        for names in (reading.mentions[i].columns for i in beside)
    )
