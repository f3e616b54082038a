"""Number cells of one column -> exact decimals with their units; what cannot be read is named."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from parsers.cell_units import CellUnits, settle_units
from parsers.column_cells import ColumnCells, Entry, looks_missing
from parsers.quantity import DecimalMark, clean_places, decimal_places, number_text, settle_computed
from parsers.sheet_view import cell_text
from parsers.stored_number import UNRELIABLE_FROM
from parsers.table import CellState
from parsers.units import is_money, shows_percent, unit_of_format

_HUNDRED = Decimal(100)
_MOST_PLACES = 18
_PLACES_OF_RATIOS = 15


@dataclass(frozen=True)
class Numbers:
    """`unreadable`: problem code -> entries."""

    values: tuple[Decimal | None, ...]
    states: tuple[CellState, ...]
    scale: int
    units: CellUnits
    unreadable: dict[str, list[Entry]]

    @property
    def is_measure(self) -> bool:
        """In percent or money: a decimal column even where all values are whole."""
        named = {self.units.unit, *self.units.rows}
        return "%" in named or any(is_money(unit) for unit in named)


def read_numbers(cells: ColumnCells, mark: DecimalMark, header_unit: str | None) -> Numbers:
    """Values in sheet order. Percent cells are in percent points (0.342 as "0.0%" is 34.2). Computed cells lose their binary
    noise: see parsers.quantity.settle_computed."""
    raw: list[Decimal | None] = []
    states: list[CellState] = []
    units: list[str | None] = []
    unreadable: dict[str, list[Entry]] = {}
    for entry in cells.entries:
        value, unit, why = (None, None, None) if cells.is_total_label(entry) else _read(entry, mark)
        raw.append(value)
        units.append(unit)
        if value is not None:
            states.append(CellState.VALUE)
        elif why is None:
            states.append(CellState.MISSING)
        else:
            states.append(CellState.UNREADABLE)
            unreadable.setdefault(why, []).append(entry)
    computed = [
        entry.cell is not None and entry.cell.kind == "number" and entry.cell.formula is not None for entry in cells.entries
    ]
    scale = _scale(raw, computed)
    values = tuple(
        None if value is None else settle_computed(value, scale) if is_computed else value
        for value, is_computed in zip(raw, computed, strict=True)
    )
    return Numbers(values, tuple(states), scale, settle_units(values, units, cells.counted, header_unit), unreadable)


def _read(entry: Entry, mark: DecimalMark) -> tuple[Decimal | None, str | None, str | None]:
    """(value, own unit, why unreadable); all None for a missing value."""
    cell = entry.cell
    if cell is None or entry.kind in (None, "missing"):
        return None, None, None
    if cell.kind == "formula_without_result":
        return None, None, "formula_without_result"
    if entry.kind == "error":
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


def _in_points(value: Decimal) -> Decimal:
    """0.342 -> 34.2, without trailing zeros."""
    points = value * _HUNDRED
    return points.quantize(Decimal(1).scaleb(-decimal_places(points)))


def _scale(values: list[Decimal | None], computed: list[bool]) -> int:
    """Places that hold every typed value exactly, and every computed one up to its noise."""
    scale = 0
    for value, is_computed in zip(values, computed, strict=True):
        if value is None:
            continue
        places = clean_places(value) if is_computed else _printed_places(value)
        if places is None:
            places = min(decimal_places(value), _PLACES_OF_RATIOS + max(0, -value.adjusted() - 1))
        scale = max(scale, places)
    return min(scale, _MOST_PLACES) if any(computed) else scale
