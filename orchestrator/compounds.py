"""Splitting of compounds, so that "Nettoumsatz" and "Umsatz netto", "Personalkosten" and "Kosten des Personals" meet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from parsers.fold import fold
from parsers.word_forms import Language, compound_parts

_MIN_PART = 3
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
_PERIOD_PARTS = (("wochen", "Wochenschnitt"), ("monats", "Monatsschnitt"), ("quartals", "Quartalsschnitt"))


def mean_said_apart(word: str) -> Iterator[tuple[str, str]]:
    """What an average makes of a compound with a period: "Wochenabsatz" is ("Absatz", "Absatz im Wochenschnitt")."""
    for first, mean in _PERIOD_PARTS:
        rest = word[len(first) :]
        if word.lower().startswith(first) and len(rest) > _MIN_PART:
            yield rest.capitalize(), f"{rest.capitalize()} im {mean}"


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
