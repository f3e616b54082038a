"""Named, timed stages of one question."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from orchestrator.answer import TraceStep


@dataclass
class Trace:
    """Collects the stages in order; a stage that raises is recorded too."""

    steps: list[TraceStep] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[dict[str, Any]]:
        """Times a block; what the block puts into the dictionary becomes the stage's detail (never cell text)."""
        detail: dict[str, Any] = {}
        started = time.perf_counter()
        try:
            yield detail
        finally:
            self.steps.append(TraceStep(name, (time.perf_counter() - started) * 1000, detail))

    @property
    def total_ms(self) -> float:
        return sum(step.ms for step in self.steps)
