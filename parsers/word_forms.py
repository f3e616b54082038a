"""Forms of a word: its dictionary form, and the parts of a German compound, so that "Nettoumsatz" and "Umsatz netto" meet."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

import simplemma

from parsers.fold import fold

Language = Literal["de", "en", "pl"]

_JOINTS = ("", "s", "es", "n", "en", "er")
_MIN_PART = 3
# A word of the dictionary is not cut into two scraps ("Aufträge" is no "auf" and "träge"); "Gasverbrauch" is cut all the same.
_SHORT_PART, _LONG_HEAD = 4, 7


@lru_cache(maxsize=65536)
def base_form(word: str, language: Language) -> str:
    """Folded dictionary form of a word ("Umsätze" -> "umsatz"); the word itself, folded, if it is unknown."""
    lemma = simplemma.lemmatize(_with_umlauts(word) if language == "de" else word, lang=language)
    folded = fold(lemma)
    original = fold(word)
    if folded == original and language == "de":
        return _strip_german_ending(original)
    return folded


_UMLAUTS = (("ae", "ä"), ("oe", "ö"), ("ue", "ü"))


def _with_umlauts(word: str) -> str:
    """ "betraege" as the dictionary writes it; the word itself where it is known so or its umlauts are no German word."""
    if not any(pair in word for pair, _ in _UMLAUTS) or is_german(word):
        return word
    written = word
    for pair, letter in _UMLAUTS:
        written = written.replace(pair, letter)
    return written if is_german(written) else word


def is_german(word: str) -> bool:
    """The dictionary has it, as written or as a noun."""
    return simplemma.is_known(word, lang="de") or simplemma.is_known(word.capitalize(), lang="de")


def _strip_german_ending(word: str) -> str:
    """A genitive or plural ending of a word that the lemmatiser does not know: at most the plain -s of names."""
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is", "as", "os")) else word


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
