"""How a text of a goldset or an answer reads: as a plain decimal, as a number of a locale, as a period."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

from parsers.periods import Period
from parsers.quantity import DECIMAL_MARK_OF_LOCALE, number_text

_PLAIN = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")
_ISO_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]00:00(?::00)?)?\Z")


def plain_number(text: str) -> Decimal | None:
    """ "-12.50" -> Decimal; None for anything else, leading zeros included ("0042" is a code)."""
    return Decimal(text.strip()) if _PLAIN.match(text.strip()) else None


def text_number(text: str, locale: str) -> Decimal | None:
    """ "1.234,5" under "de" -> Decimal("1234.5"); None for text that is more or other than such a number, codes included."""
    number = number_text(text)
    if number is None or number.unit is not None:
        return None
    return number.value(DECIMAL_MARK_OF_LOCALE[locale])


def period_of(text: str) -> Period | None:
    """The period or day that the text names, whatever its spelling."""
    if match := _ISO_DATE.match(text.strip()):
        try:
            day = date.fromisoformat(match[1])
        except ValueError:
            return None
        return Period(day, day, "day", text)
    return None
