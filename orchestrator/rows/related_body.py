"""Rows that are alike or fit -> the answer object's `related`, with a fact for every shown value, and the sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from orchestrator.answer import Fact, Provenance, Related, Warning_
from orchestrator.build_answer import AnswerBody, recipes_of, sources_of, stopped_body
from orchestrator.cell_ranges import union
from orchestrator.lexicon import Language
from orchestrator.outcome import Notice, Outcome, RelatedRow, ResultColumn, TracedValue
from orchestrator.phrases import notice_text
from orchestrator.plan import LikenessPlan
from orchestrator.recipe import recipe_to_json
from orchestrator.show_value import show_number, show_value

_MOST_NAMED = 3
"""Compared columns that the text names one by one; beyond that the first, the last and how many."""


@cache
def _texts() -> Mapping[str, Mapping[Language, str]]:
    raw = yaml.safe_load(files("orchestrator").joinpath("words/rows.yaml").read_text(encoding="utf-8"))
    texts: Mapping[str, Mapping[Language, str]] = raw["texts"]
    return texts


def related_body(outcome: Outcome, plan: LikenessPlan, language: Language, question: str) -> AnswerBody:
    """The body of an answer of route `rows`; a stop becomes a refusal or a question back."""
    if outcome.stop is not None:
        return stopped_body(outcome, language, question)
    anchor = " ".join(shown for shown in _anchor(outcome, language))
    lines = [_texts()["like"][language].format(anchor=anchor)]
    lines += [_line(row, language) for row in outcome.related]
    lines.append(_texts()[plan.measure][language].format(columns=_columns(outcome, plan, language)))
    facts, recipes = related_facts(outcome, language)
    return AnswerBody(
        "answered",
        "\n".join(lines),
        None,
        facts,
        _warnings((*outcome.notices, Notice("rounded")), language),
        recipes={**recipes_of(outcome), "facts": recipes},
        related=related_rows(outcome, language),
    )


def related_rows(outcome: Outcome, language: Language) -> tuple[Related, ...]:
    """The related rows as the answer object holds them."""
    return tuple(_related(row, outcome, language) for row in outcome.related)


def related_facts(outcome: Outcome, language: Language, offset: int = 0) -> tuple[tuple[Fact, ...], list[dict[str, Any]]]:
    """Every shown value of every related row, and how each is read again; `offset`: facts that stand before these."""
    facts: list[Fact] = []
    recipes: list[dict[str, Any]] = []
    for place, row in enumerate(outcome.related):
        for column, value in row.values:
            if value.recipe is not None:
                recipes.append({"fact": offset + len(facts), "recipe": recipe_to_json(value.recipe)})
            facts.append(_fact(place, row, column, value, outcome, language))
    return tuple(facts), recipes


def _fact(place: int, row: RelatedRow, column: ResultColumn, value: TracedValue, outcome: Outcome, language: Language) -> Fact:
    shown = show_value(value, column, language)
    provenance = Provenance(
        "rows", sources_of(value.evidence.cells, outcome.tables), ";\n".join(value.queries), similarity=float(row.similarity)
    )
    return Fact(shown.value, value.evidence.unit, shown.text, shown.exact, provenance, related=place)


def _related(row: RelatedRow, outcome: Outcome, language: Language) -> Related:
    values = {
        f"{column.name} [{value.evidence.unit}]" if value.evidence.unit else column.name: shown.value or ""
        for column, value in row.values
        for shown in (show_value(value, column, language),)
    }
    cells = union(row.cells, *(value.evidence.cells for _, value in row.values))
    return Related(row.title, values, Provenance("rows", sources_of(cells, outcome.tables), similarity=float(row.similarity)))


def _anchor(outcome: Outcome, language: Language) -> Iterator[str]:
    """What the row is called that the others are compared with."""
    for value, column in zip(outcome.rows[0], outcome.columns, strict=True):
        if value.absent is None:
            yield show_value(value, column, language).text


def _line(row: RelatedRow, language: Language) -> str:
    similarity = show_number(row.similarity, None, language).text
    return _texts()["line"][language].format(title=row.title, similarity=similarity)


def _columns(outcome: Outcome, plan: LikenessPlan, language: Language) -> str:
    names = outcome.compared
    if plan.measure == "shape" and len(names) > _MOST_NAMED:
        return _texts()["span"][language].format(first=names[0], last=names[-1], n=len(names))
    return f" {_texts()['and'][language]} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _warnings(notices: tuple[Notice, ...], language: Language) -> tuple[Warning_, ...]:
    return tuple(Warning_(notice.code, notice_text(notice, language)) for notice in dict.fromkeys(notices))
