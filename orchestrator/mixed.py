"""The answered part of a question, and two of them put together: an exact number with its context.

Every number keeps its own evidence; nothing of the related rows can stand for the exact part. Without the exact part there is
no answer; without the context the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from orchestrator.answer import Fact, Route, Warning_
from orchestrator.build_answer import AnswerBody
from orchestrator.lexicon import Language
from orchestrator.outcome import Outcome
from orchestrator.plan import Plan
from orchestrator.planners.decision import PlannerStop


@dataclass(frozen=True)
class Part:
    """A question, or one part of it, as far as it was brought. `text`: what is shown of it, with how it was understood.
    `outcomes`: what was run; `in_full`: the question as finally read; `table`: what a follow-up goes on from; `model`: what was
    asked of a language model; `by_model`: it wrote what was run; `related_plan`: of a mixed question what was run for its
    second part."""

    body: AnswerBody
    language: Language
    route: Route
    text: str
    stop: PlannerStop | None = None
    outcomes: tuple[Outcome, ...] = ()
    plan: Plan | None = None
    explained: str = ""
    in_full: str = ""
    table: str | None = None
    model: Mapping[str, Any] | None = None
    by_model: bool = False
    related_plan: Plan | None = None


@cache
def _texts() -> Mapping[str, Mapping[Language, str]]:
    raw = yaml.safe_load(files("orchestrator").joinpath("words/rows.yaml").read_text(encoding="utf-8"))
    texts: Mapping[str, Mapping[Language, str]] = raw["texts"]
    return texts


def names_in(part: Part) -> tuple[str, ...]:
    """The names that an answer of one row gives ("LED-Leuchtmittel E27"): what "dieser" behind it means."""
    rows = part.outcomes[0].rows if part.outcomes and part.body.status == "answered" else ()
    values = (value.evidence.value for value in rows[0]) if len(rows) == 1 else ()
    return tuple(value for value in values if isinstance(value, str))


def joined(exact: Part, context: Part | None, said: str) -> Part:
    """`said`: the words of the context part. An exact part that was not answered is the whole answer."""
    if exact.body.status != "answered":
        return exact
    if context is None or context.body.status != "answered":
        why = context.body.text if context is not None else _texts()["no_kind"][exact.language]
        text = _texts()["part_missing"][exact.language].format(part=said.rstrip("?.! "), why=why)
        warnings = (*exact.body.warnings, Warning_("mixed_part_missing", text))
        return replace(exact, body=replace(exact.body, warnings=warnings), route="mixed", text=f"{exact.text}\n{text}")
    body = replace(
        exact.body,
        facts=(*exact.body.facts, *context.body.facts),
        related=context.body.related,
        warnings=tuple(dict.fromkeys((*exact.body.warnings, *context.body.warnings))),
        recipes=_recipes(exact.body.recipes or {}, context.body.recipes or {}, exact.body.facts),
    )
    return replace(
        exact,
        body=body,
        route="mixed",
        text=f"{exact.text}\n{context.text}",
        outcomes=(*exact.outcomes, *context.outcomes),
        related_plan=context.plan,
        explained=f"{exact.explained}; {context.explained}",
    )


def _recipes(exact: Mapping[str, Any], context: Mapping[str, Any], facts: tuple[Fact, ...]) -> dict[str, Any]:
    """Both parts' recipes; those of the related rows are found by their place among all facts."""
    moved = [{**each, "fact": each["fact"] + len(facts)} for each in context.get("facts", ())]
    return {
        "tables": {**exact.get("tables", {}), **context.get("tables", {})},
        "facts": [*exact.get("facts", ()), *moved],
    }
