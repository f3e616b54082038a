"""Sessions of browsers: a random cookie, kept as a digest, that ends with the key it was opened with."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from qa.service_store import WEB_SESSION, ServiceStore


@dataclass(frozen=True)
class WebSession:
    """`person`: what the sign-in said, for one without a key: user, tenant, levels, roles."""

    key_id: str | None
    person: Mapping[str, Any]


class WebSessions:
    """`hours`: how long a session lasts."""

    def __init__(self, store: ServiceStore, hours: int) -> None:
        self._store = store
        self._hours = hours

    @property
    def seconds(self) -> int:
        return self._hours * 3600

    def begin(self, key_id: str | None, person: Mapping[str, Any]) -> str:
        """The cookie's value. Sessions that have ended are cleared away."""
        token = secrets.token_urlsafe(32)
        now = datetime.now(UTC)
        with self._store.writing() as connection:
            connection.execute(sa.delete(WEB_SESSION).where(WEB_SESSION.c.expires_at <= now.isoformat()))
            connection.execute(
                sa.insert(WEB_SESSION).values(
                    digest=_digest(token),
                    key_id=key_id,
                    person=json.dumps(dict(person), ensure_ascii=False),
                    created_at=now.isoformat(),
                    expires_at=(now + timedelta(hours=self._hours)).isoformat(),
                )
            )
        return token

    def of(self, token: str) -> WebSession | None:
        """The session of a cookie, if it still lasts."""
        wanted = (WEB_SESSION.c.digest == _digest(token)) & (WEB_SESSION.c.expires_at > datetime.now(UTC).isoformat())
        with self._store.reading() as connection:
            row = connection.execute(sa.select(WEB_SESSION).where(wanted)).one_or_none()
        return WebSession(row.key_id, json.loads(row.person)) if row is not None else None

    def end(self, token: str) -> None:
        """No-op where it has ended."""
        with self._store.writing() as connection:
            connection.execute(sa.delete(WEB_SESSION).where(WEB_SESSION.c.digest == _digest(token)))


def csrf_token(token: str) -> str:
    """What a page of this session sends along with every change; nobody without the cookie can compute it."""
    return hmac.new(token.encode(), b"beleg csrf", hashlib.sha256).hexdigest()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
