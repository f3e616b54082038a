"""Stored doubles and serial days -> exact decimals and dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from math import isfinite

UNRELIABLE_FROM = Decimal(10) ** 15
"""Spreadsheet programs keep 15 significant digits; integers from here on may have lost digits before we see them."""

_SHORT_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?")
"""A number text that is its own shortest decimal as long as it has at most 15 digits."""
_MOST_CHARACTERS = 16  # 15 digits and a point; or digits only, which are exact
_LONGER_THAN_NEEDED = tuple(map(re.compile, (r"\n-?0[0-9]", r"\.[0-9]*0\n", r"\n-0\n")))
_DAY_MILLISECONDS = 86_400_000
_BASE_1900 = datetime(1899, 12, 30)
_BASE_1900_BEFORE_MARCH = datetime(1899, 12, 31)
_BASE_1904 = datetime(1904, 1, 1)
_LAST_SERIAL = 2_958_466  # 10000-01-01, the first day that no program shows


def decimal_of_double(number: float) -> Decimal:
    """The shortest decimal that gives back the double, in plain notation and without trailing zeros after the point.

    This is what was typed whenever at most 15 digits were ("%.15g" round-trips then and is the same number).
    Raises ValueError for NaN and infinities.
    """
    if not isfinite(number):
        raise ValueError(f"not a number: {number}")
    return Decimal(_text_of_double(number))


def _text_of_double(number: float) -> str:
    text = repr(number)
    if text.endswith(".0"):
        text = text[:-2]
    if "e" in text:
        return format(Decimal(text), "f")
    return text if text != "-0" else "0"


def decimal_of_text(raw: str) -> Decimal:
    """Number text of a sheet's XML -> Decimal.

    Plain integers stay exact to the last digit; everything else is the shortest decimal of the double that Excel would load.
    Raises ValueError if the text is no finite number.
    """
    if len(raw) <= _MOST_CHARACTERS and _SHORT_DECIMAL.fullmatch(raw) and raw != "-0":
        return Decimal(raw)
    text = raw.strip()
    if not text.isascii() or "_" in text:
        raise ValueError(f"not a number: {raw!r}")
    digits = text[1:] if text[:1] in ("-", "+") else text
    if digits.isdigit():
        return Decimal(text) if digits.strip("0") else Decimal(0)
    return decimal_of_double(float(text))


def shortest_texts(texts: Sequence[str]) -> list[str]:
    """Many number texts at once, digits with a point and a negative exponent at most: for each the text in plain notation whose
    `Decimal` is what `decimal_of_text` gives."""
    shortest = [text if len(text) <= _MOST_CHARACTERS else _text_of_double(float(text)) for text in texts]
    joined = "\n".join(("", *shortest, ""))
    if "e" in joined or "E" in joined or any(pattern.search(joined) for pattern in _LONGER_THAN_NEEDED):
        shortest = [format(decimal_of_text(text), "f") for text in texts]
    return shortest


def most_places(texts: Sequence[str]) -> int:
    """The most digits after the point in texts of plain notation."""
    joined = "\n".join(texts)
    places = 0
    while (longer := _fraction_of(places + 1).search(joined)) is not None:
        places = len(longer[0]) - 1
    return places


@lru_cache
def _fraction_of(places: int) -> re.Pattern[str]:
    return re.compile(rf"\.[0-9]{{{places},}}")


def date_of_serial(serial: Decimal, date1904: bool) -> date | datetime | None:
    """Serial days -> date, or datetime if it has a time of day (rounded to milliseconds); None if no such day exists.

    In the 1900 system the days 1 to 59 count from 1899-12-31; day 60 (29 February 1900) never was; day 0 is no date.
    """
    if serial < 0 or serial >= _LAST_SERIAL:
        return None
    milliseconds = int((serial * _DAY_MILLISECONDS).to_integral_value())
    day = milliseconds // _DAY_MILLISECONDS
    if date1904:
        base = _BASE_1904
    elif day > 60:
        base = _BASE_1900
    elif 1 <= day < 60:
        base = _BASE_1900_BEFORE_MARCH
    else:
        return None
    try:
        moment = base + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None
    return moment if milliseconds % _DAY_MILLISECONDS else moment.date()


def date_of_iso(text: str) -> date | datetime | None:
    """ISO 8601 text of a `t="d"` cell -> date (midnight) or datetime; None if it is none."""
    try:
        moment = datetime.fromisoformat(text.strip().removesuffix("Z"))
    except ValueError:
        return None
    moment = moment.replace(tzinfo=None)
    return moment if (moment.hour, moment.minute, moment.second, moment.microsecond) != (0, 0, 0, 0) else moment.date()
