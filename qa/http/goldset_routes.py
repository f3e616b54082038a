"""Goldsets of the workspace, and their runs over time."""

from __future__ import annotations

from typing import Any, cast

from litestar import Request, Response, get, post
from litestar.params import FromPath

from qa.http.administration_shapes import GoldsetShape
from qa.http.documented import problems
from qa.http.file_shapes import JobShape
from qa.http.problem_details import ServiceProblem
from qa.http.services import Services
from qa.http.sign_in import needs, services_of, signed_in
from qa.jobs import Job
from qa.person import Person
from qa.workspace_goldsets import runnable_goldset, runnable_goldsets

MOST_WAITING = 20


@get("/v1/goldsets", guards=[needs("goldsets")], responses=problems(), tags=["goldsets"])
async def goldsets_route(request: Request[Any, Any, Any]) -> Response[list[GoldsetShape]]:
    """The goldsets in the workspace's folder `goldsets` that ask nothing beyond one's own tenant and levels."""
    services, person = services_of(request), signed_in(request)

    def found() -> list[dict[str, Any]]:
        return [{"name": each.name, "cases": len(each.cases)} for each in runnable_goldsets(services.workspace.settings, person)]

    return Response(cast(list[GoldsetShape], await services.run(found)))


@post(
    "/v1/goldsets/{name:str}/runs",
    status_code=202,
    guards=[needs("goldsets")],
    responses=problems("not_found"),
    tags=["goldsets"],
)
async def run_route(request: Request[Any, Any, Any], name: FromPath[str]) -> Response[JobShape]:
    """Starts a run in a workspace of its own, in the background."""
    services, person = services_of(request), signed_in(request)
    job = await services.run(add_run, services, person, name)
    services.runner.wake()
    return Response(cast(JobShape, job.to_json()), headers={"Location": f"/v1/jobs/{job.job_id}"})


def add_run(services: Services, person: Person, name: str) -> Job:
    """Raises ServiceProblem where there is no such goldset for this person, or too much waits."""
    goldset = runnable_goldset(services.workspace.settings, person, name)
    if goldset is None:
        raise ServiceProblem("not_found")
    if services.jobs.waiting(person.tenant) >= MOST_WAITING:
        raise ServiceProblem("rate_limited", headers={"Retry-After": "30"})
    levels = frozenset(level for case in goldset.cases for level in case.levels)
    request = {"path": str(goldset.path)}
    return services.jobs.add(
        "goldset", tenant=person.tenant, user=person.user, levels=levels, subject=goldset.name, request=request
    )


def visible_runs(services: Services, person: Person) -> list[Job]:
    """Runs of the tenant's goldsets that ask nothing beyond this person's levels, newest first."""
    return [job for job in services.jobs.latest(person.tenant, "goldset") if job.levels <= person.levels]


@get("/v1/goldsets/{name:str}/runs", guards=[needs("goldsets")], responses=problems("not_found"), tags=["goldsets"])
async def runs_route(request: Request[Any, Any, Any], name: FromPath[str]) -> Response[list[JobShape]]:
    """Its runs, newest first."""
    services, person = services_of(request), signed_in(request)

    def found() -> list[dict[str, Any]]:
        if runnable_goldset(services.workspace.settings, person, name) is None:
            raise ServiceProblem("not_found")
        return [job.to_json() for job in visible_runs(services, person) if job.subject == name]

    return Response(cast(list[JobShape], await services.run(found)))


GOLDSET_ROUTES = (goldsets_route, run_route, runs_route)
