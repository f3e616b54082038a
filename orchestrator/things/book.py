"""The German words of questions about things: classes of phrases, adjectives, what compounds ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from parsers.fold import fold

_PASSED_OVER = ("fillers", "light_verbs", "event_verbs")
_OWN_CLASSES = ("adjectives", "compound_functions", "event_columns", "label_names", "number_endings")


@dataclass(frozen=True)
class Adjective:
    """`columns`: what it measures; `inverse`: what runs the other way; `comparative`, `superlative`: beginnings of its forms."""

    word: str
    comparative: tuple[str, ...]
    superlative: tuple[str, ...]
    columns: tuple[str, ...]
    inverse: tuple[str, ...]


@dataclass(frozen=True)
class WordBook:
    """words/things_de.yaml, read once. `phrases`: class -> phrases of folded words, longest first."""

    phrases: Mapping[str, tuple[tuple[str, ...], ...]]
    adjectives: tuple[Adjective, ...]
    compound_functions: Mapping[str, str]
    event_columns: Mapping[str, str]
    label_names: tuple[str, ...]
    number_endings: tuple[str, ...]


@lru_cache(maxsize=1)
def comparatives() -> frozenset[str]:
    """Comparative forms of adjectives, folded: "aelter", "schwerer"."""
    return frozenset(form for adjective in word_book().adjectives for form in adjective.comparative)


@lru_cache(maxsize=1)
def measuring_adjectives() -> frozenset[str]:
    """Adjectives that measure a thing, folded: "alt", "schwer"."""
    return frozenset(adjective.word for adjective in word_book().adjectives)


@lru_cache(maxsize=1)
def longer_phrases() -> frozenset[tuple[str, ...]]:
    """Phrases of several words that are no fillers: their first word is not to be passed over ("im Durchschnitt")."""
    classes = word_book().phrases.items()
    return frozenset(phrase for name, phrases in classes if name not in _PASSED_OVER for phrase in phrases if len(phrase) > 1)


@lru_cache(maxsize=1)
def word_book() -> WordBook:
    """The German words of questions about things."""
    raw: dict[str, Any] = yaml.safe_load(files("orchestrator").joinpath("words/things_de.yaml").read_text(encoding="utf-8"))
    phrases = {}
    for name, words in raw.items():
        if name not in _OWN_CLASSES:
            listed = words.split() if isinstance(words, str) else words
            phrases[name] = tuple(sorted({tuple(fold(str(each)).split()) for each in listed}, key=len, reverse=True))
    adjectives = tuple(
        Adjective(word, *(tuple(said.get(part, ())) for part in ("comparative", "superlative", "columns", "inverse")))
        for word, said in raw["adjectives"].items()
    )
    return WordBook(
        phrases,
        adjectives,
        raw["compound_functions"],
        raw["event_columns"],
        tuple(raw["label_names"]),
        tuple(raw["number_endings"]),
    )


@lru_cache(maxsize=256)
def phrases_by_first_word(name: str) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """The phrases of a class by their first word."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in word_book().phrases[name]:
        found.setdefault(phrase[0], []).append(phrase)
    return {word: tuple(phrases) for word, phrases in found.items()}


_PREFIXES = ("aus", "ab", "an", "auf", "ein", "her", "vor", "zu", "durch", "statt", "ver", "")
_ENDING = re.compile(r"(?:e?ten|e?te[rs]?|e?t|ene[nrs]?|en|e[nrs]?)\Z")


def verb_stem(word: str) -> str:
    """What a participle shares with the noun of the event: "ausgestrahlt": ausstrahl, "gegruendeten": gruend."""
    for prefix in _PREFIXES:
        if word.startswith(prefix + "ge") and len(word) > len(prefix) + 5:
            word = prefix + word[len(prefix) + 2 :]
            break
    return _ENDING.sub("", word)
