"""Who a request is from. Every route needs a person unless it says that it is public; what is not allowed is denied."""

from __future__ import annotations

import hmac
from typing import Any, cast
from urllib.parse import urlsplit

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.handlers import BaseRouteHandler
from litestar.middleware.authentication import AbstractAuthenticationMiddleware, AuthenticationResult
from litestar.types import Guard

from qa.http.problem_details import ServiceProblem
from qa.http.services import Services
from qa.person import Person

PUBLIC = "public"
"""Key of a route's `opt` that opens it to everyone."""

CSRF_HEADER = "x-csrf-token"
CSRF_FIELD = "csrf_token"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class SignIn(AbstractAuthenticationMiddleware):
    """A bearer key, or the cookie of a browser session. A cookie alone changes nothing: see `check_same_site`."""

    async def authenticate_request(self, connection: ASGIConnection[Any, Any, Any, Any]) -> AuthenticationResult:
        """The person, None where nobody is signed in; a key that does not hold is refused even on public routes."""
        person = await _person(connection)
        public = connection.route_handler.opt.get(PUBLIC, False)
        if person is None and not public:
            raise ServiceProblem("not_signed_in")
        if person is not None:
            services_of(connection).rates.take(person.account)
        return AuthenticationResult(user=person, auth=person.way if person is not None else None)


async def _person(connection: ASGIConnection[Any, Any, Any, Any]) -> Person | None:
    services = services_of(connection)
    said = connection.headers.get("authorization")
    if said is not None:
        scheme, _, key = said.partition(" ")
        key = key.strip()
        find = services.person_of_token if key.count(".") == 2 else services.person_of_key
        person = await services.run(find, key) if scheme.lower() == "bearer" else None
        if person is None:
            raise refused(connection)
        return person
    token = session_token(connection)
    return await services.run(services.person_of_session, token) if token else None


def refused(connection: ASGIConnection[Any, Any, Any, Any]) -> ServiceProblem:
    """What is said of a key that does not hold; another thing where one address tries too many."""
    try:
        services_of(connection).failures.take(connection.client.host if connection.client is not None else "")
    except ServiceProblem as too_often:
        return too_often
    return ServiceProblem("not_signed_in")


def services_of(connection: ASGIConnection[Any, Any, Any, Any]) -> Services:
    return cast(Services, connection.app.state.services)


def signed_in(request: Request[Any, Any, Any]) -> Person:
    """The person of a route that is not public."""
    person = request.scope.get("user")
    if not isinstance(person, Person):
        raise ServiceProblem("not_signed_in")
    return person


def needs(right: str) -> Guard:
    """A guard: one of the person's roles allows this."""

    def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        may(connection, right)

    return guard


def may(connection: ASGIConnection[Any, Any, Any, Any], right: str) -> None:
    """Raises ServiceProblem where no role of the person allows this."""
    person = connection.scope.get("user")
    if not isinstance(person, Person):
        raise ServiceProblem("not_signed_in")
    if not person.may(right):
        raise ServiceProblem("not_allowed")


# --- browsers


def session_cookie_name(services: Services) -> str:
    """With https the browser itself sees to it that no other host or path sets the cookie."""
    return "__Host-beleg" if is_secure(services) else "beleg_session"


def is_secure(services: Services) -> bool:
    return (services.settings.public_url or "").startswith("https://")


def session_token(connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    return connection.cookies.get(session_cookie_name(services_of(connection)))


def session_cookie(services: Services, token: str) -> Cookie:
    """Not readable by scripts, not sent along by other sites' forms."""
    return Cookie(
        key=session_cookie_name(services), value=token, max_age=services.sessions.seconds if token else 0,
        path="/", httponly=True, secure=is_secure(services), samesite="lax",
    )  # fmt: skip


def refuse_other_sites(request: Request[Any, Any, Any]) -> None:
    """A form of another site cannot be sent here. Raises ServiceProblem."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        raise ServiceProblem("cross_site")
    if origin is not None and not _is_own_origin(request, origin):
        raise ServiceProblem("cross_site")


def _is_own_origin(request: Request[Any, Any, Any], origin: str) -> bool:
    host = urlsplit(origin).netloc.lower()
    public = urlsplit(services_of(request).settings.public_url or "").netloc.lower()
    return bool(host) and host in (request.headers.get("host", "").lower(), public)


async def check_same_site(request: Request[Any, Any, Any]) -> None:
    """Before every handler: a change with a cookie alone needs the session's own token, in a header or a form field."""
    person = request.scope.get("user")
    if request.method in _SAFE or not isinstance(person, Person) or person.way != "session":
        return
    refuse_other_sites(request)
    given = request.headers.get(CSRF_HEADER)
    if given is None and request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        given = (await request.form()).get(CSRF_FIELD)
    if not isinstance(given, str) or person.csrf is None or not _same(given, person.csrf):
        raise ServiceProblem("cross_site")


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
