"""The difference of two versions as the contract's JSON and as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from indexer.diff import CellChange, Diff, RowChange
from indexer.stored import StoredTable
from indexer.table_rows import TypedValue, display
from parsers.table import CellState
from qa.cli_output import write, write_table
from qa.german_text import value_text


def diff_json(difference: Diff) -> dict[str, Any]:
    """`added` and `removed` hold rows, then columns or whole tables that only one version has."""
    return {
        "document": difference.document,
        "from": difference.from_version.label,
        "to": difference.to_version.label,
        "changed": [
            {
                "sheet": change.sheet,
                "cell_from": change.cell_from,
                "cell_to": change.cell_to,
                "column": change.column,
                "key": " | ".join(change.key),
                "old": change.old_text,
                "new": change.new_text,
            }
            for change in difference.changed
        ],
        "added": [_row(row) for row in difference.added]
        + [{"sheet": each.sheet, "column": each.column} for each in difference.added_columns],
        "removed": [_row(row) for row in difference.removed]
        + [{"sheet": each.sheet, "column": each.column} for each in difference.removed_columns],
    }


Units = Mapping[tuple[str, str], str | None]
"""(table, sql_name of a column) -> the unit of its values."""


def column_units(tables: Iterable[StoredTable]) -> Units:
    return {(stored.sql_name, column.sql_name): column.unit for stored in tables for column in stored.table.columns}


def write_diff(difference: Diff, units: Units) -> None:
    """For people: one line a cell, then rows and columns that only one version has; numbers as answers show them."""
    old, new = difference.from_version.label, difference.to_version.label
    write(f"{difference.document}: von „{old}“ zu „{new}“", bold=True)
    if difference.changed:
        write_table(
            ("Zelle", "Spalte", "Zeile", old, new),
            [
                (
                    _place(each),
                    each.column,
                    " | ".join(each.key),
                    _shown(each, each.old, units),
                    _shown(each, each.new, units),
                )
                for each in difference.changed
            ],
            right=frozenset({3, 4}),
        )
    for heading, rows in (("Nur in „" + new + "“", difference.added), ("Nur in „" + old + "“", difference.removed)):
        for row in rows:
            write(f"{heading}: {row.sheet or ''} Zeile {row.row} {' | '.join(row.key)}".replace("  ", " "))
    for heading, columns in ((new, difference.added_columns), (old, difference.removed_columns)):
        for column in columns:
            what = f"Spalte {column.column}" if column.column else f"Tabelle {column.table}"
            write(f"Nur in „{heading}“: {column.sheet or ''} {what}".replace("  ", " "))
    if not (
        difference.changed or difference.added or difference.removed or difference.added_columns or difference.removed_columns
    ):
        write("Kein Unterschied.")


def _shown(change: CellChange, value: TypedValue, units: Units) -> str:
    if value is CellState.UNREADABLE:
        return "nicht lesbar"
    return value_text(value, units.get((change.table, change.sql_name)))


def _place(change: CellChange) -> str:
    moved = "" if change.cell_from == change.cell_to else f" → {change.cell_to}"
    return f"{change.sheet or ''} {change.cell_from}{moved}".strip()


def _row(row: RowChange) -> dict[str, Any]:
    values = {header: display(value) for header, value in row.values}
    return {"sheet": row.sheet, "row": row.row, "key": " | ".join(row.key), "values": values}
