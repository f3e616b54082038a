"""Splitting of compounds, so that "Nettoumsatz" and "Umsatz netto", "Personalkosten" and "Kosten des Personals" meet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import simplemma

from orchestrator.lexicon import Language
from orchestrator.question import base_form
from parsers.fold import fold

_JOINTS = ("", "s", "es", "n", "en", "er")
_MIN_PART = 3
# A word of the dictionary is not cut into two scraps ("Aufträge" is no "auf" and "träge"); "Gasverbrauch" is cut all the same.
_SHORT_PART, _LONG_HEAD = 4, 7
# Endings of a column name that only say that the column holds the key of the thing named.
_KEY_SUFFIX = re.compile(r"[\s_-]*(?:nr|nummer|nummern|no|id|number|code|schluessel|kennung|key|num|numer)\.?\Z", re.IGNORECASE)
# Heads that name a container of rows, not a thing: Auftragsliste, Artikelstamm, Umsatztabelle.
CONTAINER_HEADS = frozenset(
    {
        "liste",
        "stamm",
        "tabelle",
        "blatt",
        "bericht",
        "report",
        "uebersicht",
        "datei",
        "sheet",
        "aufstellung",
        "list",
        "table",
        "file",
        "stammdaten",
        "daten",
        "auswertung",
        "export",
        "tabellenblatt",
        "raport",
        "lista",
        "arkusz",
        "plik",
        "verzeichnis",
        "journal",
    }
)


@lru_cache(maxsize=65536)
def compound_parts(word: str, language: Language) -> tuple[str, ...]:
    """Folded base forms of the parts of a word, itself alone if it is no compound of two known words.

    Only German joins words without a blank; the split with the longest shorter part wins ("Nettoumsatz" -> netto, umsatz).
    """
    pieces = [piece for piece in re.split(r"[-/_]", word) if piece]
    if len(pieces) > 1:
        return tuple(part for piece in pieces for part in compound_parts(piece, language))
    if language == "de" and word.endswith("s") and not _known(word) and _known(word[:-1]):
        return compound_parts(word[:-1], language)
    whole = base_form(word, language)
    if language != "de" or len(word) < 2 * _MIN_PART + 2 or not word.isalpha():
        return (whole,)
    best: tuple[int, str, str] | None = None
    lowered = word.lower()
    for cut in range(_MIN_PART, len(lowered) - _MIN_PART + 1):
        left, right = lowered[:cut], lowered[cut:]
        head = _known(right)
        stem = next(
            (known for joint in _JOINTS if left.endswith(joint) and (known := _known(left[: len(left) - len(joint)]))), None
        )
        if head and stem and (best is None or min(cut, len(lowered) - cut) > best[0]):
            best = (min(cut, len(lowered) - cut), stem, head)
    if best is None or (best[0] < _SHORT_PART and len(base_form(best[2], language)) < _LONG_HEAD and _known(word)):
        return (whole,)
    return (*compound_parts(best[1], language), *compound_parts(best[2], language))


@lru_cache(maxsize=65536)
def _known(word: str) -> str | None:
    """The word as the dictionary writes it, if it is a German word of at least three letters."""
    if len(word) < _MIN_PART:
        return None
    for form in (word.capitalize(), word):
        if simplemma.is_known(form, lang="de"):
            return form
    return None


# Words that only join the words of a name ("Kosten des Personals", "Fällig am"); "value" or "Wert" belong to it.
LINKING = frozenset(
    [
        "der",
        "die",
        "das",
        "des",
        "dem",
        "den",
        "von",
        "vom",
        "zu",
        "zum",
        "zur",
        "in",
        "im",
        "an",
        "am",
        "auf",
        "aus",
        "bei",
        "je",
        "pro",
        "fuer",
        "of",
        "the",
        "for",
        "to",
        "at",
        "on",
        "per",
        "w",
        "na",
        "z",
        "ze",
        "do",
    ]
)


def parts_key(words: tuple[str, ...], language: Language) -> tuple[str, ...]:
    """Sorted parts of the content words of a name: equal keys mean the same name in another order or as a compound."""
    content = [word for word in words if fold(word) not in LINKING]
    return tuple(sorted(part for word in content for part in compound_parts(word, language)))


def entity_name(name: str) -> str | None:
    """The thing that a key column names ("Kundennr" -> "Kunden", "customer_id" -> "customer"); None if it is no key."""
    stripped = _KEY_SUFFIX.sub("", name)
    return stripped if stripped != name and len(stripped) >= _MIN_PART else None


def is_container(word: str, language: Language) -> bool:
    """True for Auftragsliste, Artikelstamm, Bericht."""
    return fold(word) in CONTAINER_HEADS or compound_parts(word, language)[-1] in CONTAINER_HEADS or fold(word).endswith("stamm")


_FIRST_PARTS = (("gesamt", "gesamt"), ("durchschnitts", "durchschnittlich"), ("plan", "Plan"), ("ist", "Ist"))
_LAST_PARTS = ("anzahl", "zahl")


def said_apart(word: str) -> Iterator[tuple[str, str]]:
    """A compound of a word of the language and another as (other word, both apart): "Durchschnittsgehalt" is ("Gehalt",
    "durchschnittlich Gehalt"), "Kundenanzahl" is ("Kunden", "Anzahl Kunden")."""
    lowered = word.lower()
    for first, said in _FIRST_PARTS:
        rest = word[len(first) :]
        if lowered.startswith(first) and len(rest) > _MIN_PART:
            yield rest.capitalize(), f"{said} {rest.capitalize()}"
    for last in _LAST_PARTS:
        rest = word[: -len(last)]
        if lowered.endswith(last) and len(rest) > _MIN_PART:
            yield rest.capitalize(), f"Anzahl {rest.capitalize()}"
