"""Damaged and hostile files through the whole reading line: a parsed file or one sentence, within time and memory."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.fuzz import outcome_of
from benchmarks.fuzz_files import MUTATIONS, text_seeds, workbook_seeds
from parsers.address import column_letter
from tests.parsers.workbooks import sheet_xml, write_xlsx

SEEDS = {**workbook_seeds(), **text_seeds()}
FILES_A_SEED = 25


@pytest.mark.parametrize("name", sorted(SEEDS))
def test_random_damage(tmp_path: Path, name: str) -> None:
    suffix = Path(name).suffix
    path = tmp_path / f"datei{suffix}"
    for number in range(FILES_A_SEED):
        path.write_bytes(MUTATIONS[suffix](SEEDS[name], random.Random(f"{name} {number}")))
        said, _ = outcome_of(path)
        assert said.partition(" ")[0] in ("read", "refused"), f"file {number}: {said}"


def _number(address: str, value: object = 1) -> str:
    return f'<c r="{address}"><v>{value}</v></c>'


def _text(address: str, value: str = "Text") -> str:
    return f'<c r="{address}" t="inlineStr"><is><t>{value}</t></is></c>'


def _row(number: int, cells: str) -> str:
    return f'<row r="{number}">{cells}</row>'


def _merges(*areas: str) -> str:
    return "<mergeCells>" + "".join(f'<mergeCell ref="{area}"/>' for area in areas) + "</mergeCells>"


def _small_tables(count: int, beside: int) -> str:
    """Tables of one header row and three data rows, two columns wide, with a blank row and a blank column between them."""
    rows = ""
    for table in range(count):
        for line in range(4):
            row = 5 * table + line + 1
            cells = ""
            for place in range(beside):
                left, right = (f"{column_letter(3 * place + offset)}{row}" for offset in (1, 2))
                cells += _text(left, "Kopf" if not line else "x") + (_text(right, "Wert") if not line else _number(right, line))
            rows += _row(row, cells)
    return rows


_CORNERS = _row(1, _text("A1")) + _row(1_048_576, _number("XFD1048576"))
_ARRAY = '<c r="A1"><f t="array" ref="A1:XFD1048576">B1</f><v>1</v></c>'
HOSTILE = {
    "cells_in_opposite_corners": sheet_xml(_CORNERS),
    "merge_over_the_whole_sheet": sheet_xml(_CORNERS, after=_merges("A1:XFD1048576")),
    "merges_over_whole_rows": sheet_xml(_CORNERS, after=_merges(*(f"A{row}:XFC{row}" for row in range(1, 9000)))),
    "all_columns_hidden": sheet_xml(_CORNERS, before='<cols><col min="1" max="2000000000" hidden="1"/></cols>'),
    "array_formula_over_the_whole_sheet": sheet_xml(_row(1, _ARRAY) + _row(1_048_576, _number("XFD1048576"))),
    "cells_on_a_diagonal": sheet_xml("".join(_row(at, _number(f"{column_letter(at)}{at}")) for at in range(1, 3000))),
    "chessboard": sheet_xml(
        "".join(
            _row(row, "".join(_number(f"{column_letter(column)}{row}") for column in range(1 + row % 2, 200, 2)))
            for row in range(1, 300)
        )
    ),
    "long_texts": sheet_xml(_row(1, _text("A1", "1 " * 16000) + _text("B1", "(" * 32000) + _text("C1", "Q3 2024 " * 4000))),
    "long_numbers": sheet_xml(_row(1, _number("A1", "9" * 30000) + _number("B1", "0." + "1" * 30000) + _number("C1", "1E308"))),
}
# Each takes more than ten seconds.
MANY_TABLES = {
    "many_tables_below_each_other": sheet_xml(_small_tables(8000, 1)),
    "many_tables_in_a_lattice": sheet_xml(_small_tables(160, 66)),
}


def _read_within_bounds(tmp_path: Path, sheet: str) -> None:
    said, _ = outcome_of(write_xlsx(tmp_path / "datei.xlsx", [("Blatt", sheet)]))
    assert said.partition(" ")[0] in ("read", "refused"), said


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_sheets(tmp_path: Path, name: str) -> None:
    _read_within_bounds(tmp_path, HOSTILE[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(MANY_TABLES))
def test_sheets_of_many_tables(tmp_path: Path, name: str) -> None:
    _read_within_bounds(tmp_path, MANY_TABLES[name])
