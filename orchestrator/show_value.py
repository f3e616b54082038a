"""The one function that writes a value: its machine form and its form for people, in the asker's language."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from orchestrator.evidence import Scalar
from orchestrator.exact_numbers import finite_decimal, fraction_of, plain_text, round_half_even
from orchestrator.lexicon import Language
from orchestrator.outcome import AbsentReason, ResultColumn, TracedValue
from orchestrator.units import is_currency

# Thousands separator and decimal mark. Polish groups with a non-breaking blank.
_MARKS: dict[Language, tuple[str, str]] = {"de": (".", ","), "en": (",", "."), "pl": ("\u00a0", ",")}
_ABOUT: dict[Language, str] = {"de": "rund", "en": "about", "pl": "ok."}
_YES_NO: dict[Language, tuple[str, str]] = {"de": ("ja", "nein"), "en": ("yes", "no"), "pl": ("tak", "nie")}
_POINTS: dict[Language, str] = {"de": "Prozentpunkte", "en": "percentage points", "pl": "pkt proc."}
_ABSENT: dict[AbsentReason, dict[Language, str]] = {
    "missing": {"de": "k. A.", "en": "n/a", "pl": "b.d."},
    "not_computable": {"de": "nicht berechenbar", "en": "not computable", "pl": "nie do obliczenia"},
}
PLACES_OF_MONEY_AND_PERCENT = 2
PLACES_OF_OTHERS = 4


@dataclass(frozen=True)
class Shown:
    """`value`: machine form (decimal string, ISO date, text; None where there is no value). `text`: for people, with unit.
    `exact`: `value` is the very number. `numerator`, `denominator`: set where it is not. `rounded`: `text` shows fewer places
    than the number has."""

    value: str | None
    text: str
    exact: bool = True
    numerator: str | None = None
    denominator: str | None = None
    rounded: bool = False


def show_value(value: TracedValue, column: ResultColumn, language: Language) -> Shown:
    """A value of a result column, with its own unit."""
    if value.absent is not None:
        return Shown(None, _ABSENT[value.absent][language])
    number = value.number
    if number is None:
        return _show_other(value.evidence.value, language)
    unit = value.evidence.unit
    if column.digits_are_code and number.denominator == 1:
        return Shown(str(number.numerator), with_unit(str(number.numerator), unit, language))
    shown = show_number(number, unit, language, column.places)
    if column.percentage_points and unit == "%":
        return replace(shown, text=f"{shown.text.removesuffix('%').rstrip()} {_POINTS[language]}")
    return shown


def show_number(number: Fraction, unit: str | None, language: Language, places: int | None = None) -> Shown:
    """A number without finite decimal form is rounded half-even to `places`, else 2 for money and percent, else 4."""
    usual = PLACES_OF_MONEY_AND_PERCENT if unit == "%" or is_currency(unit) else PLACES_OF_OTHERS
    exact = finite_decimal(number)
    if exact is None:
        rounded = round_half_even(number, usual if places is None else places)
        text = with_unit(f"{_ABOUT[language]} {group_digits(rounded, language)}", unit, language)
        return Shown(plain_text(rounded), text, False, str(number.numerator), str(number.denominator), True)
    displayed = exact
    if places is not None:
        displayed = round_half_even(number, places)
    elif is_currency(unit) and exact.as_tuple().exponent == -1:
        displayed = round_half_even(number, PLACES_OF_MONEY_AND_PERCENT)
    is_rounded = Fraction(displayed) != number
    text = group_digits(displayed, language)
    text = f"{_ABOUT[language]} {text}" if is_rounded else text
    return Shown(plain_text(exact), with_unit(text, unit, language), rounded=is_rounded)


def group_digits(number: Decimal, language: Language) -> str:
    """1247890.50 -> 1.247.890,50 (de), 1,247,890.50 (en), 1 247 890,50 (pl); the places are kept."""
    thousands, mark = _MARKS[language]
    whole, _, places = format(abs(number), "f").partition(".")
    grouped = f"{int(whole):,}".replace(",", thousands)
    sign = "-" if number < 0 else ""
    return f"{sign}{grouped}{mark}{places}" if places else f"{sign}{grouped}"


def with_unit(text: str, unit: str | None, language: Language) -> str:
    if unit is None:
        return text
    return f"{text}%" if unit == "%" and language != "de" else f"{text} {unit}"


def show_count(count: int, language: Language) -> str:
    """A number of rows, cells or groups."""
    return group_digits(Decimal(count), language)


def show_day(day: date, language: Language) -> str:
    return day.isoformat() if language == "en" else day.strftime("%d.%m.%Y")


def yes_no(value: bool, language: Language) -> str:
    return _YES_NO[language][0 if value else 1]


def _show_other(value: Scalar, language: Language) -> Shown:
    if isinstance(value, bool):
        word = yes_no(value, language)
        return Shown(word, word)
    if isinstance(value, datetime):
        return Shown(value.isoformat(), f"{show_day(value.date(), language)} {value.strftime('%H:%M:%S').removesuffix(':00')}")
    if isinstance(value, date):
        return Shown(value.isoformat(), show_day(value, language))
    if fraction_of(value) is not None:
        raise AssertionError("numbers are shown by show_number")
    return Shown(None if value is None else str(value), "" if value is None else str(value))
