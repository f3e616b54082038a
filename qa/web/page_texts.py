"""The words of the page in German and English: page_texts.yaml, one line a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml

PageLanguage = Literal["de", "en"]
LANGUAGE_COOKIE = "beleg_language"


@cache
def page_texts() -> Mapping[str, Mapping[PageLanguage, str]]:
    """Key -> language -> text."""
    raw = yaml.safe_load((files("qa.web") / "page_texts.yaml").read_text(encoding="utf-8"))
    return {key: {"de": german, "en": english} for key, (german, english) in raw.items()}


def speaker(language: PageLanguage) -> Callable[..., str]:
    """The function `t(key, **values)` of the templates. Raises KeyError for a text there is not."""
    texts = page_texts()

    def speak(key: str, **values: object) -> str:
        text = texts[key][language]
        return text.format(**values) if values else text

    return speak


def chosen_language(cookie: str | None, accepted: str) -> PageLanguage:
    """What the person chose, else what their browser prefers of the two, else German."""
    if cookie in ("de", "en"):
        return "en" if cookie == "en" else "de"
    best: tuple[float, PageLanguage] = (0.0, "de")
    for part in accepted.lower().split(","):
        code, _, parameters = part.strip().partition(";")
        weight = _weight(parameters)
        if code[:2] in ("de", "en") and weight > best[0]:
            best = (weight, "en" if code[:2] == "en" else "de")
    return best[1]


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
