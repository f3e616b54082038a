"""The audit log: search, and whether it is whole."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, cast

from litestar import Request, Response, get
from litestar.params import FromQuery, QueryParameter

from qa.audit import Selection
from qa.http.administration_shapes import AuditCheckShape, AuditPageShape
from qa.http.documented import problems
from qa.http.sign_in import needs, services_of, signed_in
from qa.visible_log import LogSearch, log_page

Text = Annotated[str | None, QueryParameter(max_length=200)]
Place = Annotated[int | None, QueryParameter(ge=1, le=2**62)]
Count = Annotated[int, QueryParameter(ge=1, le=500)]


@get("/v1/audit", guards=[needs("audit")], responses=problems(), tags=["audit"])
async def audit_route(
    request: Request[Any, Any, Any],
    since: FromQuery[date | None] = None,
    until: FromQuery[date | None] = None,
    user: Text = None,
    event: Text = None,
    words: Text = None,
    before: Place = None,
    most: Count = 100,
) -> Response[AuditPageShape]:
    """Records, newest first: questions that one could have asked oneself; events of administration for administrators."""
    services, person = services_of(request), signed_in(request)
    search = LogSearch(Selection(since, until, user, person.tenant), words or "", event)
    page = await services.run(log_page, services.workspace, person, search, before=before, most=most)
    return Response(cast(AuditPageShape, {"records": list(page.records), "before": page.before}))


@get("/v1/audit/verify", guards=[needs("events")], responses=problems(), tags=["audit"])
async def audit_check_route(request: Request[Any, Any, Any]) -> Response[AuditCheckShape]:
    """Whether nothing in the log was changed or removed."""
    services = services_of(request)
    report = await services.run(services.workspace.audit.check)
    said = {"ok": report.ok, "findings": [finding.message for finding in report.findings]}
    return Response(cast(AuditCheckShape, said))


AUDIT_ROUTES = (audit_route, audit_check_route)
