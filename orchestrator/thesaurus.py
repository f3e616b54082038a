"""Word forms and words that name the same thing, so that "Beschäftigte" meets a table "mitarbeiter" or "employee"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

import simplemma
import yaml

from parsers.fold import fold
from parsers.word_forms import base_form

_PRESENT = re.compile(r"(\w{4,})end(?:e[nrms]?)?\Z")
_UMLAUTS = (("ae", "ä"), ("oe", "ö"), ("ue", "ü"))


@lru_cache(maxsize=65536)
def word_forms(word: str) -> frozenset[str]:
    """The folded forms under which a word is known: as written, in dictionary form, with its umlauts restored, without the ending
    of an English plural, and the masculine of a feminine role ("Sängerinnen": saenger)."""
    bare = word.removesuffix("/innen").removesuffix("/in").strip("/")
    if not bare:
        return frozenset({word})
    found = {fold(bare), base_form(bare, "de")}
    for written in _with_umlauts(bare):
        if simplemma.is_known(written, lang="de"):
            found.add(base_form(written, "de"))
    found |= {form.removesuffix("in") for form in found if form.endswith("in") and len(form) > 6}
    plain = fold(bare)
    if present := _PRESENT.match(plain):
        found.add(f"{present[1]}en")
    if plain.endswith("ies") and len(plain) > 4:
        found.add(plain[:-3] + "y")
    elif plain.endswith("s") and not plain.endswith("ss") and len(plain) > 3:
        found.add(plain[:-1])
    return frozenset(found)


def _with_umlauts(word: str) -> tuple[str, ...]:
    """A word typed as ae, oe, ue or ss, as German writes it; as a noun and as written."""
    written = word.lower()
    for typed, letter in _UMLAUTS:
        written = written.replace(typed, letter)
    spellings = dict.fromkeys((written, written.replace("ss", "ß")))
    return tuple(form for spelling in spellings if spelling != word.lower() for form in (spelling.capitalize(), spelling))


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, frozenset[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for number, words in enumerate(_lines("groups")):
        for word in words:
            found[word].add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


@lru_cache(maxsize=4096)
def like_deeds(verb: str) -> tuple[str, ...]:
    """Beginnings of words for the deed that a folded verb tells, in any language ("sprzedano": verkauf, absatz, sold …)."""
    return tuple(dict.fromkeys(one for line in _lines("deeds") if any(map(verb.startswith, line)) for one in line))


@lru_cache(maxsize=3)
def _lines(part: str) -> tuple[tuple[str, ...], ...]:
    text = files("orchestrator").joinpath("words/same_things.yaml").read_text(encoding="utf-8")
    return tuple(tuple(fold(word) for word in line.split()) for line in yaml.safe_load(text)[part])


@lru_cache(maxsize=4096)
def other_place_names(word: str) -> tuple[str, ...]:
    """What a country, region or language is called in the other language ("Kalifornien": california)."""
    forms = word_forms(word)
    return tuple(dict.fromkeys(other for line in _lines("places") if forms & set(line) for other in line if other not in forms))


@lru_cache(maxsize=65536)
def same_groups(word: str) -> frozenset[int]:
    """The groups of words of like meaning that a word stands in."""
    groups = _groups()
    return frozenset(number for form in word_forms(word) for number in groups.get(form, ()))


def same_word(one: str, other: str) -> bool:
    """Two spellings or inflections of one word."""
    return bool(word_forms(one) & word_forms(other))


def like_word(one: str, other: str) -> bool:
    """One word, or two of like meaning."""
    return same_word(one, other) or bool(same_groups(one) & same_groups(other))
