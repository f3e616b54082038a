"""Amounts in a question: "2 Mio. PLN", "über 50 TEUR", "28 %", "drei"; and units said without a number ("in EUR")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from orchestrator.lexicon import LANGUAGES, Language, lexicon
from orchestrator.question import Question, Token
from orchestrator.units import parse_unit
from parsers.fold import fold

_PERCENT_WORDS = frozenset({"%", "prozent", "percent", "procent", "procentach", "prozentpunkte", "prozentpunkten"})
_GERMAN_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?\Z")
_ENGLISH_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z")
_BLANK_GROUPED = re.compile(r"\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?:[.,]\d+)?\Z")
# "60.000" in an English question, "60,000" in a German one: thousands or three decimal places, nobody can tell.
_TWO_WAYS: dict[Language, re.Pattern[str]] = {
    "de": re.compile(r"[1-9]\d{0,2},000\Z"), "en": re.compile(r"[1-9]\d{0,2}\.\d{3}\Z"), "pl": re.compile(r"[1-9]\d{0,2},000\Z"),
}
_PLAIN = re.compile(r"\d+(?:[.,]\d+)?\Z")


@dataclass(frozen=True)
class Amount:
    """A number on tokens [first, last): `value` with its scale applied (2 Mio. = 2000000), `unit` canonical ("PLN", "%",
    "TEUR" stays "TEUR"), None if none was said. `code`: the digits as written, for codes and names ("0001042").
    `scaled`: a scale word was said ("50 Tsd.")."""

    first: int
    last: int
    value: Decimal
    unit: str | None
    code: str
    in_words: bool = False
    scaled: bool = False


def read_number(text: str, language: Language) -> Decimal | None:
    """A number as people write it in this language; None if it is none ("15.03.2024", "2024/25")."""
    if _BLANK_GROUPED.match(text):
        return Decimal(re.sub(r"[ \u00a0\u202f']", "", text).replace(",", "."))
    if _TWO_WAYS[language].match(text):
        return None
    if language == "en":
        if _ENGLISH_GROUPED.match(text):
            return Decimal(text.replace(",", ""))
        if "," in text:
            return None
        return Decimal(text) if _PLAIN.match(text) else None
    if _GERMAN_GROUPED.match(text):
        return Decimal(text.replace(".", "").replace(",", "."))
    return Decimal(text.replace(",", ".")) if _PLAIN.match(text) else None


def unit_of(token: Token) -> str | None:
    """Canonical unit that a word says: "Euro" -> EUR, "zł" -> PLN, "TEUR" -> TEUR, "Prozent" -> %; None if it is none."""
    if token.folded in _PERCENT_WORDS:
        return "%"
    if token.text.islower() and any(token.folded in lexicon(language).function_words for language in LANGUAGES):
        return None
    unit = parse_unit(token.text)
    if unit.currency:
        return unit.base if unit.factor == 1 else token.text
    return None


def find_amounts(question: Question, known_units: frozenset[str]) -> tuple[Amount, ...]:
    """Numbers with the scale and unit words behind them; `known_units`: folded units of the visible columns ("stueck")."""
    book = lexicon(question.language)
    tokens = question.tokens
    found: list[Amount] = []
    for token in tokens:
        spoken = book.numbers.get(token.folded)
        value = read_number(token.text, question.language) if token.is_number else spoken
        if value is None:
            continue
        last, unit, scaled = token.index + 1, None, value
        if last < len(tokens) and tokens[last].folded.rstrip(".") in book.scales:
            scaled, last = value * book.scales[tokens[last].folded.rstrip(".")], last + 1
        if last < len(tokens):
            unit = unit_of(tokens[last]) or (tokens[last].text if fold(tokens[last].text) in known_units else None)
            last += 1 if unit else 0
        in_words = spoken is not None and not token.is_number
        found.append(Amount(token.index, last, scaled, unit, token.text, in_words, scaled=scaled != value))
    return tuple(found)
