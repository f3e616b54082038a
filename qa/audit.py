"""What is written to the audit log: every question, however it ended, and every administrative event.

A record has the same keys whatever it is about, so that an export loads as a table; what does not apply is null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from indexer.catalog import Catalog
from orchestrator.scope import Asker
from qa.audit_chain import ChainReport, ChainRow, JsonObject
from qa.audit_store import AuditStore

ANSWER_FIELDS = (
    "answer_id", "session_id", "asked_at", "question", "language", "status", "route", "text", "result", "facts", "related",
    "warnings", "refusal", "clarification", "review", "trace",
)  # fmt: skip
"""The fields of the answer object, in the order of the contract."""


@dataclass(frozen=True)
class TableRead:
    """A table version that an answer was computed from. `sha256`: of the original file; `rows`: how many it holds."""

    table_id: str
    table: str
    document: str
    version_id: str
    version: str
    sha256: str
    rows: int


@dataclass(frozen=True)
class QuestionDetails:
    """What an answer does not show. `reason`: why it was refused in truth (a person is told `not_in_data` also for what they
    may not see). `recipes`: how every fact is computed again, for `beleg verify`."""

    duration_ms: float
    queries: tuple[str, ...] = ()
    tables: tuple[TableRead, ...] = ()
    result_rows: int = 0
    reason: str | None = None
    recipes: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


class AuditLog:
    """Raises AuditError whenever the log cannot be written; a caller then shows no answer."""

    def __init__(self, store: AuditStore) -> None:
        self._store = store

    def question(self, asker: Asker, answer: JsonObject, details: QuestionDetails) -> None:
        """An answer, refusal, question back or pending review; `answer` is the contract's object."""
        self._store.append(
            _record(
                "question",
                asker.tenant,
                asker.user,
                levels=sorted(asker.levels),
                duration_ms=details.duration_ms,
                queries=list(details.queries),
                tables=[asdict(table) for table in details.tables],
                result_rows=details.result_rows,
                reason=details.reason,
                recipes=dict(details.recipes),
                detail=dict(details.extra),
                **{field: answer.get(field) for field in ANSWER_FIELDS},
            )
        )

    def failure(self, asker: Asker, question: str, session_id: str | None, error: BaseException, duration_ms: float) -> None:
        """A question that ended in an error."""
        self._store.append(
            _record(
                "question_failed",
                asker.tenant,
                asker.user,
                levels=sorted(asker.levels),
                duration_ms=duration_ms,
                question=question,
                session_id=session_id,
                asked_at=_now(),
                reason=f"{type(error).__name__}: {error}",
            )
        )

    def event(self, event: str, tenant: str, user: str, detail: Mapping[str, Any]) -> None:
        """An administrative event that no other store keeps."""
        self._store.append(_record(event, tenant, user, detail=dict(detail)))

    def carry_over(self, catalog: Catalog, tenants: Iterable[str]) -> None:
        """Repeats every event of the catalogue that is not in the log yet: also of a process that died before it could."""
        known = self._store.origins()
        for tenant in tenants:
            for event in catalog.events(tenant):
                origin = f"catalog:{event.event_id}"
                if origin not in known:
                    detail = {"document": event.document, "version_id": event.version_id, **event.detail}
                    record = _record(event.action, tenant, event.by, at=moment_text(event.at), detail=detail, origin=origin)
                    self._store.append(record)

    def answer(self, answer_id: str) -> JsonObject | None:
        """The record of an answer; None if the log holds none."""
        rows = self._store.rows_of_answer(answer_id)
        return _exported(rows[-1]) if rows else None

    def events(self, tenant: str, names: Sequence[str]) -> Iterator[JsonObject]:
        """The records of these events of one tenant, oldest first."""
        return map(_exported, self._store.rows_of_events(tenant, names))

    def questions(self, tenant: str | None = None, status: str | None = None) -> Iterator[JsonObject]:
        """The answered, refused, … questions, oldest first; `status`: only those that were answered so."""
        for row in self._store.rows_of_status(tenant, status):
            record = _exported(row)
            if status is None or record["status"] == status:
                yield record

    def session(self, session_id: str, asker: Asker) -> list[JsonObject]:
        """The questions of a session, oldest first: only this person's own, asked of the same tenant with the same levels."""
        own = {"tenant": asker.tenant, "user": asker.user, "levels": sorted(asker.levels)}
        records = [_exported(row) for row in self._store.rows_of_session(session_id)]
        return [record for record in records if all(record[key] == value for key, value in own.items())]

    def export(self) -> Iterator[JsonObject]:
        """Every record, oldest first, with `previous` and `hash`."""
        return map(_exported, self._store.rows())

    def check(self) -> ChainReport:
        return self._store.check()


def _record(event: str, tenant: str, user: str, **fields: Any) -> dict[str, Any]:
    empty: dict[str, Any] = dict.fromkeys(ANSWER_FIELDS)
    empty |= {"at": _now(), "levels": [], "duration_ms": None, "queries": [], "tables": [], "result_rows": None}
    empty |= {"reason": None, "recipes": {}, "detail": {}, "origin": None}
    return empty | {"event": event, "tenant": tenant, "user": user} | fields


def _exported(row: ChainRow) -> JsonObject:
    body: dict[str, Any] = json.loads(row.body)
    first = {key: body[key] for key in ("seq", "event", "at", "user", "tenant", "levels", *ANSWER_FIELDS) if key in body}
    return {**first, **body, "hash": row.hash}


def _now() -> str:
    return moment_text(datetime.now(UTC))


def moment_text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
