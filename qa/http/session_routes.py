"""Browser sessions: sign in with a key, who is signed in, sign out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from litestar import MediaType, Request, Response, delete, get, post
from litestar.params import JSONBody, URLEncodedBody
from litestar.response import Redirect

from qa.http.documented import EmptyOperation, problems
from qa.http.problem_details import ServiceProblem
from qa.http.shapes import PersonShape, SignInBody
from qa.http.sign_in import PUBLIC, refuse_other_sites, refused, services_of, session_cookie, session_token, signed_in
from qa.person import RIGHTS, Person
from qa.web.rendering import render_page
from qa.web.visit import language_of
from qa.web_sessions import csrf_token


def person_json(person: Person) -> PersonShape:
    rights = sorted({right for role in person.roles for right in RIGHTS.get(role, ())})
    return PersonShape(
        user=person.user, tenant=person.tenant, levels=sorted(person.levels), roles=sorted(person.roles), rights=rights,
        csrf_token=person.csrf,
    )  # fmt: skip


async def _begin(request: Request[Any, Any, Any], key: str) -> tuple[str, Person]:
    """A session for the holder of the key. Raises ServiceProblem."""
    services = services_of(request)

    def begin() -> tuple[str, Person]:
        person = services.person_of_key(key.strip())
        if person is None:
            raise refused(request)
        token = services.sessions.begin(person.key_id, {})
        services.workspace.audit.event("sign_in", person.tenant, person.user, {"way": "key", "key_id": person.key_id})
        return token, replace(person, way="session", csrf=csrf_token(token))

    return await services.run(begin)


@post(
    "/v1/session",
    status_code=201,
    opt={PUBLIC: True},
    responses=problems("not_signed_in", "cross_site", public=True, body=True),
    tags=["sign-in"],
)
async def sign_in_route(request: Request[Any, Any, Any], data: JSONBody[SignInBody]) -> Response[PersonShape]:
    """Opens a browser session with an API key; the answer sets its cookie."""
    refuse_other_sites(request)
    token, person = await _begin(request, data.key)
    return Response(person_json(person), cookies=[session_cookie(services_of(request), token)])


@get("/v1/session", responses=problems(), tags=["sign-in"])
async def session_route(request: Request[Any, Any, Any]) -> PersonShape:
    """Who is signed in."""
    return person_json(signed_in(request))


@delete("/v1/session", status_code=204, responses=problems(), operation_class=EmptyOperation, tags=["sign-in"])
async def sign_out_route(request: Request[Any, Any, Any]) -> Response[None]:
    """Ends the browser session."""
    await _end(request)
    return Response(None, cookies=[session_cookie(services_of(request), "")])


async def _end(request: Request[Any, Any, Any]) -> None:
    services, token = services_of(request), session_token(request)
    if token is not None:
        await services.run(services.sessions.end, token)


# --- the same as plain forms, for a browser without scripts


_WITH_ISSUER = {"de": "Mit dem Firmenkonto anmelden", "en": "Sign in with the company account"}


@get("/sign-in", opt={PUBLIC: True}, media_type=MediaType.HTML, include_in_schema=False)
async def sign_in_form(request: Request[Any, Any, Any]) -> Response[str]:
    return _page(request, failed=False)


def _page(request: Request[Any, Any, Any], *, failed: bool) -> Response[str]:
    language = language_of(request)
    ways = [{"href": "/sign-in/oidc", "name": _WITH_ISSUER[language]}] if services_of(request).oidc is not None else []
    content = render_page("sign_in.html", language=language, person=None, here="/sign-in", failed=failed, ways=ways)
    return Response(content, media_type=MediaType.HTML, status_code=401 if failed else 200)


@post("/sign-in", opt={PUBLIC: True}, include_in_schema=False, status_code=303)
async def sign_in_by_form(request: Request[Any, Any, Any], data: URLEncodedBody[dict[str, str]]) -> Response[Any]:
    """To the start page, or the form again."""
    refuse_other_sites(request)
    try:
        token, _ = await _begin(request, cast(Mapping[str, str], data).get("key", ""))
    except ServiceProblem:
        return _page(request, failed=True)
    return Redirect("/", status_code=303, cookies=[session_cookie(services_of(request), token)])


@post("/sign-out", include_in_schema=False, status_code=303)
async def sign_out_by_form(request: Request[Any, Any, Any]) -> Redirect:
    await _end(request)
    return Redirect("/sign-in", status_code=303, cookies=[session_cookie(services_of(request), "")])


SESSION_ROUTES = (sign_in_route, session_route, sign_out_route, sign_in_form, sign_in_by_form, sign_out_by_form)
