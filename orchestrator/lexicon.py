"""The language's own words: what marks a sum, a comparison, a grouping, and which words carry no content.

Kept as data in `words/<language>.yaml`; read once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from importlib.resources import files

import yaml

from parsers.fold import fold
from parsers.word_forms import Language as Language

LANGUAGES: tuple[Language, ...] = ("de", "en", "pl")


@dataclass(frozen=True)
class Lexicon:
    """`phrases`: folded words -> concepts; `prefixes`: folded word beginnings -> concepts (single words only).

    `numbers`: number words; `scales`: Tsd., Mio. -> factor.
    """

    phrases: Mapping[tuple[str, ...], tuple[str, ...]]
    prefixes: tuple[tuple[str, str], ...]
    function_words: frozenset[str]
    numbers: Mapping[str, Decimal]
    scales: Mapping[str, Decimal]
    longest: int

    def concepts(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Concepts of a sequence of folded words, () if it is no phrase of the language."""
        found = self.phrases.get(words, ())
        if not found and len(words) == 1:
            found = tuple(concept for prefix, concept in self._by_letter.get(words[0][:1], ()) if words[0].startswith(prefix))
        return found

    @cached_property
    def _by_letter(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        letters = dict.fromkeys(prefix[:1] for prefix, _ in self.prefixes)
        return {letter: tuple(each for each in self.prefixes if each[0].startswith(letter)) for letter in letters}


@lru_cache(maxsize=1)
def demonyms() -> Mapping[str, tuple[str, ...]]:
    """Folded English adjective of a country ("belgian") -> the country's names."""
    text = files("orchestrator").joinpath("words/demonyms.yaml").read_text(encoding="utf-8")
    return {fold(word): tuple(names) for word, names in yaml.safe_load(text).items()}


@lru_cache(maxsize=len(LANGUAGES))
def lexicon(language: Language) -> Lexicon:
    """The word list of one language."""
    text = files("orchestrator").joinpath(f"words/{language}.yaml").read_text(encoding="utf-8")
    raw = yaml.safe_load(text)
    phrases: dict[tuple[str, ...], tuple[str, ...]] = {}
    prefixes: list[tuple[str, str]] = []
    for concept, words in raw["concepts"].items():
        for phrase in words:
            folded = fold(str(phrase)).replace("'", "")
            if folded.endswith("*"):
                prefixes.append((folded[:-1], concept))
            else:
                key = tuple(folded.split())
                phrases[key] = (*phrases.get(key, ()), concept)
    return Lexicon(
        phrases=phrases,
        prefixes=tuple(prefixes),
        function_words=frozenset(fold(word) for word in raw["function_words"].split()),
        numbers={fold(str(word)): Decimal(value) for word, value in raw["numbers"].items()},
        scales={fold(str(word)): Decimal(value) for word, value in raw["scales"].items()},
        longest=max(len(key) for key in phrases),
    )
