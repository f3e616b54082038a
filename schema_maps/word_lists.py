"""Word lists of the rules, from word_lists.yaml beside this file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import yaml


@lru_cache(maxsize=1)
def _lists() -> dict[str, str]:
    text = Path(__file__).with_name("word_lists.yaml").read_text(encoding="utf-8")
    loaded = yaml.load(text, yaml.BaseLoader)
    assert isinstance(loaded, dict)
    return loaded


def word_list(name: str) -> frozenset[str]:
    """The folded words of one list. Raises KeyError for an unknown name."""
    return frozenset(_lists()[name].split())
