"""How a server is told the shape of the reply: four ways, of which each server takes some."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from orchestrator.language_model.exchange import ReplyFormat
from orchestrator.language_model.model_settings import StructuredOutput

ORDER: tuple[StructuredOutput, ...] = ("json_schema", "json_object", "none")
"""What "auto" tries, the strictest first. A grammar is only used where it is set: servers that know none pass it over."""

_JSON_GRAMMAR = r"""root ::= object
value ::= object | array | string | number | ("true" | "false" | "null") ws
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? "}" ws
array ::= "[" ws (value ("," ws value)*)? "]" ws
string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}))* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ws
ws ::= | " " | "\n" [ \t]{0,20}
"""
"""GBNF of JSON; the fields are checked when the reply is read."""


def request_fields(mode: StructuredOutput, reply: ReplyFormat) -> Mapping[str, Any]:
    """What is added to the request."""
    match mode:
        case "json_schema":
            schema = {"name": reply.name, "schema": dict(reply.schema), "strict": False}
            return {"response_format": {"type": "json_schema", "json_schema": schema}}
        case "json_object":
            return {"response_format": {"type": "json_object", "schema": dict(reply.schema)}}
        case "grammar":
            return {"grammar": _JSON_GRAMMAR}
        case _:
            return {}


def schema_in_words(reply: ReplyFormat) -> str:
    """The schema as a line of the prompt: also servers that take no schema are told it."""
    return json.dumps(reply.schema, ensure_ascii=False, separators=(",", ":"))
