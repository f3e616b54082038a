"""Traces of requests and questions, where somebody wants them: the seam, and what stands there when nobody does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from orchestrator.trace import StageObserver

TraceSetting = Literal["off", "on", "with_questions"]


class QuestionTrace(Protocol):
    """The span of one question. `observers`: what is told of its stages."""

    @property
    def observers(self) -> tuple[StageObserver, ...]: ...

    def answered(self, answer: Mapping[str, Any]) -> None: ...


class RequestTrace(Protocol):
    """The span of one HTTP request. `trace_id`: 32 hexadecimal digits, None where nothing is traced."""

    @property
    def trace_id(self) -> str | None: ...

    def ended(self, said: Mapping[str, Any]) -> None: ...


class Tracing(Protocol):
    """Where spans go. Neither texts of cells nor, unless it is set so, the question are ever in one."""

    def question(self, tenant: str, question: str) -> AbstractContextManager[QuestionTrace]: ...

    def request(self, method: str, headers: Mapping[str, str]) -> AbstractContextManager[RequestTrace]: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class _Nothing:
    observers: tuple[StageObserver, ...] = ()
    trace_id: str | None = None

    def answered(self, answer: Mapping[str, Any]) -> None:
        pass

    def ended(self, said: Mapping[str, Any]) -> None:
        pass


class NoTracing:
    """Nothing is traced."""

    @contextmanager
    def question(self, tenant: str, question: str) -> Iterator[QuestionTrace]:
        yield _Nothing()

    @contextmanager
    def request(self, method: str, headers: Mapping[str, str]) -> Iterator[RequestTrace]:
        yield _Nothing()

    def close(self) -> None:
        pass


def open_tracing(wanted: TraceSetting, version: str) -> Tracing:
    """What `service.traces` asks for. Raises SettingsError where the extra is missing."""
    if wanted == "off":
        return NoTracing()
    try:
        from qa.otel_tracing import exported
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "opentelemetry":
            raise
        from qa.problems import SettingsError

        raise SettingsError(
            "Für 'service.traces' fehlt OpenTelemetry; 'pip install beleg[otel]' bringt es mit, \"off\" geht ohne."
        ) from None
    return exported(version, with_questions=wanted == "with_questions")
