"""The cells of one sheet, held row by row: what stands in a file stays text until someone looks at it.

A sheet's rows mostly have the same columns, styles and types. Such rows are held together in blocks (`row_blocks`), in which
every column is one string; a cell is built when someone asks for it, and kept only if it has a formula. Rows that were put
together cell by cell are plain dicts until `pack`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, ItemsView, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from parsers.raw_cell import RawCell
from parsers.row_blocks import RowBlock, RowShape, Stored
from parsers.shift_formula import shift_formula

Place = tuple[int, int]
"""(row, column), both 1-based."""

BuildCell = Callable[[str, str, str | None, str | None], RawCell]
"""(type, style, text, formula) -> cell, with the attributes t and s as the file spells them."""

_CACHE_SIZE = 1 << 16
_MOST_CUT = 256
"""Columns of blocks that stay cut into their texts: more than a table has columns, as a rule."""


class _LooseRow:
    """A row put together cell by cell."""

    __slots__ = ("cells",)

    def __init__(self, cells: dict[int, RawCell]) -> None:
        self.cells = cells

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(sorted(self.cells))


@dataclass(frozen=True)
class BlockRows:
    """Rows of one block among the rows of a table: the table's indexes of them, and their indexes in the block (None: all)."""

    block: RowBlock
    indexes: Sequence[int]
    inside: Sequence[int] | None


@dataclass(frozen=True)
class RowsByBlock:
    """`blocks`: which of the rows stand in which block; rows without a cell are in none. `arrange`: brings entries in the order
    of the blocks, and one None more for the rows in none, into the order of the rows; None if that is the order already."""

    rows: Sequence[int]
    blocks: tuple[BlockRows, ...]
    arrange: Callable[[list[RawCell | str | None]], tuple[RawCell | str | None, ...]] | None


