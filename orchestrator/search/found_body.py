"""Rows that are near a topic -> the answer's body: the sentence, and for every shown value its fact."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml

from orchestrator.answer import Warning_
from orchestrator.build_answer import AnswerBody, recipes_of, sources_of, stopped_body
from orchestrator.lexicon import Language
from orchestrator.outcome import Outcome, RelatedRow
from orchestrator.phrases import notice_text
from orchestrator.plan import SearchPlan
from orchestrator.rows.related_body import related_facts, related_rows


@cache
def _texts() -> Mapping[str, Mapping[Language, str]]:
    raw = yaml.safe_load(files("orchestrator").joinpath("words/search.yaml").read_text(encoding="utf-8"))
    texts: Mapping[str, Mapping[Language, str]] = raw["texts"]
    return texts


def found_body(outcome: Outcome, plan: SearchPlan, language: Language, question: str) -> AnswerBody:
    """The body of an answer of route `rows`; a stop becomes a refusal or a question back."""
    if outcome.stop is not None:
        return stopped_body(outcome, language, question)
    lines = [_texts()["found"][language].format(topic=plan.topic)]
    lines += [_line(row, outcome, language) for row in outcome.related]
    lines.append(_texts()["by_meaning" if any(outcome.compared) else "by_words"][language])
    facts, recipes = related_facts(outcome, language)
    notices = dict.fromkeys(outcome.notices)
    return AnswerBody(
        "answered",
        "\n".join(lines),
        None,
        facts,
        tuple(Warning_(notice.code, notice_text(notice, language)) for notice in notices),
        recipes={**recipes_of(outcome), "facts": recipes},
        related=related_rows(outcome, language),
    )


def _line(row: RelatedRow, outcome: Outcome, language: Language) -> str:
    """The row's name, where it stands, and the caption above its table."""
    source = sources_of(row.cells[:1], outcome.tables)[0]
    table = outcome.tables[row.cells[0].table_id].stored.table
    place = [source.file, *([source.sheet] if source.sheet else [])]
    said = _texts()["line"][language].format(title=row.title, place=", ".join(place), row=source.rows)
    caption = " ".join((table.caption or "").split())
    return said + (_texts()["caption"][language].format(caption=caption) if caption else "")
