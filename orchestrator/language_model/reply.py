"""The shape of a model's reply, and reading one: strict JSON of exactly these fields, nothing guessed."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orchestrator.language_model.exchange import ReplyFormat

LONGEST_REPLY = 20_000
"""Characters of a reply that is looked at at all."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class MeasureReply(_Part):
    """`column` null: rows are counted."""

    aggregation: Literal["sum", "average", "median", "minimum", "maximum", "count", "count_distinct", "value"]
    column: str | None = Field(None, max_length=200)


class FilterReply(_Part):
    """Several filters with "=" on one column mean one of the values. Days as YYYY-MM-DD, numbers with a point."""

    column: str = Field(max_length=200)
    operator: Literal["=", "<>", "<", "<=", ">", ">="]
    value: str = Field(max_length=300)


class PeriodReply(_Part):
    """First and last day, both included, of what the time column holds."""

    column: str = Field(max_length=200)
    first_day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    last_day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")


class OrderReply(_Part):
    """By the first measure."""

    descending: bool
    limit: int | None = Field(None, ge=1, le=1000)


class PlanReply(_Part):
    """`measures` with or without `group_by`; or, without measures, `columns` of the rows themselves."""

    table: str = Field(max_length=200)
    measures: list[MeasureReply] = Field(default_factory=list, max_length=6)
    columns: list[str] = Field(default_factory=list, max_length=12)
    filters: list[FilterReply] = Field(default_factory=list, max_length=20)
    periods: list[PeriodReply] = Field(default_factory=list, max_length=6)
    group_by: list[str] = Field(default_factory=list, max_length=4)
    order: OrderReply | None = None


class Reply(_Part):
    """`rewording`: the same question in the words of the data; `plan` or `sql`: what would answer it. Null: there is none."""

    rewording: str | None = Field(None, max_length=500)
    plan: PlanReply | None = None
    sql: str | None = Field(None, max_length=4000)


class UnreadableReply(Exception):
    """The reply is not of the shape asked for; the message is told to the model, and of the reply holds only field names."""


def reply_format(free_sql: bool) -> ReplyFormat:
    """The JSON schema that is asked for; the field `sql` only where it may be used."""
    schema = _brief(Reply.model_json_schema())
    if not free_sql:
        schema["properties"].pop("sql")
        schema["required"].remove("sql")
    return ReplyFormat("reading", schema)


def _brief(schema: Any) -> Any:
    """Without what only people read and what only this side checks (a pattern ends some servers of grammars); every field is
    required, as strict servers want it: null or [] where there is nothing."""
    if isinstance(schema, list):
        return [_brief(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    left_out = ("title", "description", "default", "maxLength", "maxItems", "pattern", "required")
    named = schema.get("properties")
    kept = {key: _brief(value) for key, value in schema.items() if key not in (*left_out, "properties")}
    if not isinstance(named, dict):
        return kept
    return kept | {"properties": {key: _brief(value) for key, value in named.items()}, "required": list(named)}


def read_reply(text: str) -> Reply:
    """A single JSON object, also in a Markdown fence; prose around it, a second object or another field make it unreadable.
    Raises UnreadableReply."""
    if len(text) > LONGEST_REPLY:
        raise UnreadableReply("the reply is too long")
    fenced = re.fullmatch(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", text, re.DOTALL)
    try:
        data: Any = json.loads(fenced.group(1) if fenced else text, parse_constant=_no_constant, object_pairs_hook=_each_key_once)
    except (ValueError, RecursionError):
        raise UnreadableReply("the reply is not one JSON object") from None
    try:
        return Reply.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part)[:60] for part in first["loc"]) or "the reply"
        raise UnreadableReply(f"{where}: {first['type']}") from None


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key comes twice")
    return found
