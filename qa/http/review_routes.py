"""The desk of those who review: what waits, the whole answer, the decision."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, Literal, cast

from litestar import Request, Response, get, post
from litestar.params import FromPath, JSONBody, QueryParameter

from qa.foreign_findings import foreign_findings
from qa.http.administration_shapes import DecideBody, ReviewDetailShape, ReviewEntryShape
from qa.http.answer_routes import readable
from qa.http.documented import problems
from qa.http.problem_details import ServiceProblem
from qa.http.services import Services
from qa.http.sign_in import needs, services_of, signed_in
from qa.person import Person
from qa.review import Entry, decide, entry_json, entry_of, full_answer, queue
from qa.review_gate import State
from qa.visible_cells import rests_on_visible_cells

StateQuery = Annotated[Literal["pending", "approved", "rejected", "not_required", "all"], QueryParameter(name="state")]
MOST = 500


@get("/v1/review", guards=[needs("review")], responses=problems(), tags=["review"])
async def queue_route(request: Request[Any, Any, Any], review_state: StateQuery = "pending") -> Response[list[ReviewEntryShape]]:
    """Answers that wait for review, oldest first, or those of another state: only such as one may see in full."""
    services, person = services_of(request), signed_in(request)

    def found() -> list[dict[str, Any]]:
        return [entry_json(entry) for entry in islice(visible_queue(services, person, review_state), MOST)]

    return Response(cast(list[ReviewEntryShape], await services.run(found)))


def visible_queue(services: Services, person: Person, state: str) -> Iterator[Entry]:
    """Entries of a state, or `all`, oldest first: those asked with levels of this person's that rest on cells they see."""
    for entry in queue(services.workspace, person.tenant, None if state == "all" else cast(State, state)):
        open_to_me = frozenset(entry.record["levels"]) <= person.levels
        if open_to_me and rests_on_visible_cells(services.workspace, person.asker, entry.record):
            yield entry


def visible_entry(services: Services, person: Person, answer_id: str) -> Entry:
    """Raises ServiceProblem where this person may not read the answer, or there is nothing to review."""
    record = readable(services, person, answer_id)
    if "review" not in record["detail"]:
        raise ServiceProblem("not_found")
    return entry_of(services.workspace, answer_id)


@get("/v1/review/{answer_id:str}", guards=[needs("review")], responses=problems("not_found"), tags=["review"])
async def entry_route(request: Request[Any, Any, Any], answer_id: FromPath[str]) -> Response[ReviewDetailShape]:
    """An answer in full, also where it is held back."""
    services, person = services_of(request), signed_in(request)

    def found() -> dict[str, Any]:
        entry = visible_entry(services, person, answer_id)
        scope = services.workspace.scope(person.asker)
        foreign = foreign_findings(services.workspace, entry.record, scope)
        said = [{"code": each.code, "where": each.where, "message": each.message} for each in foreign]
        return {**_detail(entry), "foreign_text": said}

    return Response(cast(ReviewDetailShape, await services.run(found)))


def _detail(entry: Entry) -> dict[str, Any]:
    detail = entry.record["detail"]
    said = {"answer": full_answer(entry.record), "understood": detail.get("understood"), "query": detail["review"]["query"]}
    return {**entry_json(entry), **said}


@post(
    "/v1/review/{answer_id:str}",
    status_code=200,
    guards=[needs("review")],
    responses=problems("not_found", "rejected", "conflict", body=True),
    tags=["review"],
)
async def decide_route(
    request: Request[Any, Any, Any], answer_id: FromPath[str], data: JSONBody[DecideBody]
) -> Response[ReviewEntryShape]:
    """Approves or rejects; an answer that the original files no longer prove cannot be approved."""
    services, person = services_of(request), signed_in(request)

    def done() -> dict[str, Any]:
        visible_entry(services, person, answer_id)
        approve = data.decision == "approve"
        return entry_json(decide(services.workspace, answer_id, approve=approve, by=person.user, reason=data.reason))

    return Response(cast(ReviewEntryShape, await services.run(done)))


REVIEW_ROUTES = (queue_route, entry_route, decide_route)
