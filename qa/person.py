"""Who speaks to the service: a user of one tenant, with levels and roles. Deny by default: what no role allows is not allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrator.scope import Asker
from qa.problems import UsageProblem

ALL_LEVELS = "*"
"""Stands for every level of the tenant, also one that is added later."""

ROLES = ("asker", "analyst", "admin", "monitor")

RIGHTS: Mapping[str, frozenset[str]] = {
    "asker": frozenset({"ask"}),
    "analyst": frozenset({"ask", "review", "meanings", "upload", "audit", "goldsets"}),
    "admin": frozenset({"ask", "review", "meanings", "upload", "audit", "goldsets", "versions", "keys", "events", "metrics"}),
    "monitor": frozenset({"metrics"}),
}
"""Role -> what it allows. Levels narrow all of it: no role shows what the levels do not open."""


@dataclass(frozen=True)
class Person:
    """`levels`: resolved, without the star. `way`: key, session or oidc. `key_id`: None for oidc. `csrf`: of a session.
    `all_levels`: the levels are all there are, and new ones may be made."""

    user: str
    tenant: str
    levels: frozenset[str]
    roles: frozenset[str]
    way: str
    key_id: str | None = None
    csrf: str | None = None
    all_levels: bool = False

    @property
    def asker(self) -> Asker:
        return Asker(self.user, self.tenant, self.levels)

    def may(self, right: str) -> bool:
        return any(right in RIGHTS.get(role, frozenset()) for role in self.roles)

    def may_give(self, level: str) -> bool:
        """Whether this person may put something under this level: never under one that they do not hold."""
        return self.all_levels or level in self.levels

    @property
    def account(self) -> str:
        """What limits and counts are kept for."""
        return self.key_id or f"{self.way}:{self.tenant}:{self.user}"


def checked_roles(roles: Iterable[str]) -> frozenset[str]:
    """Raises UsageProblem for a role that there is not, or none at all."""
    found = frozenset(filter(None, (role.strip() for role in roles)))
    unknown = sorted(found - set(ROLES))
    if unknown or not found:
        named = f"Die Rolle „{unknown[0]}“ gibt es nicht" if unknown else "Es ist keine Rolle genannt"
        raise UsageProblem(f"{named}; möglich sind {', '.join(ROLES)}.")
    return found


def checked_levels(levels: Iterable[str]) -> frozenset[str]:
    """Raises UsageProblem where no level is named."""
    found = frozenset(filter(None, (level.strip() for level in levels)))
    if not found:
        raise UsageProblem("Es ist keine Zugriffsstufe genannt; nennen Sie mindestens eine, z. B. controlling.")
    return found
