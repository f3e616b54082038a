"""What goes in and out about files and the work on them, as OpenAPI describes it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from qa.http.shapes import Body


class ProblemShape(BaseModel):
    """Something the reading of a file found, with the cell."""

    code: str
    where: str
    message: str
    hint: str


class VersionLineShape(BaseModel):
    """One version of a document. `original`: whether its file may be downloaded: only by those who may see all of it."""

    document: str
    version: str
    version_id: str
    number: int
    date: str | None
    status: Literal["draft", "corrected", "final"] | None
    kind: str
    binding: bool
    authorized_by: str | None
    authorized_at: str | None
    ingested_at: str
    sha256: str | None
    original: bool


class TableColumnShape(BaseModel):
    name: str
    header: str
    sql_name: str
    unit: str | None
    type: str


class TableShape(BaseModel):
    """`range` and `rows`: null where the person sees some of the rows only."""

    table: str
    sheet: str | None
    range: str | None
    layout: str
    rows: int | None
    columns: list[TableColumnShape]


class TableLineShape(TableShape):
    """A table over its versions, oldest first."""

    document: str
    versions: list[str]


class VersionReportShape(VersionLineShape):
    tables: list[TableShape]
    problems: list[ProblemShape]


class JobShape(BaseModel):
    """Work that goes on after the request. `result`: what came of it, or `code` and `message` of what went wrong."""

    job_id: str
    kind: Literal["ingest", "goldset"]
    subject: str
    status: Literal["queued", "running", "done", "failed"]
    step: str
    rows: int
    created_at: str
    finished_at: str | None
    result: dict[str, Any] | None


class LevelBody(Body):
    """`sheet`: only this sheet's level."""

    level: str = Field(min_length=1, max_length=100, examples=["controlling"])
    sheet: str | None = Field(None, max_length=200)


class DiffShape(BaseModel):
    document: str
    changed: list[dict[str, Any]]
    added: list[dict[str, Any]]
    removed: list[dict[str, Any]]
