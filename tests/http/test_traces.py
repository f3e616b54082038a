"""Spans of requests, questions and stages: what is in them, and what never is. Lines of the log carry the same ids."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from qa.http.app import create_app
from qa.http.serving import log_as_json
from qa.key_administration import create_key
from qa.otel_tracing import OtelTracing
from qa.problems import SettingsError
from qa.settings import load_settings
from qa.tracing import NoTracing, open_tracing
from qa.wiring import open_workspace
from tests.http.running_service import listening

SUM = "Wie hoch ist der Nettoumsatz in Danzig?"
CALLER = "0af7651916cd43dd8448eb211c80319c"


@dataclass
class Traced:
    client: httpx.Client
    exporter: InMemorySpanExporter

    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        """Those that have ended; of a stream they may end a moment after its last byte."""
        for _ in range(100):
            found = [span for span in self.spans() if span.name == name]
            if found:
                break
            time.sleep(0.1)
        return found


@pytest.fixture
def traced(copied: Path, request: pytest.FixtureRequest) -> Iterator[Traced]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with open_workspace(copied) as workspace:
        workspace.tracing = OtelTracing(provider, with_questions=getattr(request, "param", False))
        key = create_key(
            workspace, user="weber", tenant="nord", levels=["controlling"], roles=["asker"], expires_at=None, by="test"
        )[0]
        with listening(create_app(workspace)) as address:
            headers = {"Authorization": f"Bearer {key}"}
            with httpx.Client(base_url=address, headers=headers, timeout=30, trust_env=False) as client:
                yield Traced(client, exporter)


def test_a_question_has_a_span_for_each_stage_under_that_of_its_request(traced: Traced) -> None:
    answer = traced.client.post("/v1/ask", json={"question": SUM}).json()
    (question,) = traced.named("beleg.question")
    (outer,) = traced.named("POST /v1/ask")
    stages = [span for span in traced.spans() if span.name.startswith("beleg.stage.")]
    assert [span.name.removeprefix("beleg.stage.") for span in stages] == [step["stage"] for step in answer["trace"]]
    assert {span.parent.span_id for span in stages if span.parent} == {question.context.span_id}
    assert question.parent is not None and question.parent.span_id == outer.context.span_id
    assert question.attributes is not None and outer.attributes is not None
    assert question.attributes["beleg.answer_id"] == outer.attributes["beleg.answer_id"] == answer["answer_id"]
    assert (question.attributes["beleg.status"], outer.attributes["http.response.status_code"]) == ("answered", 200)


def test_a_stream_is_traced_like_a_plain_answer(traced: Traced) -> None:
    traced.client.post("/v1/ask", json={"question": SUM}, headers={"Accept": "text/event-stream"}).read()
    (question,), (outer,) = traced.named("beleg.question"), traced.named("POST /v1/ask")
    assert question.parent is not None and question.parent.span_id == outer.context.span_id


def test_the_callers_trace_goes_on(traced: Traced) -> None:
    traced.client.post("/v1/ask", json={"question": SUM}, headers={"traceparent": f"00-{CALLER}-b7ad6b7169203331-01"})
    assert {format(span.context.trace_id, "032x") for span in traced.spans()} == {CALLER}


def _everything(traced: Traced) -> str:
    """What the spans say, without their ids and times: those are numbers in which any digits may come up."""
    said = [(span.name, dict(span.attributes or {}), span.status.description, span.events) for span in traced.spans()]
    return "\n".join(map(repr, said))


def test_no_span_holds_a_question_a_cell_a_file_or_a_person(traced: Traced) -> None:
    for question in (SUM, "Welche Niederlassungen gibt es?", "Wie hoch ist der Nettoumsatz in Danzgi?", "x" * 3000):
        traced.client.post("/v1/ask", json={"question": question})
    text = _everything(traced)
    assert "beleg.question" in text
    assert [word for word in ("Danzig", "Nettoumsatz", "umsatz.csv", "1250", "weber", "Lublin", "xxxx") if word in text] == []


@pytest.mark.parametrize("traced", [True], indirect=True)
def test_the_question_is_in_it_where_that_is_set(traced: Traced) -> None:
    traced.client.post("/v1/ask", json={"question": SUM})
    (question,) = traced.named("beleg.question")
    assert question.attributes is not None and question.attributes["beleg.question"] == SUM
    assert "1250" not in _everything(traced)


def test_a_failed_question_says_which_kind_of_error_and_not_more(traced: Traced) -> None:
    traced.client.post("/v1/ask", json={"question": " " + "y" * 3000})
    (question,) = traced.named("beleg.question")
    assert question.attributes is not None and question.attributes["error.type"] == "UsageProblem"
    assert not question.events and question.status.description is None


def test_lines_of_the_log_carry_the_ids(traced: Traced, capfd: pytest.CaptureFixture[str]) -> None:
    log_as_json()
    said = traced.client.post("/v1/ask", json={"question": SUM})
    lines: list[dict[str, object]] = []
    for _ in range(100):  # the line of a request is written a moment after its answer
        lines += [json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")]
        if any(each.get("route") == "/v1/ask" for each in lines):
            break
        time.sleep(0.1)
    (line,) = [each for each in lines if each.get("route") == "/v1/ask"]
    (outer,) = traced.named("POST /v1/ask")
    assert line["request_id"] == said.headers["x-request-id"]
    assert line["answer_id"] == said.json()["answer_id"]
    assert line["trace_id"] == format(outer.context.trace_id, "032x")
    assert "Danzig" not in json.dumps(lines)


def test_without_the_setting_nothing_is_traced_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    assert isinstance(open_tracing("off", "0"), NoTracing)
    (tmp_path / "beleg.toml").write_text('[service]\ntraces = "all"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"service\.traces"):
        load_settings(tmp_path)
