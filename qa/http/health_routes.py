"""For those who run the service: is it alive, can it answer."""

from __future__ import annotations

from typing import Any

from litestar import Request, Response, get

from qa.http.documented import problems
from qa.http.metrics import MEDIA_TYPE
from qa.http.services import Services
from qa.http.shapes import StateShape
from qa.http.sign_in import PUBLIC, may, services_of


@get("/healthz", opt={PUBLIC: True}, responses=problems(public=True), tags=["operation"])
async def healthz() -> StateShape:
    """The process answers."""
    return StateShape(status="ok")


@get("/readyz", opt={PUBLIC: True}, responses=problems(public=True), tags=["operation"])
async def readyz(request: Request[Any, Any, Any]) -> Response[StateShape]:
    """Catalogue, audit log and the service's own store can be used; 503 otherwise."""
    services = services_of(request)
    await services.run(_use, services)
    return Response(StateShape(status="ok"))


@get("/metrics", opt={PUBLIC: True}, responses=problems(), media_type=MEDIA_TYPE, tags=["operation"])
async def metrics_route(request: Request[Any, Any, Any]) -> Response[str]:
    """Counts and times of this process for Prometheus, with the right to see them or where `service.metrics_open` is set."""
    services = services_of(request)
    if not services.settings.metrics_open:
        may(request, "metrics")
    text = await services.run(services.metrics.text)
    return Response(text.decode(), media_type=MEDIA_TYPE)


@get("/v1/openapi.json", opt={PUBLIC: True}, sync_to_thread=True, include_in_schema=False)
def openapi_document(request: Request[Any, Any, Any]) -> dict[str, Any]:
    """For everyone: it describes the service and holds no data."""
    return request.app.openapi_schema.to_schema()


def _use(services: Services) -> None:
    services.workspace.catalog.tenants()
    services.workspace.audit.usable()
    services.keys.by_id("")
