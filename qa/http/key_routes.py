"""API keys of one's own tenant, for administrators."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Any, cast

from litestar import Request, Response, delete, get, post
from litestar.params import FromPath, JSONBody

from qa.http.administration_shapes import KeyBody, KeyShape, NewKeyShape
from qa.http.documented import problems
from qa.http.problem_details import ServiceProblem
from qa.http.services import Services
from qa.http.sign_in import needs, services_of, signed_in
from qa.key_administration import create_key, revoke_key
from qa.person import ALL_LEVELS, Person


@get("/v1/keys", guards=[needs("keys")], responses=problems(), tags=["keys"])
async def keys_route(request: Request[Any, Any, Any]) -> Response[list[KeyShape]]:
    """Which keys there are; nobody knows the keys themselves any more."""
    services, person = services_of(request), signed_in(request)
    keys = await services.run(services.keys.all, person.tenant)
    return Response(cast(list[KeyShape], [key.to_json() for key in keys if _within(person, key.levels)]))


@post("/v1/keys", status_code=201, guards=[needs("keys")], responses=problems("rejected", body=True), tags=["keys"])
async def create_route(request: Request[Any, Any, Any], data: JSONBody[KeyBody]) -> Response[NewKeyShape]:
    """A key with levels that one holds oneself, shown this one time."""
    services, person = services_of(request), signed_in(request)
    if not _within(person, frozenset(data.levels)):
        raise ServiceProblem("rejected", "Ein Schlüssel kann nur Zugriffsstufen haben, die Sie selbst haben.")
    end = datetime.combine(data.expires, time.max, UTC) if data.expires is not None else None

    def done() -> dict[str, Any]:
        key, held = create_key(
            services.workspace, user=data.user, tenant=person.tenant, levels=data.levels, roles=data.roles, expires_at=end,
            by=person.user,
        )  # fmt: skip
        return {"key": key, **held.to_json()}

    return Response(cast(NewKeyShape, await services.run(done)))


@delete("/v1/keys/{key_id:str}", status_code=204, guards=[needs("keys")], responses=problems("not_found"), tags=["keys"])
async def revoke_route(request: Request[Any, Any, Any], key_id: FromPath[str]) -> None:
    """From now on the key opens nothing."""
    services, person = services_of(request), signed_in(request)
    await services.run(_revoke, services, person, key_id)


def _revoke(services: Services, person: Person, key_id: str) -> None:
    known = next((key for key in services.keys.all(person.tenant) if key.key_id == key_id), None)
    if known is None or not _within(person, known.levels):
        raise ServiceProblem("not_found")
    revoke_key(services.workspace, key_id, person.user, person.tenant)


def _within(person: Person, levels: frozenset[str]) -> bool:
    return person.all_levels or (ALL_LEVELS not in levels and levels <= person.levels)


KEY_ROUTES = (keys_route, create_route, revoke_route)
