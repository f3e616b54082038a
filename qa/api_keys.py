"""API keys: random, shown once, kept as a digest. A key says who its holder is, in which tenant, with which levels and roles."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from qa.audit import moment_text
from qa.person import checked_levels, checked_roles
from qa.problems import BelegError, UsageProblem
from qa.service_store import API_KEY, WEB_SESSION, ServiceStore

_FORM = re.compile(r"beleg_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True)
class ApiKey:
    """What is known of a key; never the key itself. `levels` as they were given, the star included."""

    key_id: str
    user: str
    tenant: str
    levels: frozenset[str]
    roles: frozenset[str]
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    revoked_at: datetime | None

    def state(self, now: datetime) -> str:
        """active, expired or revoked."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"

    def to_json(self) -> dict[str, Any]:
        """For people and programs."""
        return {
            "key_id": self.key_id,
            "user": self.user,
            "tenant": self.tenant,
            "levels": sorted(self.levels),
            "roles": sorted(self.roles),
            "created_at": moment_text(self.created_at),
            "created_by": self.created_by,
            "expires_at": moment_text(self.expires_at) if self.expires_at is not None else None,
            "state": self.state(datetime.now(UTC)),
        }


class ApiKeys:
    """The keys of a workspace."""

    def __init__(self, store: ServiceStore) -> None:
        self._store = store

    def create(
        self, *, user: str, tenant: str, levels: Iterable[str], roles: Iterable[str], expires_at: datetime | None, by: str
    ) -> tuple[str, ApiKey]:
        """The key, which is nowhere else from now on, and what is kept of it. Raises UsageProblem."""
        if not user.strip():
            raise UsageProblem("Der Name der Person, der der Schlüssel gehört, ist leer; nennen Sie ihn, z. B. --user weber.")
        now = datetime.now(UTC)
        if expires_at is not None and expires_at <= now:
            raise UsageProblem("Der Ablauf des Schlüssels liegt in der Vergangenheit; nennen Sie einen späteren Tag.")
        key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        key = ApiKey(key_id, user.strip(), tenant, checked_levels(levels), checked_roles(roles), now, by, expires_at, None)
        with self._store.writing() as connection:
            connection.execute(
                sa.insert(API_KEY).values(
                    key_id=key_id,
                    digest=_digest(secret),
                    user=key.user,
                    tenant=tenant,
                    levels=json.dumps(sorted(key.levels)),
                    roles=json.dumps(sorted(key.roles)),
                    created_at=now.isoformat(),
                    created_by=by,
                    expires_at=expires_at.isoformat() if expires_at is not None else None,
                )
            )
        return f"beleg_{key_id}_{secret}", key

    def all(self, tenant: str | None = None) -> list[ApiKey]:
        """Oldest first."""
        query = sa.select(API_KEY).order_by(API_KEY.c.created_at, API_KEY.c.key_id)
        if tenant is not None:
            query = query.where(API_KEY.c.tenant == tenant)
        with self._store.reading() as connection:
            return [_key(row) for row in connection.execute(query)]

    def revoke(self, key_id: str, by: str, tenant: str | None = None) -> ApiKey:
        """From now on the key opens nothing, its browser sessions end. `tenant`: only one of this tenant. Raises BelegError."""
        known = next((key for key in self.all(tenant) if key.key_id == key_id), None)
        if known is None:
            raise BelegError(f"Einen Schlüssel „{key_id}“ gibt es nicht; 'beleg keys list' zeigt die Kennungen.")
        now = datetime.now(UTC)
        with self._store.writing() as connection:
            wanted = (API_KEY.c.key_id == key_id) & API_KEY.c.revoked_at.is_(None)
            connection.execute(sa.update(API_KEY).where(wanted).values(revoked_at=now.isoformat(), revoked_by=by))
            connection.execute(sa.delete(WEB_SESSION).where(WEB_SESSION.c.key_id == key_id))
        return next(key for key in self.all(tenant) if key.key_id == key_id)

    def holder(self, presented: str) -> ApiKey | None:
        """The key that was presented, if it is one that holds now."""
        match = _FORM.fullmatch(presented)
        if match is None:
            return None
        with self._store.reading() as connection:
            row = connection.execute(sa.select(API_KEY).where(API_KEY.c.key_id == match[1])).one_or_none()
        if row is None or not hmac.compare_digest(row.digest, _digest(match[2])):
            return None
        key = _key(row)
        return key if key.state(datetime.now(UTC)) == "active" else None

    def by_id(self, key_id: str) -> ApiKey | None:
        """A key that holds now."""
        with self._store.reading() as connection:
            row = connection.execute(sa.select(API_KEY).where(API_KEY.c.key_id == key_id)).one_or_none()
        key = _key(row) if row is not None else None
        return key if key is not None and key.state(datetime.now(UTC)) == "active" else None


def _digest(secret: str) -> str:
    """Of 256 random bits, so that nothing slower than SHA-256 is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _key(row: sa.Row[Any]) -> ApiKey:
    return ApiKey(
        row.key_id,
        row.user,
        row.tenant,
        frozenset(json.loads(row.levels)),
        frozenset(json.loads(row.roles)),
        datetime.fromisoformat(row.created_at),
        row.created_by,
        datetime.fromisoformat(row.expires_at) if row.expires_at is not None else None,
        datetime.fromisoformat(row.revoked_at) if row.revoked_at is not None else None,
    )
