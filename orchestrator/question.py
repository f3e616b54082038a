"""A question as tokens, in its language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import simplemma

from orchestrator.lexicon import LANGUAGES, Language, lexicon
from parsers.fold import fold
from parsers.word_forms import is_german

# A token is a number with its separators, a code or word with inner hyphens, dots, slashes and apostrophes, or a sign.
_TOKEN = re.compile(
    r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?![\d])"
    r"|\d+(?:[.,/':\-]\d+)*(?:\.(?=\s*(?:Quartal|Halbjahr|Kalenderwoche|Monat|[JFMASOND][a-zä]{2,})))?"
    r"|[^\W\d_](?:[\w]|[-./'&’_](?=\w))*"
    r"|_?[\w]+|[%€$£+]"
)


@dataclass(frozen=True)
class Token:
    """One word, number or sign. `start`, `end`: character positions in the question. `quoted`: it stood in quotation marks."""

    index: int
    text: str
    start: int
    end: int
    folded: str
    quoted: bool = False

    @property
    def is_number(self) -> bool:
        return self.text[0].isdigit()


@dataclass(frozen=True)
class Question:
    text: str
    language: Language
    tokens: tuple[Token, ...]


def read_question(text: str) -> Question:
    """Tokens and language of a question; the language is the one whose function words occur most, German in doubt."""
    tokens = tokenize(text)
    return Question(text, detect_language(tokens, text), tokens)


def tokenize(text: str) -> tuple[Token, ...]:
    """Words, numbers and signs with their places; punctuation is left out."""
    quoted = [match.span(1) for match in re.finditer(r"[\"„“»«']([^\"„“”»«']{1,80})[\"“”»«']", text)]
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        inside = any(start <= match.start() and match.end() <= end for start, end in quoted)
        for start, word in _hyphen_parts(match.start(), match.group()):
            tokens.append(Token(len(tokens), word, start, start + len(word), _folded(word), inside))
    return tuple(tokens)


def _hyphen_parts(start: int, word: str) -> Iterable[tuple[int, str]]:
    """ "Ist-Umsatz" and "Top-3-Kunden" are their words; codes such as A-1003 and single letters stay whole."""
    pieces = word.split("-")
    ranked = pieces[0].lower() == "top"
    if len(pieces) == 1 or not all((piece.isalpha() and len(piece) > 1) or (ranked and piece.isdigit()) for piece in pieces):
        yield start, word
        return
    for piece in pieces:
        yield start, piece
        start += len(piece) + 1


def words_of(text: str) -> tuple[str, ...]:
    """The folded tokens of a name or cell text, cut exactly as questions are."""
    found: list[str] = []
    for word in _TOKEN.findall(text):  # a million of values are cut so
        found += [_folded(part) for _, part in _hyphen_parts(0, word)] if "-" in word else [_folded(word)]
    return tuple(found)


@lru_cache(maxsize=65_536)
def _folded(word: str) -> str:
    return fold(word).replace("'", "")


_POLISH_LETTERS = frozenset("ąćęłńśźżĄĆĘŁŃŚŹŻ")
_GERMAN_LETTERS = frozenset("äöüßÄÖÜ")


def detect_language(tokens: Iterable[Token], text: str) -> Language:
    """The language with the most function and question words; near a tie, words that only one dictionary has and letters of the
    alphabet decide, else German."""
    words = [token.folded for token in tokens]
    votes: dict[Language, float] = {}
    for language in LANGUAGES:
        book = lexicon(language)
        votes[language] = sum(1.0 for word in words if word in book.function_words or (word,) in book.phrases)
        votes[language] += sum(0.5 for pair in pairwise(words) if pair in book.phrases)
    if abs(votes["de"] - votes["en"]) < 1:
        for word in (word for word in words if len(word) >= 4 and word.isalpha()):
            known: dict[Language, bool] = {"de": is_german(word), "en": simplemma.is_known(word, lang="en")}
            votes["de"] += 0.5 if known["de"] and not known["en"] else 0
            votes["en"] += 0.5 if known["en"] and not known["de"] else 0
    letters = frozenset(text)
    votes["de"] += 0.3 + (0.6 if letters & _GERMAN_LETTERS else 0)
    votes["pl"] += 0.4 if letters & _POLISH_LETTERS else 0
    return max(LANGUAGES, key=lambda language: votes[language])
