"""Sign-in with an issuer: which tokens hold, what claims open, and the browser's way there and back."""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from qa import oidc
from tests.http.local_issuer import Issuer, local_issuer
from tests.http.running_service import Running, running

SETTINGS = """[oidc]
issuer = "ISSUER"
user_claim = "name"
MORE
levels = { Controlling = ["controlling"], Personal = ["hr"], Vorstand = ["*"] }
roles = { Controlling = ["asker"], Vorstand = ["asker"], "Prüfung" = ["analyst"] }
"""
SUM = "Wie hoch ist der Nettoumsatz in Danzig?"


@pytest.fixture
def both(copied: Path) -> Iterator[tuple[Running, Issuer]]:
    with local_issuer() as issuer:
        text = SETTINGS.replace("ISSUER", issuer.address).replace("MORE", 'tenant = "nord"')
        (copied / "beleg.toml").write_text(text, encoding="utf-8")
        with running(copied) as service:
            yield service, issuer


def _who(service: Running, token: str) -> httpx.Response:
    return service.client(token).get("/v1/session")


def test_a_token_opens_what_its_groups_open(both: tuple[Running, Issuer]) -> None:
    service, issuer = both
    said = _who(service, issuer.token()).json()
    assert (said["user"], said["tenant"], said["levels"], said["roles"]) == ("weber", "nord", ["controlling"], ["asker"])
    client = service.client(issuer.token())
    assert client.post("/v1/ask", json={"question": SUM}).json()["result"]["rows"] == [["1250.5"]]
    assert _who(service, issuer.token(groups=["Vorstand"])).json()["levels"] == ["controlling", "hr"]
    assert _who(service, issuer.token(groups="Controlling Personal")).json()["levels"] == ["controlling", "hr"]
    nobody = service.client(issuer.token(groups=["Unbekannt"]))
    assert nobody.post("/v1/ask", json={"question": SUM}).status_code == 403
    unheard: Any = None
    assert service.client(issuer.token(groups=unheard)).post("/v1/ask", json={"question": SUM}).status_code == 403


def _forged(issuer: Issuer) -> dict[str, str]:
    now = int(time.time())
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = issuer.keys["one"].public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )  # fmt: skip
    good = issuer.token()
    head, body, signature = good.split(".")
    return {
        "expired": issuer.token(exp=now - 3600),
        "without an end": issuer.token(exp=None),
        "not yet": issuer.token(nbf=now + 3600),
        "for another service": issuer.token(aud="other"),
        "for nobody": issuer.token(aud=None),
        "of another issuer": issuer.token(iss="https://evil.example"),
        "without a subject": issuer.token(sub=None),
        "without a name": issuer.token(name=None),
        "a name that is none": issuer.token(name=["weber"]),
        "key of a stranger": issuer.token(key=stranger),
        "key not known": issuer.token("two", key=stranger),
        "no signature": jwt.encode(jwt.decode(good, options={"verify_signature": False}), None, algorithm="none"),
        "signed with the public key": _with_the_public_key(good, public),
        "changed": f"{head}.{body[:-4]}AAAA.{signature}",
        "cut": f"{head}.{body}.",
        "nonsense": "a.b.c",
    }


def _with_the_public_key(token: str, public: bytes) -> str:
    """The old trick: the key that everybody knows taken for a shared secret."""
    head = json.dumps({"alg": "HS256", "typ": "JWT", "kid": "one"}).encode()
    parts = [head, base64.urlsafe_b64decode(token.split(".")[1] + "==")]
    said = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    return (said + b"." + base64.urlsafe_b64encode(hmac.digest(public, said, "sha256")).rstrip(b"=")).decode()


def test_a_token_that_is_not_quite_right_opens_nothing(both: tuple[Running, Issuer]) -> None:
    service, issuer = both
    codes = {name: _who(service, token).status_code for name, token in _forged(issuer).items()}
    assert set(codes.values()) == {401}, codes
    assert _who(service, issuer.token()).status_code == 200


def test_a_new_key_of_the_issuer_is_found_and_old_ones_are_not_looked_up_each_time(
    both: tuple[Running, Issuer], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, issuer = both
    for _ in range(3):
        assert _who(service, issuer.token()).status_code == 200
    assert issuer.looks == 1
    issuer.new_key("two")
    assert _who(service, issuer.token("two")).status_code == 401  # looked up a moment ago
    monkeypatch.setattr(oidc, "_SECONDS_BETWEEN_LOOKS", 0.0)
    assert _who(service, issuer.token("two")).status_code == 200


def test_a_claim_names_the_tenant_but_makes_none(copied: Path) -> None:
    with local_issuer() as issuer:
        text = SETTINGS.replace("ISSUER", issuer.address).replace("MORE", 'tenant_claim = "org"')
        (copied / "beleg.toml").write_text(text, encoding="utf-8")
        with running(copied) as service:
            assert _who(service, issuer.token(org="sued")).json()["tenant"] == "sued"
            codes = [_who(service, issuer.token(org=org)).status_code for org in ("neu", "", None, "../nord")]
            assert codes == [401] * 4


def test_an_issuer_that_is_not_there_is_said_so(copied: Path) -> None:
    with local_issuer() as issuer:
        token = issuer.token()
    text = SETTINGS.replace("ISSUER", issuer.address).replace("MORE", 'tenant = "nord"')
    (copied / "beleg.toml").write_text(text, encoding="utf-8")
    with running(copied) as service:
        said = _who(service, token)
        assert (said.status_code, said.json()["code"]) == (503, "unavailable")
        assert issuer.address not in said.text
        assert service.asker().get("/v1/session").status_code == 200


def _sign_in(service: Running, browser: httpx.Client) -> httpx.Response:
    """As a browser goes: to the issuer, and back."""
    gone = browser.get("/sign-in/oidc")
    assert gone.status_code == 303
    there = httpx.get(gone.headers["location"], trust_env=False)
    return browser.get(there.headers["location"])


def test_a_browser_signs_in_at_the_issuer(both: tuple[Running, Issuer]) -> None:
    service, _ = both
    browser = service.client()
    assert "/sign-in/oidc" in browser.get("/sign-in").text
    back = _sign_in(service, browser)
    assert (back.status_code, back.headers["location"]) == (303, "/")
    said = browser.get("/v1/session").json()
    assert (said["user"], said["levels"], bool(said["csrf_token"])) == ("weber", ["controlling"], True)
    assert browser.post("/v1/ask", json={"question": SUM}).status_code == 403
    assert browser.post("/v1/ask", json={"question": SUM}, headers={"X-CSRF-Token": said["csrf_token"]}).status_code == 200


def test_a_way_back_that_another_browser_went_is_refused(both: tuple[Running, Issuer]) -> None:
    service, _ = both
    gone = service.client().get("/sign-in/oidc")
    there = httpx.get(gone.headers["location"], trust_env=False).headers["location"]
    victim = service.client()
    assert victim.get(there).status_code == 403
    victim.get("/sign-in/oidc")
    assert victim.get(there).status_code == 403
    assert victim.get("/v1/session").status_code == 401
    own = service.client()
    began = own.get("/sign-in/oidc").headers["location"]
    state = httpx.URL(began).params["state"]
    assert own.get("/sign-in/oidc/back", params={"state": state, "code": "guessed"}).status_code == 401


def test_without_an_issuer_there_is_no_such_way(service: Running) -> None:
    assert service.client().get("/sign-in/oidc").status_code == 404
    assert service.client("a.b.c").get("/v1/session").status_code == 401
    assert "/sign-in/oidc" not in service.client().get("/sign-in").text
