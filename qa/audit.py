"""What is written to the audit log: every question, however it ended, and every administrative event.

A record has the same keys whatever it is about, so that an export loads as a table; what does not apply is null.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from indexer.catalog import Catalog
from orchestrator.scope import Asker
from qa.audit_chain import PRUNE, PRUNED, ChainReport, ChainRow, JsonObject
from qa.audit_store import AuditStore
from qa.packed_rows import packed, unpacked
from qa.personal_mask import Masker, export_line

MaskerOf = Callable[[str, frozenset[str]], Masker | None]
"""Tenant and an asker's levels -> what masks their records; None where nothing is personal or they may see it."""

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


@dataclass(frozen=True)
class Selection:
    """Which records: of these days (UTC, both included), of this user, of this tenant; None: of all."""

    since: date | None = None
    until: date | None = None
    user: str | None = None
    tenant: str | None = None

    def holds(self, record: JsonObject) -> bool:
        """A deleted record is of no user and no tenant, and of no day."""
        if (self.user, self.tenant) != (None, None) and not record["at"]:
            return False
        day = str(record["at"] or "")[:10]
        return (
            (self.since is None or day >= self.since.isoformat())
            and (self.until is None or "" < day <= self.until.isoformat())
            and self.user in (None, record["user"])
            and self.tenant in (None, record["tenant"])
        )


@dataclass(frozen=True)
class Heading:
    """A logged question for lists: without its cells, which may be many."""

    seq: int
    answer_id: str
    question: str
    status: str
    at: str
    levels: frozenset[str]


_MOST_HEADINGS = 5_000


class AuditLog:
    """Raises AuditError whenever the log cannot be written; a caller then shows no answer."""

    def __init__(self, store: AuditStore, maskers: MaskerOf | None = None) -> None:
        self._store = store
        self._masker_of: MaskerOf = maskers or (lambda tenant, levels: None)
        self._headings: dict[str, Heading] = {}

    def close(self) -> None:
        """Lets go of the database."""
        self._store.close()

    def _write(self, asker: Asker, record: JsonObject) -> None:
        """Personal values are masked unless one of the asker's levels allows them; the finished text is looked at once more."""
        masker = self._masker_of(asker.tenant, asker.levels)
        if masker is None:
            self._store.append(packed(record))
        else:
            self._store.append(packed(masker.masked(record)), leaks=masker.left_over)

    def question(self, asker: Asker, answer: JsonObject, details: QuestionDetails) -> None:
        """An answer, refusal, question back or pending review; `answer` is the contract's object."""
        self._write(
            asker,
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
            ),
        )

    def failure(self, asker: Asker, question: str, session_id: str | None, error: BaseException, duration_ms: float) -> None:
        """A question that ended in an error."""
        self._write(
            asker,
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
            ),
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

    def holds_answer(self, answer_id: str) -> bool:
        """Whether the answer is still there with its content."""
        return self._store.holds_answer(answer_id)

    def headings(self, asker: Asker, before: int | None = None) -> Iterator[Heading]:
        """A person's questions of one tenant, newest first; `before`: only those with a smaller `seq`."""
        rows = self._store.rows_of_tenant(asker.tenant, before, asker.user, "question")
        return (heading for row in rows if (heading := self._heading(row)) is not None)

    def session_headings(self, session_id: str, asker: Asker) -> list[Heading]:
        """As `session`, for lists."""
        rows = self._store.rows_of_session(session_id)
        own = [row for row in rows if (row.tenant, row.user, row.event) == (asker.tenant, asker.user, "question")]
        found = [heading for row in own if (heading := self._heading(row)) is not None]
        return [heading for heading in found if heading.levels == asker.levels]

    def _heading(self, row: ChainRow) -> Heading | None:
        """Read once: a record never changes, it can only lose its content."""
        if not row.body or row.answer_id is None:
            return None
        known = self._headings.get(row.hash)
        if known is None:
            said = json.loads(row.body)
            levels = frozenset(said["levels"])
            known = Heading(row.seq, row.answer_id, said["question"], said["status"], said["at"], levels)
            if len(self._headings) >= _MOST_HEADINGS:
                self._headings.clear()
            self._headings[row.hash] = known
        return known

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

    def export(self, wanted: Selection | None = None) -> Iterator[JsonObject]:
        """The records, oldest first, with `previous` and `hash`; a deleted one keeps its place with empty fields."""
        for record in map(_exported, self._store.rows()):
            if wanted is None or wanted.holds(record):
                yield record

    def export_lines(self, wanted: Selection | None = None) -> Iterator[str]:
        """The records as JSON lines, personal values masked as the schema map marks them today."""
        maskers: dict[tuple[str, frozenset[str]], Masker | None] = {}
        for record in self.export(wanted):
            key = (record["tenant"], frozenset(record["levels"]))
            if key not in maskers:
                maskers[key] = self._masker_of(*key) if record["tenant"] else None
            yield export_line(record, maskers[key])

    def latest(self, tenant: str, before: int | None = None) -> Iterator[JsonObject]:
        """The records of a tenant, newest first, read as far as they are taken; `before`: only those with a smaller `seq`."""
        return map(_exported, self._store.rows_of_tenant(tenant, before, None, None))

    def masked(self, record: JsonObject) -> JsonObject:
        """As it may be handed out: personal values masked as the schema map marks them today."""
        masker = self._masker_of(record["tenant"], frozenset(record["levels"])) if record["tenant"] else None
        found: JsonObject = json.loads(export_line(record, masker))
        return found

    def questions_to_prune(self, wanted: Selection) -> list[ChainRow]:
        """The questions of these days with their content, in order."""
        rows = (row for row in self._store.rows() if row.event in ("question", "question_failed"))
        return [row for row in rows if wanted.holds(_exported(row))]

    def prune(self, rows: Sequence[ChainRow], by: str, tenant: str | None, detail: Mapping[str, Any]) -> None:
        """Deletes the content of these records; the record that says so carries `detail`."""
        self._store.prune(_record(PRUNE, tenant or "", by, detail=dict(detail)), rows)

    def sign_on(self, by: str) -> None:
        """Begins to sign a log that was begun without a key."""
        self._store.sign_on(_record("audit_sign", "", by))

    def usable(self) -> None:
        """Raises AuditError where the log could not be written."""
        self._store.usable()

    def check(self) -> ChainReport:
        return self._store.check()


def _record(event: str, tenant: str, user: str, **fields: Any) -> dict[str, Any]:
    empty: dict[str, Any] = dict.fromkeys(ANSWER_FIELDS)
    empty |= {"at": _now(), "levels": [], "duration_ms": None, "queries": [], "tables": [], "result_rows": None}
    empty |= {"reason": None, "recipes": {}, "detail": {}, "origin": None}
    return empty | {"event": event, "tenant": tenant, "user": user} | fields


def _exported(row: ChainRow) -> JsonObject:
    if not row.body:
        emptied = _record(PRUNED, "", "", at=None, origin=row.origin)
        return {"seq": row.seq, **emptied, "previous": row.previous, "hash": row.hash}
    body = unpacked(json.loads(row.body))
    first = {key: body[key] for key in ("seq", "event", "at", "user", "tenant", "levels", *ANSWER_FIELDS) if key in body}
    return {**first, **body, "hash": row.hash}


def _now() -> str:
    return moment_text(datetime.now(UTC))


def moment_text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
