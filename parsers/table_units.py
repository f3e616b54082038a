"""Units of a table's number columns: from the column, the title, a currency column, or row by row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parsers.fold import fold
from parsers.name_columns import ColumnHeader
from parsers.table import ColumnType
from parsers.type_columns import TypedColumn
from parsers.units import CURRENCIES, currency_code, is_money

NUMBERS = (ColumnType.DECIMAL, ColumnType.INTEGER)
_MONEY_WORDS = re.compile(
    r"betrag|betraege|umsatz|umsaetze|erloes|kosten|preis|wert\b|saldo|brutto|netto|aufwand|aufwendung|ertrag|ertraege|gewinn|verlust|ergebnis|gehalt|"
    r"lohn|budget|rechnung|forderung|verbindlich|amount|revenue|price|cost|sales|profit|income|expense|balance|salary|value|kwota|obrot|wartosc|"
    r"przychod|koszt|cena|naleznos|zysk"
)
_COUNT_WORDS = re.compile(
    r"anzahl|menge|stueck|zahl\b|mitarbeiter|kunden\b|bestellungen|bons|besuche|quote|anteil|marge\b|prozent|tage\b|jahr\b|monat|nr\b|nummer|\bid\b|count|"
    r"number|quantity|qty|units|share|rate\b|percent|days|year|headcount|fte|liczba|ilosc|udzial|rok\b|stellen|konto\b|kostenstelle|plz|rang|rank|stufe"
)


@dataclass(frozen=True)
class UnitColumn:
    """A column made of the units that the number cells carry, row by row."""

    header: str
    units: tuple[str | None, ...]
    of: tuple[int, ...]  # indexes of the number columns it belongs to


def is_money_header(header: str) -> bool:
    return _MONEY_WORDS.search(fold(header)) is not None and _COUNT_WORDS.search(fold(header)) is None


def names_measure(header: str) -> bool:
    """Whether a header names what is measured (Umsatz, Anzahl, Marge) rather than whose or where."""
    folded = fold(header)
    return _MONEY_WORDS.search(folded) is not None or _COUNT_WORDS.search(folded) is not None


def takes_title_unit(
    header: ColumnHeader, typed: TypedColumn, title_unit: str, printed: Sequence[str | None], in_crosstab: bool
) -> bool:
    """Whether the unit of the title holds for a column without a unit of its own.

    A title in money says nothing new where headers name money themselves, and never counts heads or days; other units reach
    every column of the cross-tab's values, or the single number column of a list.
    """
    if typed.type not in NUMBERS or typed.units.unit is not None or typed.units.rows or header.unit is not None:
        return False
    if in_crosstab:
        return True
    if is_money(title_unit):
        return not any(is_money(unit) for unit in printed) and _COUNT_WORDS.search(fold(header.header)) is None
    return False


def currency_column(headers: Sequence[ColumnHeader], typed: Sequence[TypedColumn]) -> int | None:
    """Index of the column whose values are all currency codes or signs; None if there is none or several."""
    found = []
    for index, column in enumerate(typed):
        values = [value for value in column.values if value is not None]
        if (
            column.type is ColumnType.TEXT
            and values
            and all(isinstance(value, str) and currency_code(value) in CURRENCIES for value in values)
        ):
            found.append(index)
    return found[0] if len(found) == 1 else None


def takes_currency_column(header: ColumnHeader, typed: TypedColumn) -> bool:
    """Number columns without a unit that may be money: with decimal places, or named like money."""
    if typed.type not in NUMBERS or typed.units.unit is not None or header.unit is not None or typed.units.rows:
        return False
    counts = _COUNT_WORDS.search(fold(header.header)) is not None
    return not counts and (typed.scale > 0 or is_money_header(header.header))


def unit_columns(
    headers: Sequence[ColumnHeader], typed: Sequence[TypedColumn], row_units: Mapping[int, Sequence[str | None]]
) -> list[UnitColumn]:
    """Synthetic unit columns: one for all columns whose units agree row by row, else one for each. `row_units`: column index ->
    unit of each row, for the columns whose unit differs by row."""
    if not row_units:
        return []
    merged: list[str | None] = [None] * len(next(iter(row_units.values())))
    agree = True
    for units in row_units.values():
        for index, unit in enumerate(units):
            if unit is not None and merged[index] not in (None, unit):
                agree = False
            merged[index] = merged[index] or unit
    if agree:
        return [UnitColumn(_unit_header(merged), tuple(merged), tuple(row_units))]
    return [
        UnitColumn(f"{_unit_header(units)} {headers[index].name}", tuple(units), (index,)) for index, units in row_units.items()
    ]


def _unit_header(units: Sequence[str | None]) -> str:
    return "Währung" if all(is_money(unit) for unit in units if unit is not None) else "Einheit"
