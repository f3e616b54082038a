"""Takes jobs from the queue, one after the other, and does each in a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

import structlog

from qa.job_worker import upload_path
from qa.jobs import MOST_ATTEMPTS, Job, Jobs
from qa.problems import BelegError
from qa.settings import Settings

LOG = structlog.get_logger("beleg.jobs")
_SECONDS_BETWEEN_LOOKS = 2.0
_SECONDS_TO_END = 5.0


class JobRunner:
    """One of the service's processes. `wake` says that there is something new; other processes' jobs are seen within seconds."""

    def __init__(self, settings: Settings, jobs: Jobs) -> None:
        self._settings = settings
        self._jobs = jobs
        self._new = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Within the event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    def wake(self) -> None:
        self._new.set()

    async def stop(self) -> None:
        """The job at work goes back into the queue: reading a file leaves nothing half."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            self._new.clear()
            try:
                job = await asyncio.to_thread(self._jobs.take)
                if job is not None:
                    await self._do(job)
                    continue
            except BelegError as error:
                LOG.error("queue_unusable", reason=str(error))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._new.wait(), _SECONDS_BETWEEN_LOOKS)

    async def _do(self, job: Job) -> None:
        if job.attempts > MOST_ATTEMPTS:
            await asyncio.to_thread(self._give_up, job)
            return
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "qa.job_worker", str(self._settings.root), job.job_id,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, env=_environment(), start_new_session=True,
        )  # fmt: skip
        try:
            code = await process.wait()
        except asyncio.CancelledError:
            await _end(process)
            await asyncio.to_thread(self._jobs.put_back, job.job_id)
            raise
        LOG.info("job", job_id=job.job_id, kind=job.kind, tenant=job.tenant, code=code)
        if code != 0:  # it died before it could say what came of it
            await asyncio.to_thread(self._after_death, job)

    def _after_death(self, job: Job) -> None:
        now = self._jobs.of(job.job_id)
        if now is not None and now.status == "running":
            if job.attempts >= MOST_ATTEMPTS:
                self._give_up(job)
            else:
                self._jobs.retry(job.job_id)

    def _give_up(self, job: Job) -> None:
        message = f"{job.subject}: Die Arbeit brach {MOST_ATTEMPTS} Mal ab; die Datei teilen oder bitte melden."
        self._jobs.finish(job.job_id, "failed", {"code": "interrupted", "message": message})
        upload_path(self._settings, job.job_id).unlink(missing_ok=True)


def _environment() -> dict[str, str]:
    """The service's own, with the places that its modules are imported from."""
    places = [place or os.getcwd() for place in sys.path if place and not place.endswith(".zip") and Path(place).is_dir()]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)}


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), _SECONDS_TO_END)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
