"""Whether a row is near enough to a topic to be shown, or whether nothing is: by words, and by meaning where there is a model.

Words: which part of what was said stands in the row, each word weighing by how rare it is among the rows that the asker may see.
Meaning: how far the row's cosine lies above what the same question scores with all rows. The bounds were measured
(docs/benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from indexer.features import WordForms, hashed, word_forms, words
from orchestrator.lexicon import LANGUAGES, lexicon

COVERED = 0.5
"""Part of the said words from which on a row is near by its words alone."""
FAR_ABOVE, CLOSE = 3.5, 0.84
"""Standard deviations above the usual cosine, and the cosine itself, from which on a row is near by its meaning."""
HALF_COVERED, HALF_ABOVE = 0.3, 2.4
"""Both together: fewer words and less meaning."""
ENOUGH_ROWS = 30
"""Fewer rows than this say nothing about the usual cosine."""

_UNKNOWN_WORD = 0.6
"""Weight of a word that no row holds, in parts of the rarest one's: it may only say the same in other words ("Gerät")."""
_BY_STEM, _ALL_PARTS, _SOME_PARTS = 0.8, 0.9, 0.6


@dataclass(frozen=True)
class Nearness:
    """`covered`: 0 to 1; `above`: standard deviations, 0 where there is no model or too few rows; `cosine`: 0 without a model."""

    covered: float
    above: float = 0.0
    cosine: float = 0.0

    @property
    def near(self) -> bool:
        if self.covered >= COVERED or (self.above >= FAR_ABOVE and self.cosine >= CLOSE):
            return True
        return self.covered >= HALF_COVERED and self.above >= HALF_ABOVE


class SaidWords:
    """The content words of a topic, against the words of rows. `weight`: how rare a feature is. `without`: of
    indexer.features.FORMS."""

    def __init__(self, text: str, weight: Callable[[int], float], without: frozenset[str] = frozenset()) -> None:
        self._words = [word for word in words(text, without) if not _is_function_word(word)]
        known = [w for word in self._words if (w := _rarity(word, weight)) is not None]
        rarest = max(known, default=1.0)
        self._weights = [_UNKNOWN_WORD * rarest if (w := _rarity(word, weight)) is None else w for word in self._words]

    @property
    def codes(self) -> frozenset[str]:
        return frozenset(word.whole for word in self._words if word.code)

    def covered(self, row: Sequence[WordForms]) -> float:
        """Part of the said words that the row holds."""
        total = sum(self._weights)
        if not total:
            return 0.0
        return sum(weight * _held(word, row) for word, weight in zip(self._words, self._weights, strict=True)) / total


def _rarity(word: WordForms, weight: Callable[[int], float]) -> float | None:
    """The weight of the most telling form of the word that any row holds; None if none does."""
    nowhere = weight(hashed("no row holds this \0"))
    found = [w for key in word.weights if (w := weight(hashed(key))) < nowhere]
    return max(found, default=None)


def _held(word: WordForms, row: Sequence[WordForms]) -> float:
    """1 where the row holds the word, less for a relative or a part of it, 0 where it holds nothing of it."""
    best = max((_meets(word, other) for other in row), default=0.0)
    if best == 1.0 or not word.parts:
        return best
    held = sum(any(_meets(word_forms(part), other) > 0 for other in row) for part in word.parts)
    return max(best, _ALL_PARTS if held == len(word.parts) else _SOME_PARTS * held / len(word.parts))


def _meets(said: WordForms, other: WordForms) -> float:
    if said.code or other.code:
        return float(said.code and other.code and said.whole == other.whole)
    if {said.whole, *said.others} & {other.whole, *other.others, *other.parts}:
        return 1.0
    return _BY_STEM if not said.parts and said.stems & other.stems else 0.0


def _is_function_word(word: WordForms) -> bool:
    return not word.code and any(word.text.lower() in lexicon(language).function_words for language in LANGUAGES)


def row_words(text: str, without: frozenset[str] = frozenset()) -> tuple[WordForms, ...]:
    """The words of a row's text, each once."""
    return tuple({word.text: word for word in words(text, without)}.values())
