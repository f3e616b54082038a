"""The chat interface, asked with the client that everybody uses."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import httpx
import openai
import pytest

from tests.http.running_service import Running
from tests.http.test_files import finished, upload

SUM = "Wie hoch ist der Nettoumsatz in Danzig?"
LIST = "Wie hoch ist der Nettoumsatz je Niederlassung?"
Messages = list[dict[str, str]]


def _openai(service: Running, key: str | None = None) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{service.address}/v1", api_key=key or service.key(), max_retries=0)


def _asked(client: openai.OpenAI, messages: Messages | str) -> Any:
    said: Any = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    return client.chat.completions.create(model="beleg", messages=said, temperature=0.2, user="someone")


def _streamed(client: openai.OpenAI, question: str) -> tuple[str, list[Any]]:
    stream = client.chat.completions.create(
        model="beleg", messages=[{"role": "user", "content": question}], stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices), chunks


def test_a_reply_says_the_number_with_a_note_that_leads_to_its_cell(service: Running) -> None:
    with _openai(service) as client:
        reply = _asked(client, SUM)
    text = reply.choices[0].message.content
    assert reply.choices[0].finish_reason == "stop"
    assert re.search(r"betrug 1\.250,50\s?EUR \[¹\]\(", text), text
    note = re.search(r"^1\. 1\.250,50 EUR: \[umsatz\.csv, C2, Version „1“.*\]\((.*)\)$", text, re.MULTILINE)
    assert note is not None, text
    assert note[1] == f"{service.address}/answers/{reply.beleg['answer_id']}/cells?fact=0&source=0"
    page = service.asker().get(note[1])
    assert page.status_code == 200 and "1.250,50" in page.text


def test_a_streamed_reply_is_the_same_text(service: Running) -> None:
    with _openai(service) as client:
        whole = _asked(client, SUM).choices[0].message.content
        text, chunks = _streamed(client, SUM)
    alike = [re.sub(r"[0-9a-f]{32}|[0-9a-f]{8}\]", "ID", each) for each in (whole, text)]
    assert alike[0] == alike[1]
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None and chunks[-1].usage.total_tokens == 0
    assert chunks[0].choices[0].delta.role == "assistant"


def test_a_list_is_a_table_with_a_note_for_each_number(service: Running) -> None:
    with _openai(service) as client:
        text = _asked(client, LIST).choices[0].message.content
    assert re.search(r"^\| Danzig \| 1\.250,50 EUR \[¹\]\(.*\) \|$", text, re.MULTILINE), text
    assert re.search(r"^\| Lublin \| 800.* EUR \[²\]\(.*\) \|$", text, re.MULTILINE), text
    assert "**Belege**" in text and re.search(r"^2\. 800.*C3", text, re.MULTILINE)


def test_a_refusal_is_a_reply_without_a_number(service: Running) -> None:
    with _openai(service) as client:
        reply = _asked(client, "Wie hoch ist der Nettoumsatz in Krakau?")
    assert reply.beleg["status"] in ("refused", "clarify")
    assert "1.250" not in reply.choices[0].message.content


def test_a_conversation_goes_on_from_the_reply_that_it_shows(service: Running) -> None:
    with _openai(service) as client:
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": SUM}]
        first = _asked(client, messages)
        messages += [{"role": "assistant", "content": first.choices[0].message.content}]
        second = _asked(client, [*messages, {"role": "user", "content": "und in Lublin?"}])
        assert "800" in second.choices[0].message.content
        assert second.beleg["session_id"] == first.beleg["session_id"]
        # the second reply is thrown away, another question follows the first one
        again = _asked(client, [*messages, {"role": "user", "content": "und im Q3 2024?"}])
        assert "1.250,50" in again.choices[0].message.content
        assert again.beleg["session_id"] != first.beleg["session_id"]
        alone = _asked(client, "und in Lublin?")
        assert alone.beleg["status"] != "answered"


def test_a_reply_to_somebody_else_is_no_conversation_of_ones_own(service: Running) -> None:
    with _openai(service, service.key("fremd")) as client:
        first = _asked(client, SUM)
    messages = [{"role": "assistant", "content": first.choices[0].message.content}, {"role": "user", "content": "und in Lublin?"}]
    for key in (service.key("weber"), service.key("fremd", "hr"), service.key("fremd", tenant="sued")):
        with _openai(service, key) as client:
            reply = _asked(client, messages)
        assert reply.beleg["status"] != "answered"
        assert reply.beleg["session_id"] != first.beleg["session_id"]


def test_there_is_one_model(service: Running) -> None:
    with _openai(service) as client:
        assert [model.id for model in client.models.list()] == ["beleg"]
        assert client.models.retrieve("beleg").id == "beleg"
        with pytest.raises(openai.NotFoundError):
            client.models.retrieve("gpt")


def test_errors_are_those_that_the_client_knows(service: Running) -> None:
    with _openai(service, "beleg_wrong") as client, pytest.raises(openai.AuthenticationError) as raised:
        _asked(client, SUM)
    assert raised.value.code == "not_signed_in"
    with _openai(service) as client:
        for messages in ([], [{"role": "assistant", "content": "x"}], [{"role": "user", "content": " "}]):
            with pytest.raises(openai.BadRequestError) as refused:
                _asked(client, messages)
            assert "Nachricht" in str(refused.value) or "messages" in str(refused.value)
        with pytest.raises(openai.BadRequestError, match="kein Text"):
            parts: Any = [{"type": "image_url", "image_url": {"url": "data:,"}}]
            _asked(client, [{"role": "user", "content": parts}])
        text: Any = [{"type": "text", "text": SUM}]
        assert "1.250,50" in _asked(client, [{"role": "user", "content": text}]).choices[0].message.content


def test_a_stream_that_fails_ends_with_an_error_and_without_the_end_mark(service: Running) -> None:
    """F08: nobody takes a part for the whole."""
    body = {"model": "beleg", "stream": True, "messages": [{"role": "user", "content": "x" * 3000}]}
    with service.asker().stream("POST", "/v1/chat/completions", json=body) as said:
        lines = [line for line in said.iter_lines() if line.startswith("data:")]
    assert "error" in json.loads(lines[-1].removeprefix("data:"))
    assert not any("[DONE]" in line for line in lines)
    with _openai(service) as client, pytest.raises(openai.APIError, match="Zeichen"):
        _streamed(client, "x" * 3000)


def test_no_figure_leaves_before_the_answer_is_in_the_log(service: Running) -> None:
    """F08: of a stream that is left in its middle nothing but the beginning was sent, and the log says so."""
    client = service.asker("eilig")
    body = {"model": "beleg", "stream": True, "messages": [{"role": "user", "content": SUM}]}
    with client.stream("POST", "/v1/chat/completions", json=body) as said:
        first = next(said.iter_raw()).decode()
    assert "250" not in first
    for _ in range(200):
        records = list(service.workspace.audit.latest("nord"))
        asked = [each["answer_id"] for each in records if each["event"] == "question" and each["user"] == "eilig"]
        left = [each["detail"]["answer_id"] for each in records if each["event"] == "answer_not_delivered"]
        if asked and asked[0] in left:
            return
        time.sleep(0.05)
    raise AssertionError((asked, left))


def test_a_cell_cannot_put_markup_into_a_reply(service: Running) -> None:
    """E13, E16: names with links and images are shown as they stand, and the client loads nothing."""
    client = service.asker("lang", "controlling", "analyst")
    names = ["![x](http://evil.example/a)", "<img src=x onerror=alert(1)>", "[k](javascript:alert(1))", "=1+1"]
    rows = "".join(f'"{name}";{number}\n' for number, name in enumerate(names, 11))
    finished(client, upload(client, "![y](http:evil.example).csv", f"Kunde;Rabatt [EUR]\n{rows}"))
    with _openai(service, service.key("lang")) as chat:
        text = _asked(chat, "Wie hoch ist der Rabatt je Kunde?").choices[0].message.content
        assert "11" in text, text
    assert "](http://evil" not in text and "](http:evil" not in text and "](javascript" not in text
    assert "<img" not in text and "<b>" not in text


def test_chat_needs_a_key(service: Running) -> None:
    said = httpx.post(f"{service.address}/v1/chat/completions", json={}, trust_env=False)
    assert (said.status_code, said.json()["error"]["code"]) == (401, "not_signed_in")
