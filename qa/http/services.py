"""What the handlers work with: the open workspace and the service's own stores. Made once for an application."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ParamSpec, TypeVar

import anyio
import structlog
from anyio import CapacityLimiter, to_thread

from qa.api_keys import ApiKey, ApiKeys
from qa.http.job_runner import JobRunner
from qa.http.metrics import Metrics
from qa.http.rates import Rates
from qa.jobs import Jobs
from qa.oidc import Oidc, TokenRefused
from qa.person import ALL_LEVELS, Person
from qa.service_section import ServiceSection
from qa.service_store import ServiceStore, open_service_store
from qa.web_sessions import WebSession, WebSessions, csrf_token
from qa.wiring import Workspace

_P = ParamSpec("_P")
_T = TypeVar("_T")

LOG = structlog.get_logger("beleg.http")

ASKING_THREADS = 8
"""Questions that are worked on at once in one process; further ones wait their turn."""
OTHER_THREADS = 16
FAILURES_PER_MINUTE = 60
"""Keys that do not hold which one address may try in a minute."""
_SECONDS_TO_FINISH = 10.0


@dataclass(frozen=True)
class Services:
    """`questions`, `others`: how many threads work at once on questions and on everything else, so that neither holds up a
    sign-in. `rates`: of each account; `failures`: of each address that tries keys.
    `unfinished`: what goes on
    beside the requests, such as questions whose asker has gone."""

    workspace: Workspace
    store: ServiceStore
    keys: ApiKeys
    sessions: WebSessions
    jobs: Jobs
    runner: JobRunner
    questions: CapacityLimiter
    others: CapacityLimiter
    metrics: Metrics
    rates: Rates
    failures: Rates
    oidc: Oidc | None = None
    unfinished: set[asyncio.Task[Any]] = field(default_factory=set)

    @property
    def settings(self) -> ServiceSection:
        return self.workspace.settings.service

    async def asked(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Runs a question in a thread, so that the event loop never waits."""
        with self.metrics.asking.track_inprogress():
            said = await to_thread.run_sync(partial(work, *args, **kwargs), limiter=self.questions)
        self.metrics.answer(said)
        return said

    async def run(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Runs anything else that may wait for a disk or a database."""
        return await to_thread.run_sync(partial(work, *args, **kwargs), limiter=self.others)

    def person_of_key(self, presented: str) -> Person | None:
        """The holder of an API key, if it holds now."""
        key = self.keys.holder(presented)
        return self._holder(key, "key") if key is not None else None

    def person_of_token(self, token: str) -> Person | None:
        """Whom a token of the issuer names, with what its claims open now. Raises BelegError where the issuer is not reached."""
        if self.oidc is None:
            return None
        try:
            person = self.oidc.person(token)
        except TokenRefused as reason:
            LOG.info("token_refused", reason=str(reason))
            return None
        if not self.is_tenant(person.tenant):
            return None
        return replace(
            person, levels=self.resolved(person.tenant, person.levels), all_levels=ALL_LEVELS in person.levels
        )

    def is_tenant(self, name: str) -> bool:
        """Whether there is such a tenant: a claim makes none."""
        return name in self.workspace.catalog.tenants()

    def person_of_session(self, token: str) -> Person | None:
        """Whose browser session it is, with what the key allows now."""
        session = self.sessions.of(token)
        if session is None:
            return None
        if session.key_id is None:
            return self._signed_in(session, token)
        key = self.keys.by_id(session.key_id)
        return self._holder(key, "session", csrf_token(token)) if key is not None else None

    def _holder(self, key: ApiKey, way: str, csrf: str | None = None) -> Person:
        levels = self.resolved(key.tenant, key.levels)
        return Person(key.user, key.tenant, levels, key.roles, way, key.key_id, csrf, ALL_LEVELS in key.levels)

    def _signed_in(self, session: WebSession, token: str) -> Person:
        said: Any = session.person
        levels = self.resolved(said["tenant"], frozenset(said["levels"]))
        roles, everything = frozenset(said["roles"]), ALL_LEVELS in said["levels"]
        return Person(said["user"], said["tenant"], levels, roles, "session", None, csrf_token(token), everything)

    def resolved(self, tenant: str, levels: frozenset[str]) -> frozenset[str]:
        """The star stands for every level of the tenant there is now."""
        return levels if ALL_LEVELS not in levels else (levels - {ALL_LEVELS}) | self.workspace.all_levels(tenant)

    def in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Goes on beside the requests."""
        task = asyncio.get_running_loop().create_task(work)
        self.unfinished.add(task)
        task.add_done_callback(self.unfinished.discard)

    async def finish(self) -> None:
        """Waits some seconds for what goes on in the background: the log is to hold questions that nobody waits for any more."""
        if self.unfinished:
            await asyncio.wait(self.unfinished, timeout=_SECONDS_TO_FINISH)

    def close(self) -> None:
        self.store.close()


def make_services(workspace: Workspace) -> Services:
    """The stores of the workspace's service."""
    settings = workspace.settings
    store = open_service_store(settings)
    jobs = Jobs(store)
    return Services(
        workspace,
        store,
        ApiKeys(store),
        WebSessions(store, workspace.settings.service.session_hours),
        jobs,
        JobRunner(workspace.settings, jobs),
        anyio.CapacityLimiter(ASKING_THREADS),
        anyio.CapacityLimiter(OTHER_THREADS),
        Metrics(jobs.counts),
        Rates(workspace.settings.service.requests_per_minute),
        Rates(FAILURES_PER_MINUTE),
        Oidc(settings.oidc, settings.oidc_client_secret) if settings.oidc.issuer is not None else None,
    )
