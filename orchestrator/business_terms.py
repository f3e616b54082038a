"""What the headers and report lines of companies are called in the other languages ("Nettoumsatz": net sales)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

import yaml

from orchestrator.question import words_of

Terms = Mapping[str, tuple[str, ...]]
"""Folded name -> names of the same thing in the other languages."""


@lru_cache(maxsize=1)
def figure_terms() -> Terms:
    """Of figures, which stand in headers and as row labels of reports."""
    return _terms("figures")


@lru_cache(maxsize=1)
def column_terms() -> Terms:
    """Of figures and of other columns of lists, which are looked for in headers only."""
    return {**_terms("columns"), **figure_terms()}


def _terms(part: str) -> Terms:
    text = files("orchestrator").joinpath("words/business_terms.yaml").read_text(encoding="utf-8")
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for line in yaml.safe_load(text)[part]:
        languages = [[name.strip() for name in names.split(";")] for names in line.split("|")]
        for own in languages:
            others = dict.fromkeys(name for names in languages if names is not own for name in names)
            for name in own:
                found[" ".join(words_of(name))].update(others)
    return {name: tuple(others) for name, others in found.items()}
