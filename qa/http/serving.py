"""`beleg serve`: the first key, the log, and the server around the application."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import portalocker
import structlog
import uvicorn
from structlog.tracebacks import ExceptionDictTransformer

from qa.api_keys import ApiKey, ApiKeys
from qa.http.app import create_app
from qa.http.outside import AsgiApp
from qa.http.patience import Patient
from qa.person import ALL_LEVELS
from qa.problems import BelegError
from qa.service_store import open_service_store
from qa.tracing import open_tracing
from qa.wiring import Workspace

FIRST_TENANT = "standard"
"""The tenant of a workspace that has none when it is first served."""
FIRST_KEY_DAYS = 30
SECONDS_TO_END = 30
"""How long running questions may take to finish once the process is told to end."""


def first_keys(workspace: Workspace) -> list[tuple[str, ApiKey]]:
    """An administrator's key for each tenant where the workspace has no key at all yet; empty ever after. They are shown once and
    hold for 30 days. A workspace without a tenant gets its first one."""
    store = open_service_store(workspace.settings)
    try:
        keys = ApiKeys(store)
        with portalocker.Lock(workspace.settings.data / "service.lock", "ab", flags=portalocker.LockFlags.EXCLUSIVE):
            if keys.all():
                return []
            tenants = workspace.catalog.tenants() or tuple(workspace.settings.sections) or (FIRST_TENANT,)
            return [_first_key(workspace, keys, tenant) for tenant in tenants]
    finally:
        store.close()


def _first_key(workspace: Workspace, keys: ApiKeys, tenant: str) -> tuple[str, ApiKey]:
    workspace.catalog.create_tenant(tenant, "beleg serve")
    expires = datetime.now(UTC) + timedelta(days=FIRST_KEY_DAYS)
    made = keys.create(user="admin", tenant=tenant, levels=[ALL_LEVELS], roles=["admin"], expires_at=expires, by="beleg serve")
    workspace.audit.event("key_create", tenant, "beleg serve", made[1].to_json())
    return made


def serve(workspace: Workspace, host: str, port: int, version: str, ready: Callable[[str], None]) -> None:
    """Serves until the process is told to end; running requests are finished. `ready` gets the address once it listens. Raises
    BelegError where the address cannot be had."""
    log_as_json()
    listener = listen(host, port)
    with traced(workspace, version):
        run_until_told(create_app(workspace, version, warm=True), listener, ready)


@contextmanager
def traced(workspace: Workspace, version: str) -> Iterator[None]:
    """The spans that the settings ask for; the last ones are sent when the block ends."""
    workspace.tracing = open_tracing(workspace.settings.service.traces, version)
    try:
        yield
    finally:
        workspace.tracing.close()


def run_until_told(app: AsgiApp, listener: socket.socket, ready: Callable[[str], None]) -> None:
    """The server around any application, until SIGTERM or Ctrl-C; `ready` gets the address."""
    ready(_address(listener))
    before = signal.signal(signal.SIGTERM, _end)
    try:
        uvicorn.Server(server_config(app)).run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
        listener.close()


def server_config(app: AsgiApp) -> uvicorn.Config:
    """How the application is served: own log, no word of what serves it, headers of proxies not believed."""
    return uvicorn.Config(
        app,
        http=Patient,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SECONDS_TO_END,
        h11_max_incomplete_event_size=32_768,
        lifespan="on",
    )


def _end(_: int, __: object) -> None:
    """The server has ended its work when it passes the signal on; what is open is closed on the way out."""
    sys.exit(0)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises BelegError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise BelegError(
            f"An {host}:{port} lässt sich nicht hören ({error.strerror or error}); --host und --port nennen eine andere Adresse."
        ) from error
    listener.listen(128)
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def log_as_json() -> None:
    """One JSON object a line on stderr, also from the server's own log; never the address as called, which may hold names."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Without the local variables: they hold keys, questions and cells.
            structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
            structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                _exception_of_record,
                structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)


def _exception_of_record(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    record = event.pop("_record", None)
    if record is not None and record.exc_info:
        event["exception"] = str(record.exc_info[1])
    return event
