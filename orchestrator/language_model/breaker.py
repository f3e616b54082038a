"""Circuit breaker: a server that fails again and again is left alone for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class CircuitBreaker:
    """Opens after `failures` failures in a row; after `seconds` one call is let through, whose end decides."""

    def __init__(self, failures: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._failures, self._seconds, self._clock = failures, seconds, clock
        self._in_a_row = 0
        self._opened: float | None = None
        self._lock = threading.Lock()

    def admits(self) -> bool:
        """Whether a call may be made now."""
        with self._lock:
            if self._opened is None:
                return True
            if self._clock() - self._opened < self._seconds:
                return False
            self._opened = self._clock()  # only this one call until it has ended
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._in_a_row, self._opened = 0, None

    def failed(self) -> None:
        with self._lock:
            self._in_a_row += 1
            if self._in_a_row >= self._failures:
                self._opened = self._clock()
