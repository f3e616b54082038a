"""Sentences of warnings and stops that come from running a plan, in the asker's language; kept in words/sentences.yaml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files

import yaml

from orchestrator.lexicon import Language
from orchestrator.outcome import Notice, Stop, StopOption
from orchestrator.show_value import show_count, show_number

_MOST_NAMES = 12
"""Names that one sentence lists."""

Sentences = Mapping[str, Mapping[Language, str]]


@lru_cache(maxsize=1)
def sentences() -> Mapping[str, Sentences]:
    """`notices` (code, or code/kind), `stops` (kind) and `parts` of sentences -> language -> template."""
    text = files("orchestrator").joinpath("words/sentences.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Sentences] = yaml.safe_load(text)
    return found


def notice_text(notice: Notice, language: Language) -> str:
    """A warning in words. KeyError for a code and kind that has no sentence: a defect."""
    kind = "columns" if notice.code == "hidden_included" and notice.names else notice.kind
    template = sentences()["notices"][f"{notice.code}/{kind}" if kind else notice.code][language]
    return _filled(template, notice.names, notice.counts, notice.values, language).strip()


def stop_text(stop: Stop, language: Language) -> str:
    """A refusal or a question back, in words."""
    known = ""
    if stop.kind == "unreadable_cells" and stop.values:
        known = " " + sentences()["parts"]["known"][language].format(value=show_number(*stop.values[0], language).text)
    template = sentences()["stops"][stop.kind][language].replace("{known}", known)
    return _filled(template, stop.names, stop.counts, stop.values, language).strip()


def stop_suggestions(stop: Stop, language: Language, question: str) -> tuple[str, ...]:
    """Questions that would be answered instead: for mixed currencies one for each."""
    if stop.kind != "mixed_currency" or not question:
        return ()
    plain = question.strip().rstrip("?.! ")
    return tuple(f"{plain} in {unit}?" for unit in stop.names)


def option_label(option: StopOption, language: Language) -> str:
    """ "Entwurf 2024-10-12: 1.251.340 PLN": a way out with the number it gives."""
    if option.value is not None:
        return f"{option.label}: {show_number(*option.value, language).text}"
    return f"{option.label}: {option.text}" if option.text is not None else option.label


def _listed(names: Sequence[str]) -> str:
    more = f", … (+{len(names) - _MOST_NAMES})" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _filled(
    template: str,
    names: Sequence[str],
    counts: Sequence[int],
    values: Sequence[tuple[Fraction, str | None]],
    language: Language,
) -> str:
    numbers = [show_number(number, unit, language).text for number, unit in values]
    filling = {
        "names": _listed(names),
        "rest": _listed(names[1:]),
        "values": "; ".join(numbers) + ("; " if numbers and names else ""),
        "not_there": sentences()["parts"]["not_there"][language],
    }
    filling |= dict(zip(("n", "m"), (show_count(count, language) for count in counts), strict=False))
    filling |= dict(zip(("v", "w"), numbers, strict=False))
    return template.format(*(*names, "", ""), **filling)
