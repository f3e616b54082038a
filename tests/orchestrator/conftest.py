"""The engine that the tests of a module share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orchestrator.engine import Engine


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine
