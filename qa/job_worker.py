"""One job in a process of its own, so that reading a large or hostile file neither slows nor ends the service.

Started as `python -m qa.job_worker WORKSPACE JOB`; what comes of it stands in the queue afterwards.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from qa.administration import IngestRequest, ingest
from qa.cli_errors import describe
from qa.ingest_report import report_json
from qa.jobs import Job, Jobs
from qa.problems import BelegError
from qa.service_store import open_service_store
from qa.settings import Settings
from qa.wiring import Workspace, open_workspace

_SECONDS_BETWEEN = 0.4
_ALIVE_EVERY = 5.0


def upload_path(settings: Settings, job_id: str) -> Path:
    """Where an uploaded file waits: under the job's id, never under a name that a person gave."""
    return settings.data / "uploads" / job_id


def main(arguments: list[str]) -> int:
    """Does one job that the caller has taken."""
    root, job_id = Path(arguments[0]), arguments[1]
    with suppress(OSError):
        os.nice(10)
    with open_workspace(root) as workspace:
        store = open_service_store(workspace.settings)
        jobs = Jobs(store)
        job = jobs.of(job_id)
        if job is None or job.status != "running":
            return 0
        try:
            with _sign_of_life(jobs, job) as told:
                result = _ingest(workspace, job, told) if job.kind == "ingest" else _goldset(workspace, job, told)
            jobs.finish(job_id, "done", result)
        except Exception as error:
            jobs.finish(job_id, "failed", _problem(error, job))
        finally:
            store.close()
        upload_path(workspace.settings, job_id).unlink(missing_ok=True)
    return 0


class Told:
    """The latest that was said of how far the job is, written down now and then."""

    def __init__(self, jobs: Jobs, job_id: str) -> None:
        self._jobs, self._job_id = jobs, job_id
        self._step, self._rows, self._next = "running", 0, 0.0

    def __call__(self, step: str | None = None, rows: int | None = None) -> None:
        self._step = self._step if step is None else step
        self._rows = self._rows if rows is None else max(self._rows, rows)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _SECONDS_BETWEEN
            self._jobs.progress(self._job_id, self._step, self._rows)


@contextmanager
def _sign_of_life(jobs: Jobs, job: Job) -> Iterator[Told]:
    """Also a long step that says nothing keeps the job from being taken for dead."""
    told, ended = Told(jobs, job.job_id), threading.Event()

    def beat() -> None:
        while not ended.wait(_ALIVE_EVERY):
            told()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        ended.set()
        thread.join()


def _ingest(workspace: Workspace, job: Job, told: Told) -> dict[str, Any]:
    said = dict(job.request)
    day = said.pop("version_date")
    request = IngestRequest(
        **said, tenant=job.tenant, version_date=date.fromisoformat(day) if day else None, by=job.user, file_name=job.subject
    )
    path = upload_path(workspace.settings, job.job_id)
    report = ingest(workspace, path, request, lambda _, rows: told("reading", rows), told)
    return report_json(report)


def _goldset(workspace: Workspace, job: Job, told: Told) -> dict[str, Any]:
    from goldsets.read_goldset import read_goldset
    from goldsets.run import run_goldset
    from qa.goldset_workspace import open_goldset_workspace

    goldset = read_goldset(Path(job.request["path"]))
    with TemporaryDirectory(prefix="beleg-goldset-") as folder:
        report = run_goldset(goldset, Path(folder) / "run", open_goldset_workspace, progress=lambda line: told("running"))
    cases = [
        {"id": each.case.case_id, "score": each.verdict.score, "reason": each.verdict.reason, "ms": round(each.seconds * 1000, 1)}
        for each in report.results
    ]
    return {"goldset": goldset.name, "passed": report.passed, "summary": report.summary, "cases": cases}


def _problem(error: Exception, job: Job) -> dict[str, Any]:
    """What a person is told: the sentence of the error, with the file's own name in place of where it waited."""
    sentence, _ = describe(error)
    known = getattr(error, "problems", None) or ([error.problem] if hasattr(error, "problem") else [])
    code = getattr(error, "code", None) or (known[0].code if known else "failed")
    if not isinstance(error, BelegError) and code == "failed":
        sentence = f"{job.subject} ließ sich nicht aufnehmen ({type(error).__name__}); bitte melden."
    return {"code": code, "message": sentence}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
