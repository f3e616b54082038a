"""Too much, too often, too slow; who may read the counts; pages of other sites."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from qa.http import patience
from tests.http.running_service import Running, running
from tests.http.test_files import finished, upload

SUM = "Wie hoch ist der Nettoumsatz in Danzig?"
SETTINGS = """[service]
requests_per_minute = 30
body_seconds = 1
[limits]
max_file_mb = 3
[tenants.nord]
origins = ["https://intranet.example.com"]
"""


@pytest.fixture
def strict(copied: Path) -> Iterator[Running]:
    (copied / "beleg.toml").write_text(SETTINGS, encoding="utf-8")
    with running(copied) as service:
        yield service


def test_a_key_may_ask_so_often_and_others_are_not_held_up(strict: Running) -> None:
    client, other = strict.asker(), strict.asker("lang")
    answers = [client.get("/v1/session") for _ in range(60)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(refused) >= 20 and {answer.status_code for answer in answers} == {200, 429}
    said = refused[-1]
    assert said.json()["code"] == "rate_limited" and 1 <= int(said.headers["retry-after"]) <= 60
    assert other.get("/v1/session").status_code == 200


def test_one_address_may_try_so_many_wrong_keys_and_right_ones_still_hold(service: Running) -> None:
    stranger = service.client("beleg_000000000000_" + "A" * 43)
    codes = {stranger.get("/v1/session").status_code for _ in range(70)}
    assert codes == {401, 429}
    assert service.client().post("/v1/session", json={"key": "beleg_x"}).status_code == 429
    assert service.asker().get("/v1/session").status_code == 200


def test_a_body_too_large_is_refused_with_its_code(strict: Running) -> None:
    client = strict.asker("lang", "controlling", "analyst")
    as_json = {"Content-Type": "application/json"}
    announced = client.post("/v1/ask", content=b'{"question": "' + b"x" * 2_000_000 + b'"}', headers=as_json)
    streamed = client.post("/v1/ask", content=(b"x" * 100_000 for _ in range(20)), headers=as_json)
    for said in (announced, streamed):
        assert (said.status_code, said.json()["code"]) == (413, "too_large")
    assert upload(client, "gross.csv", "a;b\n" + "1;2\n" * 1_500_000).status_code == 413


def test_a_file_may_be_larger_than_any_other_body(service: Running) -> None:
    client = service.asker("lang", "controlling", "analyst")
    content = "Posten;Betrag [EUR]\n" + "".join(f"{number:0200};{number % 7}\n" for number in range(10_000))
    assert len(content) > 2_000_000
    assert finished(client, upload(client, "zwei_mb.csv", content))["status"] == "done"


def _raw(service: Running, text: str, key: str | None = None) -> socket.socket:
    place = urlsplit(service.address)
    connection = socket.create_connection((place.hostname or "", place.port or 0), timeout=20)
    connection.sendall(text.replace("KEY", key or "").replace("\n", "\r\n").encode())
    return connection


def _until_closed(connection: socket.socket) -> bytes:
    found = b""
    while part := connection.recv(65_536):
        found += part
    return found


def test_a_body_that_never_ends_is_ended(strict: Running) -> None:
    head = "POST /v1/ask HTTP/1.1\nHost: x\nAuthorization: Bearer KEY\nContent-Type: application/json\nContent-Length: 100\n\n{"
    started = time.monotonic()
    said = _until_closed(_raw(strict, head, strict.key()))
    assert b" 408 " in said.split(b"\r\n")[0] and b"too_slow" in said
    assert 0.9 < time.monotonic() - started < 15


def test_a_strangers_body_is_not_read(strict: Running) -> None:
    head = "POST /v1/files HTTP/1.1\nHost: x\nContent-Type: multipart/form-data; boundary=x\nContent-Length: 2000000\n\n"
    connection = _raw(strict, head)
    assert b" 401 " in connection.recv(65_536).split(b"\r\n")[0]
    connection.close()


def test_a_head_that_never_ends_is_ended(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "SECONDS_FOR_HEAD", 0.5)
    for begun in ("", "GET /healthz HTTP/1.1\nHost: x\nX-A:", "GET /healthz HTTP/1.1\nHost: x\n\nGET /healthz HT"):
        started = time.monotonic()
        _until_closed(_raw(service, begun))
        assert time.monotonic() - started < 8, begun


def test_slow_connections_hold_up_nobody(service: Running) -> None:
    slow = [_raw(service, "POST /v1/ask HTTP/1.1\nHost: x\nX-A:") for _ in range(200)]
    try:
        assert service.asker().post("/v1/ask", json={"question": SUM}).json()["status"] == "answered"
    finally:
        for connection in slow:
            connection.close()


# --- counts


def test_counts_are_for_those_who_run_the_service(service: Running) -> None:
    service.asker().post("/v1/ask", json={"question": SUM})
    assert service.client().get("/metrics").status_code == 401
    assert service.asker().get("/metrics").status_code == 403
    monitor = service.asker("prometheus", "controlling", "monitor")
    assert monitor.post("/v1/ask", json={"question": SUM}).status_code == 403
    said = monitor.get("/metrics")
    assert said.headers["content-type"].startswith("text/plain")
    families = {family.name: family for family in text_string_to_metric_families(said.text)}
    asked = [sample for sample in families["beleg_requests"].samples if sample.labels.get("route") == "/v1/ask"]
    assert {sample.labels["status"] for sample in asked} >= {"200", "403"}
    assert any(sample.labels.get("status") == "answered" and sample.value >= 1 for sample in families["beleg_answers"].samples)
    assert {sample.labels["status"] for sample in families["beleg_jobs"].samples} == {"queued", "running", "done", "failed"}
    for secret in ("weber", "nord", "umsatz", "Danzig"):
        assert secret not in said.text


def test_counts_can_be_opened_to_a_monitor_without_a_key(copied: Path) -> None:
    (copied / "beleg.toml").write_text("[service]\nmetrics_open = true\n", encoding="utf-8")
    with running(copied) as service:
        assert "beleg_requests_total" in service.client().get("/metrics").text


# --- pages of other sites


@pytest.mark.parametrize(
    ("origin", "tenant", "allowed"),
    [
        ("https://intranet.example.com", "nord", True),
        ("https://intranet.example.com", "sued", False),
        ("https://evil.example", "nord", False),
        ("http://intranet.example.com", "nord", False),
        ("null", "nord", False),
    ],
)
def test_only_named_origins_of_the_tenant_may_read(strict: Running, origin: str, tenant: str, allowed: bool) -> None:
    said = strict.asker(tenant=tenant).get("/v1/session", headers={"Origin": origin})
    assert said.status_code == 200
    assert said.headers.get("access-control-allow-origin") == (origin if allowed else None)
    assert "access-control-allow-credentials" not in said.headers


def test_a_browser_that_asks_beforehand_is_told(strict: Running) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    good = strict.client().options("/v1/ask", headers={**asked, "Origin": "https://intranet.example.com"})
    assert (good.status_code, good.headers["access-control-allow-origin"]) == (204, "https://intranet.example.com")
    bad = strict.client().options("/v1/ask", headers={**asked, "Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in bad.headers


def test_a_page_of_a_named_origin_cannot_use_a_cookie(strict: Running) -> None:
    browser = strict.client()
    token = browser.post("/v1/session", json={"key": strict.key()}).json()["csrf_token"]
    headers = {"Origin": "https://intranet.example.com", "X-CSRF-Token": token}
    assert browser.post("/v1/ask", json={"question": SUM}, headers=headers).status_code == 403


def test_an_unsigned_request_shows_no_origin_header(strict: Running) -> None:
    said = httpx.get(f"{strict.address}/v1/session", headers={"Origin": "https://intranet.example.com"}, trust_env=False)
    assert (said.status_code, "access-control-allow-origin" in said.headers) == (401, False)
