"""Folding and grouping of many texts at once, column-wise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parsers.fold import fold

_BLANKS = r"[\s\x0b\x1c-\x1f]+"  # what Python's \s matches among ASCII characters
_NO_WORD = r"[^\p{L}\p{N}\p{M}_]+"


def fold_array(texts: pa.Array) -> pa.Array:
    """parsers.fold.fold of every text; only those with other than ASCII characters are folded one by one."""
    plain = pc.string_is_ascii(texts)
    lowered = pc.utf8_trim(pc.replace_substring_regex(pc.ascii_lower(texts), _BLANKS, " "), " ")
    if pc.all(plain).as_py() is not False:
        return lowered
    others = pa.array([fold(text) for text in texts.filter(pc.invert(plain)).to_pylist()], pa.string())
    return pc.replace_with_mask(lowered, pc.invert(plain), others)


def loose_array(folded: pa.Array) -> pa.Array:
    """parsers.fold.fold_loose of texts that are folded already."""
    for pair, letter in (("ae", "a"), ("oe", "o"), ("ue", "u")):
        folded = pc.replace_substring(folded, pair, letter)
    return folded


class TextGroups:
    """Texts and, for each, the numbers of the entries that have it."""

    def __init__(self, texts: pa.Array, entries: Any) -> None:
        encoded = texts.dictionary_encode()
        codes = encoded.indices.to_numpy()
        distinct = encoded.dictionary.to_pylist()
        self._code: dict[str, int] = dict(zip(distinct, range(len(distinct)), strict=True))
        self._entries = entries[np.lexsort((entries, codes))]
        self._ends = np.cumsum(np.bincount(codes, minlength=len(distinct)))

    @classmethod
    def of_words(cls, texts: pa.Array) -> TextGroups:
        """The words of texts: runs of letters, digits and underscores; an entry is named once a word."""
        words = pc.split_pattern_regex(texts, _NO_WORD)
        entries, flat = pc.list_parent_indices(words).to_numpy(), pc.list_flatten(words)
        there = pc.greater(pc.binary_length(flat), 0).to_numpy(zero_copy_only=False)
        pairs = pa.table({"word": flat, "entry": entries}).filter(pa.array(there))
        distinct = pairs.group_by(["word", "entry"], use_threads=False).aggregate([])
        return cls(_one(distinct["word"]), distinct["entry"].to_numpy())

    def find(self, text: str) -> list[int]:
        """Numbers of the entries with this text, in their order; empty if there is none."""
        code = self._code.get(text)
        if code is None:
            return []
        start = 0 if code == 0 else self._ends[code - 1]
        found: list[int] = self._entries[start : self._ends[code]].tolist()
        return found

    def texts(self) -> Iterable[str]:
        return self._code.keys()


def _one(column: pa.ChunkedArray) -> pa.Array:
    joined = column.combine_chunks()
    return joined.combine_chunks() if isinstance(joined, pa.ChunkedArray) else joined
