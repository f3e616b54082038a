"""What a segment holds is exactly what was parsed, in the documented columns."""

from __future__ import annotations

import decimal
import random
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indexer.reconcile import NotReconciled, exact_sum, reconcile
from indexer.segments import file_digest, read_segment, write_segment
from parsers.periods import Period
from parsers.problem import UnreadableFile
from parsers.table import CellState, ColumnType
from tests.indexer.made_tables import SALES, branches, column, parsed_table

QUARTER = Period(date(2024, 7, 1), date(2024, 9, 30), "quarter", "Q3 2024")
EVERYTHING = parsed_table(
    [
        column("Betrag", ColumnType.DECIMAL, None, scale=3, has_cells=True, has_unreadable=True),
        column("Anzahl", ColumnType.INTEGER, 2),
        column("Konto", ColumnType.INTEGER, 3),
        column("Text", ColumnType.TEXT, 4),
        column("Tag", ColumnType.DATE, 5),
        column("Zeit", ColumnType.TIMESTAMP, 6),
        column("Ja", ColumnType.BOOLEAN, 7),
        column("Zeitraum", ColumnType.PERIOD, 8),
    ],
    [
        (Decimal("1.5"), Decimal(2), Decimal(2**63), "ä", date(1899, 12, 31), datetime(2024, 2, 29, 23, 59, 59), True, QUARTER),
        (None, None, None, None, None, None, None, None),
        (Decimal("-0.125"), Decimal(-3), Decimal(1), "", date(2024, 1, 1), None, False, QUARTER),
    ],
    first_row=7,
    totals=[False, False, True],
    hidden=[False, True, False],
    cells={"betrag": ["C7", "D8", "C9"]},
    states={"betrag": [CellState.VALUE, CellState.UNREADABLE, CellState.VALUE]},
)


def test_all_types_in_the_documented_columns(tmp_path: Path) -> None:
    path, digest = write_segment(EVERYTHING, tmp_path)
    assert path.name == f"{digest}.parquet" and file_digest(path) == digest
    table = pq.read_table(path)
    assert table.schema.remove_metadata() == pa.schema(
        [
            ("betrag", pa.decimal128(38, 3)),
            ("anzahl", pa.int64()),
            ("konto", pa.decimal128(38, 0)),
            ("text", pa.string()),
            ("tag", pa.date32()),
            ("zeit", pa.timestamp("us")),
            ("ja", pa.bool_()),
            ("zeitraum", pa.string()),
            ("_from_zeitraum", pa.date32()),
            ("_to_zeitraum", pa.date32()),
            ("_row", pa.int64()),
            ("_cell_betrag", pa.string()),
            ("_state_betrag", pa.uint8()),
            ("_total", pa.bool_()),
            ("_hidden", pa.bool_()),
        ]
    )
    assert table.to_pydict() == {
        "betrag": [Decimal("1.500"), None, Decimal("-0.125")],
        "anzahl": [2, None, -3],
        "konto": [Decimal(2**63), None, Decimal(1)],
        "text": ["ä", None, ""],
        "tag": [date(1899, 12, 31), None, date(2024, 1, 1)],
        "zeit": [datetime(2024, 2, 29, 23, 59, 59), None, None],
        "ja": [True, None, False],
        "zeitraum": ["Q3 2024", None, "Q3 2024"],
        "_from_zeitraum": [date(2024, 7, 1), None, date(2024, 7, 1)],
        "_to_zeitraum": [date(2024, 9, 30), None, date(2024, 9, 30)],
        "_row": [7, 8, 9],
        "_cell_betrag": ["C7", "D8", "C9"],
        "_state_betrag": [0, 2, 0],
        "_total": [False, False, True],
        "_hidden": [False, True, False],
    }
    reconcile(EVERYTHING, path)


def test_same_content_same_file_and_nothing_else_left(tmp_path: Path) -> None:
    first, _ = write_segment(SALES, tmp_path)
    second, _ = write_segment(SALES, tmp_path)
    assert first == second and list(tmp_path.iterdir()) == [first]
    assert read_segment(first, ["umsatz"]).column_names == ["umsatz"]


def test_empty_table(tmp_path: Path) -> None:
    path, _ = write_segment(branches(), tmp_path)
    assert read_segment(path).num_rows == 0
    reconcile(branches(), path)


@pytest.mark.parametrize("number", ["1" * 39, "0.123", "1E+37"])
def test_a_number_that_does_not_fit_is_refused_never_rounded(number: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="Umsatz"):
        write_segment(branches(("Danzig", date(2024, 1, 1), number)), tmp_path)


DANZIG = ("Danzig", date(2024, 1, 1), "10.50")
DIFFERENT = {
    "a row less": branches(),
    "a row more": branches(DANZIG, DANZIG),
    "another number": branches(("Danzig", date(2024, 1, 1), "10.51")),
    "a blank for a number": branches(("Danzig", date(2024, 1, 1), None)),
    "a blank for a text": branches((None, date(2024, 1, 1), "10.50")),
    "another text": branches(("Danzigs", date(2024, 1, 1), "10.50")),
    "another row number": branches(DANZIG, first_row=3),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_reconcile_finds(what: str, tmp_path: Path) -> None:
    path, _ = write_segment(DIFFERENT[what], tmp_path)
    with pytest.raises(NotReconciled, match=r"gelesen .*, gespeichert "):
        reconcile(branches(DANZIG), path)


@pytest.mark.parametrize("seed", range(5))
def test_exact_sum_of_huge_numbers(seed: int) -> None:
    chosen = random.Random(seed)
    numbers = [
        None if chosen.random() < 0.1 else Decimal(chosen.randrange(-(10**37), 10**37)).scaleb(-4, decimal.Context(prec=60))
        for _ in range(1000)
    ]
    column = pa.chunked_array([pa.array(numbers[:300], pa.decimal128(38, 4)), pa.array(numbers[300:], pa.decimal128(38, 4))[7:]])
    expected = sum(int(n.scaleb(4, decimal.Context(prec=60))) for n in numbers[:300] + numbers[307:] if n is not None)
    assert int(exact_sum(column).scaleb(4, decimal.Context(prec=60))) == expected
    integers = [chosen.randrange(-(2**63), 2**63) for _ in range(1000)]
    assert exact_sum(pa.chunked_array([pa.array(integers, pa.int64())])) == Decimal(sum(integers))
