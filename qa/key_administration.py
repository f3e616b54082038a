"""Who may use the service: each change of a key leaves its event in the audit log, never the key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime

from qa.api_keys import ApiKey, ApiKeys
from qa.service_store import open_service_store
from qa.wiring import Workspace


@contextmanager
def _keys(workspace: Workspace) -> Iterator[ApiKeys]:
    store = open_service_store(workspace.settings)
    try:
        yield ApiKeys(store)
    finally:
        store.close()


def create_key(
    workspace: Workspace, *, user: str, tenant: str, levels: Iterable[str], roles: Iterable[str], expires_at: datetime | None,
    by: str,
) -> tuple[str, ApiKey]:  # fmt: skip
    """The key, shown this once, and what is kept of it. Raises indexer's UnknownTenant, UsageProblem."""
    workspace.catalog.place(tenant)
    with _keys(workspace) as keys:
        made = keys.create(user=user, tenant=tenant, levels=levels, roles=roles, expires_at=expires_at, by=by)
    workspace.audit.event("key_create", tenant, by, made[1].to_json())
    return made


def revoke_key(workspace: Workspace, key_id: str, by: str, tenant: str | None = None) -> ApiKey:
    """`tenant`: only a key of this tenant. Raises BelegError."""
    with _keys(workspace) as keys:
        key = keys.revoke(key_id, by, tenant)
    workspace.audit.event("key_revoke", key.tenant, by, {"key_id": key.key_id, "user": key.user})
    return key


def all_keys(workspace: Workspace, tenant: str | None = None) -> list[ApiKey]:
    """Oldest first."""
    with _keys(workspace) as keys:
        return keys.all(tenant)