class CellStore(MutableMapping[Place, RawCell]):
    """Cells by (row, column) in the order of the file; a row's cells together. Filled by readers, read-only afterwards."""

    def __init__(self) -> None:
        self._rows: dict[int, _LooseRow | RowBlock] = {}
        self._open: dict[RowShape, RowBlock] = {}
        self._count = 0
        self._build: BuildCell | None = None
        self._known: dict[tuple[tuple[str, str], str], RawCell] = {}
        self._cut: dict[tuple[RowBlock, int], list[Stored]] = {}
        self._left: dict[RowBlock, set[int]] = {}

    def put(self, row: int, column: int, cell: RawCell) -> RawCell | None:
        """Set one cell; the one that stood there before, None if none did."""
        found = self._rows.get(row)
        if found is None:
            self._rows[row] = _LooseRow({column: cell})
            self._count += 1
            return None
        cells = self._loose(row, found)
        earlier = cells.get(column)
        cells[column] = cell
        if earlier is None:
            self._count += 1
        return earlier

    def put_row(self, row: int, shape: RowShape, entries: list[Stored], build: BuildCell) -> None:
        """Set a whole row that has no cells yet; its cells are built by `build` when they are looked at."""
        self._build = build
        self._put_row(row, shape, entries)
        self._count += len(entries)

    def _put_row(self, row: int, shape: RowShape, entries: list[Stored]) -> None:
        block = self._open.get(shape)
        if block is None or not block.takes(row):
            if block is not None:
                block.close()
            block = self._open[shape] = RowBlock(shape)
        block.add(row, entries)
        self._rows[row] = block

    def columns_between(self, row: int, left: int, right: int) -> list[int]:
        """The columns from `left` to `right` in which a cell of the row stands."""
        found = self._rows.get(row)
        if found is None:
            return []
        if left == right:
            inside = found.shape.index if isinstance(found, RowBlock) else found.cells
            return [left] if left in inside else []
        return [column for column in found.columns if left <= column <= right]

    def has_row(self, row: int) -> bool:
        return row in self._rows

    def extent(self) -> Place:
        """(last row, last column) with a cell; (0, 0) if there is none."""
        filled = {found for found in set(self._rows.values()) if found.columns}
        last_row = max((row for row, found in self._rows.items() if found in filled), default=0)
        return last_row, max((found.columns[-1] for found in filled), default=0)

    def computed(self) -> Iterator[tuple[Place, RawCell]]:
        """The cells that have a formula, and no look at the others."""
        for row, found in self._rows.items():
            if isinstance(found, _LooseRow):
                yield from (((row, column), cell) for column, cell in found.cells.items() if cell.formula is not None)
                continue
            for position in found.shape.formulas:
                index = bisect_left(found.rows, row)
                entry = self._texts(found, position)[index]
                if isinstance(entry, tuple) or (isinstance(entry, RawCell) and entry.formula is not None):
                    yield (row, found.columns[position]), self._look(found, index, position, entry)

    def pack(self) -> None:
        """Make the store small: when a sheet is complete."""
        shapes: dict[tuple[int, ...], RowShape] = {}
        for row, found in list(self._rows.items()):
            if isinstance(found, RowBlock):
                continue
            columns = found.columns
            if not columns:
                del self._rows[row]
                continue
            shape = shapes.get(columns)
            if shape is None:
                shape = shapes[columns] = RowShape.of(columns)
            self._put_row(row, shape, [found.cells[column] for column in columns])
        for block in self._open.values():
            block.close()
        for block, rows in self._left.items():
            block.drop(rows)
        for kept in (self._open, self._left, self._cut):
            kept.clear()

    def __getitem__(self, place: Place) -> RawCell:
        found = self._rows[place[0]]
        return found.cells[place[1]] if isinstance(found, _LooseRow) else self._cell(found, place[0], found.shape.index[place[1]])

    def get(self, place: Place, default: RawCell | None = None) -> RawCell | None:  # type: ignore[override]
        found = self._rows.get(place[0])
        if isinstance(found, RowBlock):
            position = found.shape.index.get(place[1])
            return default if position is None else self._cell(found, place[0], position)
        return default if found is None else found.cells.get(place[1], default)

    def __setitem__(self, place: Place, cell: RawCell) -> None:
        self.put(*place, cell)

    def __delitem__(self, place: Place) -> None:
        del self._loose(place[0], self._rows[place[0]])[place[1]]
        self._count -= 1

    def __contains__(self, place: object) -> bool:
        if not isinstance(place, tuple):
            return False
        found = self._rows.get(place[0])
        if isinstance(found, RowBlock):
            return place[1] in found.shape.index
        return found is not None and place[1] in found.cells

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Place]:
        for row, found in self._rows.items():
            for column in found.cells if isinstance(found, _LooseRow) else found.columns:
                yield row, column

    def items(self) -> ItemsView[Place, RawCell]:
        return _Items(self)

    def columns_of_rows(self) -> dict[int, tuple[int, ...]]:
        """Row -> its columns in rising order; rows of one shape share them."""
        return {row: found.columns for row, found in self._rows.items()}

    def text(self, row: int, column: int) -> str | None:
        """The text of a cell of words, None if there is none."""
        found = self._rows.get(row)
        if isinstance(found, RowBlock) and found.shape.kinds:
            position = found.shape.index.get(column)
            if position is None:
                return None
            entry = self._texts(found, position)[bisect_left(found.rows, row)]
            if isinstance(entry, str):
                return entry if found.shape.kinds[position][0] == "text" else None
        cell = self.get((row, column))
        return str(cell.value) if cell is not None and cell.kind == "text" else None

    def is_typed_number(self, row: int, column: int) -> bool:
        """Whether a typed number of the usual spelling stands there; False also where that takes a look at the cell."""
        found = self._rows.get(row)
        return isinstance(found, RowBlock) and column in found.shape.numbers

    def rows_with_numbers(self, columns: Container[int], fewest: int = 1) -> set[int]:
        """Rows with at least so many typed numbers of the usual spelling in these columns; not those where that takes a look at
        the cell. Of a complete sheet."""
        enough: dict[RowShape, bool] = {}
        rows: set[int] = set()
        for block in self._blocks():
            shape = block.shape
            if shape not in enough:
                enough[shape] = sum(column in columns for column in shape.numbers) >= fewest
            if enough[shape]:
                rows.update(block.rows)
        return rows

    def texts(self, *, perhaps_blank: bool = False) -> Iterator[tuple[int, int, str]]:
        """(row, column, text) of every cell of words of a complete sheet; none is built for it unless it has a formula.
        `perhaps_blank`: no more than those among which the blank ones are."""
        for block in self._blocks():
            for position in block.shape.words:
                if not perhaps_blank or block.may_be_blank(position):
                    yield from self._words(block, position)

    def _words(self, block: RowBlock, position: int) -> Iterator[tuple[int, int, str]]:
        column, entries = block.columns[position], block.column(position)
        for index, (row, entry) in enumerate(zip(block.rows, entries, strict=True)):
            if isinstance(entry, str) and block.shape.kinds:
                yield row, column, entry
            elif (cell := self._look(block, index, position, entry)).kind == "text":
                yield row, column, str(cell.value)

    def by_block(self, rows: Sequence[int]) -> RowsByBlock:
        """These rows sorted by their block, for `column`."""
        found: dict[RowBlock, list[int]] = {}
        blocks = self._rows
        for index, row in enumerate(rows):
            block = blocks.get(row)
            if isinstance(block, RowBlock):
                if block in found:
                    found[block].append(index)
                else:
                    found[block] = [index]
            elif block is not None:
                raise AssertionError("a sheet that is complete has packed rows only")
        parts = tuple(_block_rows(block, indexes, rows) for block, indexes in found.items())
        return RowsByBlock(rows, parts, _arrangement(parts, len(rows)))

    def column(self, column: int, rows: RowsByBlock) -> tuple[list[RawCell | str | None], list[tuple[int, str]]]:
        """What stands in a column, one entry a row: None, a cell, or the text of a typed number, for which no cell is built; and
        the number formats of these texts, as (index from which on it holds, format)."""
        stored: list[RawCell | str | None] = []
        formats: list[tuple[Sequence[int], str]] = []
        for part in rows.blocks:
            block, indexes = part.block, part.indexes
            position = block.shape.index.get(column)
            if position is None:
                stored += [None] * len(indexes)
                continue
            entries = block.column(position)
            inside = range(len(entries)) if part.inside is None else part.inside
            if part.inside is not None:
                entries = [entries[index] for index in part.inside]
            kind, number_format = block.shape.kinds[position] if block.shape.kinds else (None, "")
            if kind == "number":
                formats.append((indexes, number_format))
            if kind != "number" or not block.is_text(position):
                entries = [
                    entry if kind == "number" and isinstance(entry, str) else self._look(block, index, position, entry)
                    for index, entry in zip(inside, entries, strict=True)
                ]
            stored += entries  # type: ignore[arg-type]
        if rows.arrange is not None:
            stored = list(rows.arrange([*stored, None]))
        return stored, _runs(formats)

    def text_entries(self) -> int:
        """How many cells are held as text."""
        columns = (self._texts(block, position) for block in self._blocks() for position in range(len(block.columns)))
        return sum(not isinstance(entry, RawCell) for entries in columns for entry in entries)

    def rows_of_cells(self) -> Iterator[tuple[int, tuple[int, ...], list[RawCell]]]:
        """(row, its columns, its cells beside them), row by row: the quickest way through all cells."""
        for row, found in self._rows.items():
            if isinstance(found, RowBlock):
                index = bisect_left(found.rows, row)
                cells = [
                    self._look(found, index, position, self._texts(found, position)[index])
                    for position in range(len(found.columns))
                ]
                yield row, found.columns, cells
            else:
                yield row, tuple(found.cells), list(found.cells.values())

    def _blocks(self) -> list[RowBlock]:
        """The blocks of a complete sheet: all their rows stand in them."""
        return [found for found in dict.fromkeys(self._rows.values()) if isinstance(found, RowBlock)]

    def _texts(self, block: RowBlock, position: int) -> list[Stored]:
        """The entries of a column of a block; those cut last are kept."""
        block.close()
        if not block.is_text(position):
            return block.column(position)
        found = self._cut.get((block, position))
        if found is None:
            if len(self._cut) >= _MOST_CUT:
                del self._cut[next(iter(self._cut))]
            found = self._cut[block, position] = block.column(position)
        return found

    def _cell(self, block: RowBlock, row: int, position: int) -> RawCell:
        index = bisect_left(block.rows, row)
        return self._look(block, index, position, self._texts(block, position)[index])

    def _look(self, block: RowBlock, index: int, position: int, entry: Stored) -> RawCell:
        """The cell of an entry; equal ones are built once. One with a formula stays in its block."""
        build = self._build
        if isinstance(entry, RawCell):
            return entry
        if build is None:
            raise AssertionError("text entries come with put_row")
        types = block.shape.types[position]
        if isinstance(entry, str):
            cell = self._known.get((types, entry))
            if cell is None:
                cell = build(*types, entry, None)
                if len(self._known) < _CACHE_SIZE:
                    self._known[types, entry] = cell
            return cell
        raw, formula = entry
        if isinstance(formula, tuple):
            text, first_row, first_column = formula
            formula = shift_formula(text, block.rows[index] - first_row, block.columns[position] - first_column)
        cell = build(*types, raw, formula)
        block.keep(index, position, cell)
        return cell

    def _loose(self, row: int, found: _LooseRow | RowBlock) -> dict[int, RawCell]:
        """The cells of a row to be changed one by one."""
        if isinstance(found, RowBlock):
            cells = {column: self._cell(found, row, position) for position, column in enumerate(found.columns)}
            self._left.setdefault(found, set()).add(row)
            found = self._rows[row] = _LooseRow(cells)
        return found.cells


def _block_rows(block: RowBlock, indexes: list[int], rows: Sequence[int]) -> BlockRows:
    inside = None if len(indexes) == len(block.rows) else [bisect_left(block.rows, rows[index]) for index in indexes]
    in_a_row = indexes[-1] - indexes[0] == len(indexes) - 1
    return BlockRows(block, range(indexes[0], indexes[-1] + 1) if in_a_row else indexes, inside)


def _arrangement(
    parts: Sequence[BlockRows], count: int
) -> Callable[[list[RawCell | str | None]], tuple[RawCell | str | None, ...]] | None:
    places = [-1] * count
    place = 0
    for part in parts:
        for index in part.indexes:
            places[index] = place
            place += 1
    if places == list(range(count)):
        return None
    pick = itemgetter(*places)
    return pick if count > 1 else lambda entries: (pick(entries),)


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
        for row, columns, cells in self._mapping.rows_of_cells():
            for column, cell in zip(columns, cells, strict=True):
                yield (row, column), cell
