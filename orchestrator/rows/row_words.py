"""The words of questions about rows, as words/rows.yaml lists them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml

from orchestrator.lexicon import LANGUAGES, Language
from parsers.fold import fold
from parsers.word_forms import base_form, compound_parts

RowWord = Literal["alike", "course", "profile", "as", "joining", "this", "beyond"]


@cache
def _lists() -> Mapping[Language, Mapping[RowWord, frozenset[str]]]:
    raw = yaml.safe_load(files("orchestrator").joinpath("words/rows.yaml").read_text(encoding="utf-8"))
    return {language: {kind: frozenset(map(str, words)) for kind, words in raw[language].items()} for language in LANGUAGES}


def is_row_word(kind: RowWord, word: str, language: Language) -> bool:
    """Whether a folded word is in the list, as it stands or by its beginning."""
    words = _lists()[language][kind]
    return word in words or any(entry.endswith("*") and word.startswith(entry[:-1]) for entry in words)


def aspect_of(word: str, language: Language) -> Literal["shape", "profile"] | None:
    """What is to be alike: the shape of a course ("Absatzverlauf", "cycle") or a profile ("Kennzahlen"); None for any other word.
    Of a compound its last part counts."""
    forms = {fold(word), base_form(word, language), compound_parts(word, language)[-1]}
    if any(is_row_word("course", form, language) for form in forms):
        return "shape"
    return "profile" if any(is_row_word("profile", form, language) for form in forms) else None
