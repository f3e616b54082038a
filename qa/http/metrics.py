"""Counts and times for those who run the service, as Prometheus reads them. No tenant, no user, no name is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, PlatformCollector, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Of one process. `jobs`: how many jobs there are in each state, asked when somebody looks."""

    def __init__(self, jobs: Callable[[], Mapping[str, int]]) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        self._requests = Counter(
            "beleg_requests", "Requests that were answered.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "beleg_request_seconds", "Time until a request was answered.", ("route",), buckets=_SECONDS, registry=self._registry
        )
        self._answers = Counter("beleg_answers", "Answers by what became of the question.", ("status",), registry=self._registry)
        self.asking = Gauge("beleg_questions_in_progress", "Questions that are worked on or wait.", registry=self._registry)
        self._registry.register(_Jobs(jobs))

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """`route`: as the service knows it, never the address as called."""
        known = method if method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS") else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def answer(self, said: object) -> None:
        """Counts an answer object; nothing else."""
        if isinstance(said, Mapping) and "answer_id" in said and "status" in said:
            self._answers.labels(str(said["status"])).inc()

    def text(self) -> bytes:
        """Everything, in Prometheus's text format."""
        return generate_latest(self._registry)


class _Jobs(Collector):
    def __init__(self, count: Callable[[], Mapping[str, int]]) -> None:
        self._count = count

    def collect(self) -> Iterable[Metric]:
        """The states of the queue."""
        family = GaugeMetricFamily("beleg_jobs", "Uploads and goldset runs by state.", labels=("status",))
        counts: Mapping[str, Any] = self._count()
        for status in ("queued", "running", "done", "failed"):
            family.add_metric((status,), counts.get(status, 0))
        return (family,)
