"""The cells of one sheet, held row by row: what stands in a file stays text until someone looks at it.

A sheet's rows mostly have the same columns, styles and types. What is equal is held once, as the shape of the row; a packed row
holds one entry a cell, its text as stored until it is asked for and its RawCell from then on. Rows that were put together cell
by cell are plain dicts until `pack`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, ItemsView, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field

from parsers.raw_cell import CellKind, RawCell
from parsers.shift_formula import shift_formula

Place = tuple[int, int]
"""(row, column), both 1-based."""

SharedFormula = tuple[str, int, int]
"""A formula's text and the row and column of the cell that it is written for."""

Stored = RawCell | str | tuple[str | None, str | SharedFormula]
"""A cell, or its text as stored; with a formula (text or none, formula)."""

BuildCell = Callable[[str, str, str | None, str | None], RawCell]
"""(type, style, text, formula) -> cell, with the attributes t and s as the file spells them."""

_CACHE_SIZE = 1 << 17


@dataclass(frozen=True, slots=True, eq=False)
class RowShape:
    """`columns` in rising order; `types`: (t, s) of each. `computed`: some cell may have a formula. `kinds`: what an entry that
    is still text is, as (kind, number format); the text of words is the cell's value. Empty: that takes a look at the cell.
    `words`: positions that may hold words."""

    columns: tuple[int, ...]
    types: tuple[tuple[str, str], ...] = ()
    computed: bool = True
    kinds: tuple[tuple[CellKind, str], ...] = ()
    index: dict[int, int] = field(default_factory=dict)
    words: tuple[int, ...] = ()

    @staticmethod
    def of(
        columns: tuple[int, ...],
        types: tuple[tuple[str, str], ...] = (),
        computed: bool = True,
        kinds: tuple[tuple[CellKind, str], ...] = (),
    ) -> RowShape:
        index = {column: position for position, column in enumerate(columns)}
        words = tuple(position for position in range(len(columns)) if not kinds or kinds[position][0] == "text")
        return RowShape(columns, types, computed, kinds, index, words)


@dataclass(slots=True)
class PackedRow:
    """`entries` beside `shape.columns`; `seen`: every entry is a RawCell."""

    shape: RowShape
    entries: list[Stored]
    seen: bool = False


@dataclass(frozen=True)
class RowsByShape:
    """`shapes`: (shape, indexes into `rows`, the rows beside them); rows without a cell are in none."""

    rows: Sequence[int]
    shapes: tuple[tuple[RowShape, list[int], list[PackedRow]], ...]


