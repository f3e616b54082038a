"""Sentences of the planner's stops, in the asker's language: what is open or missing, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml

from orchestrator.lexicon import Language
from orchestrator.planners.decision import PlannerStop


@cache
def sentences() -> Mapping[str, Mapping[Language, str]]:
    """Kind of stop -> language -> sentence, as words/stops.yaml says."""
    text = files("orchestrator").joinpath("words/stops.yaml").read_text(encoding="utf-8")
    loaded: Mapping[str, Mapping[Language, str]] = yaml.safe_load(text)
    return loaded


def sentence(stop: PlannerStop, language: Language) -> str:
    """The stop in words; every kind is in words/stops.yaml."""
    between = {"de": "“, „", "en": "”, “", "pl": "”, „"}[language]
    only = f"{stop.kind}_one"
    if len(stop.options) == 1 and only in sentences():  # one way out is not offered as a choice among several
        return sentences()[only][language].format(*stop.words, option=stop.options[0].label)
    return sentences()[stop.kind][language].format(*stop.words, all=between.join(stop.words))
