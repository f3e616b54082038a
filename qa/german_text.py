"""How the command line writes numbers, counts, types and the state of a version for people. JSON keeps its own words."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction

TYPE_WORDS = {
    "decimal": "Dezimalzahl",
    "integer": "Ganzzahl",
    "text": "Text",
    "date": "Datum",
    "timestamp": "Zeitpunkt",
    "period": "Zeitraum",
    "boolean": "Ja/Nein",
    "number": "Zahl",
    "blank": "leer",
    "missing": "fehlender Wert",
    "error": "Fehlerwert",
    "formula_without_result": "Formel ohne Ergebnis",
}
"""Word of parsers.table.ColumnType and of a cell in `inspect` -> the word for people."""

STATUS_WORDS = {"draft": "Entwurf", "corrected": "korrigiert", "final": "endgültig"}
"""indexer.stored.VersionStatus -> the word for people."""


def counted(number: int, one: str, several: str) -> str:
    """ "1 Wert", "2 Werte", "12.500 Werte"; `one` and `several` are the forms of the noun."""
    return f"{grouped(number)} {one if number == 1 else several}"


def grouped(number: int) -> str:
    """12500 -> "12.500"."""
    return f"{number:,}".replace(",", ".")


def seconds_text(seconds: float) -> str:
    """ "14,6 Sekunden"; one place."""
    return f"{seconds:.1f} Sekunden".replace(".", ",")


def value_text(value: object, unit: str | None = None) -> str:
    """A typed value as an answer shows it: 1.247.890,50 PLN, 34,2 %, 15.10.2024, ja; text as it is, "leer" for None."""
    from orchestrator.show_value import show_day, show_number, yes_no

    if value is None:
        return "leer"
    if isinstance(value, bool):
        return yes_no(value, "de")
    if isinstance(value, Decimal | Fraction) or type(value) is int:
        return show_number(Fraction(value), unit, "de").text
    if isinstance(value, datetime):
        return f"{show_day(value.date(), 'de')} {value:%H:%M:%S}".removesuffix(":00")
    return show_day(value, "de") if isinstance(value, date) else str(value)


def machine_number_text(text: str | None, unit: str | None = None) -> str:
    """A number in the machine form of the JSON ("1247890.5", "1/3"), as an answer shows it; anything else as it is."""
    if text is None:
        return "leer"
    try:
        return value_text(Decimal(text), unit)
    except InvalidOperation:
        pass
    try:
        return value_text(Fraction(text), unit)
    except (ValueError, ZeroDivisionError):
        return text
