"""The words that frame a search, kept as data in `words/search.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from orchestrator.lexicon import Language
from orchestrator.question import Token

Phrase = tuple[str, ...]


@dataclass(frozen=True)
class SearchWords:
    """Folded phrases by role; see the comments of the file."""

    about: frozenset[Phrase]
    about_text: frozenset[Phrase]
    find: frozenset[Phrase]
    open: frozenset[Phrase]
    towards: frozenset[Phrase]
    likeness: frozenset[str]
    filler: frozenset[Phrase]

    def asks_for_likeness(self, tokens: Iterable[Token]) -> bool:
        """Whether a word asks for rows that are like another one, or that stand out."""
        endings = tuple(word[:-1] for word in self.likeness if word.endswith("*"))
        return any(token.folded in self.likeness or token.folded.startswith(endings) for token in tokens)


@lru_cache(maxsize=3)
def search_words(language: Language) -> SearchWords:
    """The words of one language."""
    text = files("orchestrator").joinpath("words/search.yaml").read_text(encoding="utf-8")
    raw = yaml.safe_load(text)[language]
    return SearchWords(
        about=_phrases(raw["about"]),
        about_text=_phrases(raw["about_text"]),
        find=_phrases(raw["find"]),
        open=_phrases(raw["open"]),
        towards=_phrases(raw["towards"]),
        likeness=frozenset(raw["likeness"]),
        filler=_phrases(raw["filler"]),
    )


def phrase_at(tokens: Sequence[Token], place: int, phrases: frozenset[Phrase]) -> int:
    """How many tokens from `place` on are one of the phrases, the longest; 0 if none."""
    longest = max((len(phrase) for phrase in phrases), default=0)
    for length in range(min(longest, len(tokens) - place), 0, -1):
        if tuple(token.folded for token in tokens[place : place + length]) in phrases:
            return length
    return 0


def phrase_before(tokens: Sequence[Token], end: int, phrases: frozenset[Phrase]) -> int:
    """How many tokens before `end` are one of the phrases, the longest; 0 if none."""
    longest = max((len(phrase) for phrase in phrases), default=0)
    for length in range(min(longest, end), 0, -1):
        if tuple(token.folded for token in tokens[end - length : end]) in phrases:
            return length
    return 0


def _phrases(raw: Any) -> frozenset[Phrase]:
    flat = [one for part in raw for one in (part if isinstance(part, list) else [part])]
    return frozenset(tuple(str(one).split()) for one in flat)
