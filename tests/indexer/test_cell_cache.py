"""The second reader's cells come back as they were, only for their own original."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from indexer import cell_cache
from indexer.cell_cache import CachedCell, CellCacheMismatch, load_cells, load_columns, write_cells
from parsers.address import cell_address


@pytest.mark.parametrize("group", [7, 64, 65_536])
def test_any_cells_any_row_groups(group: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_cache, "ROW_GROUP", group)
    chosen = random.Random(group)
    places = {(chosen.randrange(1, 200), chosen.randrange(1, 9)) for _ in range(500)} | {(2_000_000, 16_384)}
    cells = {place: CachedCell(chosen.choice(["number", "text"]), f"{place}·ä") for place in places}
    records = [(row, column, cell.kind, cell.text) for (row, column), cell in cells.items()]
    chosen.shuffle(records)
    path = tmp_path / "new" / "0.parquet"
    assert write_cells(path, records, original_sha256="abc", sheet="Umsatz") == len(places)
    asked = [*chosen.sample(sorted(places), 100), (1000, 3), (1, 300), (2_000_000, 16_384)]
    found = load_cells(path, [cell_address(*place) for place in asked], original_sha256="abc")
    assert found == {cell_address(*place): cells[place] for place in asked if place in cells}
    whole = load_columns(path, {3: None, 5: [1, 10**6]})
    assert whole[3].rows.tolist() == sorted(row for row, column in places if column == 3)
    assert [cells[row, 3].text for row in whole[3].rows.tolist()] == whole[3].texts.to_pylist()
    assert whole[5].rows.tolist() == [row for row in (1,) if (row, 5) in places]


def test_no_cells(tmp_path: Path) -> None:
    path = tmp_path / "0.parquet"
    assert write_cells(path, [], original_sha256="abc", sheet=None) == 0
    assert load_cells(path, ["A1"], original_sha256="abc") == {}


def test_another_original_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "0.parquet"
    write_cells(path, [(1, 1, "text", "x")], original_sha256="abc", sheet=None)
    with pytest.raises(CellCacheMismatch):
        load_cells(path, ["A1"], original_sha256="def")
