"""What goes in and out about meanings, review, log, goldsets and keys, as OpenAPI describes it."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from qa.http.shapes import AnswerShape, Body


class MeaningShape(BaseModel):
    """What a column means. `status`: only what is approved is used."""

    document: str
    sheet: str | None
    header: str
    name: str
    unit: str | None
    synonyms: list[str]
    aggregation: str | None
    levels: list[str]
    personal: bool
    status: Literal["literal", "proposed", "approved", "rejected"]
    by: str | None
    at: str | None
    reason: str


class ColumnBody(Body):
    """A column as a person names it; `sheet` null for CSV."""

    document: str = Field(min_length=1, max_length=255)
    sheet: str | None = Field(None, max_length=200)
    header: str = Field(min_length=1, max_length=2_000)


class ApproveBody(ColumnBody):
    """What is left out stays as it is proposed."""

    name: str | None = Field(None, min_length=1, max_length=200)
    unit: str | None = Field(None, max_length=50)
    synonyms: list[Annotated[str, Field(min_length=1, max_length=200)]] | None = Field(None, max_length=50)
    aggregation: Literal["sum", "stock", "none"] | None = None
    personal: bool | None = None


class RejectBody(ColumnBody):
    reason: str = Field("", max_length=2_000)


class ProposeBody(Body):
    document: str = Field(min_length=1, max_length=255)


class UnreadShape(BaseModel):
    """A header that no rule can read: a person names it."""

    header: str
    reason: str


class DecisionShape(BaseModel):
    by: str
    at: str
    reason: str


class ReviewEntryShape(BaseModel):
    answer_id: str
    asked_at: str
    tenant: str
    user: str
    question: str
    status: str
    state: Literal["not_required", "pending", "approved", "rejected"]
    shape: str
    decision: DecisionShape | None


class FindingShape(BaseModel):
    """A text of a file that looks like an instruction or a secret. `where`: its cell, sheet or file."""

    code: str
    where: str
    message: str


class ReviewDetailShape(ReviewEntryShape):
    """`answer`: as it was computed, also where it was held back; `foreign_text`: what is conspicuous in the sheets it reads."""

    answer: AnswerShape
    understood: str | None
    query: str
    foreign_text: list[FindingShape] = Field(default_factory=list)


class DecideBody(Body):
    decision: Literal["approve", "reject"]
    reason: str = Field("", max_length=2_000)


class AuditPageShape(BaseModel):
    """Records, newest first. `before`: ask with it for older ones; null at the end."""

    records: list[dict[str, Any]]
    before: int | None


class AuditCheckShape(BaseModel):
    ok: bool
    findings: list[str]


class GoldsetShape(BaseModel):
    name: str
    cases: int


class KeyShape(BaseModel):
    key_id: str
    user: str
    tenant: str
    levels: list[str]
    roles: list[str]
    created_at: str
    created_by: str
    expires_at: str | None
    state: Literal["active", "expired", "revoked"]


class NewKeyShape(KeyShape):
    """`key` is shown this one time."""

    key: str


class KeyBody(Body):
    user: str = Field(min_length=1, max_length=200)
    levels: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field(min_length=1, max_length=100)
    roles: list[Literal["asker", "analyst", "admin", "monitor"]] = Field(min_length=1, max_length=4)
    expires: date | None = None
