"""Words of labels and questions by their stem: lower case, singular, one spelling for the same word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import yaml

from orchestrator.question import tokenize
from parsers.fold import fold


@dataclass(frozen=True)
class Book:
    """The lists of words/printed_en.yaml."""

    joining: frozenset[str]
    ordering: frozenset[str]
    separating: frozenset[str]
    soft: frozenset[str]
    plain_header: frozenset[str]
    accessory: frozenset[str]
    turning: frozenset[str]
    highest: frozenset[str]
    lowest: frozenset[str]
    same: Mapping[str, str]
    months: frozenset[str]
    total: frozenset[str]
    people: frozenset[str]
    number_words: Mapping[str, int]


@lru_cache(maxsize=1)
def book() -> Book:
    """Read once."""
    raw = yaml.safe_load(files("orchestrator").joinpath("words/printed_en.yaml").read_text(encoding="utf-8"))
    lists = {
        name: frozenset(raw[name])
        for name in ("joining", "ordering", "separating", "months", "total", "people", "highest", "lowest")
    }
    stems = {name: frozenset(_singular(word) for word in raw[name]) for name in ("soft", "plain_header", "accessory", "turning")}
    return Book(**lists, **stems, same=raw["same"], number_words=raw["number_words"])


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """ "Revenues" -> "revenue", "percentage" and "%" -> "percent", "company's" -> "company"."""
    folded = fold(word).rstrip(".")
    if folded.endswith("'s"):
        folded = folded[:-2]
    folded = folded.replace("'", "")
    same = book().same
    if folded in same:
        return same[folded]
    single = _singular(folded)
    return same.get(single, single)


def _singular(word: str) -> str:
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("toes", "sses", "xes", "ches", "shes", "zes")) else word[:-1]


_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_FISCAL = re.compile(r"fy'?(?:20)?(\d\d)\d?\Z")
_YEAR_PAIR = re.compile(r"((?:19|20)\d\d)[-/]((?:19|20)?\d\d)\Z")
_DAY_YEAR = re.compile(r"(\d{1,2}),((?:19|20)\d\d)\Z")


def is_year(word: str) -> bool:
    return _YEAR.match(word) is not None


@dataclass(frozen=True)
class Word:
    """One word of a text by its stem; `first`: its place among the tokens of the text."""

    stem: str
    first: int
    text: str


def words_in(text: str) -> tuple[Word, ...]:
    """The words of a text in order; "FY19" is the year 2019 (a third digit is a footnote mark), "31,2019" a day and a year,
    "2017-2019" two years."""
    found: list[Word] = []
    for token in tokenize(text):
        for part in _split(token.text):
            found.append(Word(stem(part), token.index, part))
    return tuple(found)


def _split(word: str) -> tuple[str, ...]:
    for pattern in (_DAY_YEAR, _YEAR_PAIR):
        match = pattern.match(word)
        if match:
            return match[1], match[2]
    fiscal = _FISCAL.match(word.lower())
    return ("20" + fiscal[1],) if fiscal else (word,)


_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def outside_brackets(text: str) -> str:
    """A label without its remarks and footnote marks in brackets; the whole of it if nothing else is left."""
    rest = _BRACKETS.sub(" ", text)
    return rest if tokenize(rest) else text
