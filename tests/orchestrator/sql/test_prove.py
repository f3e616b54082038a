"""Proof against the second reader: what it confirms, what it refuses, and that every cell a value depends on is looked at."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from indexer.cell_cache import write_cells
from orchestrator.confirmed_cells import ConfirmedCells
from orchestrator.engine import Engine
from orchestrator.evidence import EvidencedResult
from orchestrator.exact_vectors import from_values
from orchestrator.prove import CellTexts, agreeing
from orchestrator.run_select import run_select
from orchestrator.scope import VisibleTable
from orchestrator.sql_build import column_type
from parsers.table import Column, ColumnType
from tests.orchestrator.sql.made_tables import ORIGINAL, Made, store

D = Decimal


def _made(second: Mapping[str, tuple[str, str] | None]) -> Made:
    return Made(
        "posten",
        {"kunde": ["Alpha", "Beta", "Beta", None], "betrag": [D("10.50"), D("20.00"), None, D("3.00")], "menge": [1, 2, 3, 4]},
        states={"betrag": [0, 0, 1, 0]},
        second=second,
    )


def _run(sql: str, second: Mapping[str, tuple[str, str] | None], engine: Engine, directory: Path) -> EvidencedResult:
    return run_select(sql, {"posten": store(_made(second), directory)}, engine)


# What the second reader says instead, and which statements are then no longer proved. A2 is Alpha, B2 its amount.
CHANGES: Sequence[tuple[str, dict[str, tuple[str, str] | None], str, bool]] = [
    ("nothing", {}, "select sum(betrag) from posten", True),
    ("another number", {"B2": ("number", "10.51")}, "select sum(betrag) from posten", False),
    ("another number elsewhere", {"C2": ("number", "9")}, "select sum(betrag) from posten", True),
    ("a cell that a filter leaves out", {"B2": ("number", "10.51")}, "select sum(betrag) from posten where kunde = 'Beta'", True),
    ("no cell", {"B2": None}, "select sum(betrag) from posten", False),
    ("a number where a blank is stored", {"B4": ("number", "5")}, "select sum(betrag) from posten", False),
    ("a mark where a blank is stored", {"B4": ("text", "k. A.")}, "select sum(betrag) from posten", True),
    ("a text where a number is stored", {"B2": ("text", "zehn")}, "select count(betrag) from posten", False),
    ("another label", {"A2": ("text", "Alfa")}, "select kunde, betrag from posten where betrag = 10.5", False),
    ("the same label with blanks", {"A2": ("text", " Alpha ")}, "select kunde, betrag from posten where betrag = 10.5", True),
    ("a smaller candidate of a maximum", {"B2": ("number", "99")}, "select max(betrag) from posten", False),
    ("the filter of an aggregate", {"C2": ("number", "7")}, "select sum(betrag) filter (where menge > 1) from posten", False),
    ("the condition of a CASE", {"C3": ("number", "7")}, "select sum(case when menge = 2 then betrag end) from posten", False),
    (
        "a group's label",
        {"A4": ("text", "Gamma")},
        "select kunde, count(*) from posten group by kunde having count(*) > 1",
        False,
    ),
    ("one side of a product", {"C3": ("number", "2.5")}, "select sum(betrag * menge) from posten", False),
    ("a divisor", {"C3": ("number", "9")}, "select sum(betrag) / sum(menge) from posten", False),
]


@pytest.mark.parametrize(("name", "second", "sql", "proved"), CHANGES, ids=[change[0] for change in CHANGES])
def test_a_different_second_reading_is_noticed(
    name: str, second: dict[str, tuple[str, str] | None], sql: str, proved: bool, engine: Engine, tmp_path: Path
) -> None:
    engine.confirmed = ConfirmedCells()  # the same segment with other second readings, which never happens in use
    result = _run(sql, second, engine, tmp_path)
    assert all(value.proved for row in result.rows for value in row) is proved
    if not proved:
        reasons = [value.why_not for row in result.rows for value in row if value.why_not]
        assert any(address in reason for reason in reasons for address in second), reasons


def test_only_the_values_that_depend_on_the_cell_lose_their_proof(engine: Engine, tmp_path: Path) -> None:
    engine.confirmed = ConfirmedCells()
    result = _run(
        "select kunde, sum(betrag), count(*) from posten group by kunde order by 1", {"B2": ("number", "1")}, engine, tmp_path
    )
    assert [[value.proved for value in row] for row in result.rows] == [
        [True, False, True],
        [True, True, True],
        [True, True, True],
    ]


def test_cells_of_another_original_prove_nothing(engine: Engine, tmp_path: Path) -> None:
    table = store(_made({}), tmp_path)
    engine.confirmed = ConfirmedCells()
    write_cells(table.stored.cells, [(2, 2, "number", "10.5")], original_sha256="ff" * 32, sheet="Blatt")
    value = run_select("select sum(betrag) from posten", {"posten": table}, engine).rows[0][0]
    assert not value.proved and "anderen Datei" in (value.why_not or "")
    table.stored.cells.unlink()
    value = run_select("select sum(betrag) from posten", {"posten": table}, engine).rows[0][0]
    assert not value.proved and "posten.xlsx" in (value.why_not or "")


def test_without_proof_nothing_is_called_proved(engine: Engine, tmp_path: Path) -> None:
    value = run_select("select sum(betrag) from posten", {"posten": store(_made({}), tmp_path)}, engine, prove=False).rows[0][0]
    assert (value.value, value.proved, value.why_not) == (D("33.50"), False, "Nicht nachgerechnet.")


def _column(kind: ColumnType, scale: int = 0, unit: str | None = None) -> Column:
    return Column("x", "x", "x", kind, position=1, scale=scale, unit=unit)


NUMBER, WHOLE, PERCENT = _column(ColumnType.DECIMAL, 2), _column(ColumnType.INTEGER), _column(ColumnType.DECIMAL, 2, "%")
TEXT, DAY, MOMENT = _column(ColumnType.TEXT), _column(ColumnType.DATE), _column(ColumnType.TIMESTAMP)
PERIOD, TRUTH = _column(ColumnType.PERIOD), _column(ColumnType.BOOLEAN)
# column, stored value, kind and text of the second reader, whether they agree
READINGS: Sequence[tuple[Column, Any, str | None, str | None, bool]] = [
    (NUMBER, D("1.50"), "number", "1.5", True),
    (NUMBER, D("1.50"), "number", "1.51", False),
    (NUMBER, D("-1.50"), "number", "1.5", False),
    (NUMBER, D("1.50"), "text", "1,5", True),
    (NUMBER, D("1234.00"), "text", "1.234", True),
    (NUMBER, D("1.23"), "text", "1.234", False),
    (NUMBER, D("1247890.00"), "text", "1\u202f247\u202f890,00", True),
    (NUMBER, D("-900.23"), "text", "(900,23)", True),
    (NUMBER, D("900.23"), "text", "(900,23)", False),
    (NUMBER, D("4.00"), "text", "'4,0", True),
    (NUMBER, D("0.33"), "number", "0.3333333333333333", True),
    (NUMBER, D("0.34"), "number", "0.3333333333333333", False),
    (NUMBER, D("0.30"), "number", "0.30000000000000004", True),
    (NUMBER, D("12.35"), "number", "12.349", False),
    (NUMBER, None, None, None, True),
    (NUMBER, None, "text", "n/a", True),
    (NUMBER, None, "text", "X", True),
    (NUMBER, None, "number", "0", False),
    (NUMBER, D("0.00"), None, None, False),
    (PERCENT, D("34.20"), "number", "0.342", True),
    (PERCENT, D("34.20"), "number", "34.2", True),
    (PERCENT, D("34.20"), "number", "3.42", False),
    (PERCENT, D("34.20"), "text", "34,2 %", True),
    (NUMBER, D("34.20"), "number", "0.342", False),
    (WHOLE, D(4711), "number", "4711", True),
    (WHOLE, D(4711), "date", "1912-11-24", False),
    (TEXT, "Łódź", "text", "Łódź", True),
    (TEXT, "Łódź", "text", "Łódź Süd", False),
    (TEXT, "0042", "number", "42", False),
    (TEXT, "4711", "number", "4711", True),
    (TEXT, "WAHR", "boolean", "true", True),
    (TEXT, "30.09.2024", "date", "2024-09-30", True),
    (TEXT, None, "text", "Text", False),
    (DAY, date(2024, 9, 30), "date", "2024-09-30", True),
    (DAY, date(2024, 9, 30), "text", "30.09.2024", True),
    (DAY, date(2024, 9, 30), "number", "45565", True),
    (DAY, date(2024, 9, 30), "date", "2024-09-29", False),
    (DAY, date(2024, 5, 4), "text", "04/05/2024", True),
    (MOMENT, datetime(2024, 9, 30, 14, 30), "date", "2024-09-30T14:30:00", True),
    (MOMENT, datetime(2024, 9, 30), "date", "2024-09-30", True),
    (PERIOD, "Q3 2024", "text", "Q3 2024", True),
    (PERIOD, "Q3 2024", "text", "3. Quartal 2024", True),
    (PERIOD, "Q3 2024", "text", "Q4 2024", False),
    (TRUTH, True, "boolean", "true", True),
    (TRUTH, True, "text", "ja", True),
    (TRUTH, True, "text", "nein", False),
]


@pytest.mark.parametrize(("column", "stored", "kind", "text", "agree"), READINGS)
def test_readings(column: Column, stored: Any, kind: str | None, text: str | None, agree: bool) -> None:
    vector = from_values(column_type(column), [stored])
    found = CellTexts(pa.array([kind], pa.string()), pa.array([text], pa.string()))
    assert bool(agreeing(column, vector, found)[0]) is agree


def test_a_column_is_read_in_one_style() -> None:
    stored = from_values(column_type(NUMBER), [D("1.50"), D("2.50"), D("3000.00")])
    texts = CellTexts(pa.array(["text"] * 3), pa.array(["1,5", "2,5", "3,000"]))
    assert agreeing(NUMBER, stored, texts).tolist() == [True, True, False]


@pytest.mark.parametrize("as_text", [False, True], ids=["numbers", "texts with decimal commas"])
def test_fifty_thousand_cells_are_proved_quickly(as_text: bool, engine: Engine, tmp_path: Path) -> None:
    """0.05 and 0.4 seconds on an idle machine."""
    size = 50_000
    numbers = np.random.default_rng(1).integers(100, 10**7, size).tolist()
    made = Made("gross", {"betrag": [D(number).scaleb(-2) for number in numbers]})
    table: VisibleTable = store(made, tmp_path)
    if as_text:
        records = [(row, 1, "text", f"{number / 100:.2f}".replace(".", ",")) for row, number in enumerate(numbers, start=2)]
        write_cells(table.stored.cells, records, original_sha256=ORIGINAL, sheet="Blatt")
    run_select("select sum(betrag) from gross", {"gross": table}, engine, prove=False)
    started = time.process_time()
    value = run_select("select sum(betrag) from gross", {"gross": table}, engine).rows[0][0]
    spent = time.process_time() - started
    assert value.proved and value.value == D(sum(numbers)).scaleb(-2)
    assert spent < 2, spent
