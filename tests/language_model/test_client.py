"""The client against a scripted server over real HTTP: every way to fail is a ModelFailure, within the bounds set."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from orchestrator.language_model.breaker import CircuitBreaker
from orchestrator.language_model.budget import SpendingInMemory
from orchestrator.language_model.client import MOST_BYTES, OpenAiModel
from orchestrator.language_model.exchange import Message, ModelFailure, ReplyFormat, Spending
from orchestrator.language_model.model_settings import ModelSettings
from tests.language_model.scripted_server import Scripted, scripted_server

ASKED = (Message("system", "Read."), Message("user", "Umsatz?"))
FORMAT = ReplyFormat("reading", {"type": "object"})
DAY = date(2024, 10, 16)


def _model(server: Scripted, book: SpendingInMemory | None = None, **bounds: Any) -> OpenAiModel:
    settings = replace(ModelSettings(server.base_url, "m", "key-1", "none", timeout_seconds=2, retries=1), **bounds)
    return OpenAiModel(settings, "nord", book, sleep=lambda seconds: None, today=lambda: DAY)


FAILURES = [
    ("an error of the server", {"status": 500}, "server_error", 2),
    ("too many requests", {"status": 429, "headers": {"Retry-After": "1"}}, "rate_limited", 2),
    ("a wait longer than the time limit", {"status": 429, "headers": {"Retry-After": "120"}}, "rate_limited", 1),
    ("a wrong key", {"status": 401}, "rejected", 1),
    ("a redirect", {"status": 307, "headers": {"Location": "http://127.0.0.1:9/"}}, "rejected", 1),
    ("slow", {"wait": 4, "text": "{}"}, "timeout", 1),
    ("a connection that ends in the middle", {"text": "{}", "cut": True}, "not_reached", 2),
    ("no JSON", {"body": b"<html>"}, "unreadable", 1),
    ("an event stream", {"body": b"data: {}\n\ndata: [DONE]\n\n", "content_type": "text/event-stream"}, "unreadable", 1),
    ("JSON of another shape", {"body": b'{"a": 1}'}, "unreadable", 1),
    ("a list", {"body": b"[]"}, "unreadable", 1),
    ("a huge body", {"text": "9" * (MOST_BYTES + 1)}, "too_long", 1),
    ("a reply cut twice", {"text": '{"sql": "SELECT SUM(umsatz) FROM umsatz', "finish": "length"}, "cut", 2),
    ("a filtered reply", {"text": "", "finish": "content_filter"}, "declined", 1),
    ("a refusal", {"text": None, "message": {"refusal": "I cannot"}}, "declined", 1),
    ("a tool call", {"text": None, "finish": "tool_calls", "message": {"tool_calls": []}}, "unreadable", 1),
    ("no text", {"text": None}, "unreadable", 1),
]


@pytest.mark.parametrize(("name", "reply", "kind", "requests"), FAILURES, ids=[case[0] for case in FAILURES])
def test_every_failure_is_named_and_retried_within_bounds(name: str, reply: dict[str, Any], kind: str, requests: int) -> None:
    started = time.monotonic()
    with scripted_server([reply]) as server:
        with pytest.raises(ModelFailure) as caught:
            _model(server).complete(ASKED, None, Spending())
        assert caught.value.kind == kind
        assert len(server.requests) == requests
    assert time.monotonic() - started < 8


def test_nobody_there() -> None:
    with scripted_server([{}]) as server:
        model = _model(server)
    with pytest.raises(ModelFailure) as caught:
        model.complete(ASKED, None, Spending())
    assert caught.value.kind == "not_reached"


def test_a_reply_and_what_was_sent() -> None:
    with scripted_server([{"status": 500}, {"text": '{"a": 1}'}]) as server:
        spent, book = Spending(), SpendingInMemory()
        found = _model(server, book).complete(ASKED, FORMAT, spent)
        asked = server.requests[-1]
    assert found.text == '{"a": 1}'
    assert (asked["temperature"], asked["seed"], asked["model"], asked.get("stream")) == (0, 42, "m", None)
    assert server.headers[-1]["authorization"] == "Bearer key-1"
    assert (spent.tokens, spent.calls, book.spent("nord", DAY).tokens) == (120, 1, 120)


def test_a_cut_reply_is_asked_once_more_with_more_room() -> None:
    with scripted_server([{"text": "half", "finish": "length"}, {"text": "whole"}]) as server:
        assert _model(server).complete(ASKED, None, Spending()).text == "whole"
        assert [asked["max_tokens"] for asked in server.requests] == [700, 1400]


def test_auto_keeps_the_first_format_that_the_server_takes() -> None:
    def only_objects(asked: Any) -> dict[str, Any]:
        wanted = asked.get("response_format", {}).get("type")
        return {"status": 500} if wanted == "json_schema" else {"text": json.dumps({"format": wanted})}

    with scripted_server(only_objects) as server:
        model = _model(server, structured_output="auto")
        assert json.loads(model.complete(ASKED, FORMAT, Spending()).text) == {"format": "json_object"}
        model.complete(ASKED, FORMAT, Spending())
        wanted = [asked["response_format"]["type"] for asked in server.requests]
    assert wanted == ["json_schema", "json_object", "json_object"]
    assert server.requests[-1]["response_format"]["schema"] == {"type": "object"}


@pytest.mark.parametrize(
    "bounds", [{"tokens_per_question": 100}, {"tokens_per_day": 800}, {"cents_per_day": 1, "input_price_cents": 20_000}]
)
def test_budgets_end_before_the_request(bounds: dict[str, int]) -> None:
    book = SpendingInMemory()
    book.add("nord", DAY, 100, 0)
    with scripted_server([{"text": "x"}]) as server:
        with pytest.raises(ModelFailure) as caught:
            _model(server, book, **bounds).complete(ASKED, None, Spending())
        assert caught.value.kind == "budget"
        assert server.requests == []


def test_the_breaker_leaves_a_failing_server_alone_and_tries_again_later() -> None:
    now = [0.0]
    breaker = CircuitBreaker(2, 60, lambda: now[0])
    with scripted_server([{"status": 500}, {"status": 500}, {"text": "back"}]) as server:
        settings = ModelSettings(server.base_url, "m", structured_output="none", retries=0)
        model = OpenAiModel(settings, "nord", breaker=breaker)
        kinds = []
        for _ in range(4):
            with pytest.raises(ModelFailure) as caught:
                model.complete(ASKED, None, Spending())
            kinds.append(caught.value.kind)
        now[0] = 61.0
        assert model.complete(ASKED, None, Spending()).text == "back"
    assert kinds == ["server_error", "server_error", "circuit_open", "circuit_open"]
    assert len(server.requests) == 3


def test_no_more_requests_at_once_than_set() -> None:
    running, most, lock = [0], [0], threading.Lock()

    def count(asked: Any) -> dict[str, Any]:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.1)
        with lock:
            running[0] -= 1
        return {"text": "x"}

    with scripted_server(count) as server:
        model = _model(server, concurrency=2)
        threads = [threading.Thread(target=model.complete, args=(ASKED, None, Spending())) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (most[0], len(server.requests)) == (2, 6)


def test_the_key_is_in_no_text_of_the_settings() -> None:
    assert "geheim" not in repr(ModelSettings("http://x/v1", "m", "geheim"))
