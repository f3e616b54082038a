"""Whole-number columns that hold calendar years: "in 2003", "before 1980", "from 2000 to 2004" are about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from orchestrator.link_names import is_identifier
from orchestrator.period_mention import PeriodMention
from orchestrator.plan import ColumnRef, Compare, Condition, OneOf
from orchestrator.planners.frames import Reading
from orchestrator.planners.slots import Slot
from orchestrator.question import words_of

_YEAR_NAMES = frozenset({"year", "jahr", "season", "saison", "rok", "geschaeftsjahr", "kalenderjahr", "baujahr"})
_FIRST, _LAST = 1500, 2100
_MOST_YEARS = 200


def year_slot(reading: Reading) -> Slot | None:
    """The one column of the table that is called a year or season and holds nothing but such numbers."""
    table = reading.frame.main_table
    found = [c for c in table.columns if is_identifier(c) and _is_called_year((*c.names, c.column.header))]
    if len(found) != 1:
        return None
    hits = reading.names.values[reading.frame.main].of_column(found[0].sql_name)
    years = [hit.stored for hit in hits]
    if not years or not all(isinstance(year, Decimal) and _FIRST <= year <= _LAST for year in years):
        return None
    return Slot(-1, ColumnRef(reading.frame.main, found[0].sql_name), found[0])


def several_years(reading: Reading, conditions: Iterable[Condition], group_by: Sequence[ColumnRef]) -> bool:
    """Whether rows of more than one year are left: the table has a column of years, and neither a group nor one year is said."""
    slot = year_slot(reading)
    if slot is None or slot.ref in group_by:
        return False
    single = any(isinstance(c, OneOf) and c.column == slot.ref and not c.negated and len(c.values) == 1 for c in conditions)
    return not single and reading.names.values[reading.frame.main].distinct.get(slot.ref.column, 0) > 1


def _is_called_year(names: tuple[str, ...]) -> bool:
    return any(len(words) == 1 and words[0] in _YEAR_NAMES for words in map(words_of, names))


def year_condition(slot: Slot, mention: PeriodMention) -> Condition | None:
    """The years of a period that is made of whole years; None for any other."""
    period = mention.period
    if period is None or mention.fiscal:
        return None
    if (period.start.month, period.start.day, period.end.month, period.end.day) != (1, 1, 12, 31):
        return None
    first, last = period.start.year, period.end.year
    match mention.bound:
        case "before":
            return Compare(slot.ref, "<", Decimal(first))
        case "after":
            return Compare(slot.ref, ">", Decimal(last))
        case "from":
            return Compare(slot.ref, ">=", Decimal(first))
        case "until":
            return Compare(slot.ref, "<=", Decimal(last))
    if last - first >= _MOST_YEARS:
        return None
    return OneOf(slot.ref, tuple(Decimal(year) for year in range(first, last + 1)))
