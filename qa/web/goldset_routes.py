"""Goldsets: their runs over time, and the cases of one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect

from goldsets.score import PASSING, SCORES
from qa.http.goldset_routes import add_run, visible_runs
from qa.http.problem_details import ServiceProblem
from qa.http.sign_in import needs
from qa.jobs import Job
from qa.web.asking_routes import Form
from qa.web.visit import AnyRequest, JsonObject, Visit, address, to, visit_of
from qa.workspace_goldsets import runnable_goldsets

_MOST_RUNS, _MOST_CASES = 20, 500
_WORST = ("wrong_number", "false_answer", "bad_source")
"""What must never happen; the rest is a stop where an answer was due."""


@dataclass(frozen=True)
class Part:
    """A part of a run's bar, in thousandths of its width."""

    css: str
    x: int
    width: int


@dataclass(frozen=True)
class Run:
    """`counts`: score -> cases, best first, only those there are. `seconds`: None while it goes on."""

    job: Job
    counts: tuple[tuple[str, int], ...]
    total: int
    passed: int
    parts: tuple[Part, ...]
    seconds: float | None


def run_of(job: Job) -> Run:
    """What a job's result says."""
    summary: JsonObject = (job.result or {}).get("summary", {}) if job.status == "done" else {}
    counts = tuple((score, summary[score]) for score in SCORES if summary.get(score))
    total = sum(count for _, count in counts)
    parts, before = [], 0
    for score, count in counts:
        css = "good" if score in PASSING else "wrong" if score in _WORST else "stop"
        x, end = before * 1000 // total, (before + count) * 1000 // total
        parts.append(Part(css, x, end - x))
        before += count
    passed = sum(count for score, count in counts if score in PASSING)
    return Run(job, counts, total, passed, tuple(parts), _seconds(job))


def _seconds(job: Job) -> float | None:
    if job.finished_at is None:
        return None
    return (datetime.fromisoformat(job.finished_at) - datetime.fromisoformat(job.created_at)).total_seconds()


@get("/goldsets", guards=[needs("goldsets")], include_in_schema=False)
async def goldsets_page(request: AnyRequest) -> Response[str]:
    """Each goldset with its latest runs."""
    visit = visit_of(request)

    def work() -> Response[str]:
        runs = [run_of(job) for job in visible_runs(visit.services, visit.person)]
        found = [
            (goldset, [run for run in runs if run.job.subject == goldset.name][:_MOST_RUNS])
            for goldset in runnable_goldsets(visit.workspace.settings, visit.person)
        ]
        return visit.html("goldsets.html", goldsets=found)

    return await visit.services.run(work)


@post("/goldsets/run", guards=[needs("goldsets")], include_in_schema=False, status_code=303)
async def run_by_form(request: AnyRequest, data: Form, name: FromQuery[str]) -> Redirect:
    """Starts a run."""
    visit = visit_of(request)
    await visit.services.run(add_run, visit.services, visit.person, name)
    visit.services.runner.wake()
    return to(address("/goldsets", done="goldsets.started"))


@get("/goldsets/{job_id:str}", guards=[needs("goldsets")], include_in_schema=False)
async def run_page(request: AnyRequest, job_id: FromPath[str]) -> Response[str]:
    """The cases of a run, the worst first."""
    visit = visit_of(request)

    def work() -> Response[str]:
        job = _visible_run(visit, job_id)
        cases = sorted((job.result or {}).get("cases", ()), key=lambda case: -SCORES.index(case["score"]))
        return visit.html(
            "goldset_run.html", run=run_of(job), cases=cases[:_MOST_CASES], left_out=max(0, len(cases) - _MOST_CASES)
        )

    return await visit.services.run(work)


def _visible_run(visit: Visit, job_id: str) -> Job:
    for job in visible_runs(visit.services, visit.person):
        if job.job_id == job_id and job.status == "done":
            return job
    raise ServiceProblem("not_found")


GOLDSET_PAGES: Sequence[Any] = (goldsets_page, run_by_form, run_page)
