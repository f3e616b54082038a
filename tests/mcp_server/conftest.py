"""The workspaces of the tests of the HTTP service."""

from tests.http.conftest import built, copied

__all__ = ["built", "copied"]
