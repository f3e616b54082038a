"""OpenTelemetry spans: one for a request, one for a question in it, one for each of its stages. Needs the extra `otel`.

Names of people, files and columns, texts of cells and messages of errors are never in a span; the question only if set so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry import propagate
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context, use_span

from orchestrator.answer import TraceStep


def exported(version: str, *, with_questions: bool) -> OtelTracing:
    """Spans go to the collector that the standard's environment variables name (OTEL_EXPORTER_OTLP_ENDPOINT and others)."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    provider = TracerProvider(resource=Resource.create({"service.name": "beleg", "service.version": version}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return OtelTracing(provider, with_questions=with_questions)


class OtelTracing:
    """Spans of this provider, which is closed with it."""

    def __init__(self, provider: TracerProvider, *, with_questions: bool = False) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("beleg")
        self._with_questions = with_questions

    @contextmanager
    def question(self, tenant: str, question: str) -> Iterator[OtelQuestion]:
        """A child of whatever span is current: of the request, where there is one."""
        span = self._tracer.start_span("beleg.question", attributes={"beleg.tenant": tenant})
        if self._with_questions:
            span.set_attribute("beleg.question", question)
        with _ended(span):
            yield OtelQuestion(span, (OtelStages(self._tracer, span),))

    @contextmanager
    def request(self, method: str, headers: Mapping[str, str]) -> Iterator[OtelRequest]:
        """A child of the caller's span, where the request names one (W3C trace context)."""
        caller: Context = propagate.extract(headers)
        span = self._tracer.start_span(method, context=caller, kind=SpanKind.SERVER)
        with _ended(span):
            yield OtelRequest(span, method)

    def close(self) -> None:
        self._provider.shutdown()


@contextmanager
def _ended(span: Span) -> Iterator[None]:
    """The current span of the block. Of an error only its kind is kept."""
    with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield
        except BaseException as error:
            _failed(span, error)
            raise


def _failed(span: Span, error: BaseException) -> None:
    span.set_status(Status(StatusCode.ERROR))
    span.set_attribute("error.type", type(error).__name__)


@dataclass(frozen=True)
class OtelQuestion:
    """`qa.tracing.QuestionTrace`."""

    span: Span
    observers: tuple[OtelStages, ...]

    def answered(self, answer: Mapping[str, Any]) -> None:
        refusal = answer["refusal"] or answer["clarification"] or {}
        named = {name: answer[name] for name in ("answer_id", "status", "route")} | {"code": refusal.get("code")}
        self.span.set_attributes({f"beleg.{name}": value for name, value in named.items() if value is not None})
        self.span.set_attribute("beleg.facts", len(answer["facts"] or ()))


@dataclass
class OtelStages:
    """orchestrator.trace.StageObserver: a span for each stage, with the counts that its detail holds."""

    tracer: Tracer
    parent: Span
    _open: list[Span] = field(default_factory=list)

    def begun(self, stage: str) -> None:
        around = self._open[-1] if self._open else self.parent
        self._open.append(self.tracer.start_span(f"beleg.stage.{stage}", context=set_span_in_context(around)))

    def ended(self, step: TraceStep, error: BaseException | None) -> None:
        span = self._open.pop()
        span.set_attributes({f"beleg.{name}": value for name, value in step.detail.items() if isinstance(value, int)})
        if error is not None:
            _failed(span, error)
        span.end()


@dataclass(frozen=True)
class OtelRequest:
    """`qa.tracing.RequestTrace`."""

    span: Span
    method: str

    @property
    def trace_id(self) -> str | None:
        return format(self.span.get_span_context().trace_id, "032x")

    def ended(self, said: Mapping[str, Any]) -> None:
        """`said`: the line that the log gets of the request."""
        self.span.update_name(f"{self.method} {said['route']}")
        self.span.set_attributes(
            {"http.request.method": self.method, "http.route": said["route"], "http.response.status_code": said["status"]}
        )
        self.span.set_attributes({f"beleg.{name}": said[name] for name in ("request_id", "tenant", "answer_id") if name in said})
        if said["status"] >= 500:
            self.span.set_status(Status(StatusCode.ERROR))
