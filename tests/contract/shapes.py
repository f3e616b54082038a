"""Checks JSON against a shape: a type, a tuple of allowed types or values, a list of one shape, or keys with their shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TEXT = str
OPTIONAL_TEXT = (str, None)


def mismatches(value: Any, shape: Any, place: str = "$") -> list[str]:
    """Where the value does not have the shape; keys beside those of the shape are allowed, missing ones are not."""
    if isinstance(shape, Mapping):
        if not isinstance(value, dict):
            return [f"{place} is no object: {value!r}"]
        absent = [f"{place}.{key} is missing" for key in shape if key not in value]
        return absent + [found for key in shape if key in value for found in mismatches(value[key], shape[key], f"{place}.{key}")]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{place} is no list: {value!r}"]
        return [found for index, item in enumerate(value) for found in mismatches(item, shape[0], f"{place}[{index}]")]
    allowed = shape if isinstance(shape, tuple) else (shape,)
    return [] if any(_fits(value, each) for each in allowed) else [f"{place} is {value!r}, not one of {allowed}"]


def _fits(value: Any, allowed: Any) -> bool:
    if isinstance(allowed, Mapping | list):
        return not mismatches(value, allowed)
    if allowed is None:
        return value is None
    if isinstance(allowed, type):
        return isinstance(value, allowed) and not (allowed is int and isinstance(value, bool))
    return bool(value == allowed)


VERSION = {"label": TEXT, "date": OPTIONAL_TEXT, "status": ("draft", "corrected", "final", None), "binding": bool}
SOURCE = {"file": TEXT, "sheet": OPTIONAL_TEXT, "rows": TEXT, "cells": [TEXT], "row_count": int, "version": VERSION}
FACT = {
    "row": int, "column": int, "value": OPTIONAL_TEXT, "unit": OPTIONAL_TEXT, "shown_as": TEXT, "exact": bool,
    "provenance": {"kind": ("sql", "rows"), "query": TEXT, "sources": [SOURCE], "complete": bool},
}  # fmt: skip
ANSWER = {
    "answer_id": TEXT, "session_id": TEXT, "asked_at": TEXT, "question": TEXT, "language": ("de", "en", "pl"),
    "status": ("answered", "refused", "clarify", "pending_review"), "route": ("sql", "rows", "mixed", None), "text": TEXT,
    "result": (
        None,
        {"columns": [{"name": TEXT, "type": TEXT, "unit": OPTIONAL_TEXT}], "rows": [[OPTIONAL_TEXT]], "truncated": bool},
    ),
    "facts": [FACT], "related": [{"title": TEXT, "values": dict, "provenance": dict}],
    "warnings": [{"code": TEXT, "message": TEXT}],
    "refusal": (None, {"code": TEXT, "message": TEXT, "suggestions": [TEXT]}),
    "clarification": (None, {"code": TEXT, "question": TEXT, "options": [{"label": TEXT, "question": TEXT}]}),
    "review": {"state": TEXT}, "trace": [{"stage": TEXT, "ms": (int, float), "detail": dict}],
}  # fmt: skip

GOLDSET_RUN = {"goldset": TEXT, "corpus": TEXT, "summary": dict, "cases": [{"id": TEXT, "score": TEXT, "answer": ANSWER}]}
VERIFY = {
    "answer_id": TEXT, "ok": bool, "original": TEXT,
    "facts": [
        {
            "row": int, "column": int, "value": TEXT, "recomputed": OPTIONAL_TEXT, "equal": bool, "checked": TEXT,
            "sources": [SOURCE],
        }
    ],
}  # fmt: skip
VERSIONS = [
    {
        "document": TEXT, "version": TEXT, "date": OPTIONAL_TEXT, "status": OPTIONAL_TEXT, "binding": bool,
        "authorized_by": OPTIONAL_TEXT, "authorized_at": OPTIONAL_TEXT, "ingested_at": TEXT, "sha256": TEXT,
    }
]  # fmt: skip
DIFF = {
    "document": TEXT, "from": TEXT, "to": TEXT, "added": list, "removed": list,
    "changed": [
        {
            "sheet": OPTIONAL_TEXT, "cell_from": TEXT, "cell_to": TEXT, "column": TEXT, "key": TEXT, "old": OPTIONAL_TEXT,
            "new": OPTIONAL_TEXT,
        }
    ],
}  # fmt: skip
TABLES = [
    {
        "table": TEXT, "document": TEXT, "sheet": OPTIONAL_TEXT, "range": TEXT, "rows": int, "versions": [TEXT],
        "columns": [
            {"name": TEXT, "header": TEXT, "sql_name": TEXT, "unit": OPTIONAL_TEXT, "type": TEXT, "levels": [TEXT]}
        ],
    }
]  # fmt: skip
LOGGED = {
    "user": TEXT, "tenant": TEXT, "levels": [TEXT], "duration_ms": (int, float, None), "previous": TEXT, "hash": TEXT,
    "answer_id": OPTIONAL_TEXT, "question": OPTIONAL_TEXT, "status": OPTIONAL_TEXT, "facts": (list, None),
}  # fmt: skip
INSPECT = {
    "file": TEXT, "cells": dict, "problems": [{"code": TEXT, "where": TEXT, "message": TEXT, "hint": TEXT}],
    "sheets": [
        {
            "name": OPTIONAL_TEXT, "hidden": bool,
            "tables": [
                {
                    "range": TEXT, "layout": ("list", "crosstab"), "caption": OPTIONAL_TEXT, "header_rows": [int],
                    "first_data_row": (int, None), "last_data_row": (int, None), "data_rows": int, "total_rows": [int],
                    "note_rows": [int],
                    "columns": [{"column": TEXT, "name": TEXT, "unit": OPTIONAL_TEXT, "type": TEXT, "scale": int}],
                }
            ],
        }
    ],
}  # fmt: skip
