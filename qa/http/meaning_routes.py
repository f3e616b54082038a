"""The schema map: what columns mean; proposed by rules, approved or rejected by people."""

from __future__ import annotations

from typing import Annotated, Any, cast

from litestar import Request, Response, get, post
from litestar.params import JSONBody, QueryParameter

from qa.http.administration_shapes import ApproveBody, ColumnBody, MeaningShape, ProposeBody, RejectBody, UnreadShape
from qa.http.documented import problems
from qa.http.file_shapes import ProblemShape
from qa.http.problem_details import ServiceProblem
from qa.http.services import Services
from qa.http.sign_in import needs, services_of, signed_in
from qa.map_administration import Column, approve_meaning, propose_meanings, reject_meaning
from qa.person import Person
from qa.visible_files import problems_json, visible_document
from qa.visible_meanings import meanings, visible_columns
from schema_maps.store import Decision

Document = Annotated[str | None, QueryParameter(max_length=255)]


@get("/v1/schema-map", guards=[needs("ask")], responses=problems(), tags=["schema map"])
async def meanings_route(request: Request[Any, Any, Any], document: Document = None) -> Response[list[MeaningShape]]:
    """Every column that one may see, with what it means and who said so."""
    services, person = services_of(request), signed_in(request)

    def found() -> list[dict[str, Any]]:
        return list(meanings(services.workspace, person, document))

    return Response(cast(list[MeaningShape], await services.run(found)))


@post(
    "/v1/schema-map/propose",
    status_code=200,
    guards=[needs("meanings")],
    responses=problems("not_found", "rejected", body=True),
    tags=["schema map"],
)
async def propose_route(request: Request[Any, Any, Any], data: JSONBody[ProposeBody]) -> Response[list[UnreadShape]]:
    """Proposes a meaning for every technical header without one; gives the headers that no rule can read."""
    services, person = services_of(request), signed_in(request)

    def done() -> list[dict[str, Any]]:
        visible_document(services.workspace, person, data.document)
        seen = {header for place, _, header in visible_columns(services.workspace, person) if place == data.document}
        unread = propose_meanings(services.workspace, person.tenant, data.document, person.user)
        return [{"header": each.header, "reason": each.reason} for each in unread if each.header in seen]

    return Response(cast(list[UnreadShape], await services.run(done)))


@post(
    "/v1/schema-map/approve",
    status_code=200,
    guards=[needs("meanings")],
    responses=problems("not_found", "rejected", body=True),
    tags=["schema map"],
)
async def approve_route(request: Request[Any, Any, Any], data: JSONBody[ApproveBody]) -> Response[list[ProblemShape]]:
    """Approves what is proposed for a column, or what is said here; gives what the checks find."""
    services, person = services_of(request), signed_in(request)
    said = Decision(
        name=data.name,
        unit=data.unit,
        synonyms=tuple(data.synonyms) if data.synonyms is not None else None,
        aggregation=data.aggregation,
        personal=data.personal,
    )

    def done() -> list[dict[str, Any]]:
        column = _visible(services, person, data)
        return problems_json(approve_meaning(services.workspace, person.tenant, column, person.user, said))

    return Response(cast(list[ProblemShape], await services.run(done)))


@post(
    "/v1/schema-map/reject",
    status_code=204,
    guards=[needs("meanings")],
    responses=problems("not_found", "rejected", body=True),
    tags=["schema map"],
)
async def reject_route(request: Request[Any, Any, Any], data: JSONBody[RejectBody]) -> None:
    """The column keeps its literal name only, and is not proposed again."""
    services, person = services_of(request), signed_in(request)

    def done() -> None:
        column = _visible(services, person, data)
        reject_meaning(services.workspace, person.tenant, column, person.user, data.reason)

    await services.run(done)


def _visible(services: Services, person: Person, said: ColumnBody) -> Column:
    if (said.document, said.sheet, said.header) not in visible_columns(services.workspace, person):
        raise ServiceProblem("not_found")
    return Column(said.document, said.sheet, said.header)


MEANING_ROUTES = (meanings_route, propose_route, approve_route, reject_route)
