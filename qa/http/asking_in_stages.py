"""A question whose stages are told while they go on: for event streams, and for whoever shows how far an answer is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

from orchestrator.answer import TraceStep
from qa.asking import ask
from qa.http.services import Services
from qa.person import Person

Event = tuple[str, Mapping[str, Any]]
"""("stage", {"stage", "state": begun or done, "ms" when done}), and last of all ("answer", the answer object)."""


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
) -> AsyncIterator[Event]:
    """The stages as they begin and end, then the answer. Raises what `qa.asking.ask` raises. If nobody listens any more, the
    question is worked on to its end all the same: the log holds it."""
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    told = _Told(asyncio.get_running_loop(), events)
    work = asyncio.create_task(
        services.asked(
            ask, services.workspace, question, person.asker, session_id=session_id, today=today, observers=(told,)
        )
    )  # fmt: skip
    work.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        yield "answer", work.result()
    finally:
        if not work.done():
            services.unfinished.add(work)
            work.add_done_callback(services.unfinished.discard)
