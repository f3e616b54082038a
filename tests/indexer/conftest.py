from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.catalog import Catalog


@pytest.fixture
def catalog(tmp_path: Path, server_url: str | None) -> Iterator[Catalog]:
    opened = Catalog.open(server_url or f"sqlite:///{tmp_path / 'data' / 'catalog.sqlite'}", tmp_path / "data")
    opened.create_tenant("nord")
    yield opened
    opened.close()
