"""Masks personal values in what leaves the process beside the answer itself: the records of the audit log and their export.

Two passes that do not rely on each other: `masked` replaces, and `left_over` looks once more at the finished text, the very one
that is written. Names of people, files, tables and levels that the log needs to say who did what with which file stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.cell_lists import written_out
from qa.audit_signature import AuditKey
from qa.personal_values import MASK, PersonalValues
from schema_maps.personal import is_iban

KEPT_KEYS = frozenset(
    (
        "seq", "event", "at", "user", "tenant", "levels", "answer_id", "session_id", "asked_at", "language", "status", "route",
        "origin", "previous", "hash", "signature", "file", "sheet", "cells", "document", "version_id", "version", "sha256",
        "table", "table_id", "sql_name", "tables", "records", "code", "type", "is", "column", "unit", "kind", "stage", "reach",
        "policy", "state", "shape", "form", "words", "masked", "value_hmac", "today", "row_lists",
    )
)  # fmt: skip
"""Keys whose values say what was done with what, by whom; they are never masked."""

_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")

JsonObject = Mapping[str, Any]


@dataclass(frozen=True)
class Masker:
    """`values`: of the tenant; `key`: lets a masked number be verified later without being kept."""

    values: PersonalValues
    key: AuditKey | None = None

    def masked(self, record: JsonObject) -> dict[str, Any]:
        """The record with every personal value replaced; `masked` is true on it, and on each fact, that lost something."""
        hidden: set[str] = set()
        prepared = {**record, **self._without_cells(record, hidden)}
        detail = record.get("detail") or {}
        if "held" in detail:
            prepared["detail"] = {**detail, "held": {**detail["held"], **self._without_cells(detail["held"], hidden)}}
        clean: dict[str, Any] = self._walk(prepared, tuple(sorted(hidden, key=len, reverse=True)))
        return clean if clean == record else {**clean, "masked": True}

    def left_over(self, text: str) -> bool:
        """Whether the JSON text of a record still holds a personal value outside the keys that are kept."""
        return any(next(self.values.spans(found), None) is not None for found in _texts(json.loads(text)))

    def _walk(self, value: Any, hidden: tuple[str, ...]) -> Any:
        if isinstance(value, Mapping):
            if value.get("masked") is True and "provenance" in value:
                return {**value, "provenance": self._walk(value["provenance"], hidden)}
            fresh = {key: each if key in KEPT_KEYS else self._walk(each, hidden) for key, each in value.items()}
            return self._marked(value, fresh) if "provenance" in value and "value" in value else fresh
        if isinstance(value, list | tuple):
            return [self._walk(each, hidden) for each in value]
        return self.text(value, hidden) if isinstance(value, str) else value

    def text(self, text: str, hidden: Sequence[str] = ()) -> str:
        """One text: what the cells held, IBANs and e-mail addresses, then the personal values."""
        for shown in hidden:
            text = text.replace(shown, MASK)
        text = _EMAIL.sub(MASK, text)
        text = _IBAN.sub(lambda match: MASK if is_iban(match.group()) else match.group(), text)
        spans = list(self.values.spans(text))
        for start, end in reversed(spans):
            text = text[:start] + MASK + text[end:]
        return text

    def _without_cells(self, answer: JsonObject, hidden: set[str]) -> dict[str, Any]:
        """Facts that show one cell of a personal column lose their value, in the result, too; what they showed is collected."""
        facts, result = answer.get("facts") or [], answer.get("result")
        taken = {(fact.get("row"), fact.get("column")) for fact in facts if self._is_personal(fact)}
        if not taken:
            return {}
        fresh = [self._hide(fact, hidden) if (fact.get("row"), fact.get("column")) in taken else fact for fact in facts]
        if result is None:
            return {"facts": fresh}
        rows = [
            [MASK if (i, j) in taken and value is not None else value for j, value in enumerate(row)]
            for i, row in enumerate(result["rows"])
        ]
        return {"facts": fresh, "result": {**result, "rows": rows}}

    def _is_personal(self, fact: JsonObject) -> bool:
        sources = fact["provenance"]["sources"]
        return bool(sources) and all(
            source["row_count"] == 1
            and any(
                (source["file"], source["version"]["label"], source["sheet"], cell.rstrip("0123456789")) in self.values.places
                for cell in source["cells"]
            )
            for source in sources
        )

    def _hide(self, fact: JsonObject, hidden: set[str]) -> dict[str, Any]:
        hidden |= {text for text in (fact["value"], fact["shown_as"]) if text and len(text) > 1}
        provenance = {key: value for key, value in fact["provenance"].items() if key not in ("numerator", "denominator")}
        return self._marked(fact, {**fact, "value": MASK, "shown_as": MASK, "provenance": provenance})

    def _marked(self, fact: JsonObject, fresh: dict[str, Any]) -> dict[str, Any]:
        if fresh["value"] == fact["value"]:
            return fresh
        proof = {"value_hmac": self.key.sign("value", str(fact["value"]))} if self.key is not None else {}
        return {**fresh, "masked": True, **proof}


def export_line(record: JsonObject, masker: Masker | None) -> str:
    """The record as the line that is handed out; where masking failed only what says who did what with which file is left."""
    if masker is None:
        return json.dumps(record, ensure_ascii=False, default=written_out)
    line = json.dumps(masker.masked(record), ensure_ascii=False, default=written_out)
    if not masker.left_over(line):
        return line
    return json.dumps({key: value if key in KEPT_KEYS else None for key, value in record.items()} | {"masked": True})


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key not in KEPT_KEYS:
                yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield value
