"""A question whose stages are told while they go on: for event streams, and for whoever shows how far an answer is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

import structlog

from orchestrator.answer import TraceStep
from qa.asking import ask
from qa.http.services import Services
from qa.person import Person

Event = tuple[str, Mapping[str, Any]]
"""("stage", {"stage", "state": begun or done, "ms" when done}), ("alive", {}) where nothing happened for a while, and last of all
("answer", the answer object)."""

SECONDS_OF_SILENCE = 10.0
LOG = structlog.get_logger("beleg.http")


@dataclass(frozen=True)
class _Told:
    """Passes stages from the thread that asks into the event loop. Nothing of a stage's detail, which may hold names."""

    loop: asyncio.AbstractEventLoop
    events: asyncio.Queue[Event | None]

    def begun(self, stage: str) -> None:
        self._tell({"stage": stage, "state": "begun"})

    def ended(self, step: TraceStep, error: BaseException | None) -> None:
        self._tell({"stage": step.stage, "state": "done", "ms": round(step.ms, 1)})

    def _tell(self, said: Mapping[str, Any]) -> None:
        with suppress(RuntimeError):  # the loop has ended; the question goes on, for the log
            self.loop.call_soon_threadsafe(self.events.put_nowait, ("stage", said))


async def asked_in_stages(
    services: Services, person: Person, question: str, *, session_id: str | None = None, today: date | None = None
) -> AsyncGenerator[Event]:
    """The stages as they begin and end, then the answer. Raises what `qa.asking.ask` raises. If nobody listens any more, the
    question is worked on to its end all the same: the log holds it, and that it did not reach its asker."""
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    told = _Told(asyncio.get_running_loop(), events)
    work = asyncio.create_task(
        services.asked(
            ask, services.workspace, question, person.asker, session_id=session_id, today=today, observers=(told,)
        )
    )  # fmt: skip
    work.add_done_callback(lambda _: events.put_nowait(None))
    delivered = False
    try:
        while True:
            try:
                event = await asyncio.wait_for(events.get(), SECONDS_OF_SILENCE)
            except TimeoutError:
                event = ("alive", {})
            if event is None:
                break
            yield event
        yield "answer", await work
        delivered = True
    finally:
        if not delivered:
            services.in_background(_undelivered(services, person, work))


async def _undelivered(services: Services, person: Person, work: asyncio.Task[Mapping[str, Any]]) -> None:
    """A question that failed has its record already."""
    try:
        answer = await work
    except Exception:
        return
    detail = {"answer_id": answer["answer_id"]}
    try:
        await services.run(services.workspace.audit.event, "answer_not_delivered", person.tenant, person.user, detail)
    except Exception as error:
        LOG.error("not_logged", what="answer_not_delivered", exc_info=error, **detail)
