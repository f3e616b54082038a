"""Is this value of an answer the expected one? Tolerance is zero; what differs is only the way a value may be written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from parsers.periods import Period, parse_period
from parsers.quantity import DECIMAL_MARK_OF_LOCALE, number_text

_PLAIN = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")
_MIDNIGHT = re.compile(r"[T ]00:00(?::00(?:\.0+)?)?\Z")
_FRACTION = re.compile(r"([+-]?[0-9]+)/([0-9]+)\Z")
_NUMERIC = ("decimal", "integer")
_DATED = ("date", "timestamp", "period")
_TRUE = {"true", "ja", "yes", "tak", "wahr", "prawda"}
_FALSE = {"false", "nein", "no", "nie", "falsch", "fałsz"}


@dataclass(frozen=True)
class ShownValue:
    """One cell of an answer's result with what its column and its fact say.

    `fraction`: the exact value where `text` is rounded (numerator / denominator of the fact). `locale`: of the file it is from.
    """

    text: str | None
    type: str
    unit: str | None = None
    fraction: Fraction | None = None
    locale: str = "de"

    @property
    def number(self) -> Fraction | None:
        if self.type not in _NUMERIC or self.text is None:
            return None
        return self.fraction if self.fraction is not None else _fraction(self.text)


def shown_value(text: str | None, column: Mapping[str, object], fact: Mapping[str, object] | None, locale: str) -> ShownValue:
    """From the JSON of a result column and of the cell's fact (None if it has none)."""
    provenance = (fact or {}).get("provenance")
    fraction = None
    if isinstance(provenance, Mapping) and provenance.get("denominator") is not None:
        fraction = Fraction(Decimal(str(provenance["numerator"]))) / Fraction(Decimal(str(provenance["denominator"])))
    unit = fact.get("unit") if fact is not None else column.get("unit")
    return ShownValue(text, str(column.get("type")), None if unit is None else str(unit), fraction, locale)


def same_value(expected: str, shown: ShownValue) -> bool:
    """`expected` as the goldset writes it: a decimal, "num/den", "~6.25" (equal after rounding to its places), a date, a period,
    a text; "" for no value."""
    if shown.text is None:
        return expected.strip() == ""
    if shown.type in _NUMERIC:
        return _same_number(expected, shown)
    if same_text(expected, shown.text):
        return True
    if shown.type == "boolean":
        return _truth(expected) is not None and _truth(expected) is _truth(shown.text)
    one, other = _period(expected), _period(shown.text)
    if one is not None and other is not None and (one.start, one.end) == (other.start, other.end):
        return True
    if shown.type in _DATED:
        return False
    number = _text_number(shown.text, shown.locale)
    wanted = _plain_number(expected)
    if wanted is None:
        wanted = _text_number(expected, shown.locale)
    return number is not None and number == wanted


def _same_number(expected: str, shown: ShownValue) -> bool:
    value = shown.number
    if value is None:
        return False
    expected = expected.strip()
    if expected.startswith("~"):
        rounded = _plain_number(expected[1:])
        if rounded is None:
            return False
        places = max(0, -int(rounded.as_tuple().exponent))
        return abs(value - Fraction(rounded)) <= Fraction(1, 2 * 10**places)
    if match := _FRACTION.match(expected):
        return int(match[2]) != 0 and value == Fraction(int(match[1]), int(match[2]))
    number = _plain_number(expected)
    if number is None:
        number = _text_number(expected, shown.locale)
    return number is not None and value == Fraction(number)


def same_text(one: str, other: str) -> bool:
    """Equal after Unicode NFC, trimming and case folding."""
    return folded(one) == folded(other)


def folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).strip().casefold())


def _plain_number(text: str) -> Decimal | None:
    """ "-12.50" -> Decimal; None for anything else, leading zeros included ("0042" is a code)."""
    return Decimal(text.strip()) if _PLAIN.match(text.strip()) else None


def _text_number(text: str, locale: str) -> Decimal | None:
    """ "1.234,5" under "de" -> Decimal("1234.5"); None for text that is more or other than such a number, codes included."""
    number = number_text(text)
    if number is None or number.unit is not None:
        return None
    return number.value(DECIMAL_MARK_OF_LOCALE[locale])


def _period(text: str) -> Period | None:
    """The period or day that the text names, whatever its spelling; a time of day other than midnight is none."""
    return parse_period(_MIDNIGHT.sub("", text.strip()))


def _truth(text: str) -> bool | None:
    return True if folded(text) in _TRUE else False if folded(text) in _FALSE else None


def _fraction(text: str) -> Fraction | None:
    try:
        return Fraction(Decimal(text))
    except (InvalidOperation, ValueError):
        return None
