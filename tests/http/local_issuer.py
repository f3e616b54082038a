"""A real OpenID Connect issuer on a free port: discovery, keys, the authorization page (which asks nobody), tokens."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT = "beleg"


@dataclass
class Issuer:
    """`claims`: of the person who signs in on its page. `codes`: what was handed out and not yet changed into a token."""

    address: str = ""
    keys: dict[str, rsa.RSAPrivateKey] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=lambda: {"sub": "a1", "name": "weber", "groups": ["Controlling"]})
    codes: dict[str, Mapping[str, str]] = field(default_factory=dict)
    looks: int = 0

    def new_key(self, kid: str) -> None:
        self.keys[kid] = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def token(self, kid: str = "one", *, key: Any = None, algorithm: str = "RS256", **said: Any) -> str:
        """A token of this issuer; a claim of None is left out."""
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "iat": now, "exp": now + 300, **self.claims, **said}
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(kept, key if key is not None else self.keys[kid], algorithm=algorithm, headers={"kid": kid})

    def answer(self, path: str, asked: Mapping[str, str]) -> tuple[int, Any]:
        """Status and JSON, or the address to go to."""
        if path == "/.well-known/openid-configuration":
            names = {"jwks_uri": "/keys", "authorization_endpoint": "/authorize", "token_endpoint": "/token"}
            return 200, {"issuer": self.address, **{name: self.address + place for name, place in names.items()}}
        if path == "/keys":
            self.looks += 1
            jwk = jwt.algorithms.RSAAlgorithm.to_jwk
            return 200, {"keys": [{**json.loads(jwk(key.public_key())), "kid": kid} for kid, key in self.keys.items()]}
        if path == "/authorize":
            code = secrets.token_urlsafe(16)
            self.codes[code] = asked
            return 303, f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"
        if path == "/token":
            return self._exchange(asked)
        return 404, {}

    def _exchange(self, asked: Mapping[str, str]) -> tuple[int, Any]:
        before = self.codes.pop(asked.get("code", ""), None)
        if before is None or before["redirect_uri"] != asked["redirect_uri"] or before["client_id"] != asked["client_id"]:
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != before["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        return 200, {"id_token": self.token(nonce=before["nonce"]), "access_token": "x", "token_type": "Bearer"}


@contextmanager
def local_issuer() -> Iterator[Issuer]:
    """Ends with the block."""
    issuer = Issuer()
    issuer.new_key("one")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(*issuer.answer(urlsplit(self.path).path, _single(urlsplit(self.path).query)))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            self._say(*issuer.answer(urlsplit(self.path).path, _single(body)))

        def _say(self, status: int, said: Any) -> None:
            body = b"" if isinstance(said, str) else json.dumps(said).encode()
            self.send_response(status)
            if isinstance(said, str):
                self.send_header("Location", said)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()


def _single(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}
