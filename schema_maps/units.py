"""What kind of quantity a unit counts, and when one unit contradicts another. Spellings are parsers.units' business."""

from __future__ import annotations

import re
from typing import Literal

from parsers.fold import fold
from parsers.units import is_money, parse_unit

UnitKind = Literal["money", "percent", "ratio", "days", "other"]

_SPANS = frozenset({"Tage", "Wochen", "Monate", "Jahre"})
_PERCENT = frozenset({"%", "‰", "%-Pkt.", "bps"})
_RATIO = re.compile(r"\S/\S|^(?:je|pro|per|na)\s|\s(?:je|pro|per|na)\s")


def unit_key(unit: str) -> str:
    """Comparison form: one spelling for "€" and "EUR", "T€" and "Tsd. EUR", "Prozent" and "%"; unknown units folded."""
    return parse_unit(unit) or fold(unit)


def unit_kind(unit: str | None) -> UnitKind | None:
    """None without a unit. "EUR/Stück" and "EUR je m²" are ratios; weeks, months and years count as spans like days."""
    if unit is None or not unit.strip():
        return None
    key = unit_key(unit)
    if key in _PERCENT:
        return "percent"
    if key in _SPANS:
        return "days"
    if _RATIO.search(fold(unit)):
        return "ratio"
    return "money" if is_money(key) else "other"


def contradicts(approved: str | None, file_unit: str | None, printed_in_header: bool) -> bool:
    """Whether an approved unit cannot be true for a column of which the file says `file_unit`.

    Two units of one kind that differ (EUR against TEUR, EUR against PLN) always contradict. Units of different kinds do only
    if the file prints its unit in the column's own header: a unit from the sheet's title ("in TEUR") also reaches the columns
    that count heads or give percentages, and a person who says so is right.
    """
    if not approved or not file_unit or unit_key(approved) == unit_key(file_unit):
        return False
    kinds = (unit_kind(approved), unit_kind(file_unit))
    if kinds[0] == kinds[1]:
        return kinds[0] in ("money", "percent", "days")
    return printed_in_header and kinds[1] in ("money", "percent")
