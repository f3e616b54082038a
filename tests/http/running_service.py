"""A real service on a free port of this machine, in a thread of the test process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import httpx
import uvicorn

from qa.http.app import create_app
from qa.http.outside import AsgiApp
from qa.http.serving import server_config
from qa.key_administration import create_key
from qa.wiring import Workspace, open_workspace


@dataclass
class Running:
    """`address`: where it listens. Clients are closed with it."""

    address: str
    workspace: Workspace
    clients: list[httpx.Client] = field(default_factory=list)

    def key(
        self,
        user: str = "weber",
        levels: str = "controlling",
        *roles: str,
        tenant: str = "nord",
        expires_at: datetime | None = None,
    ) -> str:
        return create_key(
            self.workspace,
            user=user,
            tenant=tenant,
            levels=levels.split(","),
            roles=roles or ("asker",),
            expires_at=expires_at,
            by="test",
        )[0]

    def client(self, key: str | None = None, **headers: str) -> httpx.Client:
        """Follows no redirects; cookies are kept as a browser keeps them."""
        sent = {**headers, **({"Authorization": f"Bearer {key}"} if key is not None else {})}
        made = httpx.Client(base_url=self.address, headers=sent, timeout=120, trust_env=False)
        self.clients.append(made)
        return made

    def asker(self, user: str = "weber", levels: str = "controlling", *roles: str, tenant: str = "nord") -> httpx.Client:
        """A client with a key of its own."""
        return self.client(self.key(user, levels, *roles, tenant=tenant))


@contextmanager
def listening(app: AsgiApp) -> Iterator[str]:
    """The address of an application on a free port, ended with the block."""
    server = uvicorn.Server(server_config(app))
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the service ended before it listened"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


@contextmanager
def running(root: Path) -> Iterator[Running]:
    """The service of this workspace, ended with the block."""
    with open_workspace(root) as workspace, listening(create_app(workspace)) as address:
        service = Running(address, workspace)
        try:
            yield service
        finally:
            for client in service.clients:
                client.close()
