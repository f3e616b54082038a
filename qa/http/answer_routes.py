"""Earlier answers, and the sheet around the cells they rest on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal, cast

from litestar import Request, Response, get
from litestar.params import FromPath, FromQuery, QueryParameter

from qa.audit import ANSWER_FIELDS
from qa.http.documented import problems
from qa.http.problem_details import ServiceProblem
from qa.http.services import Services
from qa.http.shapes import AnswerShape, ExcerptShape, VerificationShape
from qa.http.sign_in import needs, services_of, signed_in
from qa.person import Person
from qa.sheet_excerpt import Excerpt, sheet_excerpt
from qa.visible_answers import verify_visible
from qa.visible_cells import JsonObject, readable_record, sources_of

Index = Annotated[int, QueryParameter(ge=0, le=1_000_000)]


def readable(services: Services, person: Person, answer_id: FromPath[str]) -> JsonObject:
    """The record of an answer that this person may read. Raises ServiceProblem, the same for one there is not."""
    record = readable_record(services.workspace, person.asker, answer_id, of_others=person.may("review"))
    if record is None:
        raise ServiceProblem("not_found")
    return record


@get("/v1/answers/{answer_id:str}", guards=[needs("ask")], responses=problems("not_found"), tags=["answers"])
async def answer_route(request: Request[Any, Any, Any], answer_id: FromPath[str]) -> Response[AnswerShape]:
    """An earlier answer of one's own with its evidence, as it was given. It is gone once its cells may no longer be seen."""
    services = services_of(request)
    record = await services.run(readable, services, signed_in(request), answer_id)
    request.state.answer_id = answer_id
    return Response(cast(AnswerShape, {name: record[name] for name in ANSWER_FIELDS}))


def excerpt_json(excerpt: Excerpt) -> dict[str, Any]:
    """As JSON, with the version as the answer object writes it."""
    version = excerpt.version
    said = {
        "label": version.label,
        "date": version.date.isoformat() if version.date is not None else None,
        "status": version.status,
        "binding": version.binding,
    }
    fields = {name: value for name, value in vars(excerpt).items() if name not in ("version", "columns", "rows")}
    columns = [asdict(column) for column in excerpt.columns]
    return {**fields, "version": said, "columns": columns, "rows": [asdict(row) for row in excerpt.rows]}


@get("/v1/answers/{answer_id:str}/cells", guards=[needs("ask")], responses=problems("not_found"), tags=["answers"])
async def cells_route(
    request: Request[Any, Any, Any],
    answer_id: FromPath[str],
    fact: Index = 0,
    source: Index = 0,
    start: Index = 0,
    language: FromQuery[Literal["de", "en"]] = "de",
) -> Response[ExcerptShape]:
    """The sheet around the cells of one source of one fact, the cited cells marked."""
    services, person = services_of(request), signed_in(request)

    def excerpt() -> dict[str, Any]:
        record = readable(services, person, answer_id)
        facts = record["facts"] or ()
        sources = sources_of(facts[fact]) if fact < len(facts) else ()
        if source >= len(sources):
            raise ServiceProblem("not_found")
        found = sheet_excerpt(services.workspace, person.asker, sources[source], language=language, start=start)
        if found is None:
            raise ServiceProblem("not_found")
        return excerpt_json(found)

    return Response(cast(ExcerptShape, await services.run(excerpt)))


@get(
    "/v1/answers/{answer_id:str}/verify", guards=[needs("ask")], responses=problems("not_found", "rejected"), tags=["answers"]
)
async def verify_route(request: Request[Any, Any, Any], answer_id: FromPath[str]) -> Response[VerificationShape]:
    """Reads the cells of every number of an answer again from the original files and computes it once more."""
    services, person = services_of(request), signed_in(request)
    found = await services.asked(verify_visible, services.workspace, person, answer_id)
    if found is None:
        raise ServiceProblem("not_found")
    return Response(cast(VerificationShape, found))
