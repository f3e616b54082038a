"""How large and how slow the body of a request may be."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from litestar.enums import ScopeType
from litestar.middleware.base import ASGIMiddleware
from litestar.types import ASGIApp, HTTPReceiveMessage, Receive, Scope, Send

from qa.http.problem_details import ServiceProblem
from qa.settings import Settings

TAKES_FILES = "takes_files"
"""Key of a route's `opt`: its body may be as large as a file."""

MOST_JSON_BYTES = 1_000_000
"""Largest body of a request that brings no file."""
_BESIDE_THE_FILE = 1_000_000
_SLOWEST = 20_000
"""Bytes a second below which an upload is ended."""
_MOST_THROWN_AWAY = 32_000_000
_SECONDS_THROWN_AWAY = 5.0


class BodyLimits(ASGIMiddleware):
    """Ends requests whose body is too large or comes too slowly. A stranger's body is not even read."""

    scopes = (ScopeType.HTTP,)

    def __init__(self, settings: Settings) -> None:
        self._file_bytes = settings.limits.max_file_mb * 1_000_000 + _BESIDE_THE_FILE
        self._seconds = settings.service.body_seconds

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Passes on; what is not within the limits is a ServiceProblem where the body is read."""
        takes_files = scope["route_handler"].opt.get(TAKES_FILES, False)
        body = _Body(receive, self._file_bytes if takes_files else MOST_JSON_BYTES, self._seconds, _announced(scope))
        await next_app(scope, cast(Receive, body.next_part), send)


def _announced(scope: Scope) -> int:
    said = next((value for name, value in scope["headers"] if name.lower() == b"content-length"), b"0")
    return int(said) if said.isdigit() else 0


@dataclass
class _Body:
    """A request's body on its way in; `most`, `announced`: bytes, `seconds`: from the first look until its end, and longer for as
    much as comes at a fair pace."""

    receive: Callable[[], Any]
    most: int
    seconds: float
    announced: int
    read: int = 0
    whole: bool = False
    started: float | None = None

    async def next_part(self) -> HTTPReceiveMessage:
        if self.whole:
            return cast(HTTPReceiveMessage, await self.receive())
        self.started = self.started or time.monotonic()
        if self.announced > self.most:
            await self._throw_away()
            raise ServiceProblem("too_large")
        message = await self._in_time()
        if self.read > self.most:
            await self._throw_away()
            raise ServiceProblem("too_large")
        return message

    async def _in_time(self) -> HTTPReceiveMessage:
        assert self.started is not None
        left = self.started + self.seconds + self.read / _SLOWEST - time.monotonic()
        try:
            async with asyncio.timeout(max(left, 0)):
                message = await self.receive()
        except TimeoutError:
            raise ServiceProblem("too_slow", headers={"Connection": "close"}) from None
        self.read += len(message.get("body", b""))
        self.whole = message["type"] != "http.request" or not message.get("more_body", False)
        return cast(HTTPReceiveMessage, message)

    async def _throw_away(self) -> None:
        """Lets the sender finish within bounds: most clients read an answer only after they have sent all."""
        enough = min(self.read + _MOST_THROWN_AWAY, 10**12)
        try:
            async with asyncio.timeout(_SECONDS_THROWN_AWAY):
                while not self.whole and self.read < enough:
                    message = await self.receive()
                    self.read += len(message.get("body", b""))
                    self.whole = message["type"] != "http.request" or not message.get("more_body", False)
        except TimeoutError:
            return
