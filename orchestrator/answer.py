"""The answer object of the contract: what a user, a script or an auditor gets. `to_json` gives its exact shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal

from orchestrator.cell_lists import CellRanges, RowNumbers
from orchestrator.lexicon import Language
from orchestrator.outcome import ResultType, WarningCode

Status = Literal["answered", "refused", "clarify", "pending_review"]
Route = Literal["sql", "rows", "mixed"]


@dataclass(frozen=True)
class VersionInfo:
    label: str
    date: date | None
    status: str | None
    binding: bool


@dataclass(frozen=True)
class Source:
    """Cells of one table version. `rows` is a compact list ("5-46,48"); `cells` up to 1,000 addresses, beyond that ranges;
    `row_count` the true number. `sheet` is None for CSV. Very long lists are not written out yet."""

    file: str
    sheet: str | None
    rows: str | RowNumbers
    cells: Sequence[str]
    row_count: int
    version: VersionInfo


@dataclass(frozen=True)
class Provenance:
    """`numerator`, `denominator`: of `value` as shown, where it has no finite decimal form. `base_sources`: the whole of a
    share."""

    kind: Literal["sql", "rows"]
    sources: tuple[Source, ...]
    query: str | None = None
    base_sources: tuple[Source, ...] = ()
    complete: bool = True
    numerator: str | None = None
    denominator: str | None = None
    similarity: float | None = None


@dataclass(frozen=True)
class Fact:
    """One shown value: of the result (`row`, `column`) or of a related row (`related`)."""

    value: str | None
    unit: str | None
    shown_as: str
    exact: bool
    provenance: Provenance
    row: int | None = None
    column: int | None = None
    related: int | None = None


@dataclass(frozen=True)
class Column:
    name: str
    type: ResultType
    unit: str | None


@dataclass(frozen=True)
class Result:
    columns: tuple[Column, ...]
    rows: tuple[tuple[str | None, ...], ...]
    truncated: bool


@dataclass(frozen=True)
class Related:
    title: str
    values: Mapping[str, str]
    provenance: Provenance


@dataclass(frozen=True)
class Warning_:
    code: WarningCode
    message: str


@dataclass(frozen=True)
class Refusal:
    code: str
    message: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClarificationOption:
    label: str
    question: str


@dataclass(frozen=True)
class Clarification:
    code: str
    question: str
    options: tuple[ClarificationOption, ...] = ()


@dataclass(frozen=True)
class Review:
    state: str = "not_required"


@dataclass(frozen=True)
class TraceStep:
    stage: str
    ms: float
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    answer_id: str
    session_id: str
    asked_at: datetime
    question: str
    language: Language
    status: Status
    route: Route | None
    text: str
    result: Result | None = None
    facts: tuple[Fact, ...] = ()
    related: tuple[Related, ...] = ()
    warnings: tuple[Warning_, ...] = ()
    refusal: Refusal | None = None
    clarification: Clarification | None = None
    review: Review = Review()
    trace: tuple[TraceStep, ...] = ()


def to_json(answer: Answer) -> dict[str, Any]:
    """The answer object as JSON data. `asked_at` is written in UTC. Very long lists of rows and ranges come as objects that
    cell_lists.written_out writes out, the `default` of json.dumps."""
    return {
        "answer_id": answer.answer_id,
        "session_id": answer.session_id,
        "asked_at": answer.asked_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "question": answer.question,
        "language": answer.language,
        "status": answer.status,
        "route": answer.route,
        "text": answer.text,
        "result": _result(answer.result),
        "facts": [_fact(fact) for fact in answer.facts],
        "related": [
            {"title": row.title, "values": dict(row.values), "provenance": _provenance(row.provenance)} for row in answer.related
        ],
        "warnings": [{"code": warning.code, "message": warning.message} for warning in answer.warnings],
        "refusal": _refusal(answer.refusal),
        "clarification": _clarification(answer.clarification),
        "review": {"state": answer.review.state},
        "trace": [{"stage": step.stage, "ms": round(step.ms, 1), "detail": dict(step.detail)} for step in answer.trace],
    }


def _result(result: Result | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {
        "columns": [{"name": column.name, "type": column.type, "unit": column.unit} for column in result.columns],
        "rows": [list(row) for row in result.rows],
        "truncated": result.truncated,
    }


def _fact(fact: Fact) -> dict[str, Any]:
    place = {"row": fact.row, "column": fact.column} if fact.related is None else {"related": fact.related}
    return place | {
        "value": fact.value,
        "unit": fact.unit,
        "shown_as": fact.shown_as,
        "exact": fact.exact,
        "provenance": _provenance(fact.provenance),
    }


def _provenance(provenance: Provenance) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": provenance.kind}
    if provenance.query is not None:
        found["query"] = provenance.query
    if provenance.similarity is not None:
        found["similarity"] = provenance.similarity
    found["sources"] = [_source(source) for source in provenance.sources]
    if provenance.base_sources:
        found["base_sources"] = [_source(source) for source in provenance.base_sources]
    if provenance.numerator is not None:
        found |= {"numerator": provenance.numerator, "denominator": provenance.denominator}
    return found | {"complete": provenance.complete}


def _source(source: Source) -> dict[str, Any]:
    version = source.version
    return {
        "file": source.file,
        "sheet": source.sheet,
        "rows": source.rows,
        "cells": source.cells if isinstance(source.cells, CellRanges) else list(source.cells),
        "row_count": source.row_count,
        "version": {
            "label": version.label,
            "date": version.date.isoformat() if version.date is not None else None,
            "status": version.status,
            "binding": version.binding,
        },
    }


def _refusal(refusal: Refusal | None) -> dict[str, Any] | None:
    if refusal is None:
        return None
    return {"code": refusal.code, "message": refusal.message, "suggestions": list(refusal.suggestions)}


def _clarification(clarification: Clarification | None) -> dict[str, Any] | None:
    if clarification is None:
        return None
    options = [{"label": option.label, "question": option.question} for option in clarification.options]
    return {"code": clarification.code, "question": clarification.question, "options": options}
