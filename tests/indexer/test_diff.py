"""What changed between two versions: cells, rows, columns, tables; rows are matched by key, not by place."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from indexer.catalog import Catalog
from indexer.diff import Diff, VisiblePart, diff_tables, diff_versions
from parsers.periods import Period
from parsers.table import CellState, ColumnType, ParsedTable
from tests.indexer.made_tables import FEBRUARY, JANUARY, branches, column, parsed_table, store, stored

A, B, C = ("Danzig", JANUARY, "10.00"), ("Lublin", JANUARY, "20.00"), ("Danzig", FEBRUARY, "30.00")


def both(old: ParsedTable, new: ParsedTable, tmp_path: Path, **visible: Any) -> Diff:
    first, second = stored(old, tmp_path / "old"), stored(new, tmp_path / "new")
    part = VisiblePart(**visible)
    return diff_tables(first.version, second.version, [(first, part)], [(second, part)])


def changes(diff: Diff) -> list[tuple[object, ...]]:
    return [(c.column, c.cell_from, c.cell_to, c.key, c.old_text, c.new_text) for c in diff.changed]


def rows(diff: Diff) -> tuple[list[int], list[int]]:
    return [r.row for r in diff.added], [r.row for r in diff.removed]


DANZIG_JANUARY = ("Danzig", "2024-01-01")
CASES: dict[str, tuple[ParsedTable, ParsedTable, list[tuple[object, ...]], tuple[list[int], list[int]]]] = {
    "nothing": (branches(A, B), branches(A, B), [], ([], [])),
    "scale only": (branches(A), branches(("Danzig", JANUARY, "10")), [], ([], [])),
    "one number": (
        branches(A, B),
        branches(("Danzig", JANUARY, "11.00"), B),
        [("Umsatz", "C2", "C2", ("Danzig",), "10.00", "11.00")],
        ([], []),
    ),
    "a number appears": (
        branches(("Danzig", JANUARY, None)),
        branches(A),
        [("Umsatz", "C2", "C2", ("Danzig",), None, "10.00")],
        ([], []),
    ),
    "a number vanishes": (
        branches(A),
        branches(("Danzig", JANUARY, None)),
        [("Umsatz", "C2", "C2", ("Danzig",), "10.00", None)],
        ([], []),
    ),
    "moved rows are no change": (branches(A, B, C), branches(C, A, B), [], ([], [])),
    "a moved row whose number changed": (
        branches(A, B, C),
        branches(C, ("Danzig", JANUARY, "0.00"), B),
        [("Umsatz", "C2", "C3", DANZIG_JANUARY, "10.00", "0.00")],
        ([], []),
    ),
    "a row inserted above": (branches(A, B), branches(("Ulm", JANUARY, "1"), A, B), [], ([2], [])),
    "a row removed": (branches(A, B, C), branches(A, C), [], ([], [3])),
    "a row replaced": (branches(A, B), branches(A, ("Ulm", JANUARY, "20.00")), [], ([3], [3])),
    "equal rows: one more": (branches(A, A, B), branches(A, A, A, B), [], ([4], [])),
    "equal keys: only the changed one": (
        branches(A, ("Danzig", JANUARY, "5.00"), B),
        branches(("Danzig", JANUARY, "5.00"), ("Danzig", JANUARY, "12.00"), B),
        [("Umsatz", "C2", "C3", DANZIG_JANUARY, "10.00", "12.00")],
        ([], []),
    ),
    "a missing key is a key": (
        branches((None, JANUARY, "1.00"), A),
        branches((None, JANUARY, "2.00"), A),
        [("Umsatz", "C2", "C2", ("",), "1.00", "2.00")],
        ([], []),
    ),
    "a later text changed": (
        branches(A),
        branches(("Danzig", FEBRUARY, "10.00")),
        [("Monat", "B2", "B2", ("Danzig",), "2024-01-01", "2024-02-01")],
        ([], []),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_and_cells(name: str, tmp_path: Path) -> None:
    old, new, changed, rows_changed = CASES[name]
    diff = both(old, new, tmp_path)
    assert changes(diff) == changed
    assert rows(diff) == rows_changed


def test_added_rows_carry_their_values(tmp_path: Path) -> None:
    added = both(branches(A), branches(A, ("Lublin", JANUARY, None)), tmp_path).added[0]
    assert added.values == (("Niederlassung", "Lublin"), ("Monat", JANUARY)) and added.key == ("Lublin",)


NUMBERS = [column("Plan", ColumnType.DECIMAL, 1, scale=1), column("Ist", ColumnType.DECIMAL, 2, scale=1)]


def test_a_table_without_names_is_compared_by_place(tmp_path: Path) -> None:
    old = parsed_table(NUMBERS, [(Decimal(1), Decimal(2)), (Decimal(3), Decimal(4)), (Decimal(5), Decimal(6))])
    new = parsed_table(NUMBERS, [(Decimal(1), Decimal(2)), (Decimal(3), Decimal(9)), (Decimal(5), Decimal(6))])
    assert changes(both(old, new, tmp_path)) == [("Ist", "B3", "B3", (), "4.0", "9.0")]


def test_unreadable_cells_and_booleans_are_values_of_their_own(tmp_path: Path) -> None:
    kind = [column("Ort", ColumnType.TEXT, 1), column("Wert", ColumnType.DECIMAL, 2, has_unreadable=True)]
    old = parsed_table(kind, [("Danzig", None)], states={"wert": [CellState.UNREADABLE]})
    missing = parsed_table(kind, [("Danzig", None)], states={"wert": [CellState.MISSING]})
    assert changes(both(old, missing, tmp_path)) == [("Wert", "B2", "B2", ("Danzig",), "nicht lesbar", None)]
    true = parsed_table([column("Ort", ColumnType.TEXT, 1), column("Wert", ColumnType.BOOLEAN, 2)], [("Danzig", True)])
    one = parsed_table([column("Ort", ColumnType.TEXT, 1), column("Wert", ColumnType.DECIMAL, 2)], [("Danzig", Decimal(1))])
    assert changes(both(true, one, tmp_path)) == [("Wert", "B2", "B2", ("Danzig",), "true", "1")]


def test_periods_are_matched_by_their_days_and_shown_as_printed(tmp_path: Path) -> None:
    kind = [column("Zeitraum", ColumnType.PERIOD, 1), column("Wert", ColumnType.INTEGER, 2)]
    days = (date(2024, 7, 1), date(2024, 9, 30), "quarter")
    old = parsed_table(kind, [(Period(*days, "Q3 2024"), Decimal(1))])  # type: ignore[arg-type]
    new = parsed_table(kind, [(Period(*days, "3. Quartal 2024"), Decimal(2))])  # type: ignore[arg-type]
    assert changes(both(old, new, tmp_path)) == [
        ("Zeitraum", "A2", "A2", ("3. Quartal 2024",), "Q3 2024", "3. Quartal 2024"),
        ("Wert", "B2", "B2", ("3. Quartal 2024",), "1", "2"),
    ]


def test_cells_of_merged_areas_change_once(tmp_path: Path) -> None:
    kind = [
        column("Region", ColumnType.TEXT, None, has_cells=True),
        column("Ort", ColumnType.TEXT, 2),
        column("Umsatz", ColumnType.DECIMAL, 3),
    ]
    cells = {"region": ["A2", "A2"]}
    old = parsed_table(kind, [("Ost", "Danzig", Decimal(1)), ("Ost", "Lublin", Decimal(2))], cells=cells)
    new = parsed_table(kind, [("Nordost", "Danzig", Decimal(1)), ("Nordost", "Lublin", Decimal(2))], cells=cells)
    diff = both(old, new, tmp_path)
    assert [(c.column, c.cell_from, c.cell_to, c.old, c.new) for c in diff.changed] == [("Region", "A2", "A2", "Ost", "Nordost")]


def test_columns_that_only_one_version_has(tmp_path: Path) -> None:
    old = branches(A)
    new = parsed_table([*old.table.columns[:2], column("Absatz", ColumnType.INTEGER, 3)], [("Danzig", JANUARY, Decimal(7))])
    diff = both(old, new, tmp_path)
    assert [c.column for c in diff.added_columns] == ["Absatz"] and [c.column for c in diff.removed_columns] == ["Umsatz"]
    assert diff.changed == diff.added == diff.removed == ()


def test_only_what_may_be_seen_is_compared(tmp_path: Path) -> None:
    new = branches(("Danzig", JANUARY, "99.00"), ("Lublin", JANUARY, "98.00"), ("Ulm", JANUARY, "97.00"))
    hidden_column = both(branches(A, B), new, tmp_path, columns=frozenset({"niederlassung", "monat"}))
    assert hidden_column.changed == () and len(hidden_column.added) == 1
    assert "97" not in repr(hidden_column.added)
    hidden_rows = both(branches(A, B), new, tmp_path, row_filter={"niederlassung": ("Danzig",)})
    assert [c.key for c in hidden_rows.changed] == [("Danzig",)] and hidden_rows.added == ()


def test_diff_of_two_versions_of_a_document(catalog: Catalog) -> None:
    tidy = replace(branches(A), table=replace(branches(A).table, name="umsatz__tidy", layout="tidy"))
    extra = branches(A, name="neu", sheet="Neu")
    store(catalog, [branches(A, B), tidy], content=b"a", label="Entwurf")
    store(catalog, [branches(("Danzig", JANUARY, "12.00"), B), extra], content=b"b", label="nach Korrektur")
    diff = diff_versions(catalog, "nord", "umsatz.xlsx", "Entwurf", "2")
    assert (diff.from_version.label, diff.to_version.label) == ("Entwurf", "nach Korrektur")
    assert [(c.sheet, c.table, c.cell_from, c.old, c.new) for c in diff.changed] == [
        ("Umsatz", "umsatz__umsatz", "C2", Decimal("10.00"), Decimal("12.00"))
    ]
    assert [(c.table, c.sheet, c.column) for c in diff.added_columns] == [("umsatz__neu", "Neu", None)]
    assert diff.removed_columns == ()
