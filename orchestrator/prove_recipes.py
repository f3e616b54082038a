"""The last check before a number is shown: its recipe over the cited cells, each once, must give the very number.

orchestrator.provenance computes a value again from the rows that the engine named, as often as it named them; here nothing
counts but what the answer cites, as `verify` does later with the original file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indexer.segments import cell_column
from indexer.stored import StoredTable
from orchestrator.cell_lists import ColumnCells
from orchestrator.evidence import CellSet, Scalar
from orchestrator.exact_numbers import fraction_of
from orchestrator.exact_vectors import Array, CodedVector, Vector, no_gap, sum_per_group
from orchestrator.outcome import TracedValue
from orchestrator.recipe import Leaf, NotComputable, Recipe, recompute
from orchestrator.scope import VisibleTable
from orchestrator.segment_reader import SegmentReader
from orchestrator.sql_algebra import EXACT_NUMBERS
from orchestrator.sql_build import column_type
from parsers.address import column_letter
from parsers.table import Column

DIFFERS = "Die zitierten Zellen, jede einmal gezählt, ergeben einen anderen Wert."


def differing(values: Sequence[TracedValue], tables: Mapping[str, VisibleTable], reader: SegmentReader) -> str | None:
    """One German sentence if a value is not what its recipe gives over its cited cells; None if all are. Values without a recipe
    are left out. `tables`: by table_id."""
    found = [(value, value.recipe) for value in values if value.recipe is not None and value.evidence.value is not None]
    all_leaves = [leaf for _, recipe in found for leaf in leaves(recipe)]
    known = dict(_column_values_of(all_leaves, tables, reader))
    cells = CitedCells(tables, [leaf for leaf in all_leaves if id(leaf) not in known])
    for value, recipe in found:
        try:
            again = recompute(recipe, cells.value, lambda leaf: known.get(id(leaf)))
        except NotComputable:
            return DIFFERS
        if not _same(value.evidence.value, again):
            return DIFFERS
    return None


def _same(shown: Scalar, again: Scalar) -> bool:
    number, other = fraction_of(shown), fraction_of(again)
    return number == other if number is not None and other is not None else shown == again


def leaves(recipe: Recipe) -> Iterator[Leaf]:
    """Every aggregate of a recipe."""
    if isinstance(recipe, Leaf):
        yield recipe
        return
    for part in recipe.parts:
        yield from leaves(part)


# --- aggregates over one column, without one object a cell


def _column_values_of(
    found: Sequence[Leaf], tables: Mapping[str, VisibleTable], reader: SegmentReader
) -> Iterator[tuple[int, Scalar]]:
    """id(leaf) -> value, for the simple aggregates of one plain column of which every cited cell holds a value."""
    for leaf in found:
        if leaf.kind not in ("sum", "average", "value", "count") or leaf.bucket or not len(leaf.cells) == len(leaf.columns) == 1:
            continue
        table = tables.get(leaf.cells[0].table_id)
        column = None if table is None else _column(table.stored, leaf.columns[0])
        if table is None or column is None or column.has_cells or column.position is None:
            continue
        rows = _rows_of(leaf.cells[0], column.position)
        ids = None if rows is None else reader.ids_of_rows(table, rows)
        if ids is None or len(ids) == 0 or not no_gap(ids):
            continue
        part = reader.values(table, column.sql_name, column_type(column), ids)
        if part.valid.all() and (value := _aggregate(leaf, part)) is not None:
            yield id(leaf), value


def _aggregate(leaf: Leaf, part: Vector) -> Scalar:
    """None where it is computed cell by cell."""
    if leaf.kind == "count":
        return Fraction(leaf.records)
    if leaf.kind == "value":
        same = part.codes if isinstance(part, CodedVector) else part.data
        only = part.value(0) if bool((same == same[0]).all()) else None
        return Fraction(only) if isinstance(only, Decimal) else only
    if part.type.kind not in EXACT_NUMBERS:
        return None
    total = sum_per_group(part, np.array([0, len(part)])).value(0)
    return Fraction(total) / len(part) if leaf.kind == "average" else Fraction(total)


def _column(stored: StoredTable, name: str) -> Column | None:
    return next((column for column in stored.table.columns if column.sql_name == name), None)


def _rows_of(cells: CellSet, position: int) -> Array | None:
    """Sheet rows of cells that all stand in one sheet column; None where one stands elsewhere."""
    if isinstance(cells.cells, ColumnCells):
        columns = cells.cells.by_column()
        return columns[0][1].astype(np.int64) if len(columns) == 1 and columns[0][0] == position else None
    letters, rows = _places(cells.cells)
    return rows if bool((letters == column_letter(position)).all()) else None


def _places(addresses: Iterable[str]) -> tuple[Array, Array]:
    """Column letters and rows of A1 addresses."""
    parts = pc.extract_regex(pa.array(list(addresses), pa.string()), "^(?P<letters>[A-Z]+)(?P<row>[0-9]+)$")
    letters = parts.field("letters").to_numpy(zero_copy_only=False)
    return letters, parts.field("row").cast(pa.int64()).to_numpy(zero_copy_only=False)


# --- everything else, cell by cell


class CitedCells:
    """The stored values of the cells that some aggregates cite, each table read once."""

    def __init__(self, tables: Mapping[str, VisibleTable], found: Iterable[Leaf]) -> None:
        wanted: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
        for leaf in found:
            for table_id, addresses in _addresses(leaf):
                cells, columns = wanted.setdefault(table_id, ({}, {}))
                cells |= dict.fromkeys(addresses)
                columns |= dict.fromkeys(leaf.columns)
        self._values: dict[str, dict[tuple[str, str], Scalar]] = {}
        for table_id, (cells, columns) in wanted.items():
            if table_id in tables:
                self._values[table_id] = dict(_read(tables[table_id].stored, list(cells), frozenset(columns)))

    def value(self, table_id: str, address: str, columns: Sequence[str]) -> Scalar:
        """Raises NotComputable for a cell that is in none of the columns."""
        values = self._values.get(table_id, {})
        for column in (*columns, ""):
            if (address, column) in values:
                return values[address, column]
        raise NotComputable(f"{address}: no column of the table holds it")


def _addresses(leaf: Leaf) -> Iterator[tuple[str, Iterable[str]]]:
    if leaf.kind == "product_sum":
        for row in leaf.products:
            for table_id, address in row:
                yield table_id, (address,)
        return
    for cells in leaf.cells:
        yield cells.table_id, cells.cells


def _read(stored: StoredTable, addresses: Sequence[str], wanted: frozenset[str]) -> Iterator[tuple[tuple[str, str], Scalar]]:
    """(address, column) -> value, and (address, "") -> the value of the first column that has the cell, `wanted` ones first."""
    letters, rows = _places(addresses)
    held: set[str] = set()
    for column in sorted(stored.table.columns, key=lambda one: one.sql_name not in wanted):
        if column.sql_name not in wanted and len(held) == len(addresses):
            return
        for index, value in _column_values(stored, column, addresses, letters, rows):
            address = addresses[index]
            yield (address, column.sql_name), value
            if address not in held:
                held.add(address)
                yield (address, ""), value


def _column_values(
    stored: StoredTable, column: Column, addresses: Sequence[str], letters: Array, rows: Array
) -> Iterator[tuple[int, Any]]:
    """Places among `addresses` with the column's value there."""
    name = column.sql_name
    if column.has_cells:
        data = pq.read_table(stored.segment, columns=[name, cell_column(name)])
        asked = np.arange(len(addresses))
        found = pc.index_in(pa.array(addresses, pa.string()), _array(data[cell_column(name)]))
    elif column.position is not None:
        asked = np.flatnonzero(letters == column_letter(column.position))
        data = pq.read_table(stored.segment, columns=[name, "_row"])
        found = pc.index_in(pa.array(rows[asked]), _array(data["_row"].cast(pa.int64())))
    else:
        return
    asked = asked[found.is_valid().to_numpy(zero_copy_only=False)]
    for index, value in zip(asked.tolist(), data[name].take(found.drop_null()).to_pylist(), strict=True):
        yield index, Decimal(value) if type(value) is int else value


def _array(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
