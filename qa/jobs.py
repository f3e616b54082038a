"""Work that outlasts a request: files to read, goldsets to run. Kept until it is done, whatever ends meanwhile."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa

from qa.audit import moment_text
from qa.service_store import JOB, ServiceStore

Kind = Literal["ingest", "goldset"]
Status = Literal["queued", "running", "done", "failed"]

MOST_ATTEMPTS = 3
"""A job whose process has died so often is given up."""
_DEAD_AFTER = timedelta(seconds=30)
"""A running job that has not been heard of for so long has lost its process."""


@dataclass(frozen=True)
class Job:
    """`subject`: the file or goldset. `request`: what to do; `result`: what came of it, or the problem. `step` and `rows`:
    how far it is."""

    job_id: str
    kind: Kind
    tenant: str
    user: str
    levels: frozenset[str]
    subject: str
    request: Mapping[str, Any]
    status: Status
    step: str
    rows: int
    attempts: int
    created_at: str
    finished_at: str | None
    result: Mapping[str, Any] | None

    def to_json(self) -> dict[str, Any]:
        """For people and programs, without what was asked for."""
        shown = ("job_id", "kind", "subject", "status", "step", "rows", "created_at", "finished_at", "result")
        return {name: getattr(self, name) for name in shown}


class Jobs:
    """The queue of a workspace. Safe for several processes: a job is taken by one of them."""

    def __init__(self, store: ServiceStore) -> None:
        self._store = store

    def add(
        self, kind: Kind, *, tenant: str, user: str, levels: frozenset[str], subject: str, request: Mapping[str, Any],
        job_id: str | None = None,
    ) -> Job:  # fmt: skip
        """To the end of the queue."""
        job_id = job_id or new_job_id()
        with self._store.writing() as connection:
            connection.execute(
                sa.insert(JOB).values(
                    job_id=job_id, kind=kind, tenant=tenant, user=user, levels=json.dumps(sorted(levels)), subject=subject,
                    request=json.dumps(dict(request), ensure_ascii=False), status="queued", step="queued", rows=0, attempts=0,
                    created_at=_now(),
                )
            )  # fmt: skip
        found = self.of(job_id)
        assert found is not None
        return found

    def of(self, job_id: str) -> Job | None:
        with self._store.reading() as connection:
            row = connection.execute(sa.select(JOB).where(JOB.c.job_id == job_id)).one_or_none()
        return _job(row) if row is not None else None

    def latest(self, tenant: str, kind: Kind, user: str | None = None, most: int = 100) -> list[Job]:
        """Newest first; `user`: only this person's."""
        wanted = (JOB.c.tenant == tenant) & (JOB.c.kind == kind)
        wanted = wanted if user is None else wanted & (JOB.c.user == user)
        query = sa.select(JOB).where(wanted).order_by(JOB.c.created_at.desc(), JOB.c.job_id).limit(most)
        with self._store.reading() as connection:
            return [_job(row) for row in connection.execute(query)]

    def waiting(self, tenant: str) -> int:
        """How many jobs of a tenant are not finished."""
        open_ones = (JOB.c.tenant == tenant) & JOB.c.status.in_(("queued", "running"))
        with self._store.reading() as connection:
            return connection.execute(sa.select(sa.func.count()).select_from(JOB).where(open_ones)).scalar_one()

    def counts(self) -> dict[str, int]:
        """How many jobs there are in each state."""
        query = sa.select(JOB.c.status, sa.func.count()).group_by(JOB.c.status)
        with self._store.reading() as connection:
            return {status: count for status, count in connection.execute(query)}

    def take(self) -> Job | None:
        """The oldest job that nobody works on, for the caller to do; one whose process has died is taken up again."""
        dead = (datetime.now(UTC) - _DEAD_AFTER).isoformat()
        free = (JOB.c.status == "queued") | ((JOB.c.status == "running") & (JOB.c.alive_at < dead))
        with self._store.reading() as connection:
            if connection.execute(sa.select(JOB.c.job_id).where(free).limit(1)).one_or_none() is None:
                return None
        with self._store.writing() as connection:
            query = sa.select(JOB).where(free).order_by(JOB.c.created_at, JOB.c.job_id).limit(1)
            row = connection.execute(query.with_for_update(skip_locked=True)).one_or_none()
            if row is None:
                return None
            values = {"status": "running", "alive_at": datetime.now(UTC).isoformat(), "attempts": row.attempts + 1}
            connection.execute(sa.update(JOB).where(JOB.c.job_id == row.job_id).values(**values))
        return self.of(row.job_id)

    def progress(self, job_id: str, step: str, rows: int) -> None:
        """How far a running job is; also the sign that it lives."""
        values = {"step": step, "rows": rows, "alive_at": datetime.now(UTC).isoformat()}
        with self._store.writing() as connection:
            connection.execute(sa.update(JOB).where((JOB.c.job_id == job_id) & (JOB.c.status == "running")).values(**values))

    def finish(self, job_id: str, status: Literal["done", "failed"], result: Mapping[str, Any]) -> None:
        values = {"status": status, "step": status, "finished_at": _now(), "result": json.dumps(dict(result), ensure_ascii=False)}
        with self._store.writing() as connection:
            connection.execute(sa.update(JOB).where(JOB.c.job_id == job_id).values(**values))

    def put_back(self, job_id: str) -> None:
        """The process that worked on it was told to end; the next one begins anew."""
        self._queue_again(job_id, spent=0)

    def retry(self, job_id: str) -> None:
        """The process that worked on it died."""
        self._queue_again(job_id, spent=1)

    def _queue_again(self, job_id: str, spent: int) -> None:
        running = (JOB.c.job_id == job_id) & (JOB.c.status == "running")
        values = {"status": "queued", "step": "queued", "attempts": JOB.c.attempts - 1 + spent}
        with self._store.writing() as connection:
            connection.execute(sa.update(JOB).where(running).values(**values))


def new_job_id() -> str:
    return uuid.uuid4().hex


def _job(row: sa.Row[Any]) -> Job:
    return Job(
        job_id=row.job_id,
        kind=row.kind,
        tenant=row.tenant,
        user=row.user,
        levels=frozenset(json.loads(row.levels)),
        subject=row.subject,
        request=json.loads(row.request),
        status=row.status,
        step=row.step,
        rows=row.rows,
        attempts=row.attempts,
        created_at=row.created_at,
        finished_at=row.finished_at,
        result=json.loads(row.result) if row.result is not None else None,
    )


def _now() -> str:
    return moment_text(datetime.now(UTC))
