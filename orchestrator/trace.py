"""Named, timed stages of one question."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from orchestrator.answer import TraceStep


class StageObserver(Protocol):
    """Is told of every stage in the thread that works on it. What it raises ends the question."""

    def begun(self, stage: str) -> None: ...

    def ended(self, step: TraceStep, error: BaseException | None) -> None: ...


@dataclass
class Trace:
    """Collects the stages in order; a stage that raises is recorded too."""

    observers: tuple[StageObserver, ...] = ()
    steps: list[TraceStep] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[dict[str, Any]]:
        """Times a block; what the block puts into the dictionary becomes the stage's detail (never cell text)."""
        detail: dict[str, Any] = {}
        error: BaseException | None = None
        for observer in self.observers:
            observer.begun(name)
        started = time.perf_counter()
        try:
            yield detail
        except BaseException as raised:
            error = raised
            raise
        finally:
            step = TraceStep(name, (time.perf_counter() - started) * 1000, detail)
            self.steps.append(step)
            for observer in reversed(self.observers):
                observer.ended(step, error)

    @property
    def total_ms(self) -> float:
        return sum(step.ms for step in self.steps)
