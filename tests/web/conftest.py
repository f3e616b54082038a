"""The service of the HTTP tests, seen by a browser."""

from __future__ import annotations

from tests.http.conftest import built, copied, service

__all__ = ["built", "copied", "service"]
