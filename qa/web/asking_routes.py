"""The ask page, the history, the language, and the files that the pages are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from litestar import Response, get, post
from litestar.datastructures import Cookie
from litestar.params import FromPath, FromQuery, URLEncodedBody
from litestar.response import Redirect

from qa.asking import ask
from qa.audit import Heading
from qa.http.problem_details import ServiceProblem
from qa.http.sign_in import PUBLIC, is_secure, needs, services_of
from qa.web.page_texts import LANGUAGE_COOKIE
from qa.web.rendering import STATIC_TYPES, static_file
from qa.web.visit import AnyRequest, Visit, own_address, to, visit_of

Form = URLEncodedBody[dict[str, str]]

HISTORY_ON_START, HISTORY_PAGE = 6, 40
_MOST_TABLES, _MOST_NAMES = 12, 24
_SECONDS_FOR_OFFERS = 0.2
"""So long the start page waits for its suggestions; later ones are loaded when they are there."""
_SECONDS_FOR_TRIALS = 20.0
_YEAR = 365 * 24 * 3600


@dataclass(frozen=True)
class TableCard:
    """A table of the asker's, with the names under which its columns are asked for."""

    title: str
    file: str
    sheet: str | None
    rows: int
    columns: tuple[str, ...]


@get("/", guards=[needs("ask")], include_in_schema=False)
async def start_page(request: AnyRequest, question: FromQuery[str] = "") -> Response[str]:
    """The question box, what one could ask, one's tables and recent questions."""
    visit = visit_of(request)
    return await visit.services.run(_start, visit, question)


def _start(visit: Visit, question: str) -> Response[str]:
    return visit.html(
        "ask.html",
        offered=visit.page.suggestions.of(visit.person.asker, visit.language, _SECONDS_FOR_OFFERS),
        tables=list(islice(table_cards(visit), _MOST_TABLES)),
        history=list(islice(own_history(visit), HISTORY_ON_START)),
        session_id="",
        said=question,
        longest_question=visit.workspace.settings.limits.max_question_length,
    )


@get("/offered", guards=[needs("ask")], include_in_schema=False)
async def offered_part(request: AnyRequest) -> Response[str]:
    """The suggestions alone, once they are there."""
    visit = visit_of(request)

    def work() -> Response[str]:
        offered = visit.page.suggestions.of(visit.person.asker, visit.language, _SECONDS_FOR_TRIALS) or ()
        return visit.part("offered.html", offered=offered)

    return await visit.services.run(work)


def table_cards(visit: Visit) -> Iterator[TableCard]:
    """One a table over its versions, the newest first described."""
    seen: set[str] = set()
    for table in reversed(visit.workspace.scope(visit.person.asker).tables):
        if table.sql_name in seen or table.stored.table.layout == "tidy":
            continue
        seen.add(table.sql_name)
        stored = table.stored.table
        title = (stored.caption or "").strip().splitlines()[0:1] or [stored.sheet or table.version.document]
        names = dict.fromkeys(column.names[0] for column in table.columns)
        yield TableCard(title[0], table.version.document, stored.sheet, stored.data_rows, tuple(names)[:_MOST_NAMES])


def own_history(visit: Visit, below: int | None = None) -> Iterator[Heading]:
    """The person's questions, newest first; those asked with levels that they no longer have are not among them."""
    found = visit.workspace.audit.headings(visit.person.asker, below)
    return (heading for heading in found if heading.levels <= visit.person.levels)


@get("/history", guards=[needs("ask")], include_in_schema=False)
async def history_page(request: AnyRequest, below: FromQuery[int | None] = None) -> Response[str]:
    """All own questions, some at a time."""
    visit = visit_of(request)

    def work() -> Response[str]:
        entries = list(islice(own_history(visit, below), HISTORY_PAGE))
        more = entries[-1].seq if len(entries) == HISTORY_PAGE else None
        return visit.html("history.html", entries=entries, more=more)

    return await visit.services.run(work)


@post("/ask", guards=[needs("ask")], include_in_schema=False, status_code=303)
async def ask_by_form(request: AnyRequest, data: Form) -> Redirect:
    """Asks, and on to the answer."""
    visit = visit_of(request)
    answer = await visit.services.asked(
        ask, visit.workspace, data.get("question", ""), visit.person.asker, session_id=data.get("session_id") or None
    )
    visit.keep(answer)
    request.state.answer_id = answer["answer_id"]
    return to(f"/answers/{answer['answer_id']}")


@post("/language", opt={PUBLIC: True}, include_in_schema=False, status_code=303)
async def choose_language(request: AnyRequest, data: Form) -> Redirect:
    """Remembered in a cookie of its own."""
    language = "en" if data.get("to") == "en" else "de"
    cookie = Cookie(
        LANGUAGE_COOKIE, value=language, max_age=_YEAR, path="/", httponly=True, samesite="lax",
        secure=is_secure(services_of(request)),
    )  # fmt: skip
    return Redirect(own_address(data.get("back", "/")), status_code=303, cookies=[cookie])


@get("/static/{name:str}", opt={PUBLIC: True}, include_in_schema=False)
async def static_route(name: FromPath[str]) -> Response[bytes]:
    """Style, script and icon; their address changes with their content."""
    content = static_file(name)
    if content is None:
        raise ServiceProblem("not_found")
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(content, media_type=STATIC_TYPES[name], headers=headers)


@get("/favicon.ico", opt={PUBLIC: True}, include_in_schema=False)
async def favicon() -> Response[Any]:
    """For browsers that ask without looking at the page."""
    return Response(static_file("icon.svg"), media_type=STATIC_TYPES["icon.svg"])


ASKING_ROUTES = (start_page, offered_part, history_page, ask_by_form, choose_language, static_route, favicon)
