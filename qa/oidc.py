"""Tokens of an OpenID Connect issuer: whether one holds, and what its claims open. Deny by default."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx2
import jwt

from qa.oidc_section import OidcSection
from qa.person import ROLES, Person
from qa.problems import BelegError

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a key pair only: what the service can check it must not be able to make."""
_LEEWAY = 30
_SECONDS_OF_KEYS = 3_600.0
_SECONDS_BETWEEN_LOOKS = 30.0
_MOST_BYTES = 1_000_000
_LOCAL = ("127.0.0.1", "localhost", "::1")


class TokenRefused(Exception):
    """The token opens nothing; why is for the log of the service, not for whoever sent it."""


class Unreachable(BelegError):
    """The issuer cannot be asked, or does not answer as an issuer does."""


class Oidc:
    """An issuer. Its addresses and keys are fetched when needed, and looked up anew when a key is not known. Thread-safe."""

    def __init__(self, section: OidcSection, client_secret: str | None = None) -> None:
        assert section.issuer is not None
        self._section = section
        self._issuer = section.issuer
        self._secret = client_secret
        self._lock = threading.Lock()
        self._addresses: Mapping[str, Any] = {}
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched = 0.0

    def person(self, token: str, *, way: str = "oidc", nonce: str | None = None) -> Person:
        """Whom the token names; `levels` as mapped, the star included; `nonce`: of the sign-in it answers. Raises TokenRefused,
        and Unreachable where the issuer cannot be reached."""
        claims = self._claims(token)
        if nonce is not None and claims.get("nonce") != nonce:
            raise TokenRefused("nonce")
        said = self._section
        user, groups = claims.get(said.user_claim), _texts(claims.get(said.groups_claim))
        tenant = claims.get(said.tenant_claim) if said.tenant_claim is not None else said.tenant
        if not isinstance(user, str) or not user.strip() or not isinstance(tenant, str) or not tenant:
            raise TokenRefused("no user or tenant")
        levels = frozenset(level for group in groups for level in said.levels.get(group, ()))
        roles = frozenset(role for group in groups for role in said.roles.get(group, ())) & set(ROLES)
        return Person(user.strip(), tenant, levels, roles, way)

    def _claims(self, token: str) -> Mapping[str, Any]:
        try:
            head = jwt.get_unverified_header(token)
            if head.get("alg") not in ALGORITHMS:
                raise TokenRefused("algorithm")
            key = self._key(str(head.get("kid", "")))
            found: Mapping[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[head["alg"]],
                audience=self._section.client_id,
                issuer=self._issuer,
                leeway=_LEEWAY,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise TokenRefused(type(error).__name__) from error
        return found

    def _key(self, kid: str) -> jwt.PyJWK:
        with self._lock:
            age = time.monotonic() - self._fetched
            if not self._fetched or age > _SECONDS_OF_KEYS or (kid not in self._keys and age > _SECONDS_BETWEEN_LOOKS):
                self._fetch()
            found = self._keys.get(kid)
            if found is None and not kid and len(self._keys) == 1:
                found = next(iter(self._keys.values()))
        if found is None:
            raise TokenRefused("key")
        return found

    def _fetch(self) -> None:
        self._addresses = self._discovered()
        keys = _json(self._secure(self._addresses["jwks_uri"]))
        known: dict[str, jwt.PyJWK] = {}
        for each in keys.get("keys", ()):
            try:
                known[str(each.get("kid", ""))] = jwt.PyJWK.from_dict(each)
            except jwt.PyJWTError:  # a kind of key that is not for signatures
                continue
        self._keys, self._fetched = known, time.monotonic()

    def _discovered(self) -> Mapping[str, Any]:
        found = _json(self._secure(self._issuer.rstrip("/") + "/.well-known/openid-configuration"))
        if found.get("issuer") != self._issuer:
            raise Unreachable(
                f"Der Anmeldedienst {self._issuer} nennt sich anders; oidc.issuer in beleg.toml genau so schreiben wie er."
            )
        return found

    def _secure(self, address: str) -> str:
        parts = urlsplit(address)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL):
            raise Unreachable(f"Die Adresse {address} des Anmeldedienstes ist nicht verschlüsselt; verlangt ist https.")
        return address

    # --- the browser's way

    def sign_in_address(self, *, back: str, state: str, nonce: str, challenge: str) -> str:
        """Where a browser is sent to sign in (authorization code with PKCE)."""
        asked = {
            "response_type": "code", "client_id": self._section.client_id, "redirect_uri": back, "scope": "openid profile",
            "state": state, "nonce": nonce, "code_challenge": challenge, "code_challenge_method": "S256",
        }  # fmt: skip
        address = self._secure(self._known_addresses()["authorization_endpoint"])
        return f"{address}{'&' if '?' in address else '?'}{urlencode(asked)}"

    def exchanged(self, code: str, *, back: str, verifier: str) -> str:
        """The id token for a code that the issuer sent the browser back with. Raises TokenRefused."""
        said = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": back, "client_id": self._section.client_id,
            "code_verifier": verifier,
        }  # fmt: skip
        if self._secret is not None:
            said["client_secret"] = self._secret
        found = _json(self._secure(self._known_addresses()["token_endpoint"]), said)
        if not isinstance(found.get("id_token"), str):
            raise TokenRefused("no id token")
        return str(found["id_token"])

    def _known_addresses(self) -> Mapping[str, Any]:
        with self._lock:
            self._addresses = self._addresses or self._discovered()
            return self._addresses


def _json(address: str, form: Mapping[str, str] | None = None) -> Mapping[str, Any]:
    """Fetches without following redirects, within bounds. Raises Unreachable; TokenRefused where a form is refused."""
    try:
        with httpx2.Client(timeout=10, follow_redirects=False) as client:
            response = client.get(address) if form is None else client.post(address, data=dict(form))
        if form is not None and 400 <= response.status_code < 500:
            raise TokenRefused("code")
        if response.status_code != 200 or len(response.content) > _MOST_BYTES:
            raise ValueError(f"Status {response.status_code}")
        found = response.json()
        if not isinstance(found, dict):
            raise ValueError("kein JSON-Objekt")
    except (httpx2.HTTPError, ValueError) as error:
        raise Unreachable(
            f"Der Anmeldedienst antwortet unter {address} nicht wie verlangt ({error}); Adresse und Netz prüfen."
        ) from error
    return found


def _texts(claim: object) -> Iterable[str]:
    """Groups come as a list, or as one text with blanks between."""
    if isinstance(claim, str):
        return claim.split()
    return [each for each in claim if isinstance(each, str)] if isinstance(claim, list) else []
