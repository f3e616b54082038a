"""The outermost layer around every answer, also of errors: security headers, the request's id, one line in the log."""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import structlog
from structlog.contextvars import bound_contextvars

from qa.http.origins import Origins
from qa.http.services import Services

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]
"""An application as the ASGI standard has it."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
)
_STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")

_OF_A_TRACE = frozenset({b"traceparent", b"tracestate"})

LOG = structlog.get_logger("beleg.http")


class Outside:
    """An ASGI application around another. What may be cached says so itself."""

    def __init__(self, app: AsgiApp, services: Services) -> None:
        settings = services.workspace.settings
        self._app = app
        self._origins = Origins({name: section.origins for name, section in settings.sections.items()})
        self._metrics = services.metrics
        self._tracing = services.workspace.tracing
        encrypted = (settings.service.public_url or "").startswith("https://")
        self._headers = (*_HEADERS, _STRICT_TRANSPORT) if encrypted else _HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        state: dict[str, Any] = scope.setdefault("state", {})
        state["request_id"] = request_id
        started = time.perf_counter()
        status = 500
        sent_headers = dict(scope["headers"])

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = [(name.lower(), value) for name, value in message.get("headers", ())]
                known = {name for name, _ in given}
                added = [pair for pair in self._headers if pair[0] not in known]
                if b"cache-control" not in known:
                    added.append((b"cache-control", b"no-store"))
                added += self._origins.answer(sent_headers, getattr(scope.get("user"), "tenant", None))
                message["headers"] = [*given, *added, (b"x-request-id", request_id.encode())]
            await send(message)

        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"] if name in _OF_A_TRACE}
        with self._tracing.request(scope["method"], headers) as trace, bound_contextvars(**_ids(request_id, trace.trace_id)):
            try:
                preflight = self._origins.preflight(sent_headers) if scope["method"] == "OPTIONS" else None
                if preflight is not None:
                    await send_with_headers({"type": "http.response.start", "status": 204, "headers": preflight})
                    await send({"type": "http.response.body", "body": b""})
                else:
                    await self._app(scope, receive, send_with_headers)
            finally:
                seconds = time.perf_counter() - started
                said = _said(scope, state, status, seconds)
                self._metrics.request(said["method"], said["route"], status, seconds)
                trace.ended({"request_id": request_id, **said})
                _log(said, state.get("failure"))


def _ids(request_id: str, trace_id: str | None) -> dict[str, str]:
    """What every line that is logged while the request is worked on carries."""
    return {"request_id": request_id} | ({"trace_id": trace_id} if trace_id is not None else {})


def _said(scope: Scope, state: dict[str, Any], status: int, seconds: float) -> dict[str, Any]:
    """Without the address as it was called, which may hold names."""
    said: dict[str, Any] = {
        "method": scope["method"],
        "route": scope.get("path_template") or "-",
        "status": status,
        "ms": round(seconds * 1000, 1),
    }
    said |= {"answer_id": state["answer_id"]} if "answer_id" in state else {}
    person = scope.get("user")
    said |= {"tenant": person.tenant, "key_id": person.key_id} if person is not None and hasattr(person, "key_id") else {}
    return said


def _log(said: dict[str, Any], failure: BaseException | None) -> None:
    if failure is not None:
        LOG.error("request_failed", **said, exc_info=failure)
    else:
        LOG.info("request", **said)
