"""Who gets in: keys, browser sessions, roles. Deny by default."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from qa.http.serving import first_keys
from qa.key_administration import all_keys, create_key, revoke_key
from qa.wiring import open_workspace
from tests.http.running_service import Running

PUBLIC = {"/healthz", "/readyz", "/v1/openapi.json", "/sign-in"}


def _open_paths(service: Running) -> list[tuple[str, str]]:
    document = service.client().get("/v1/openapi.json").json()
    return [(method, path) for path, methods in document["paths"].items() for method in methods]


def test_every_route_but_the_public_ones_needs_a_sign_in(service: Running) -> None:
    stranger = service.client()
    wrong = []
    for method, path in _open_paths(service):
        if path in PUBLIC or (method, path) == ("post", "/v1/session"):
            continue
        said = stranger.request(method, re.sub(r"\{[^}]*\}", "x", path))
        if said.status_code != 401 or said.json()["code"] != "not_signed_in":
            wrong.append((method, path, said.status_code))
    assert not wrong


@pytest.mark.parametrize(
    "header", ["Bearer x", "Bearer", "Basic YTpi", "bearer beleg_000000000000_" + "A" * 43, "Bearer " + "x" * 5000, "ä"]
)
def test_a_wrong_key_opens_nothing(service: Running, header: str) -> None:
    said = service.client().get("/v1/session", headers={"Authorization": header.encode()})  # type: ignore[dict-item]
    assert said.status_code == 401
    assert said.headers["www-authenticate"].startswith("Bearer")


def test_a_key_ends_when_it_expires_or_is_revoked_and_its_sessions_with_it(service: Running) -> None:
    key = service.key()
    browser = service.client()
    assert browser.post("/v1/session", json={"key": key}).status_code == 201
    assert browser.get("/v1/session").json()["user"] == "weber"
    held = next(each for each in all_keys(service.workspace) if each.key_id == key.split("_")[1])
    revoke_key(service.workspace, held.key_id, "test")
    assert browser.get("/v1/session").status_code == 401
    assert service.client(key).get("/v1/session").status_code == 401
    late = service.client(service.key(expires_at=datetime.now(UTC) + timedelta(seconds=0.5)))
    assert late.get("/v1/session").status_code == 200
    import time

    time.sleep(0.6)
    assert late.get("/v1/session").status_code == 401


def test_keys_are_kept_as_digests_only(service: Running) -> None:
    key = service.key()
    files = [path for path in service.workspace.settings.root.rglob("*") if path.is_file()]
    assert len(files) > 5
    assert not [path for path in files if key.split("_", 2)[2].encode() in path.read_bytes()]
    database = service.workspace.settings.data / "service.sqlite"
    assert database.stat().st_mode & 0o077 == 0


def test_a_browser_signs_in_by_form_and_out_again(service: Running) -> None:
    browser = service.client()
    assert "<form" in browser.get("/sign-in").text
    refused = browser.post("/sign-in", data={"key": "beleg_x"})
    assert (refused.status_code, "set-cookie" in refused.headers) == (401, False)
    said = browser.post("/sign-in", data={"key": service.key()}, headers={"Origin": service.address})
    assert (said.status_code, said.headers["location"]) == (303, "/")
    cookie = said.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and "path=/" in cookie
    token = browser.get("/v1/session").json()["csrf_token"]
    stolen = dict(browser.cookies)
    assert browser.post("/sign-out", data={"csrf_token": token}).status_code == 303
    assert httpx.get(f"{service.address}/v1/session", cookies=stolen, trust_env=False).status_code == 401


CROSS_SITE = [
    ({}, 403),
    ({"X-CSRF-Token": "0" * 64}, 403),
    ({"X-CSRF-Token": "TOKEN"}, 200),
    ({"X-CSRF-Token": "TOKEN", "Origin": "https://evil.example"}, 403),
    ({"X-CSRF-Token": "TOKEN", "Origin": "null"}, 403),
    ({"X-CSRF-Token": "TOKEN", "Sec-Fetch-Site": "cross-site"}, 403),
    ({"X-CSRF-Token": "TOKEN", "Sec-Fetch-Site": "same-site"}, 403),
    ({"X-CSRF-Token": "TOKEN", "Sec-Fetch-Site": "same-origin"}, 200),
    ({"X-CSRF-Token": "ä"}, 403),
]


@pytest.mark.parametrize(("headers", "status"), CROSS_SITE)
def test_a_cookie_alone_changes_nothing(service: Running, headers: dict[str, str], status: int) -> None:
    browser = service.client()
    token = browser.post("/v1/session", json={"key": service.key()}).json()["csrf_token"]
    sent = [(name, (token if value == "TOKEN" else value).encode()) for name, value in headers.items()]
    assert browser.post("/v1/ask", json={"question": "Nettoumsatz in Danzig?"}, headers=sent).status_code == status


def test_another_sites_form_signs_nobody_in(service: Running) -> None:
    key = service.key()
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        for said in (
            service.client().post("/sign-in", data={"key": key}, headers=headers),
            service.client().post("/v1/session", json={"key": key}, headers=headers),
        ):
            assert (said.status_code, "set-cookie" in said.headers) == (403, False)


def test_every_answer_carries_the_security_headers(service: Running) -> None:
    client = service.asker()
    for said in (client.get("/healthz"), client.get("/nothing"), client.post("/v1/ask", content=b"{"), client.get("/sign-in")):
        assert "default-src 'none'" in said.headers["content-security-policy"]
        assert "unsafe" not in said.headers["content-security-policy"]
        assert said.headers["x-content-type-options"] == "nosniff"
        assert said.headers["cache-control"] == "no-store"
        assert re.fullmatch(r"[0-9a-f]{32}", said.headers["x-request-id"])
        assert "access-control-allow-origin" not in said.headers
        assert "server" not in said.headers or "uvicorn" not in said.headers["server"]


def test_errors_are_problem_details_in_german_and_english(service: Running) -> None:
    german = service.client().get("/v1/session")
    english = service.client(**{"Accept-Language": "en-GB,de;q=0.5"}).get("/v1/session")
    for said in (german, english):
        assert said.headers["content-type"] == "application/problem+json"
        assert {"type", "title", "status", "detail", "code", "message", "hint"} <= said.json().keys()
    assert (german.json()["title"], english.json()["title"]) == ("Nicht angemeldet", "Not signed in")


def test_the_first_start_gives_one_key_a_tenant_and_no_other_start_does(copied: Path) -> None:
    with open_workspace(copied) as workspace:
        made = first_keys(workspace)
        assert [(key.tenant, key.roles, key.levels) for _, key in made] == [
            ("nord", frozenset({"admin"}), frozenset({"*"})),
            ("sued", frozenset({"admin"}), frozenset({"*"})),
        ]
        assert first_keys(workspace) == []
        assert {event["event"] for event in workspace.audit.events("nord", ("key_create",))} == {"key_create"}


def test_an_empty_workspace_gets_its_first_tenant(tmp_path: Path) -> None:
    from qa.settings_file import init_workspace

    init_workspace(tmp_path / "new")
    with open_workspace(tmp_path / "new") as workspace:
        assert [key.tenant for _, key in first_keys(workspace)] == ["standard"]
        assert workspace.catalog.tenants() == ("standard",)


def test_the_star_stands_for_every_level_of_its_own_tenant(service: Running) -> None:
    client = service.asker("admin", "*", "admin")
    assert client.get("/v1/session").json()["levels"] == ["controlling", "hr"]


@pytest.mark.parametrize(
    "said",
    [{"roles": ["chef"]}, {"roles": []}, {"levels": [""]}, {"user": " "}, {"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}],
)
def test_a_key_that_makes_no_sense_is_refused(service: Running, said: dict[str, object]) -> None:
    from qa.problems import UsageProblem

    asked: dict[str, object] = {"user": "a", "levels": ["b"], "roles": ["asker"], "expires_at": None, **said}
    with pytest.raises(UsageProblem):
        create_key(service.workspace, tenant="nord", by="test", **asked)  # type: ignore[arg-type]
