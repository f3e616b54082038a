"""An empty catalogue with the tenant "nord", and one engine for a whole module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.catalog import Catalog


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    root = tmp_path / "data"
    root.mkdir()
    catalog = Catalog.open(f"sqlite:///{root / 'catalog.sqlite'}", root)
    catalog.create_tenant("nord")
    yield catalog
    catalog.close()
