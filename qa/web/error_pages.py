"""Errors for people: a page in their language where a browser asked for one, problem details for everybody else."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from litestar import MediaType, Request, Response
from litestar.response import Redirect

from qa.http.problem_details import KINDS, problem_of, problem_response
from qa.person import Person
from qa.web.rendering import render_page
from qa.web.visit import address_of, language_of, own_address


def page_or_problem(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """The answer to a request that ended in an error; who is not signed in is sent to the sign-in."""
    if not _wants_page(request):
        return problem_response(request, error)
    problem = problem_of(error)
    kind = KINDS[problem.code]
    if problem.code == "not_signed_in":
        return Redirect("/sign-in", status_code=303)
    if kind.status >= 500:
        request.state.failure = error
    language = language_of(request)
    here = 0 if language == "de" else 1
    person = request.scope.get("user")
    content = render_page(
        "error.html",
        language=language,
        person=person if isinstance(person, Person) else None,
        here=address_of(request),
        title=kind.title[here],
        message=problem.message or kind.message[here],
        hint=kind.hint[here],
        back=_page_before(request),
        request_id=request.scope.get("state", {}).get("request_id", ""),
    )
    return Response(content, status_code=kind.status, media_type=MediaType.HTML, headers=problem.headers)


def _page_before(request: Request[Any, Any, Any]) -> str | None:
    """The page of this service whose form ended here."""
    before = urlsplit(request.headers.get("referer", ""))
    if request.method == "GET" or before.netloc != request.headers.get("host"):
        return None
    return own_address(f"{before.path}?{before.query}" if before.query else before.path)


def _wants_page(request: Request[Any, Any, Any]) -> bool:
    return not request.url.path.startswith("/v1/") and "text/html" in request.headers.get("accept", "")
