"""What a text is searched by without a model: its words in base form, the parts of compounds, stems, codes, character n-grams.

Questions and rows are taken apart by the same code, so that "räumt", "Räumung" and "Schneeräumer" meet "Räumen".
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import simplemma

from parsers.fold import fold
from parsers.word_forms import base_form, compound_parts, is_german

WHOLE, PART, STEM, CODE, GRAM = 1.0, 0.7, 0.6, 1.5, 0.35
"""Weights of a word in base form, of a compound's part, of a stem, of a code, and of an n-gram of characters."""
GRAM_SIZES = (3, 4, 5)

_WORD = re.compile(r"[^\W_]+(?:[-'./][^\W_]+)*")
_ENDINGS = (
    *("ungen", "erin", "lich", "isch", "ung", "ern", "eln", "bar", "ing"),
    *("er", "en", "el", "ig", "ed", "st", "e", "n", "t", "s"),
)
_PREFIXES = (
    *("zusammen", "zurueck", "heraus", "hinein", "durch", "ueber", "unter", "nach", "fort", "weg", "vor", "auf", "aus"),
    *("ein", "mit", "bei", "los", "ent", "ver", "zer", "um", "ab", "an", "zu", "be"),
)
_SHORTEST_STEM = 4

FORMS = frozenset({"compounds", "stems", "ngrams"})
"""What texts can be taken apart without, to see what it gains."""
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class WordForms:
    """`code`: the word holds a digit. `whole`: its base form; `others`: base forms of the same letters ("Räumen" as a verb);
    `parts`: base forms of a compound's parts. `weights`: what it is found by -> weight."""

    text: str
    code: bool
    whole: str
    others: tuple[str, ...]
    parts: tuple[str, ...]
    stems: frozenset[str]

    @property
    def weights(self) -> Mapping[str, float]:
        if self.code:
            return {f"c:{self.whole}": CODE}
        found = {f"w:{part}": PART for part in (*self.parts, *self.others)}
        found |= {f"s:{stem}": STEM for stem in self.stems}
        return found | {f"w:{self.whole}": WHOLE}


def words(text: str, without: frozenset[str] = _NOTHING) -> tuple[WordForms, ...]:
    """The words and codes of a text, in order. `without`: of FORMS."""
    found = (match.group() for match in _WORD.finditer(text))
    return tuple(word_forms(word, without) for word in found if len(word) > 1 or word.isdigit())


@lru_cache(maxsize=131_072)
def word_forms(word: str, without: frozenset[str] = _NOTHING) -> WordForms:
    """Everything that a word is found by. `without`: of FORMS."""
    found = _word_forms(word)
    parts, stems = found.parts, found.stems
    if "compounds" in without and not found.code:
        parts = ()
        stems = frozenset(stem_of(form) for form in (found.whole, *found.others))
    return replace(found, parts=parts, stems=_NOTHING if "stems" in without else stems)


@lru_cache(maxsize=131_072)
def _word_forms(word: str) -> WordForms:
    folded = fold(word)
    if any(letter.isdigit() for letter in folded):
        return WordForms(word, True, re.sub(r"[\s./_'-]", "", folded), (), (), frozenset())
    if "-" in word or "/" in word or "." in word or "'" in word:
        pieces = [_word_forms(piece) for piece in re.split(r"[-'./]", word) if len(piece) > 1]
        parts = tuple(part for piece in pieces for part in (piece.parts or (piece.whole,)))
        return WordForms(word, False, folded, (), parts, frozenset(stem for piece in pieces for stem in piece.stems))
    whole, *others = dict.fromkeys((_base(word), _base(word.lower())))
    split = compound_parts(word, "de") if is_german(word) or not simplemma.is_known(word.lower(), lang="en") else (whole,)
    parts = tuple(part for part in split if part != whole) if len(split) > 1 else ()
    forms = (whole, *others, *parts, *(rest for form in (whole, *others) for rest in _without_prefix(form)))
    return WordForms(word, False, whole, tuple(others), parts, frozenset(stem_of(form) for form in forms))


def stem_of(form: str) -> str:
    """A folded base form without its endings ("raeumung" and "raeumen": "raeum")."""
    for ending in _ENDINGS:
        if form.endswith(ending) and len(form) - len(ending) >= _SHORTEST_STEM:
            return form[: -len(ending)]
    return form


def features(text: str, without: frozenset[str] = _NOTHING) -> dict[int, float]:
    """Hashed feature -> weight by how often it occurs (1 + log), of unit length. `without`: of FORMS."""
    counts: dict[int, float] = {}
    for match in _WORD.finditer(text):
        for key, weight in _of_word(match.group(), without):
            counts[key] = counts.get(key, 0.0) + weight
    weighted = {key: math.log1p(count) for key, count in counts.items()}
    length = math.sqrt(sum(weight * weight for weight in weighted.values()))
    return {key: weight / length for key, weight in sorted(weighted.items())} if length else {}


def hashed(feature: str) -> int:
    """The number under which a feature is stored."""
    return zlib.crc32(feature.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=131_072)
def _of_word(word: str, without: frozenset[str]) -> tuple[tuple[int, float], ...]:
    found = dict(word_forms(word, without).weights) if len(word) > 1 or word.isdigit() else {}
    framed = f"^{fold(word)}$"
    for size in GRAM_SIZES if "ngrams" not in without else ():
        for start in range(len(framed) - size + 1):
            key = f"g:{framed[start : start + size]}"
            found[key] = found.get(key, 0.0) + GRAM
    return tuple((hashed(key), weight) for key, weight in found.items())


def _base(word: str) -> str:
    """The base form in the first language that knows the word: German, English, Polish."""
    if is_german(word):
        return base_form(word, "de")
    if simplemma.is_known(word.lower(), lang="en"):
        return base_form(word.lower(), "en")
    if simplemma.is_known(word.lower(), lang="pl"):
        return base_form(word.lower(), "pl")
    return base_form(word, "de")


def _without_prefix(form: str) -> tuple[str, ...]:
    """ "aufsaugen": "saugen", where that is a word, too."""
    for prefix in _PREFIXES:
        rest = form.removeprefix(prefix)
        if rest != form and len(rest) >= _SHORTEST_STEM and is_german(rest):
            return (rest,)
    return ()
