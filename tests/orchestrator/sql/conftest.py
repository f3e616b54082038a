"""The tables that a module of tests makes (its MADE), stored once."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from orchestrator.scope import VisibleTable
from tests.orchestrator.sql.made_tables import store


@pytest.fixture(scope="module")
def tables(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, VisibleTable]:
    directory = tmp_path_factory.mktemp("tables")
    return {made.name: store(made, directory) for made in request.module.MADE}
