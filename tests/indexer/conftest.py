from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.catalog import Catalog


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog.open(f"sqlite:///{tmp_path / 'data' / 'catalog.sqlite'}", tmp_path / "data")
    opened.create_tenant("nord")
    yield opened
    opened.close()
