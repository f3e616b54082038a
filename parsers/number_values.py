"""Number cells of one column -> exact decimals with their units; what cannot be read is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from parsers.cell_units import CellUnits, settle_units
from parsers.column_cells import ColumnCells, looks_missing
from parsers.exact_numbers import ExactNumbers, Held
from parsers.quantity import DecimalMark, clean_places, decimal_places, number_text, settle_computed
from parsers.raw_cell import RawCell
from parsers.sheet_view import CellClass, cell_text
from parsers.stored_number import UNRELIABLE_FROM, most_places, shortest_texts
from parsers.units import is_money, shows_percent, unit_of_format

_HUNDRED = Decimal(100)
_MOST_PLACES = 18
_PIECE = 1 << 12
_PLACES_OF_RATIOS = 15


@dataclass(frozen=True)
class Numbers:
    """`unreadable`: problem code -> indexes. `settled`: indexes of computed cells that lost their noise."""

    values: ExactNumbers
    scale: int
    units: CellUnits
    unreadable: dict[str, list[int]]
    settled: frozenset[int] = frozenset()

    @property
    def is_measure(self) -> bool:
        """In percent or money: a decimal column even where all values are whole."""
        named = {self.units.unit, *self.units.rows}
        return "%" in named or any(is_money(unit) for unit in named)


def read_numbers(cells: ColumnCells, mark: DecimalMark, header_unit: str | None) -> Numbers:
    """Values in sheet order. Percent cells are in percent points (0.342 as "0.0%" is 34.2). Computed cells lose their binary
    noise: see parsers.quantity.settle_computed. Typed numbers of the usual spelling are read many at a time."""
    values: list[Held] = []
    units: list[str | None] = []
    computed: dict[int, Decimal] = {}
    unreadable: dict[str, list[int]] = {}
    scale = 0
    everything = cells.stored
    for start, end, number_format in _runs(cells):
        stored = everything[start:end]
        unit, percent = unit_of_format(number_format), shows_percent(number_format)
        texts = [text for text in stored if isinstance(text, str)] if cells.has_built_cells else list(filter(None, stored))
        typed = shortest_texts(texts)  # type: ignore[arg-type]
        if percent:
            typed = [_points_of(text) for text in typed]
        scale = max(scale, most_places(typed))
        if len(typed) == len(stored):
            values += typed
            units += [unit] * len(typed)
            continue
        shortest = iter(typed)
        for index, cell in enumerate(stored, start):
            value: Held
            own: str | None
            why = None
            if isinstance(cell, str):
                value, own = next(shortest), unit
            elif cells.is_total_label(index):
                value, own, why = None, None, None
            else:
                value, own, why = _read(cell, cells.kinds[index], mark)
            values.append(value)
            units.append(own)
            if why is not None:
                unreadable.setdefault(why, []).append(index)
            elif isinstance(value, Decimal):
                if isinstance(cell, RawCell) and cell.kind == "number" and cell.formula is not None:
                    computed[index] = value
                    scale = max(scale, _computed_places(value))
                else:
                    scale = max(scale, _printed_places(value))
    scale = min(scale, _MOST_PLACES) if computed else scale
    settled: set[int] = set()
    for index, value in computed.items():
        values[index] = without_noise = settle_computed(value, scale)
        if without_noise != value:
            settled.add(index)
    numbers = ExactNumbers(values)
    return Numbers(numbers, scale, settle_units(numbers, units, cells.counted, header_unit), unreadable, frozenset(settled))


def _runs(cells: ColumnCells) -> Iterator[tuple[int, int, str]]:
    """(first index, end, number format of the texts between), each short enough to be looked at in one piece."""
    size = len(cells.rows)
    bounds = [0, *(index for index, _ in cells.formats if index), size]
    codes = dict(cells.formats)
    code = ""
    for first, end in pairwise(bounds):
        code = codes.get(first, code)
        for start in range(first, end, _PIECE):
            yield start, min(start + _PIECE, end), code


def _read(cell: RawCell | None, kind: CellClass | None, mark: DecimalMark) -> tuple[Decimal | None, str | None, str | None]:
    """(value, own unit, why unreadable); all None for a missing value."""
    if cell is None or kind in (None, "missing"):
        return None, None, None
    if cell.kind == "formula_without_result":
        return None, None, "formula_without_result"
    if kind == "error":
        return None, None, "error_value"
    if isinstance(cell.value, Decimal):
        if abs(cell.value) >= UNRELIABLE_FROM and cell.formula is None:
            return None, None, "unreliable_digits"
        unit = unit_of_format(cell.number_format)
        percent = shows_percent(cell.number_format)
        return (_in_points(cell.value) if percent else cell.value), unit, None
    if isinstance(cell.value, str):
        number = number_text(cell.value)
        value = None if number is None else number.value(mark)
        if number is not None and value is not None:
            return value, number.unit, None
        if looks_missing(cell_text(cell)):
            return None, None, None
    return None, None, "text_in_number_column"


def _printed_places(value: Decimal) -> int:
    """Places as they stand, trailing zeros of a CSV's "1.500,00" included."""
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


@lru_cache(maxsize=1 << 16)
def _points_of(text: str) -> str:
    return format(_in_points(Decimal(text)), "f")


def _in_points(value: Decimal) -> Decimal:
    """0.342 -> 34.2, without trailing zeros."""
    points = value * _HUNDRED
    return points.quantize(Decimal(1).scaleb(-decimal_places(points)))


def _computed_places(value: Decimal) -> int:
    """Places that hold a computed value up to its noise."""
    places = clean_places(value)
    return min(decimal_places(value), _PLACES_OF_RATIOS + max(0, -value.adjusted() - 1)) if places is None else places
