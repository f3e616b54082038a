"""How often somebody may ask for something: a bucket for each key that fills evenly. Kept by each process of the service."""

from __future__ import annotations

import math
import time
from collections import OrderedDict

from qa.http.problem_details import ServiceProblem

MOST_KEPT = 10_000
"""Buckets that are remembered; the one not used for longest goes first."""


class Rates:
    """`a_minute`: how many requests an account may make in a minute, at once or spread; 0: any number."""

    def __init__(self, a_minute: int) -> None:
        self._a_minute = a_minute
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, account: str) -> None:
        """Counts a request. Raises ServiceProblem with the seconds to wait where it is one too many."""
        if self._a_minute == 0:
            return
        now = time.monotonic()
        left, seen = self._buckets.pop(account, (float(self._a_minute), now))
        left = min(self._a_minute, left + (now - seen) * self._a_minute / 60)
        self._buckets[account] = (max(left - 1, 0.0) if left >= 1 else left, now)
        while len(self._buckets) > MOST_KEPT:
            self._buckets.popitem(last=False)
        if left < 1:
            wait = math.ceil((1 - left) * 60 / self._a_minute)
            raise ServiceProblem("rate_limited", headers={"Retry-After": str(max(wait, 1))})
