"""Units of numbers: scales of one unit (TEUR = 1000 EUR), products, ratios. Never between currencies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from parsers.fold import fold

# ISO 4217 codes that controlling files of the region use, with the signs and words people write for them.
_CURRENCY_WORDS = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "zl": "PLN", "pln": "PLN", "zloty": "PLN", "zlotych": "PLN",
    "$": "USD", "usd": "USD", "us$": "USD", "us-dollar": "USD", "dollar": "USD", "£": "GBP", "gbp": "GBP", "pfund": "GBP",
    "chf": "CHF", "sfr": "CHF", "sfr.": "CHF", "fr.": "CHF", "franken": "CHF", "czk": "CZK", "kc": "CZK", "huf": "HUF",
    "sek": "SEK", "dkk": "DKK", "nok": "NOK", "jpy": "JPY", "¥": "JPY", "cny": "CNY", "ron": "RON", "bgn": "BGN", "try": "TRY",
    "uah": "UAH", "rub": "RUB", "aud": "AUD", "cad": "CAD", "inr": "INR", "dem": "DEM", "dm": "DEM", "ats": "ATS",
}  # fmt: skip
_SCALE_WORDS = {
    "tsd": 1_000, "tausend": 1_000, "tys": 1_000, "thousand": 1_000, "thsd": 1_000, "k": 1_000, "t": 1_000, "mio": 1_000_000,
    "mill": 1_000_000, "million": 1_000_000, "millionen": 1_000_000, "millions": 1_000_000, "mln": 1_000_000, "m": 1_000_000,
    "mn": 1_000_000, "mrd": 1_000_000_000, "milliarde": 1_000_000_000, "milliarden": 1_000_000_000, "mld": 1_000_000_000,
    "bn": 1_000_000_000, "billion": 1_000_000_000, "billions": 1_000_000_000,
}  # fmt: skip
_GLUED = re.compile(r"(t|k|m|mio|mrd|tsd)\.?(.+)\Z")
# Units that only count things: a quantity in them times a price is money.
_COUNTING = frozenset({"stueck", "stk", "stk.", "st", "pcs", "pieces", "szt", "szt.", "anzahl"})


@dataclass(frozen=True)
class Unit:
    """`base` without scale ("EUR", "Stück", "EUR/m²"; "" for a bare scale), `factor` how many of it one unit is."""

    base: str
    factor: int = 1
    currency: bool = False


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit:
    """ "TEUR" -> Unit("EUR", 1000, True); "Mio. Stück" -> Unit("Stück", 1000000); "EUR/m²" keeps what follows the slash."""
    numerator, slash, rest = text.strip().partition("/")
    unit = _parse_simple(numerator.strip())
    return Unit(f"{unit.base}/{rest.strip()}", unit.factor, unit.currency) if slash else unit


def _parse_simple(text: str) -> Unit:
    folded = fold(text)
    if folded in _CURRENCY_WORDS:
        return Unit(_CURRENCY_WORDS[folded], 1, True)
    scale_word, blank, _ = folded.partition(" ")
    scale = _SCALE_WORDS.get(scale_word.rstrip("."))
    if scale is not None and blank:
        inner = _parse_simple(text.strip().split(None, 1)[1])
        return Unit(inner.base, inner.factor * scale, inner.currency)
    if scale is not None and not blank and len(scale_word) > 1:
        return Unit("", scale)
    glued = _GLUED.match(folded)
    if glued and glued[2].strip() in _CURRENCY_WORDS:
        return Unit(_CURRENCY_WORDS[glued[2].strip()], _SCALE_WORDS[glued[1]], True)
    return Unit(text)


def same_base(first: str, second: str) -> bool:
    return fold(parse_unit(first).base) == fold(parse_unit(second).base)


def is_currency(unit: str | None) -> bool:
    return unit is not None and parse_unit(unit).currency


def factor_between(source: str, target: str) -> Fraction | None:
    """What to multiply a number in `source` with to have it in `target`; None if they are not scales of one unit."""
    return Fraction(parse_unit(source).factor, parse_unit(target).factor) if same_base(source, target) else None


def finer(first: str, second: str) -> str:
    """The one with the smaller scale of two units of one base (the first if equal)."""
    return first if parse_unit(first).factor <= parse_unit(second).factor else second


def product_unit(first: str | None, second: str | None) -> tuple[str | None, Fraction]:
    """Unit of a product and the factor that belongs to it: EUR x Stück = EUR, EUR x % = EUR / 100, EUR/m² x m² = EUR."""
    if first == "%" or second == "%":
        other = second if first == "%" else first
        return other, Fraction(1, 100)
    if first is None or second is None:
        return first or second, Fraction(1)
    for price, quantity in ((first, second), (second, first)):
        per = price.partition("/")[2].strip()
        factor = factor_between(quantity, per) if per else None
        if factor is not None:
            return price.partition("/")[0].strip(), factor
    for money, quantity in ((first, second), (second, first)):
        if is_currency(money) and fold(parse_unit(quantity).base) in _COUNTING:
            return money, Fraction(parse_unit(quantity).factor)
    return f"{first}·{second}", Fraction(1)


def ratio_unit(numerator: str | None, denominator: str | None) -> tuple[str | None, Fraction]:
    """Unit of a ratio and the factor that belongs to it; None where the units cancel (TEUR / EUR: None, 1000)."""
    if numerator is not None and denominator is not None:
        factor = factor_between(numerator, denominator)
        if factor is not None:
            return None, factor
        return f"{numerator}/{denominator}", Fraction(1)
    if denominator is not None and fold(parse_unit(denominator).base) not in _COUNTING:
        return f"1/{denominator}", Fraction(1)
    return numerator, Fraction(1)
