"""An answer, the sheets around its cells, its exports, and the original files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import quote

from litestar import Response, get
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response import File

from indexer.stored import Version
from qa.audit import ANSWER_FIELDS, Heading
from qa.http.answer_routes import readable
from qa.http.problem_details import ServiceProblem
from qa.http.sign_in import needs
from qa.review import full_answer
from qa.sheet_excerpt import CITED_ROWS, may_see_whole_file, sheet_excerpt, visible_version
from qa.web.answer_view import Direction, answer_view, sources_of_fact
from qa.web.chart import chart_of
from qa.web.export import NumberForm, csv_text, pasted_text, workbook_bytes
from qa.web.visit import AnyRequest, JsonObject, Visit, visit_of

Index = Annotated[int, QueryParameter(ge=0, le=1_000_000)]
OptionalIndex = Annotated[int | None, QueryParameter(ge=0, le=1_000_000)]
_MOST_VERSIONS = 4
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def own_answer(visit: Visit, answer_id: str) -> JsonObject:
    """The answer object as it was given to this person. Raises ServiceProblem where it is not theirs or no longer to be seen."""
    given = visit.kept(answer_id)
    if given is None:
        record = readable(visit.services, visit.person, answer_id)
        given = visit.given(answer_id) or {name: record[name] for name in ANSWER_FIELDS}
        visit.keep(given)
    return given


def reviewed_answer(visit: Visit, answer_id: str) -> JsonObject:
    """The whole answer, also a held one, for those who review."""
    if not visit.person.may("review"):
        raise ServiceProblem("not_allowed")
    return full_answer(readable(visit.services, visit.person, answer_id))


def answer_values(
    answer: JsonObject, base: str, *, page: int = 1, sort: int | None = None, direction: Direction = "asc"
) -> dict[str, Any]:
    """What the template of an answer needs; `base`: the address of its page."""
    has_exports = _has_rows(answer) and base.startswith("/answers")
    return {
        "answer": answer,
        "view": answer_view(answer, page=page, sort=sort, direction=direction),
        "chart": chart_of(answer),
        "versions": _versions(answer),
        "cells_base": f"{base}/cells",
        "page_base": base,
        "exports_base": base if has_exports else None,
        "sort_query": f"&sort={sort}&direction={direction}" if sort is not None else "",
    }


def _versions(answer: JsonObject) -> Sequence[JsonObject]:
    found: dict[tuple[Any, ...], JsonObject] = {}
    for fact in answer["facts"]:
        for source in fact["provenance"]["sources"]:
            found.setdefault((source["file"], *source["version"].values()), source["version"])
    return list(found.values())[:_MOST_VERSIONS]


@get("/answers/{answer_id:str}", guards=[needs("ask")], include_in_schema=False)
async def answer_page(
    request: AnyRequest,
    answer_id: FromPath[str],
    page: Index = 1,
    sort: OptionalIndex = None,
    direction: FromQuery[Direction] = "asc",
) -> Response[str]:
    """The answer, what was asked before it in its conversation, and a box to ask on."""
    visit = visit_of(request)

    def work() -> Response[str]:
        answer = own_answer(visit, answer_id)
        values = answer_values(answer, f"/answers/{answer_id}", page=page, sort=sort, direction=direction)
        return visit.html(
            "answer.html",
            **values,
            earlier=_earlier(visit, answer),
            session_id=answer["session_id"],
            said="",
            offered=(),
            longest_question=visit.workspace.settings.limits.max_question_length,
        )

    return await visit.services.run(work)


def _earlier(visit: Visit, answer: JsonObject) -> list[Heading]:
    """What this person asked before in the same conversation."""
    if not answer["session_id"]:
        return []
    entries = visit.workspace.audit.session_headings(answer["session_id"], visit.person.asker)
    before = [entry.answer_id for entry in entries]
    return entries[: before.index(answer["answer_id"])] if answer["answer_id"] in before else []


@get("/answers/{answer_id:str}/cells", guards=[needs("ask")], include_in_schema=False)
async def cells_page(
    request: AnyRequest, answer_id: FromPath[str], fact: Index = 0, source: Index = 0, start: Index = 0
) -> Response[str]:
    """The sheet around the cells of a value; only the part without the frame where the panel asks for it."""
    visit = visit_of(request)
    return await visit.services.run(
        lambda: _cells(visit, own_answer(visit, answer_id), f"/answers/{answer_id}", fact, source, start)
    )


@get("/review/{answer_id:str}/cells", guards=[needs("review")], include_in_schema=False)
async def reviewed_cells_page(
    request: AnyRequest, answer_id: FromPath[str], fact: Index = 0, source: Index = 0, start: Index = 0
) -> Response[str]:
    """The same for an answer under review."""
    visit = visit_of(request)
    return await visit.services.run(
        lambda: _cells(visit, reviewed_answer(visit, answer_id), f"/review/{answer_id}", fact, source, start)
    )


def _cells(visit: Visit, answer: JsonObject, base: str, fact: int, place: int, start: int) -> Response[str]:
    sources = sources_of_fact(answer, fact)
    if place >= len(sources):
        raise ServiceProblem("not_found")
    source = sources[place]
    excerpt = sheet_excerpt(visit.workspace, visit.person.asker, source, language=visit.language, start=start)
    values: dict[str, Any] = {
        "shown": answer["facts"][fact]["shown_as"] or answer["facts"][fact]["value"] or "–",
        "fact": fact,
        "source": source,
        "sources": sources,
        "source_index": place,
        "excerpt": excerpt,
        "step": CITED_ROWS,
        "cells_base": f"{base}/cells",
        "here_base": f"{base}/cells?fact={fact}&source={place}",
        "original": _original_address(visit, source),
    }
    if visit.request.headers.get("x-fragment"):
        return visit.part("cells_body.html", **values)
    return visit.html("cells.html", **values, back=base)


def _original_address(visit: Visit, source: Mapping[str, Any]) -> str | None:
    version = visible_version(visit.workspace, visit.person.asker, source["file"], source["version"]["label"])
    if version is None or not may_see_whole_file(visit.workspace, visit.person.asker, version):
        return None
    return f"/originals/{version.version_id}"


@get("/originals/{version_id:str}", guards=[needs("ask")], include_in_schema=False)
async def original_file(request: AnyRequest, version_id: FromPath[str]) -> File:
    """The file as it was read, for those who may see all of it."""
    visit = visit_of(request)

    def find() -> Version:
        tables = visit.workspace.scope(visit.person.asker).tables
        version = next((table.version for table in tables if table.version.version_id == version_id), None)
        if version is None or not may_see_whole_file(visit.workspace, visit.person.asker, version):
            raise ServiceProblem("not_found")
        return version

    version = await visit.services.run(find)
    return File(
        version.original, filename=version.document, media_type="application/octet-stream", content_disposition_type="attachment"
    )


# --- exports


@get("/answers/{answer_id:str}/export.xlsx", guards=[needs("ask")], include_in_schema=False)
async def export_xlsx(request: AnyRequest, answer_id: FromPath[str]) -> Response[bytes]:
    """The result with its evidence."""
    visit = visit_of(request)
    content = await visit.services.run(lambda: workbook_bytes(_with_result(visit, answer_id), visit.language))
    return Response(content, media_type=_XLSX, headers=_attachment(f"beleg-{answer_id[:8]}.xlsx"))


@get("/answers/{answer_id:str}/export.csv", guards=[needs("ask")], include_in_schema=False)
async def export_csv(
    request: AnyRequest, answer_id: FromPath[str], form: FromQuery[NumberForm] = "de"
) -> Response[bytes]:
    """The result alone."""
    visit = visit_of(request)
    text = await visit.services.run(lambda: csv_text(_with_result(visit, answer_id), form))
    return Response(text.encode(), media_type="text/csv; charset=utf-8", headers=_attachment(f"beleg-{answer_id[:8]}.csv"))


@get("/answers/{answer_id:str}/paste", guards=[needs("ask")], include_in_schema=False)
async def paste_text(
    request: AnyRequest, answer_id: FromPath[str], form: FromQuery[NumberForm] = "de"
) -> Response[bytes]:
    """The result as text for the clipboard."""
    visit = visit_of(request)
    text = await visit.services.run(lambda: pasted_text(_with_result(visit, answer_id), form))
    return Response(text.encode(), media_type="text/plain; charset=utf-8")


def _with_result(visit: Visit, answer_id: str) -> JsonObject:
    answer = own_answer(visit, answer_id)
    if not _has_rows(answer):
        raise ServiceProblem("not_found")
    return answer


def _has_rows(answer: JsonObject) -> bool:
    return answer["result"] is not None or bool(answer["related"])


def _attachment(name: str) -> dict[str, str]:
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}


ANSWER_ROUTES = (answer_page, cells_page, reviewed_cells_page, original_file, export_xlsx, export_csv, paste_text)
