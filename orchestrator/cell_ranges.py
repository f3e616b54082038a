"""Short forms of cell and row lists: "C5:C46", "5-46,48"; and the union of evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.cell_lists import CellRanges, ColumnCells, RowNumbers, union_of_cells, union_of_rows
from orchestrator.evidence import CellSet
from parsers.address import cell_address, parse_address, parse_range, range_address

MOST_RUNS = 2_000
"""Runs of cells that an answer writes out at once; longer lists are written where somebody reads them."""


def shown_rows(rows: Iterable[int]) -> str | RowNumbers:
    """compact_rows, or the rows themselves where that text would be very long."""
    return rows if isinstance(rows, RowNumbers) and rows.run_count > MOST_RUNS else compact_rows(rows)


def shown_ranges(cells: Iterable[str]) -> Sequence[str]:
    """compact_cells, or ranges that are not written out yet where they are very many."""
    return CellRanges(cells) if isinstance(cells, ColumnCells) and cells.run_count > MOST_RUNS else compact_cells(cells)


def compact_rows(rows: Iterable[int]) -> str:
    """(5, 6, 7, 48) -> "5-7,48"; rows are sorted and made unique."""
    if isinstance(rows, RowNumbers):
        return rows.compact
    runs: list[tuple[int, int]] = []
    for row in sorted(set(rows)):
        if runs and row == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], row)
        else:
            runs.append((row, row))
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def expand_rows(text: str | RowNumbers) -> Sequence[int]:
    """Inverse of compact_rows and shown_rows. Raises ValueError on anything else."""
    if isinstance(text, RowNumbers):
        return text
    rows: list[int] = []
    for run in filter(None, text.split(",")):
        first, _, last = run.partition("-")
        rows.extend(range(int(first), int(last or first) + 1))
    return tuple(rows)


def compact_cells(cells: Iterable[str]) -> list[str]:
    """Addresses -> column runs ("C5:C46"), by column, then row."""
    if isinstance(cells, ColumnCells):
        return cells.ranges
    runs: list[tuple[int, int, int]] = []
    for column, row in sorted({(column, row) for row, column in map(parse_address, cells)}):
        if runs and runs[-1][0] == column and runs[-1][2] == row - 1:
            runs[-1] = (column, runs[-1][1], row)
        else:
            runs.append((column, row, row))
    return [range_address(first, column, last, column) for column, first, last in runs]


def expand_cells(ranges: Sequence[str]) -> Sequence[str]:
    """Inverse of compact_cells and shown_ranges: every address, in the order of the ranges."""
    if isinstance(ranges, CellRanges):
        return ranges.cells
    return tuple(
        cell_address(row, column)
        for text in ranges
        for top, left, bottom, right in (parse_range(text),)
        for column in range(left, right + 1)
        for row in range(top, bottom + 1)
    )


def union(*groups: Sequence[CellSet]) -> tuple[CellSet, ...]:
    """One CellSet a table, in order of first appearance; cells unique, by row then column."""
    sets: dict[str, list[CellSet]] = {}
    for group in groups:
        for cells in group:
            sets.setdefault(cells.table_id, []).append(cells)
    return tuple(_merge(found) for found in sets.values())


def _merge(found: list[CellSet]) -> CellSet:
    if len(found) == 1:
        return found[0]
    row_lists = [cells.rows for cells in found if isinstance(cells.rows, RowNumbers)]
    cell_lists = [cells.cells for cells in found if isinstance(cells.cells, ColumnCells)]
    if len(row_lists) == len(cell_lists) == len(found):
        return CellSet(found[0].table_id, union_of_rows(row_lists), union_of_cells(cell_lists))
    rows = tuple(sorted({row for cells in found for row in cells.rows}))
    addresses = {address for cells in found for address in cells.cells}
    return CellSet(found[0].table_id, rows, tuple(sorted(addresses, key=parse_address)))


def count_cells(sets: Iterable[CellSet]) -> int:
    return sum(len(cells.cells) for cells in sets)
