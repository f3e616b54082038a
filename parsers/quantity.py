"""The one door from text to Decimal: number styles, signs, marks of currency and percent, missing marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import lru_cache
from typing import Literal

from parsers.fold import fold
from parsers.units import parse_unit

DecimalMark = Literal[",", "."]
DECIMAL_MARK_OF_LOCALE: dict[str, DecimalMark] = {"de": ",", "pl": ",", "en": ".", "ch": "."}
"""Decimal mark where the values themselves do not decide."""

_WIDE = Context(prec=60)
"""More digits than any double has with the most decimal places beside it."""
_SPACES = "\u00a0\u202f\u2009\u2007 "
_MINUS = "-\u2212\u2013"
_MISSING = frozenset({
    "", "-", "--", "---", "...", "\u2026", "k.a.", "k. a.", "k.a", "n/a", "n.a.", "n. a.", "#n/a", "#nv", "n.v.", "n. v.", "n.n.",
    "keine angabe", "keine angaben", "brak danych", "b.d.", "b. d.", "not available", "not applicable",
})  # fmt: skip
_MISSING_AMONG_NUMBERS = frozenset({
    "x", ".", "/", "*", "?", ":", "(x)", "..", "f", "na", "ka", "bd", "brak", "null", "nan", "nil", "none",
    "unbekannt", "entfaellt",
})  # fmt: skip
"""Marks of official statistics and bare words; in a column of words they may be words ("NA" is Namibia)."""

_CODE = re.compile(r"0\d+\Z|\d{16,}\Z")
_BODY = re.compile(r"(?:\d[\d.,'\u2019\u00a0\u202f\u2009\u2007 ]*\d|\d|[.,]\d+)\Z")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:(?P<mark>[.,'\u2019\u00a0\u202f\u2009\u2007 ])\d{3}(?:(?P=mark)\d{3})*)\Z")
_UNIT_BEFORE = re.compile(r"(?P<unit>[^\d\s.,()'+\-\u2212\u2013][^\d()]{0,8}?(?:(?<=[€$£¥])\s*|\s+))(?=[\d(.,+\-\u2212\u2013])")
# A word needs a blank before it ("5 EUR"); a sign does not ("5€"). "1THB" is a name.
_UNIT_AFTER = re.compile(r"(?<=[\d)\-\u2212])(?:\s*(?=[%\u2030€$£¥])|\s+(?=\S))(?P<unit>[^\d\s.,()'\-\u2212][^()]{0,18}?)\Z")


@dataclass(frozen=True, slots=True)
class NumberText:
    """One text read as a number: its value with a decimal comma and with a decimal point, None where that reading is
    impossible; the two are equal where the text does not tell the styles apart. `unit`: a mark inside the text."""

    comma: Decimal | None
    point: Decimal | None
    unit: str | None = None

    def value(self, mark: DecimalMark) -> Decimal | None:
        return self.comma if mark == "," else self.point

    @property
    def ambiguous(self) -> bool:
        return self.comma is not None and self.point is not None and self.comma != self.point


@dataclass(frozen=True)
class StyleDecision:
    """The decimal mark of a column. `by`: "values" (one of them decides), "same" (no value differs between the styles),
    "file" (other columns decide) or "locale". `contradiction`: raw values that no one style reads, else empty."""

    mark: DecimalMark
    by: Literal["values", "same", "file", "locale"]
    contradiction: tuple[str, ...] = ()


@lru_cache(maxsize=65536)
def number_text(text: str) -> NumberText | None:
    """Readings of a text as a number, None if it is none.

    Codes are no numbers: "0042", "007", more than 15 digits without separator, "1e3", "4E2", "1_000". A leading apostrophe
    (export against formula injection), a trailing minus, parentheses and known units are understood.
    """
    bare = text.strip().strip(_SPACES)
    if bare.startswith(("'", "\u2019")):
        bare = bare[1:].lstrip()
    if not bare or len(bare) > 60 or not any(letter.isdigit() for letter in bare):
        return None
    body, negative, unit = _without_marks(bare)
    if body is None or _BODY.match(body) is None or _CODE.match(body):
        return None
    comma, point = _reading(body, ","), _reading(body, ".")
    if comma is None and point is None:
        return None
    if negative:
        comma, point = (None if value is None else -value for value in (comma, point))
    return NumberText(comma, point, unit)


def opens_number(words: str) -> bool:
    """Whether a number may be written with these words, a letter first, before its first digit: "EUR ", "PLN -"."""
    found = _UNIT_BEFORE.match(f"{words}0")
    return found is not None and parse_unit(found["unit"]) is not None


def is_code(text: str) -> bool:
    """Digits that are a name, not a quantity: leading zeros or more than 15 of them."""
    return _CODE.match(text.strip()) is not None


@lru_cache(maxsize=16384)
def is_missing(text: str, *, among_numbers: bool = False) -> bool:
    """Whether a text says that there is no value. `among_numbers` also takes the marks of official statistics (x, ".", "/")."""
    folded = fold(text).strip("'").replace("\u2015", "-").replace("\u2212", "-")
    return folded in _MISSING or (among_numbers and folded in _MISSING_AMONG_NUMBERS)


def decide_style(texts: Iterable[tuple[str, NumberText]], locale: str, file_mark: DecimalMark | None = None) -> StyleDecision:
    """The style of a column from all its number texts (raw text, readings), then from the file's other columns, then from
    the locale. With a contradiction the first values of both styles are named."""
    only_comma: list[str] = []
    only_point: list[str] = []
    differing = False
    for raw, number in texts:
        if number.comma is None:
            only_point.append(raw)
        elif number.point is None:
            only_comma.append(raw)
        elif number.comma != number.point:
            differing = True
    if only_comma and only_point:
        return StyleDecision(DECIMAL_MARK_OF_LOCALE.get(locale, ","), "locale", (*only_point[:3], *only_comma[:3]))
    if only_comma or only_point:
        return StyleDecision("," if only_comma else ".", "values")
    if not differing:
        return StyleDecision(file_mark or DECIMAL_MARK_OF_LOCALE.get(locale, ","), "same")
    if file_mark is not None:
        return StyleDecision(file_mark, "file")
    return StyleDecision(DECIMAL_MARK_OF_LOCALE.get(locale, ","), "locale")


def parse_number(text: str, locale: str = "de") -> Decimal | None:
    """One number text by itself: its only reading, else the locale's. None if it is no number."""
    number = number_text(text)
    if number is None:
        return None
    preferred = number.value(DECIMAL_MARK_OF_LOCALE.get(locale, ","))
    return preferred if preferred is not None else number.comma if number.point is None else number.point


