"""Which of very many names are nearly spelt like a word: most are ruled out by their length and letters, for all at once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from rapidfuzz.distance import DamerauLevenshtein


class Spellings:
    """`pairs`: folded words and what to say for them."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._pairs = list(pairs)

    def near(self, said: str, most: int) -> list[tuple[int, str]]:
        """What to say for words of one to `most` letter edits (a swap of neighbours is one), nearest first."""
        if not self._pairs:
            return []
        lengths, letters, starts, places = self._shapes
        first, last = np.searchsorted(lengths, [len(said) - most, len(said) + most + 1])
        ((_, own),) = (_shapes([said]),)
        # One edit changes at most two letters of the set: the one that goes and the one that comes.
        alike = np.bitwise_count(letters[first:last] ^ own[0]) <= 2 * most
        found = set()
        for shape in (np.flatnonzero(alike) + first).tolist():
            for place in places[starts[shape] : starts[shape + 1]].tolist():
                words, stored = self._pairs[place]
                distance = DamerauLevenshtein.distance(said, words, score_cutoff=most)
                if 0 < distance <= most:
                    found.add((distance, stored))
        return sorted(found)

    @cached_property
    def _shapes(self) -> tuple[Any, Any, Any, Any]:
        """Length and letters of each shape that occurs, shortest first; where its names begin in the list of their places."""
        lengths, letters = _shapes([words for words, _ in self._pairs])
        keys = lengths.astype(np.uint64) << np.uint64(32) | letters.astype(np.uint64)
        places = np.argsort(keys, kind="stable")
        shapes, starts = np.unique(keys[places], return_index=True)
        ends = np.append(starts, len(places))
        return (shapes >> np.uint64(32)).astype(np.int64), (shapes & np.uint64(2**32 - 1)).astype(np.uint32), ends, places


def _shapes(texts: list[str]) -> tuple[Any, Any]:
    """Length of each text, and the set of its letters as bits (letters that share a bit are taken for one)."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    signs = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    letters = np.zeros(len(texts), dtype=np.uint32)
    some = lengths > 0
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)[some]
    if some.any():
        letters[some] = np.bitwise_or.reduceat(np.left_shift(np.uint32(1), signs & np.uint32(31)), starts)
    return lengths, letters
