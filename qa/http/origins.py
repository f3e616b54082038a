"""Pages of other sites: none may read anything, except those that a tenant names, with a key and never with a cookie."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Pair = tuple[bytes, bytes]

_METHODS = b"GET, POST, PUT, DELETE"
_HEADERS = b"Authorization, Content-Type, Accept, Accept-Language"
_READABLE = b"X-Request-Id, Location, Retry-After"


class Origins:
    """`by_tenant`: tenant -> the origins ("https://intranet.example.com") whose pages may use its keys."""

    def __init__(self, by_tenant: Mapping[str, Iterable[str]]) -> None:
        self._by_tenant = {tenant: frozenset(origins) for tenant, origins in by_tenant.items()}
        self._all = frozenset().union(*self._by_tenant.values()) if self._by_tenant else frozenset()

    def preflight(self, headers: Mapping[bytes, bytes]) -> list[Pair] | None:
        """What a browser is told that asks beforehand, at a time when nobody is signed in; None for an origin of no tenant."""
        origin = headers.get(b"origin", b"")
        if origin.decode("latin-1") not in self._all or b"access-control-request-method" not in headers:
            return None
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-allow-methods", _METHODS),
            (b"access-control-allow-headers", _HEADERS),
            (b"access-control-max-age", b"600"),
            (b"vary", b"Origin"),
        ]

    def answer(self, headers: Mapping[bytes, bytes], tenant: str | None) -> list[Pair]:
        """What lets a page of this origin read an answer to a person of this tenant: nothing unless the tenant names it."""
        origin = headers.get(b"origin", b"")
        if tenant is None or origin.decode("latin-1") not in self._by_tenant.get(tenant, ()):
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", _READABLE),
            (b"vary", b"Origin"),
        ]