def decimal_places(value: Decimal) -> int:
    """Places after the point that hold the value exactly: 1.50 -> 1, 100 -> 0."""
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent >= 0:
        return 0
    normal = value.normalize().as_tuple().exponent
    return max(0, -normal) if isinstance(normal, int) else 0


def settle_computed(value: Decimal, scale: int) -> Decimal:
    """A formula's stored result without its binary noise.

    `value` is the shortest decimal of the stored double, `scale` the column's places. The fewest places (at most `scale`)
    that the value meets up to noise are taken; where none does, the value is rounded to `scale`. The readers of the original
    must apply it with Column.scale to compare with the stored value.
    """
    places = clean_places(value)
    return value.quantize(Decimal(1).scaleb(-min(scale, places if places is not None else scale)), context=_WIDE)


def clean_places(value: Decimal) -> int | None:
    """The fewest places at which the value is met up to binary noise (4 units of 2^-52 of its size, at least 1e-12) while at
    most 12 significant digits remain; None if the digits go on, as those of a ratio do. Exact short values give their own."""
    own = decimal_places(value)
    if len(value.as_tuple().digits) <= 12:
        return own
    noise = max(abs(value) * 4 * Decimal(2) ** -52, Decimal("1e-12"))
    for places in range(0, min(own, 12)):
        rounded = value.quantize(Decimal(1).scaleb(-places))
        if len(rounded.as_tuple().digits) > 13:
            return None
        if abs(rounded - value) <= noise:
            return places
    return None


def mark_of_file(decisions: Sequence[StyleDecision]) -> DecimalMark | None:
    """The decimal mark that the decided columns of a file agree on, None if there are none or they differ."""
    marks = {decision.mark for decision in decisions if decision.by == "values" and not decision.contradiction}
    return marks.pop() if len(marks) == 1 else None


def _without_marks(text: str) -> tuple[str | None, bool, str | None]:
    """(digits and separators, negative, unit); the first is None if something else is left over."""
    unit: str | None = None
    before = _UNIT_BEFORE.match(text.lstrip("+" + _MINUS))
    sign = text[: len(text) - len(text.lstrip("+" + _MINUS))]
    if before is not None:
        unit = parse_unit(before["unit"])
        if unit is None:
            return None, False, None
        text = sign + text.lstrip("+" + _MINUS)[before.end() :]
    after = _UNIT_AFTER.search(text)
    if after is not None:
        found = parse_unit(after["unit"])
        if found is None or (unit is not None and found != unit):
            return None, False, None
        unit, text = found, text[: after.start()].rstrip()
    negative = False
    if text.startswith("(") and text.endswith(")"):
        negative, text = True, text[1:-1].strip()
        inner = _UNIT_AFTER.search(text)
        if inner is not None and unit is None and (unit := parse_unit(inner["unit"])) is not None:
            text = text[: inner.start()].rstrip()
    elif text[:1] in _MINUS:
        negative, text = True, text[1:].lstrip()
    elif text[:1] == "+":
        text = text[1:].lstrip()
    elif text[-1:] in _MINUS:
        negative, text = True, text[:-1].rstrip()
    return text.strip(_SPACES), negative, unit


def _reading(body: str, mark: DecimalMark) -> Decimal | None:
    """The value of digits and separators under one decimal mark."""
    if body.count(mark) > 1:
        return None
    whole, _, fraction = body.partition(mark)
    if mark in body and not (fraction.isdigit() and fraction.isascii()):
        return None
    if whole and not (whole.isdigit() and whole.isascii()):
        if _GROUPED.match(whole) is None:
            return None
        whole = re.sub(r"\D", "", whole)
    if len(whole) > 1 and whole.startswith("0"):
        return None
    return Decimal(f"{whole or '0'}.{fraction}" if fraction else whole)
