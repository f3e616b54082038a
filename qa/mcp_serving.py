"""`beleg mcp`: the MCP server over standard input and output, or over HTTP. Needs the extra `mcp`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.parse import urlsplit

import anyio
from mcp.server.mcpserver import Context
from mcp.server.transport_security import TransportSecuritySettings

from qa.http.outside import AsgiApp, Message, Outside, Receive, Scope, Send
from qa.http.problem_details import MEDIA_TYPE, ServiceProblem, problem_for, problem_of
from qa.http.services import Services, make_services
from qa.http.serving import listen, log_as_json, run_until_told, traced
from qa.mcp_tools import make_mcp_server
from qa.person import Person
from qa.problems import BelegError
from qa.wiring import Workspace

KEY_VARIABLE = "BELEG_API_KEY"
"""Environment variable with the key of who asks over standard input and output."""
PATH = "/mcp"
_MOST_BYTES = 1_000_000


def serve_stdio(workspace: Workspace, environment: Mapping[str, str], version: str) -> None:
    """Serves the one client at the other end until it closes. Raises BelegError where the environment has no key that holds."""
    presented = environment.get(KEY_VARIABLE, "").strip()
    services = make_services(workspace)

    async def holder(_: Context[Any, Any] | None = None) -> Person:
        person = await services.run(services.person_of_key, presented)
        if person is None:
            raise ServiceProblem("not_signed_in", f"Der Schlüssel in {KEY_VARIABLE} gilt nicht mehr.")
        return person

    async def serve() -> None:
        server = make_mcp_server(services, holder, version)
        log_as_json()
        try:
            await server.run_stdio_async()
        finally:
            await services.finish()

    try:
        if not presented:
            raise BelegError(f"{KEY_VARIABLE} ist nicht gesetzt; 'beleg keys create' macht den Schlüssel, der hineingehört.")
        if services.person_of_key(presented) is None:
            raise BelegError(f"Der Schlüssel in {KEY_VARIABLE} gilt nicht; 'beleg keys list' zeigt, welche es gibt.")
        with traced(workspace, version):
            anyio.run(serve)
    finally:
        services.close()


def serve_http(workspace: Workspace, host: str, port: int, version: str, ready: Callable[[str], None]) -> None:
    """Serves until the process is told to end. Raises BelegError where the address cannot be had."""
    listener = listen(host, port)
    services = make_services(workspace)
    try:
        with traced(workspace, version):
            run_until_told(mcp_app(services, version), listener, lambda address: ready(f"{address}{PATH}"))
    finally:
        services.close()


def mcp_app(services: Services, version: str) -> AsgiApp:
    """Without sessions: every request brings its key, any of several processes answers it."""

    async def caller(context: Context[Any, Any]) -> Person:
        request = context.request_context.request
        person = request.scope.get("user") if request is not None else None
        if not isinstance(person, Person):
            raise ServiceProblem("not_signed_in")
        return person

    server = make_mcp_server(services, caller, version)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=_MOST_BYTES,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # SignedInOnly asks for more
    )
    log_as_json()
    return Outside(SignedInOnly(cast(AsgiApp, app), services), services)


class SignedInOnly:
    """An ASGI application that only those reach who bring a key that holds, and no page of another site."""

    def __init__(self, app: AsgiApp, services: Services) -> None:
        self._app = app
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, self._after_the_last_question(send))
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        scope["path_template"] = scope["path"] if scope["path"] in (PATH, "/healthz") else "-"
        if scope["path"] == "/healthz" and scope["method"] == "GET":
            await _send(send, 200, b'{"status":"ok"}', "application/json")
            return
        try:
            self._refuse_other_sites(headers)
            scope["user"] = person = await self._person(headers, (scope.get("client") or ("",))[0])
            self._services.rates.take(person.account)
        except Exception as error:
            await self._refuse(scope, send, error, headers)
            return
        await self._app(scope, receive, send)

    async def _person(self, headers: Mapping[str, str], address: str) -> Person:
        scheme, _, key = headers.get("authorization", "").partition(" ")
        found = await self._services.run(self._services.person_of_key, key.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            self._services.failures.take(address)
            raise ServiceProblem("not_signed_in")
        return found

    def _refuse_other_sites(self, headers: Mapping[str, str]) -> None:
        origin = headers.get("origin")
        own = (headers.get("host", "").lower(), urlsplit(self._services.settings.public_url or "").netloc.lower())
        if origin is not None and urlsplit(origin).netloc.lower() not in filter(None, own):
            raise ServiceProblem("cross_site")

    async def _refuse(self, scope: Scope, send: Send, error: Exception, headers: Mapping[str, str]) -> None:
        state = scope.get("state", {})
        problem = problem_for(error, headers.get("accept-language", ""), state.get("request_id"))
        if problem.status >= 500:
            state["failure"] = error
        challenge = [(b"www-authenticate", b'Bearer realm="beleg"')] if problem.status == 401 else []
        challenge += [(name.lower().encode(), value.encode()) for name, value in problem_of(error).headers.items()]
        await _send(send, problem.status, problem.model_dump_json().encode(), MEDIA_TYPE, challenge)

    def _after_the_last_question(self, send: Send) -> Send:
        async def last(message: Message) -> None:
            if message["type"] == "lifespan.shutdown.complete":
                await self._services.finish()
            await send(message)

        return last


async def _send(send: Send, status: int, body: bytes, kind: str, headers: list[tuple[bytes, bytes]] | None = None) -> None:
    named = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode()), *(headers or ())]
    await send({"type": "http.response.start", "status": status, "headers": named})
    await send({"type": "http.response.body", "body": body})
