"""Sixty real and hard files beside the project, where they are there: every one is read, or refused with a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from parsers.address import parse_address
from parsers.file_kind import kind_of_package
from parsers.grid import Grid
from parsers.limits import DEFAULT_LIMITS
from parsers.problem import Problem, UnreadableFile
from parsers.read_file import read_grids
from parsers.read_xlsx import read_xlsx
from parsers.second_reader import second_read
from parsers.xlsx_package import Package
from tests.parsers.test_second_reader import text_form

SHEETS = Path(__file__).resolve().parents[2].parent / "shared" / "sheets"
FILES = sorted((SHEETS / "files").iterdir()) if SHEETS.is_dir() else []
REFUSED = {
    "calamine_pass_protected.xlsx": "encrypted",
    "poi_protected_passtika.xlsx": "encrypted",
    "calamine_too_small.xls": "kind_unsupported",
    "poi_poc-xmlbomb.xlsx": "xml_entities",
    "poi_xlsx-corrupted.xlsx": "file_corrupt",
}
needs_files = pytest.mark.skipif(not FILES, reason="the shared files are not beside the project")


@cache
def _read(path: Path) -> tuple[str, tuple[Grid, ...], tuple[Problem, ...]]:
    return read_grids(path)


@needs_files
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_both_readers_agree_cell_by_cell(path: Path) -> None:
    if path.name in REFUSED:
        with pytest.raises(UnreadableFile) as refusal:
            read_grids(path)
        assert refusal.value.problem.code == REFUSED[path.name]
        return
    kind, grids, problems = _read(path)
    assert not any(problem.blocking for problem in problems)
    second = {name: {(row, column): (what, text) for row, column, what, text in cells} for name, cells in second_read(path, kind)}
    for grid in grids:
        assert grid.cells.keys() >= second[grid.name].keys()
        for place, cell in grid.cells.items():
            if cell.kind in ("error", "formula_without_result"):
                continue
            what, text = second[grid.name][place]
            if what == "duration":
                assert float(text) == pytest.approx(float(text_form(cell)), abs=1e-7)
            else:
                assert text == text_form(cell), (path.name, grid.name, place)


@needs_files
@pytest.mark.parametrize(
    "path", [path for path in FILES if path.suffix == ".xlsx" and path.name not in REFUSED], ids=lambda path: path.name
)
def test_bulk_and_event_pass_agree(path: Path) -> None:
    with Package(path, path.name, DEFAULT_LIMITS) as package:
        by_events = read_xlsx(package, kind_of_package(package)[1], bulk=False)
    assert by_events == _read(path)[1:]


def _expected_cells() -> Iterator[Any]:
    if not SHEETS.is_dir():
        return
    for entry in json.loads((SHEETS / "expectations.json").read_text(encoding="utf-8")):
        for cell in entry.get("cells", ()):
            yield pytest.param(entry, cell, id=f"{entry['file']}-{entry['sheet']}-{cell['a1']}")


@needs_files
@pytest.mark.parametrize(("entry", "wanted"), list(_expected_cells()))
def test_expected_cells(entry: dict[str, Any], wanted: dict[str, Any]) -> None:
    _, grids, _ = _read(SHEETS / "files" / entry["file"])
    grid = next(grid for grid in grids if grid.name == entry["sheet"])
    row, column = parse_address(wanted["a1"])
    cell = grid.cells[wanted.get("physical_line", row), column]
    if grid.is_csv:
        assert cell.value == wanted.get("raw", wanted["value"])
    else:
        assert text_form(cell) == (wanted["value"].lower() if cell.kind == "boolean" else str(wanted["value"]))
