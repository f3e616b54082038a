"""Units of a table's number columns: from the column, the title, a currency column, or row by row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parsers.column_cells import says_identifier
from parsers.fold import fold
from parsers.name_columns import ColumnHeader
from parsers.table import ColumnType
from parsers.type_columns import TypedColumn
from parsers.units import CURRENCIES, currency_code, is_money, parse_unit, split_unit, unit_of_cell

NUMBERS = (ColumnType.DECIMAL, ColumnType.INTEGER)
_MONEY_WORDS = re.compile(
    r"betrag|betraege|umsatz|umsaetze|erloes|kosten|preis|wert\b|saldo|brutto|netto|aufwand|aufwendung|ertrag|ertraege|gewinn|verlust|ergebnis|gehalt|"
    r"lohn|budget|rechnung|forderung|verbindlich|amount|revenue|price|cost|sales|profit|income|expense|balance|salary|value|kwota|obrot|wartosc|"
    r"przychod|koszt|cena|naleznos|zysk|[a-z]raten?\b|miete|pacht|gebuehr|praemie|beitrag|zahlung|kaution|rabatt|skonto|provision|"
    r"honorar|entgelt|steuer|zinsen|tilgung|darlehen|kredit|guthaben|spende|zuschuss|pauschale|summe\b|umlage|"
    r"\bfee|rent\b|\btax|\bpaid|\bloan|debit|credit|oplata|\brata\b|czynsz|podatek|suma\b"
)
_COUNT_WORDS = re.compile(
    r"anzahl|menge|stueck|zahl\b|mitarbeiter|kunden\b|bestellungen|bons|besuche|quote|anteil|marge\b|prozent|tage\b|\bjahr\b|\bjahre\b|\bmonate?n?\b|laufzeit|nr\b|nummer|\bid\b|count|"
    r"number|quantity|qty|units|share|(?<=[a-z] )rate\b|percent|days|\byears?\b|headcount|fte|liczba|ilosc|udzial|"
    r"rok\b|stellen|konto\b|kostenstelle|plz|rang|rank|stufe"
)

_CURRENCY_HEADER = re.compile(r"waehrung|currency|waluta|\bwhg\b|\bwaers\b|\bccy\b|\bcurr\b")
_MEASURE_HEADER = re.compile(
    r"(?:mengen|mass|basis|basismengen|verkaufsmengen|bestellmengen)einheit|me|bme|vme|uom|u/m|unit of measure|measure unit|"
    r"base unit|jednostka miary|j\.? ?m\.?"
)
_UNIT_HEADER = re.compile(r"(?:verkaufs|bestell|lager|verpackungs)?einheit|einh\.?|vpe|ve|units?|jednostka")
"""Headers that may also name a unit of an organisation: some of the values must be a unit of measure."""
_PACKAGES = frozenset((
    "st", "pak", "pack", "paket", "kar", "kart", "karton", "kiste", "palette", "pal", "rolle", "sack", "dose", "flasche", "paar",
    "satz", "set", "box", "eimer", "beutel", "bund", "psch", "pauschal", "tsd", "mio", "opak", "paleta", "rolka", "worek", "kpl",
    "each", "ea", "bottle", "bag", "roll", "pair", "dozen", "lfm", "rm", "fm", "to",
))  # fmt: skip
_QUANTITY_WORDS = re.compile(
    r"menge|bestand|verbrauch|bedarf|quantity|\bqty\b|amount|volume|volumen|stock|consumption|ilosc|zuzycie|zapas|liefer|bestellt|produziert|"
    r"\bsoll\b|\bist\b|\bwert\b|\bvalue\b"
)
_LONGEST_UNIT = 20


@dataclass(frozen=True)
class UnitColumn:
    """A column made of the units that the number cells carry, row by row."""

    header: str
    units: tuple[str | None, ...]
    of: tuple[int, ...]  # indexes of the number columns it belongs to


def is_money_header(header: str) -> bool:
    return _MONEY_WORDS.search(fold(header)) is not None and _COUNT_WORDS.search(fold(header)) is None


def counts(header: str) -> bool:
    """Whether a header names a number of something (Anzahl, Mitarbeiter, Menge) or a rate, and no money."""
    folded = fold(header)
    return _COUNT_WORDS.search(folded) is not None and _MONEY_WORDS.search(folded) is None


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


_HEADS = re.compile(
    r"head ?count|ftes?|(?:anzahl|zahl) (?:der )?\w.*|(?:number|no\.?|count) of .*|liczba .*|"
    r".*\((?:anzahl|number|count|fte|koepfe|heads)\)|"
    r"(?:employees|staff|workforce|mitarbeiter(?:zahl|anzahl|/?innen)?|mitarbeitende|beschaeftigte|vollzeitaequivalente|koepfe|"
    r"zatrudnienie|pracownicy)(?: (?:gesamt|im durchschnitt|average|total|fte|\(.*\)))?"
)
"""Labels of rows that count heads or things, whatever the title of the report says about its money."""


def counts_things(label: str) -> bool:
    return _HEADS.fullmatch(fold(label).strip(" :*")) is not None


def row_units_under(title_unit: str, labels: Sequence[object]) -> list[str | None] | None:
    """Unit of each row of a report in money by the row's label: "Headcount" has none, "Marge (%)" its own; None where the title
    says it for all rows."""
    units = [_label_unit(str(label), title_unit) if label is not None else title_unit for label in labels]
    return units if any(unit != title_unit for unit in units) else None


def _label_unit(label: str, title_unit: str) -> str | None:
    own = split_unit(label)[1]
    return own if own is not None else None if counts_things(label) else title_unit


def unit_columns_of(headers: Sequence[ColumnHeader], typed: Sequence[TypedColumn]) -> dict[int, int]:
    """Index of each number column whose unit stands in another column of its row -> index of that column.

    A column of currencies gives the unit of the amounts, a column of other units ("Einheit", "ME", "UoM") that of the
    quantities, or of all numbers where its units themselves are currencies or percent. With several such columns, each
    number takes the next one to its right, else the last one to its left.
    """
    found: dict[int, int] = {}
    open_numbers = [index for index, pair in enumerate(zip(headers, typed, strict=True)) if _has_no_unit(*pair)]
    currencies = [index for index, pair in enumerate(zip(headers, typed, strict=True)) if _holds_currencies(*pair)]
    units = [
        index for index, pair in enumerate(zip(headers, typed, strict=True)) if _holds_units(*pair) and index not in currencies
    ]
    for index in open_numbers:
        header, column = headers[index], typed[index]
        if currencies and _may_be_money(header, column, index, currencies):
            found[index] = _nearest(index, currencies)
        elif units and _may_have_unit(header, index, units, typed, has_currency=bool(currencies)):
            found[index] = _nearest(index, units)
    return found


def _nearest(index: int, columns: Sequence[int]) -> int:
    return next((column for column in columns if column > index), columns[-1])


def _has_no_unit(header: ColumnHeader, column: TypedColumn) -> bool:
    return (
        column.type in NUMBERS
        and column.units.unit is None
        and not column.units.rows
        and header.unit is None
        and not says_identifier(header.header)
    )


def _holds_currencies(header: ColumnHeader, column: TypedColumn) -> bool:
    """Nothing but currency codes or signs; under "Währung" some other short words among them."""
    if column.type is not ColumnType.TEXT:
        return False
    words = column.words
    if not words:
        return False
    if _CURRENCY_HEADER.search(fold(header.header)) is None:
        return all(currency_code(word) in CURRENCIES for word in words)
    known = sum(count for word, count in words.items() if currency_code(word) in CURRENCIES)
    return known * 2 > words.total()


def _holds_units(header: ColumnHeader, column: TypedColumn) -> bool:
    """Short words under "Einheit", "ME", "UoM"; under another header known units only, at least two of them."""
    if column.type is not ColumnType.TEXT:
        return False
    words = column.words
    if not words or max(map(len, words)) > _LONGEST_UNIT:
        return False
    named = fold(header.name)
    if _MEASURE_HEADER.fullmatch(named) is not None:
        return True
    known = (unit_of_cell(word) is not None or fold(word).rstrip(".") in _PACKAGES for word in words)
    return any(known) if _UNIT_HEADER.fullmatch(named) is not None else len(words) > 1 and all(known)


def _may_be_money(header: ColumnHeader, column: TypedColumn, index: int, currencies: Sequence[int]) -> bool:
    """Named like money; or no count, and with decimal places or right beside the currencies."""
    folded = fold(header.header)
    if _COUNT_WORDS.search(folded) is not None:
        return False
    return column.scale > 0 or is_money_header(header.header) or index + 1 in currencies


def _may_have_unit(
    header: ColumnHeader, index: int, units: Sequence[int], typed: Sequence[TypedColumn], *, has_currency: bool
) -> bool:
    folded = fold(header.header)
    if re.search(r"\bjahr\b|\byear\b|\brok\b", folded) is not None:
        return False
    if any(parse_unit(word) == "%" or is_money(parse_unit(word)) for unit in units for word in typed[unit].words):
        return True
    if _MONEY_WORDS.search(folded) is not None and (has_currency or _QUANTITY_WORDS.search(folded) is None):
        return False
    beside = index + 1 in units or index - 1 in units
    return beside or _QUANTITY_WORDS.search(folded) is not None or _COUNT_WORDS.search(folded) is None


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
