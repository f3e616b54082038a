"""What goes in and out, as OpenAPI describes it. The answer object itself is the contract's."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

QUESTION_EXAMPLE = "Wie hoch war der Nettoumsatz der Niederlassung Danzig im Q3 2024?"

AnswerId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class Body(BaseModel):
    """Something that is sent: unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AskBody(Body):
    """One question. `session_id` continues a conversation; `today` fixes what "letzter Monat" means."""

    question: str = Field(min_length=1, max_length=100_000, examples=[QUESTION_EXAMPLE])
    session_id: str | None = Field(None, pattern=r"^[A-Za-z0-9_-]{1,64}$")
    today: date | None = None


class VersionShape(BaseModel):
    label: str
    date: str | None
    status: Literal["draft", "corrected", "final"] | None
    binding: bool


class SourceShape(BaseModel):
    """Cells of one version of one file. `rows` is a compact list; `cells` lists up to 1,000 addresses, beyond that ranges."""

    file: str
    sheet: str | None
    rows: str
    cells: list[str]
    row_count: int
    version: VersionShape


class ProvenanceShape(BaseModel):
    kind: Literal["sql", "rows"]
    query: str | None = None
    similarity: float | None = None
    sources: list[SourceShape]
    base_sources: list[SourceShape] | None = None
    numerator: str | None = None
    denominator: str | None = None
    complete: bool


class FactShape(BaseModel):
    """One shown value: of the result (`row`, `column`) or of a related row (`related`). Numbers are decimal strings."""

    row: int | None = None
    column: int | None = None
    related: int | None = None
    value: str | None
    unit: str | None
    shown_as: str
    exact: bool
    provenance: ProvenanceShape


class ResultColumnShape(BaseModel):
    name: str
    type: str
    unit: str | None


class ResultShape(BaseModel):
    columns: list[ResultColumnShape]
    rows: list[list[str | None]]
    truncated: bool


class RelatedShape(BaseModel):
    title: str
    values: dict[str, str]
    provenance: ProvenanceShape


class WarningShape(BaseModel):
    code: str
    message: str


class RefusalShape(BaseModel):
    code: str
    message: str
    suggestions: list[str]


class OptionShape(BaseModel):
    label: str
    question: str


class ClarificationShape(BaseModel):
    code: str
    question: str
    options: list[OptionShape]


class ReviewShape(BaseModel):
    state: str


class StageShape(BaseModel):
    stage: str
    ms: float
    detail: dict[str, Any]


class AnswerShape(BaseModel):
    """The answer object. Whoever may not see something is answered exactly as if it did not exist."""

    answer_id: str
    session_id: str | None
    asked_at: str
    question: str
    language: Literal["de", "en", "pl"]
    status: Literal["answered", "refused", "clarify", "pending_review"]
    route: Literal["sql", "rows", "mixed"] | None
    text: str
    result: ResultShape | None
    facts: list[FactShape]
    related: list[RelatedShape]
    warnings: list[WarningShape]
    refusal: RefusalShape | None
    clarification: ClarificationShape | None
    review: ReviewShape
    trace: list[StageShape]


class VerifiedFactShape(BaseModel):
    """`recomputed`: the value from the cells as they are now. `checked`: what "equal" rests on."""

    row: int | None
    column: int | None
    value: str | None
    recomputed: str | None
    equal: bool
    checked: Literal["recomputed", "rerun", "cells", "nothing"]
    sources: list[SourceShape]


class VerificationShape(BaseModel):
    """`ok`: all facts are equal to the last digit. `messages`: a sentence where one is not."""

    answer_id: str
    ok: bool
    facts: list[VerifiedFactShape]
    messages: list[str]


class ExcerptColumnShape(BaseModel):
    letter: str
    header: list[str]
    name: str | None
    unit: str | None
    is_number: bool
    is_hidden: bool


class ExcerptCellShape(BaseModel):
    """`address`: the cell that holds the value; of a merged area its top-left one."""

    address: str
    text: str
    cited: bool
    is_number: bool
    is_merged: bool


class ExcerptRowShape(BaseModel):
    """`number`: of the row in the sheet; of a gap the count of rows left out."""

    kind: Literal["data", "total", "gap"]
    number: int
    cells: list[ExcerptCellShape]


class ExcerptShape(BaseModel):
    """The sheet around the cited cells, as far as the asker may see it. `cited_from`, `cited_to`, `cited_rows`: which of how many
    rows with a cited cell these are, counted from 1; `start` asks for more."""

    file: str
    sheet: str | None
    version: VersionShape
    title: list[str]
    header_rows: str
    columns: list[ExcerptColumnShape]
    rows: list[ExcerptRowShape]
    cited_from: int
    cited_to: int
    cited_rows: int
    columns_left_out: int


class SignInBody(Body):
    key: str = Field(min_length=1, max_length=200, examples=["beleg_0123456789ab_…"])


class PersonShape(BaseModel):
    """Who is signed in. `csrf_token`: what a browser session sends as X-CSRF-Token with every change."""

    user: str
    tenant: str
    levels: list[str]
    roles: list[str]
    rights: list[str]
    csrf_token: str | None


class StateShape(BaseModel):
    status: Literal["ok", "unavailable"]