class CellStore(MutableMapping[Place, RawCell]):
    """Cells by (row, column) in the order of the file; a row's cells together. Filled by readers, read-only afterwards."""

    def __init__(self) -> None:
        self._rows: dict[int, dict[int, RawCell] | PackedRow] = {}
        self._count = 0
        self._build: BuildCell | None = None
        self._known: dict[tuple[tuple[str, str], str], RawCell] = {}

    def put(self, row: int, column: int, cell: RawCell) -> RawCell | None:
        """Set one cell; the one that stood there before, None if none did."""
        found = self._rows.get(row)
        if found is None:
            self._rows[row] = {column: cell}
            self._count += 1
            return None
        if isinstance(found, PackedRow):
            found = self._loose(row, found)
        earlier = found.get(column)
        found[column] = cell
        if earlier is None:
            self._count += 1
        return earlier

    def put_row(self, row: int, shape: RowShape, entries: list[Stored], build: BuildCell) -> None:
        """Set a whole row that has no cells yet; its cells are built by `build` when they are looked at."""
        self._build = build
        self._rows[row] = PackedRow(shape, entries)
        self._count += len(entries)

    def has_row(self, row: int) -> bool:
        return row in self._rows

    def extent(self) -> Place:
        """(last row, last column) with a cell; (0, 0) if there is none."""
        last_row = last_column = 0
        for row, found in self._rows.items():
            columns = found.shape.columns if isinstance(found, PackedRow) else found
            if columns:
                last_row = max(last_row, row)
                last_column = max(last_column, columns[-1] if isinstance(columns, tuple) else max(columns))
        return last_row, last_column

    def computed(self) -> Iterator[tuple[Place, RawCell]]:
        """The cells that have a formula, and no look at the others."""
        for row, found in self._rows.items():
            if isinstance(found, PackedRow):
                for column, entry in zip(found.shape.columns, found.entries, strict=True) if found.shape.computed else ():
                    if isinstance(entry, tuple) or (isinstance(entry, RawCell) and entry.formula is not None):
                        yield (row, column), self[row, column]
            else:
                for column, cell in found.items():
                    if cell.formula is not None:
                        yield (row, column), cell

    def pack(self) -> None:
        """Make rows put together cell by cell small: when a sheet is complete."""
        shapes: dict[tuple[int, ...], RowShape] = {}
        for row, found in list(self._rows.items()):
            if isinstance(found, PackedRow):
                continue
            if not found:
                del self._rows[row]
                continue
            columns = tuple(sorted(found))
            shape = shapes.get(columns)
            if shape is None:
                shape = shapes[columns] = RowShape.of(columns)
            self._rows[row] = PackedRow(shape, [found[column] for column in columns], seen=True)

    def __getitem__(self, place: Place) -> RawCell:
        row, column = place
        found = self._rows[row]
        if isinstance(found, PackedRow):
            position = found.shape.index[column]
            entry = found.entries[position]
            return entry if isinstance(entry, RawCell) else self._look(found, row, position)
        return found[column]

    def get(self, place: Place, default: RawCell | None = None) -> RawCell | None:  # type: ignore[override]
        found = self._rows.get(place[0])
        if isinstance(found, PackedRow):
            position = found.shape.index.get(place[1])
            if position is None:
                return default
            entry = found.entries[position]
            return entry if isinstance(entry, RawCell) else self._look(found, place[0], position)
        return default if found is None else found.get(place[1], default)

    def __setitem__(self, place: Place, cell: RawCell) -> None:
        self.put(*place, cell)

    def __delitem__(self, place: Place) -> None:
        row, column = place
        found = self._rows[row]
        if isinstance(found, PackedRow):
            found = self._loose(row, found)
        del found[column]
        self._count -= 1

    def __contains__(self, place: object) -> bool:
        if not isinstance(place, tuple):
            return False
        found = self._rows.get(place[0])
        if isinstance(found, PackedRow):
            return place[1] in found.shape.index
        return found is not None and place[1] in found

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Place]:
        for row, found in self._rows.items():
            for column in found.shape.columns if isinstance(found, PackedRow) else found:
                yield row, column

    def items(self) -> ItemsView[Place, RawCell]:
        return _Items(self)

    def rows_of_columns(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """(row, its columns in rising order), row by row; rows of one shape share their columns."""
        for row, found in self._rows.items():
            yield row, found.shape.columns if isinstance(found, PackedRow) else tuple(sorted(found))

    def text(self, row: int, column: int) -> str | None:
        """The text of a cell of words, None if there is none."""
        found = self._rows.get(row)
        if isinstance(found, PackedRow) and found.shape.kinds:
            position = found.shape.index.get(column)
            if position is None:
                return None
            entry = found.entries[position]
            if isinstance(entry, str):
                return entry if found.shape.kinds[position][0] == "text" else None
        cell = self.get((row, column))
        return str(cell.value) if cell is not None and cell.kind == "text" else None

    def is_typed_number(self, row: int, column: int) -> bool:
        """Whether a typed number of the usual spelling stands there; False also where that takes a look at the cell."""
        found = self._rows.get(row)
        if not isinstance(found, PackedRow) or not found.shape.kinds:
            return False
        position = found.shape.index.get(column)
        return position is not None and found.shape.kinds[position][0] == "number" and isinstance(found.entries[position], str)

    def texts(self) -> Iterator[tuple[int, int, str]]:
        """(row, column, text) of every cell of words; none is built for it unless it has a formula."""
        for row, found in self._rows.items():
            if not isinstance(found, PackedRow):
                yield from ((row, column, str(cell.value)) for column, cell in found.items() if cell.kind == "text")
                continue
            columns, entries, known = found.shape.columns, found.entries, bool(found.shape.kinds)
            for position in found.shape.words:
                entry = entries[position]
                if known and isinstance(entry, str):
                    yield row, columns[position], entry
                else:
                    cell = self._look(found, row, position)
                    if cell.kind == "text":
                        yield row, columns[position], str(cell.value)

    def by_shape(self, rows: Sequence[int]) -> RowsByShape:
        """These rows sorted by their shape, for `column`."""
        found: dict[RowShape, tuple[list[int], list[PackedRow]]] = {}
        for index, row in enumerate(rows):
            packed = self._rows.get(row)
            if isinstance(packed, PackedRow):
                indexes, same = found.setdefault(packed.shape, ([], []))
                indexes.append(index)
                same.append(packed)
            elif packed is not None:
                raise AssertionError("a sheet that is complete has packed rows only")
        return RowsByShape(rows, tuple((shape, indexes, same) for shape, (indexes, same) in found.items()))

    def column(self, column: int, rows: RowsByShape) -> tuple[list[RawCell | str | None], list[tuple[int, str]]]:
        """What stands in a column, one entry a row: None, a cell, or the text of a typed number, for which no cell is built; and
        the number formats of these texts, as (index from which on it holds, format)."""
        stored: list[RawCell | str | None] = [None] * len(rows.rows)
        formats: list[tuple[Sequence[int], str]] = []
        for shape, indexes, same in rows.shapes:
            position = shape.index.get(column)
            if position is None:
                continue
            kind, number_format = shape.kinds[position] if shape.kinds else (None, "")
            entries: list[Stored] = [packed.entries[position] for packed in same]
            there = set(map(type, entries))
            if kind == "number":
                formats.append((indexes, number_format))
                if RawCell in there:
                    entries = [_as_typed(entry) for entry in entries]
            if kind != "number" or tuple in there:
                for at, entry in enumerate(entries):
                    if isinstance(entry, tuple) or (isinstance(entry, str) and kind != "number"):
                        entries[at] = self._look(same[at], rows.rows[indexes[at]], position)
            if len(indexes) == len(stored):
                stored = entries  # type: ignore[assignment]
            else:
                for index, entry in zip(indexes, entries, strict=True):
                    stored[index] = entry  # type: ignore[assignment]
        return stored, _runs(formats)

    def look_at_all(self) -> None:
        """Build every cell that is still text, all at once, with the garbage collector at rest."""
        enabled = gc.isenabled()
        gc.disable()
        try:
            for row, found in self._rows.items():
                if isinstance(found, PackedRow) and not found.seen:
                    self._all(row, found)
        finally:
            if enabled:
                gc.enable()

    def text_entries(self) -> int:
        """How many cells nobody has looked at yet."""
        packed = (found for found in self._rows.values() if isinstance(found, PackedRow) and not found.seen)
        return sum(not isinstance(entry, RawCell) for found in packed for entry in found.entries)

    def rows_of_cells(self) -> Iterator[tuple[int, tuple[int, ...], list[RawCell]]]:
        """(row, its columns, its cells beside them), row by row: the quickest way through all cells."""
        for row, found in self._rows.items():
            if isinstance(found, PackedRow):
                yield row, found.shape.columns, self._all(row, found)
            else:
                yield row, tuple(found), list(found.values())

    def _all(self, row: int, found: PackedRow) -> list[RawCell]:
        if not found.seen:
            entries, types, known = found.entries, found.shape.types, self._known
            for position, entry in enumerate(entries):
                if isinstance(entry, str):
                    cell = known.get((types[position], entry))
                    entries[position] = self._look(found, row, position) if cell is None else cell
                elif isinstance(entry, tuple):
                    self._look(found, row, position)
            found.seen = True
        return found.entries  # type: ignore[return-value]

    def _look(self, found: PackedRow, row: int, position: int) -> RawCell:
        """Build the cell of an entry that is still text; equal ones are built once. It stays in its row, a typed number's does
        not."""
        entry = found.entries[position]
        build = self._build
        if isinstance(entry, RawCell):
            return entry
        if build is None:
            raise AssertionError("text entries come with put_row")
        types = found.shape.types[position]
        if isinstance(entry, str):
            key = (types, entry)
            cell = self._known.get(key)
            if cell is None:
                cell = build(*types, entry, None)
                if len(self._known) < _CACHE_SIZE:
                    self._known[key] = cell
            if cell.kind == "number":
                return cell
        else:
            raw, formula = entry
            if isinstance(formula, tuple):
                text, first_row, first_column = formula
                formula = shift_formula(text, row - first_row, found.shape.columns[position] - first_column)
            cell = build(*types, raw, formula)
        found.entries[position] = cell
        return cell

    def _loose(self, row: int, found: PackedRow) -> dict[int, RawCell]:
        loose = self._rows[row] = dict(zip(found.shape.columns, self._all(row, found), strict=True))
        return loose


def _as_typed(entry: Stored) -> Stored:
    """The text of a number again that someone has looked at and that has no formula."""
    return entry.raw if isinstance(entry, RawCell) and entry.formula is None else entry


def _runs(formats: Sequence[tuple[Sequence[int], str]]) -> list[tuple[int, str]]:
    """(index from which on it holds, format) in rising order."""
    if len({number_format for _, number_format in formats}) <= 1:
        return [(0, number_format) for _, number_format in formats[:1]]
    runs: list[tuple[int, str]] = []
    for index, number_format in sorted((index, number_format) for indexes, number_format in formats for index in indexes):
        if not runs or runs[-1][1] != number_format:
            runs.append((index, number_format))
    return runs


class _Items(ItemsView[Place, RawCell]):
    _mapping: CellStore

    def __iter__(self) -> Iterator[tuple[Place, RawCell]]:
        self._mapping.look_at_all()
        for row, columns, cells in self._mapping.rows_of_cells():
            for column, cell in zip(columns, cells, strict=True):
                yield (row, column), cell
