"""Sign-in of a browser with the company's issuer: there and back."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import Annotated, Any

from litestar import Request, Response, get
from litestar.datastructures import Cookie
from litestar.params import QueryParameter
from litestar.response import Redirect

from qa.http.problem_details import ServiceProblem
from qa.http.services import Services
from qa.http.sign_in import PUBLIC, is_secure, refused, services_of, session_cookie
from qa.oidc import Oidc, TokenRefused

_PATH = "/sign-in/oidc"
_COOKIE = "beleg_oidc"
_SECONDS = 600

Text = Annotated[str, QueryParameter(max_length=4_000)]


def _issuer(services: Services) -> Oidc:
    if services.oidc is None:
        raise ServiceProblem("not_found")
    return services.oidc


def _back(request: Request[Any, Any, Any]) -> str:
    public = services_of(request).settings.public_url
    return f"{(public or str(request.base_url)).rstrip('/')}{_PATH}/back"


def _cookie(services: Services, value: str) -> Cookie:
    """What ties the way back to the browser that went: it comes along when the issuer sends the browser back, and only here."""
    return Cookie(
        key=_COOKIE, value=value, max_age=_SECONDS if value else 0, path=_PATH, httponly=True, secure=is_secure(services),
        samesite="lax",
    )  # fmt: skip


@get(_PATH, opt={PUBLIC: True}, include_in_schema=False, status_code=303)
async def leave_route(request: Request[Any, Any, Any]) -> Redirect:
    """To the issuer."""
    services = services_of(request)
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    address = await services.run(
        _issuer(services).sign_in_address, back=_back(request), state=state, nonce=nonce, challenge=challenge
    )
    return Redirect(address, status_code=303, cookies=[_cookie(services, f"{state}.{nonce}.{verifier}")])


@get(f"{_PATH}/back", opt={PUBLIC: True}, include_in_schema=False, status_code=303)
async def back_route(
    request: Request[Any, Any, Any],
    given_state: Annotated[str, QueryParameter(name="state", max_length=200)] = "",
    code: Text = "",
) -> Response[Any]:
    """From the issuer: the code is changed into a token, the token into a session."""
    services = services_of(request)
    issuer = _issuer(services)
    kept = (request.cookies.get(_COOKIE) or "").split(".")
    if len(kept) != 3 or not code or not hmac.compare_digest(kept[0].encode(), given_state.encode()):
        raise ServiceProblem("cross_site")
    back = _back(request)

    def begun() -> str | None:
        try:
            person = issuer.person(issuer.exchanged(code, back=back, verifier=kept[2]), nonce=kept[1])
        except TokenRefused:
            return None
        if not services.is_tenant(person.tenant):
            return None
        said = {"user": person.user, "tenant": person.tenant, "levels": sorted(person.levels), "roles": sorted(person.roles)}
        services.workspace.audit.event("sign_in", person.tenant, person.user, {"way": "oidc"})
        return services.sessions.begin(None, said)

    token = await services.run(begun)
    if token is None:
        raise refused(request)
    return Redirect("/", status_code=303, cookies=[session_cookie(services, token), _cookie(services, "")])


OIDC_ROUTES = (leave_route, back_route)
