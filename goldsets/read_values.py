"""How a text of a goldset or an answer reads: as a plain decimal, as a number of a locale, as a period."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

from parsers.periods import Period

_PLAIN = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")
_BLANKS = "[ \u00a0\u202f]"
_MARKS = {"de": (r"\.", ","), "pl": (_BLANKS, ","), "en": (",", r"\."), "ch": ("['’]", r"\.")}
_ISO_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]00:00(?::00)?)?\Z")


def plain_number(text: str) -> Decimal | None:
    """ "-12.50" -> Decimal; None for anything else, leading zeros included ("0042" is a code)."""
    return Decimal(text.strip()) if _PLAIN.match(text.strip()) else None


def text_number(text: str, locale: str) -> Decimal | None:
    """ "1.234,5" under "de" -> Decimal("1234.5"); None unless the text is nothing but such a number without leading zero."""
    group, mark = _MARKS[locale]
    pattern = rf"([+-]?(?:0|[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+|[1-9][0-9]*))(?:{mark}([0-9]+))?"
    match = re.fullmatch(pattern, text.strip())
    if match is None:
        return None
    return Decimal(re.sub(r"[^0-9+-]", "", match[1]) + (f".{match[2]}" if match[2] else ""))


def period_of(text: str) -> Period | None:
    """The period or day that the text names, whatever its spelling."""
    if match := _ISO_DATE.match(text.strip()):
        try:
            day = date.fromisoformat(match[1])
        except ValueError:
            return None
        return Period(day, day, "day", text)
    return None
