"""The gate before an answer is shown: what no person has approved waits, where the tenant's policy says so.

The asker of a held answer learns that it waits, and no number; the audit record keeps the whole answer for the analyst.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from orchestrator.ask import LogRecord
from orchestrator.scope import Asker
from qa.review_decisions import DECISIONS, Decisions, Verdict
from qa.review_shape import Reach, Shape, shape_of
from qa.settings import ReviewPolicy
from qa.wiring import Workspace

State = Literal["not_required", "pending", "approved", "rejected"]
HELD_FIELDS = ("status", "route", "text", "result", "facts", "related", "warnings", "refusal", "clarification")

_NUMBERED_REFUSALS = frozenset({"incomplete_data"})
"""Refusals whose sentence names a number (the known part)."""

_TEXTS: Mapping[str, Mapping[str, str]] = {
    "mixed": {
        "de": "Zur Prüfung: Die Zahl und die ähnlichen Zeilen kommen aus getrennten Abfragen; noch hat sie kein Mensch geprüft.",
        "en": "For review: the number and the similar rows come from separate queries; no person has reviewed them yet.",
        "pl": "Do sprawdzenia: liczba i podobne wiersze pochodzą z osobnych zapytań; nikt ich jeszcze nie sprawdził.",
    },
    "pending_mixed": {
        "de": "Zur Prüfung: Eine Zahl mit ähnlichen Zeilen wartet auf eine Person; danach die Frage noch einmal stellen.",
        "en": "For review: a number with similar rows is computed and waits for a person; ask again afterwards.",
        "pl": "Do sprawdzenia: liczba z podobnymi wierszami czeka na sprawdzenie przez człowieka; potem proszę zapytać ponownie.",
    },
    "pending": {
        "de": "Die Antwort ist berechnet und wartet auf die Prüfung durch eine Person; danach die Frage noch einmal stellen.",
        "en": "The answer is computed and waits for review by a person; ask again afterwards.",
        "pl": "Odpowiedź jest obliczona i czeka na sprawdzenie przez człowieka; potem proszę zapytać ponownie.",
    },
    "rejected": {
        "de": "Die Antwort auf diese Frage wurde von {by} am {day} geprüft und abgelehnt; sie wird nicht gezeigt.",
        "en": "The answer to this question was reviewed and rejected by {by} on {day}; it is not shown.",
        "pl": "Odpowiedź na to pytanie sprawdził(a) i odrzucił(a) {by} dnia {day}; nie jest pokazywana.",
    },
    "words": {
        "de": "Geprüft von {by} am {day}.",
        "en": "Reviewed by {by} on {day}.",
        "pl": "Sprawdzone przez {by} dnia {day}.",
    },
    "shape": {
        "de": "Abfrageform geprüft von {by} am {day}, mit anderen Angaben.",
        "en": "Query shape reviewed by {by} on {day}, with other particulars.",
        "pl": "Postać zapytania sprawdzona przez {by} dnia {day}, z innymi danymi.",
    },
}

JsonObject = Mapping[str, Any]


def decisions_of(workspace: Workspace, tenant: str) -> Decisions:
    """What people have decided so far, as the audit log holds it."""
    return Decisions.of(workspace.audit.events(tenant, DECISIONS))


@dataclass(frozen=True)
class Gated:
    """`answer`: what may be shown; `note`: what the audit record keeps about the review, with the held answer."""

    answer: dict[str, Any]
    note: Mapping[str, Any]


def gate(workspace: Workspace, asker: Asker, question: str, answer: dict[str, Any], log: LogRecord) -> Gated:
    """`question`: in full where `answer` is of a follow-up."""
    numbered = answer["status"] == "answered" and (answer["result"] is not None or bool(answer["related"]))
    numbered = numbered or (answer["refusal"] or {}).get("code") in _NUMBERED_REFUSALS
    numbered = numbered or (answer["clarification"] is not None and log.plan is not None)
    shape = shape_of(workspace, asker, question, log) if numbered else None
    if shape is None:
        return Gated(answer, {})
    # What a model wrote in SQL is never shown before a person has approved this very question.
    policy: ReviewPolicy = "all" if log.by_model and log.plan is None else workspace.settings.tenant(asker.tenant).review
    state, verdict, kind = _judge(policy, shape, decisions_of(workspace, asker.tenant))
    note: dict[str, Any] = {"review": {**shape.to_json(), "policy": policy, "state": state}}
    if state in ("pending", "rejected"):
        if answer["clarification"] is not None:
            return Gated(_without_numbers(answer), note)
        note["held"] = {name: answer[name] for name in HELD_FIELDS}
        kind = "pending_mixed" if kind == "pending" and shape.reach == "mixed" else kind
        return Gated(_waiting(answer, state, _sentence(kind, answer["language"], verdict)), note)
    if verdict is not None and answer["status"] == "answered":
        text = f"{answer['text']}\n{_sentence(kind, answer['language'], verdict)}"
        answer = {**answer, "text": text, "review": {"state": state}}
    elif shape.reach == "mixed" and answer["status"] == "answered":
        answer = {**answer, "text": f"{answer['text']}\n{_sentence('mixed', answer['language'], None)}"}
    return Gated(answer, note)


def _judge(policy: ReviewPolicy, shape: Shape, decisions: Decisions) -> tuple[State, Verdict | None, str]:
    """The state, the decision that it rests on, and which sentence says it."""
    words, of_shape = decisions.words.get(shape.words), decisions.shapes.get(shape.key)
    if words is not None and not words.approved:
        return "rejected", words, "rejected"
    if words is not None:
        return "approved", words, "words"
    if policy == "all":
        return "pending", None, "pending"
    if of_shape is not None and of_shape.approved:
        return "approved", of_shape, "shape"
    return ("pending", None, "pending") if holds(policy, shape.reach) else ("not_required", None, "")


def holds(policy: ReviewPolicy, reach: Reach) -> bool:
    """Whether an answer of an unapproved shape waits."""
    return policy in ("new_shapes", "all") or (policy == "mixed" and reach not in ("table", "rows"))


def _sentence(kind: str, language: str, verdict: Verdict | None) -> str:
    said = {"by": verdict.by, "day": verdict.day} if verdict is not None else {}
    texts = _TEXTS[kind]
    return texts.get(language, texts["de"]).format(**said)


def _waiting(answer: JsonObject, state: State, text: str) -> dict[str, Any]:
    empty: dict[str, Any] = {"route": None, "text": text, "result": None, "facts": [], "related": [], "warnings": []}
    trace = [{**step, "detail": {}} for step in answer["trace"]]
    return {
        **answer, **empty, "status": "pending_review", "refusal": None, "clarification": None, "review": {"state": state},
        "trace": trace,
    }  # fmt: skip


def _without_numbers(answer: JsonObject) -> dict[str, Any]:
    """A question back, whose options name what each would give: until the shape is approved they only say what to ask."""
    asked = answer["clarification"]
    options = [{"label": option["question"], "question": option["question"]} for option in asked["options"]]
    return {**answer, "clarification": {**asked, "options": options}, "review": {"state": "pending"}}
