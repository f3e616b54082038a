"""What a caption says: as-of date, measure words, unit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime

from parsers.dates import date_text
from parsers.fold import fold
from parsers.periods import parse_period
from parsers.scenarios import HEADER_WORDS
from parsers.units import unit_of_title

_AS_OF = re.compile(
    r"(?:\bstand\b|\bstichtag\b|\bas (?:of|at)\b|\bstan na\b|\bwg stanu na\b|\bper\b|\bzum\b)\s*(?:dzien|vom|am)?\s*:?\s*"
    r"(\d{1,2}[./]\s?\d{1,2}[./]\s?\d{2,4}|\d{4}-\d{2}-\d{2}|\d{1,2}\. \w+ \d{4}|\w+ \d{1,2}, \d{4})",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s+[-–—|]\s+|[,;:()\n]|\s/\s")
_CUT = re.compile(
    r"\s+(?:nach|je|pro|per|by|according to|wg|według|in|w|für|for|aus|von|vom|bis|im|ohne|mit|auf|zum|of the|seit|ab|gegen|"
    r"w podziale)\s.*\Z",
    re.IGNORECASE,
)
_MEASURE_CUT = re.compile(r"\s(?:nach|je|pro|per|by|wg|według)\s", re.IGNORECASE)
_GENERIC_SHEET = re.compile(r"(?:tabelle|sheet|blatt|arkusz|table|daten|data)\s?\d*\Z", re.IGNORECASE)
_NO_MEASURE = re.compile(
    r"^(?:stand|stichtag|angaben|betraege|werte|alle angaben|berichtszeitraum|quelle|tabelle|table|gebucht|zeitraum|zahlen|"
    r"amounts|figures|"
    r"kwoty|dane|vertraulich|confidential|poufne|vorlaeufig|entwurf|draft)\b"
)
# Words that say what kind of paper it is, not what it measures: "Plan-Ist-Vergleich Umsatz".
_REPORT_WORD = re.compile(
    r"(?:vergleich|bericht|uebersicht|auswertung|report|overview|analyse|analysis|statistik|aufstellung|zestawienie|raport)\Z"
)
_SENTENCE_END = re.compile(r"(?<=\w\w)[.!?]\s|\bTable summary\b")
_LONGEST_TITLE = 140
_EDGES = re.compile(r"^[\s\d.:)–-]+(?=\D)|[\s.:–-]+\Z")
_TABLE_NUMBER = re.compile(r"^(?:table|tabelle|tab\.|abb\.)\s?\d+[.:]?\s*", re.IGNORECASE)


def as_of_date(texts: Sequence[str]) -> date | None:
    """The day of the first "Stand: 30.09.2024", "as of 2024-09-30", "stan na 30.09.2024"."""
    for text in texts:
        for match in _AS_OF.finditer(text):
            found = date_text(match[1])
            day = None if found is None else found.day_first
            if day is not None:
                return day.date() if isinstance(day, datetime) else day
    return None


def title_unit(texts: Sequence[str]) -> str | None:
    """The unit of the first caption line that declares one, the nearest line to the table first."""
    for text in reversed(texts):
        unit = unit_of_title(text)
        if unit is not None:
            return unit
    return None


def measure_names(captions: Sequence[str], sheet: str | None) -> tuple[str, ...]:
    """Names for the values of a cross-tab, best first: what a caption measures ("Sachkosten 2024 nach Kostenstellen" ->
    Sachkosten), then the sheet's name, then the other parts of the title."""
    measured: list[str] = []
    other: list[str] = []
    for index, caption in enumerate(captions):
        for part in _PARTS.split(_first_sentence(_TABLE_NUMBER.sub("", caption))):
            name = _measure(part)
            if name is not None and _MEASURE_CUT.search(f" {part} "):
                measured.append(name)
            elif name is not None and index == 0:
                other.append(name)
    own = [sheet] if sheet and not _GENERIC_SHEET.match(sheet.strip()) else []
    names: dict[str, str] = {}
    for name in (*measured, *own, *other, *([sheet] if sheet else [])):
        names.setdefault(fold(name), name)
    return tuple(names.values())


def _first_sentence(text: str) -> str:
    return _SENTENCE_END.split(text, maxsplit=1)[0][:_LONGEST_TITLE]


def _measure(part: str) -> str | None:
    """The words of one part of a caption without periods, scenarios, units and what follows "nach", "je", "in"."""
    words = _CUT.sub("", f"{part} ").split()
    kept: list[str] = []
    index = 0
    while index < len(words):
        size = next(
            (n for n in (3, 2, 1) if index + n <= len(words) and parse_period(" ".join(words[index : index + n])) is not None), 0
        )
        if size:
            index += size
            continue
        kept.append(words[index])
        index += 1
    spoken = [word for word in kept if not _REPORT_WORD.search(fold(word))]
    text = _EDGES.sub("", " ".join(spoken or kept)).strip()
    folded = fold(text)
    if not text or len(text.split()) > 5 or _NO_MEASURE.match(folded) or not any(letter.isalpha() for letter in text):
        return None
    if all(word in HEADER_WORDS for word in re.findall(r"\w+", folded)):
        return None
    return text
