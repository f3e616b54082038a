"""For all tests: property tests without a deadline, since the machine may be busy, and the same on every run; a PostgreSQL
server that is started when a test first wants one."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.postgresql_server import Databases, postgresql_server

# A busy machine is no fault of the code: no deadline and no complaint about slow examples.
BUSY = [HealthCheck.too_slow]
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=BUSY)
settings.register_profile("search", deadline=None, max_examples=2000, suppress_health_check=BUSY)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Databases]:
    """Databases on a real server; skips, saying why, where none can be started."""
    with postgresql_server() as url:
        yield Databases(url)


@pytest.fixture
def postgresql_url(postgresql: Databases) -> Iterator[str]:
    """An empty database of the test's own."""
    url = postgresql.new()
    yield url
    postgresql.drop(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def server_url(request: pytest.FixtureRequest) -> str | None:
    """None: the test runs on SQLite files; else the URL of an empty PostgreSQL database. What takes it runs on both."""
    return request.getfixturevalue("postgresql_url") if request.param == "postgresql" else None


SQLITE_ONLY = pytest.mark.parametrize("server_url", ["sqlite"], indirect=True)
