"""When two units are the same, and when one contradicts the other."""

from __future__ import annotations

import re
from typing import Literal

from parsers.fold import fold
from schema_maps.word_lists import word_list

UnitKind = Literal["money", "percent", "ratio", "days", "other"]

CURRENCIES = frozenset(code.upper() for code in word_list("currencies"))
_SYMBOLS = {
    "€": "EUR",
    "$": "USD",
    "£": "GBP",
    "zl": "PLN",
    "zloty": "PLN",
    "euro": "EUR",
    "sfr": "CHF",
    "fr.": "CHF",
    "kc": "CZK",
    "ft": "HUF",
}
_SCALES = {
    "t": "T", "k": "T", "tsd": "T", "tsd.": "T", "tausend": "T", "thousand": "T", "tys": "T", "tys.": "T",
    "m": "M", "mio": "M", "mio.": "M", "mill.": "M", "million": "M", "millionen": "M", "millions": "M", "mln": "M",
    "mrd": "G", "mrd.": "G", "milliarden": "G", "bn": "G", "billion": "G", "mld": "G",
}  # fmt: skip
_PERCENT = frozenset({"%", "prozent", "percent", "pct", "v.h.", "vh", "procent", "%-pkt.", "prozentpunkte", "pp"})
_PER_MILLE = frozenset({"‰", "promille"})
_DAYS = frozenset({"tage", "tag", "tagen", "d", "days", "day", "dni", "dzien"})
_RATIO = re.compile(r"\S/\S|^(?:je|pro|per|na)\s|\s(?:je|pro|per|na)\s")


def unit_key(unit: str) -> str:
    """Comparison form: "€" and "EUR" -> "EUR", "T€", "TEUR", "k€" and "Tsd. EUR" -> "TEUR", "Prozent" -> "%", else folded."""
    text = fold(unit).strip("[]() ")
    if text in _PERCENT:
        return "%"
    if text in _DAYS:
        return "d"
    currency = _currency(text)
    if currency is not None:
        return currency
    compact = re.match(r"(t|k|m|mio\.?|mrd\.?|mln|tys\.?|tsd\.?)[ .]?(\S+)\Z", text)
    if compact is not None and (currency := _currency(compact[2])) is not None:
        return _SCALES[compact[1]] + currency
    words = text.split()
    if len(words) == 2:
        for scale, amount in (words, words[::-1]):
            if scale in _SCALES and (currency := _currency(amount)) is not None:
                return _SCALES[scale] + currency
    return text


def unit_kind(unit: str | None) -> UnitKind | None:
    """What kind of quantity a unit counts; None without a unit. "EUR/Stück" and "EUR je m²" are ratios."""
    if unit is None or not unit.strip():
        return None
    key = unit_key(unit)
    if key == "%" or fold(unit) in _PER_MILLE:
        return "percent"
    if key == "d":
        return "days"
    if key in CURRENCIES or (key[:1] in "TMG" and key[1:] in CURRENCIES):
        return "money"
    return "ratio" if _RATIO.search(key) else "other"


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


def _currency(text: str) -> str | None:
    if text.upper() in CURRENCIES:
        return text.upper()
    return _SYMBOLS.get(text)
