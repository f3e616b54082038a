"""What one pass over a sheet found, and how it becomes a Grid; the same for every workbook format."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from parsers.address import LAST_COLUMN, LAST_ROW, cell_address, range_address
from parsers.cell_store import CellStore
from parsers.cell_values import Finding, finding_problems
from parsers.grid import Grid
from parsers.problem import Problem
from parsers.raw_cell import RawCell

Area = tuple[int, int, int, int]
"""First row, first column, last row, last column; 1-based, both ends included."""

_SMALL_AREA = 64


@dataclass
class SheetContent:
    """`array_areas`: areas of array formulas and data tables with their formula text; only their first cell names it in the file.
    `hidden_row_spans` and `hidden_columns` as (first, last)."""

    cells: CellStore = field(default_factory=CellStore)
    merges: list[Area] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_row_spans: list[tuple[int, int]] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    array_areas: list[tuple[Area, str]] = field(default_factory=list)
    comments: dict[tuple[int, int], str] = field(default_factory=dict)
    defined_tables: list[tuple[str, Area]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def finish_grid(name: str, hidden: bool, content: SheetContent, named: int) -> tuple[Grid, list[Problem]]:
    """The Grid of a sheet and its problems, of each kind at most `named` one by one. Changes `content.cells`."""
    cells = content.cells
    problems = finding_problems(name, content.findings, named)
    for area, formula in content.array_areas:
        _mark_computed(cells, area, formula)
    merges, covered, overlapping = covered_cells(cells, content.merges)
    for position in covered:
        del cells[position]
    problems += _merge_problems(name, covered, overlapping, named)
    for position, comment in content.comments.items():
        if position in cells:
            cells[position] = replace(cells[position], comment=comment)
    cells.pack()
    last_row, last_column = cells.extent()
    grid = Grid(
        name=name,
        cells=cells,
        last_row=last_row,
        last_column=last_column,
        merges=merges,
        hidden=hidden,
        hidden_rows=frozenset(row for row in content.hidden_rows if row <= last_row).union(
            *(range(first, min(last, last_row) + 1) for first, last in content.hidden_row_spans)
        ),
        hidden_columns=frozenset(
            column for first, last in content.hidden_columns for column in range(max(first, 1), min(last, last_column) + 1)
        ),
        defined_tables=tuple(content.defined_tables),
    )
    return grid, problems


def _mark_computed(cells: CellStore, area: Area, formula: str) -> None:
    """The cells of an array formula hold only a result each; they are computed all the same."""
    top, left, bottom, right = area
    if (bottom - top + 1) * (right - left + 1) <= len(cells):
        inside = [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1) if (row, column) in cells]
    else:
        inside = [(row, column) for row, column in cells if top <= row <= bottom and left <= column <= right]
    for position in inside:
        if cells[position].formula is None:
            cells[position] = replace(cells[position], formula=formula)


def covered_cells(cells: CellStore, merges: list[Area]) -> tuple[tuple[Area, ...], list[tuple[int, int]], list[Area]]:
    """(merges that overlap no other, filled cells that they cover other than their first, merges left out because they overlap).

    Takes time in proportion to the merges and, if some are large, to the cells.
    """
    kept, overlapping = _without_overlaps(merges)
    covered: list[tuple[int, int]] = []
    large: list[Area] = []
    for area in kept:
        top, left, bottom, right = area
        if (bottom - top + 1) * (right - left + 1) > _SMALL_AREA:
            large.append(area)
            continue
        for row in range(top, bottom + 1):
            for column in cells.columns_between(row, left, right):
                if column != left or row != top:
                    covered.append((row, column))
    if large:
        covered += _covered_by_large(cells, large)
    return tuple(kept), covered, overlapping


def _covered_by_large(cells: Mapping[tuple[int, int], RawCell], areas: list[Area]) -> list[tuple[int, int]]:
    """Sweep down the rows with the areas that reach the row sorted by their first column."""
    columns_of_row: dict[int, list[int]] = {}
    for row, column in cells:
        columns_of_row.setdefault(row, []).append(column)
    waiting = sorted(areas, reverse=True)
    open_areas: list[tuple[int, int, int, int]] = []  # left, right, top, bottom
    covered: list[tuple[int, int]] = []
    for row in sorted(columns_of_row):
        while waiting and waiting[-1][0] <= row:
            top, left, bottom, right = waiting.pop()
            insort(open_areas, (left, right, top, bottom))
        if any(area[3] < row for area in open_areas):
            open_areas = [area for area in open_areas if area[3] >= row]
        if not open_areas:
            continue
        for column in columns_of_row[row]:
            index = bisect_right(open_areas, (column, LAST_COLUMN + 1)) - 1
            if index >= 0:
                left, right, top, _ = open_areas[index]
                if column <= right and (row, column) != (top, left):
                    covered.append((row, column))
    return covered


def _without_overlaps(merges: list[Area]) -> tuple[list[Area], list[Area]]:
    """Merges in file order without those that overlap an earlier row's or the same row's merge, and these."""
    kept: set[Area] = set()
    overlapping: list[Area] = []
    open_areas: list[tuple[int, int, int]] = []  # left, right, bottom
    lowest = 0
    for area in sorted(set(merges)):
        top, left, bottom, right = area
        if top > lowest:
            open_areas = [(left, right, bottom)]
            lowest = bottom
            kept.add(area)
            continue
        if any(reach < top for _, _, reach in open_areas):
            open_areas = [open_area for open_area in open_areas if open_area[2] >= top]
        index = bisect_right(open_areas, (left, LAST_COLUMN + 1, LAST_ROW + 1))
        before = open_areas[index - 1] if index else None
        after = open_areas[index] if index < len(open_areas) else None
        if (before is not None and before[1] >= left) or (after is not None and after[0] <= right):
            overlapping.append(area)
            continue
        open_areas.insert(index, (left, right, bottom))
        lowest = max(lowest, bottom)
        kept.add(area)
    return [area for area in dict.fromkeys(merges) if area in kept], overlapping


def _merge_problems(sheet: str, covered: list[tuple[int, int]], overlapping: list[Area], named: int) -> list[Problem]:
    problems: list[Problem] = []
    if covered:
        shown = ", ".join(cell_address(*position) for position in covered[:named]) + (" …" if len(covered) > named else "")
        problems.append(Problem(
            "value_under_merge", f"{sheet}!{cell_address(*covered[0])}",
            f"Unter verbundenen Zellen liegen verdeckte Werte, die nicht gelesen werden: {shown}.",
            "Bitte den Zellverbund in Excel aufheben und prüfen.",
        ))  # fmt: skip
    if overlapping:
        shown = ", ".join(range_address(*area) for area in overlapping[:named])
        problems.append(Problem(
            "merges_overlap", sheet, f"Verbundene Bereiche überschneiden sich; nicht beachtet werden: {shown}.",
            "Bitte die Datei in Excel öffnen, prüfen und neu speichern.",
        ))  # fmt: skip
    return problems
