"""The type of a column by the evidence of all its cells, and its values as that type."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Literal

from parsers.cell_units import CellUnits
from parsers.column_cells import TRUE_WORDS, ColumnCells, Entry, address_of, is_date_entry, looks_missing, says_identifier
from parsers.dates import compact_date, date_text, decide_order, header_says_date, is_serial
from parsers.fold import fold
from parsers.number_values import Numbers, read_numbers
from parsers.periods import is_period_without_year, parse_period
from parsers.problem import Problem
from parsers.quantity import DecimalMark, StyleDecision, decide_style
from parsers.sheet_view import cell_text, period_of_cell
from parsers.stored_number import UNRELIABLE_FROM, date_of_serial
from parsers.table import CellState, ColumnType, Value

MOST_NAMED_CELLS = 20
"""Problems of one kind that a column names cell by cell; the rest is counted in one more."""


_NO_UNITS = CellUnits()


@dataclass(frozen=True)
class Reading:
    """What the cells of a file are read with. `mark`: the decimal mark that the file's decided columns agree on.
    `year_hint`: the year of caption, sheet or file, for labels without one. `where`: file or sheet for messages ("GuV!")."""

    locale: str
    mark: DecimalMark | None = None
    year_hint: int | None = None
    fiscal_year_start: tuple[int, int] = (1, 1)
    where: str = ""


@dataclass(frozen=True)
class TypedColumn:
    """Values of a column with one entry a row. `units`: what header and cells say about the unit of numbers."""

    type: ColumnType
    values: tuple[Value | None, ...]
    states: tuple[CellState, ...]
    scale: int = 0
    units: CellUnits = _NO_UNITS
    blocked: str | None = None
    problems: tuple[Problem, ...] = field(default=())


Kind = Literal["number", "date", "period", "boolean", "text"]


def type_column(
    cells: ColumnCells, header: str, header_unit: str | None, reading: Reading, *, is_value: bool = False
) -> TypedColumn:
    """Decides the type and converts every cell. A text among numbers, an error value or a formula without result is
    UNREADABLE and reported; a missing mark or blank is MISSING. `is_value`: a
    value column of a cross-tab, a number column like its neighbours even where it is still blank."""
    match "number" if is_value and not cells.evidence else decide_kind(cells, header, header_unit, reading):
        case "number":
            return _numbers(cells, header, header_unit, reading)
        case "date":
            return _dates(cells, header, reading)
        case "period":
            return _periods(cells, reading)
        case "boolean":
            return _booleans(cells, reading)
        case _:
            return _texts(cells, header, reading)


def decide_kind(cells: ColumnCells, header: str, header_unit: str | None, reading: Reading) -> Kind:
    """One of the five kinds, the commonest class of the ordinary rows; codes make a column of text."""
    counts = cells.counts
    total = len(cells.evidence) - counts["error"]
    if total <= 0:
        return "number" if counts["error"] and header_unit else "text"
    if cells.all_periods(reading.year_hint, reading.fiscal_year_start):
        return "period"
    if counts["boolean"] * 2 > total or cells.only_truth_words:
        return "boolean"
    if cells.has_codes or cells.stored_as_codes(header):
        return "text"
    numbers, dates = counts["number"], counts["date"]
    texts = sum(not looks_missing(text) for text in cells.texts)
    if dates * 2 > dates + numbers + texts:
        return "date"
    if numbers and _are_days(cells, header):
        return "date"
    if numbers > texts + dates or (
        numbers and numbers == texts + dates and (header_unit is not None or cells.printed_as_amounts)
    ):
        return "text" if cells.mixed_code_share >= 0.2 else "number"
    return "text"


def style_of(cells: ColumnCells, reading: Reading) -> StyleDecision:
    """The decimal mark of a column's number texts."""
    return decide_style(cells.number_texts, reading.locale, reading.mark)


def _are_days(cells: ColumnCells, header: str) -> bool:
    """Numbers that are serial days or compact dates, where the header says date and all values fit."""
    if not header_says_date(header) or says_identifier(header):
        return False
    numbers = [entry for entry in cells.evidence if entry.kind == "number"]
    return len(numbers) == cells.counts["number"] and all(_day_of_number(entry) is not None for entry in numbers)


def _day_of_number(entry: Entry) -> date | None:
    if entry.cell is None:
        return None
    text = cell_text(entry.cell)
    if (day := compact_date(text)) is not None:
        return day
    if text.isdigit() and is_serial(Decimal(text)):
        found = date_of_serial(Decimal(text), False)
        return found if found is None or not isinstance(found, datetime) else found.date()
    return None


def _numbers(cells: ColumnCells, header: str, header_unit: str | None, reading: Reading) -> TypedColumn:
    style = style_of(cells, reading)
    numbers = read_numbers(cells, style.mark, header_unit)
    problems = [*_style_problems(cells, header, style, reading), *_numbers_problems(numbers, header, reading)]
    blocked = numbers.units.blocked
    if style.contradiction:
        blocked = f"Zahlen in zwei Schreibweisen: {', '.join(style.contradiction)}"
    kind = ColumnType.DECIMAL if numbers.scale or numbers.is_measure else ColumnType.INTEGER
    return TypedColumn(kind, numbers.values, numbers.states, numbers.scale, numbers.units, blocked, tuple(problems))


def _numbers_problems(numbers: Numbers, header: str, reading: Reading) -> list[Problem]:
    problems = []
    for code, entries in numbers.unreadable.items():
        message, hint = _UNREADABLE[code]
        problems += _named(code, entries, reading, message, hint)
    if numbers.units.blocked:
        message = f"Spalte „{header}“: {numbers.units.blocked}."
        problems.append(Problem("mixed_percent", f"{reading.where}{header}", message, "Formatieren Sie alle Zellen gleich."))
    elif numbers.units.conflict:
        message = f"Spalte „{header}“: {numbers.units.conflict}; die Einheit gilt je Zeile."
        problems.append(
            Problem("unit_conflict", f"{reading.where}{header}", message, "Prüfen Sie Überschrift und Zahlenformate.")
        )
    elif "%" in numbers.units.rows:
        message = f"Spalte „{header}“ enthält Prozentwerte neben anderen Zahlen; die Einheit gilt je Zeile."
        problems.append(Problem("mixed_units", f"{reading.where}{header}", message, "Prüfen Sie die Zahlenformate der Spalte."))
    return problems


_UNREADABLE = {
    "text_in_number_column": ("Text „{raw}“ in einer Zahlenspalte.", "Tragen Sie eine Zahl oder „k. A.“ ein."),
    "error_value": ("Die Zelle enthält den Fehlerwert {raw}.", "Beheben Sie die Formel und speichern Sie die Datei neu."),
    "formula_without_result": (
        "Das Ergebnis der Formel ist nicht gespeichert.",
        "Öffnen und speichern Sie die Datei in einem Tabellenprogramm.",
    ),
    "unreliable_digits": (
        "Die Zahl {raw} hat mehr als 15 Stellen; die letzten sind unzuverlässig.",
        "Speichern Sie die Nummer als Text.",
    ),
    "ragged_row": (
        "Die Zeile hat eine andere Zahl von Feldern als die Überschrift.",
        "Setzen Sie Felder mit Trennzeichen in Anführungszeichen.",
    ),
    "unreadable_date": ("„{raw}“ ist in einer Datumsspalte kein Datum.", "Tragen Sie ein Datum ein."),
}


def _named(code: str, entries: list[Entry], reading: Reading, message: str, hint: str) -> list[Problem]:
    problems = []
    for entry in entries[:MOST_NAMED_CELLS]:
        raw = (
            ""
            if entry.cell is None
            else str(entry.cell.value if entry.cell.kind in ("text", "error") else entry.cell.raw).strip()
        )
        problems.append(Problem(code, f"{reading.where}{address_of(entry)}", message.format(raw=raw[:60]), hint))
    if len(entries) > MOST_NAMED_CELLS:
        first, last = address_of(entries[MOST_NAMED_CELLS]), address_of(entries[-1])
        rest = f"Weitere {len(entries) - MOST_NAMED_CELLS} Zellen von {first} bis {last}: " + message.format(raw="…")
        problems.append(Problem(code, f"{reading.where}{first}", rest, hint))
    return problems


def _style_problems(cells: ColumnCells, header: str, style: StyleDecision, reading: Reading) -> list[Problem]:
    where = f"{reading.where}{address_of(cells.entries[0]) if cells.entries else header}"
    if style.contradiction:
        listed = ", ".join(style.contradiction)
        message = f"Spalte „{header}“ mischt Zahlen mit Dezimalkomma und Dezimalpunkt ({listed}) und wird nicht ausgewertet."
        return [Problem("contradictory_numbers", where, message, "Vereinheitlichen Sie die Schreibweise in der Datei.")]
    if style.by == "locale":
        example = next(raw for raw, number in cells.number_texts if number.ambiguous)
        value = next(number.value(style.mark) for _, number in cells.number_texts if number.ambiguous)
        message = f"Spalte „{header}“: „{example}“ ist mehrdeutig; das Gebietsschema „{reading.locale}“ liest {value}."
        return [Problem("locale_decides_number", where, message, "Geben Sie beim Einlesen --locale an, wenn das nicht stimmt.")]
    return []


def _dates(cells: ColumnCells, header: str, reading: Reading) -> TypedColumn:
    texts = []
    for entry in cells.entries:
        if entry.kind == "date" and entry.cell is not None and entry.cell.kind == "text":
            found = date_text(str(entry.cell.value))
            if found is not None:
                texts.append((str(entry.cell.value).strip(), found))
    order = decide_order(texts, reading.locale)
    values: list[Value | None] = []
    states: list[CellState] = []
    wrong: dict[str, list[Entry]] = {}
    for entry in cells.entries:
        value: date | datetime | None = None
        if entry.cell is not None and is_date_entry(entry):
            stored = entry.cell.value
            reading_of_text = date_text(str(stored)) if isinstance(stored, str) else None
            value = (
                stored
                if isinstance(stored, date)
                else reading_of_text.value(order.order)
                if reading_of_text is not None
                else None
            )
        elif entry.kind == "number":
            value = _day_of_number(entry)
        values.append(value)
        states.append(_state(cells, entry, value is not None))
        if states[-1] is CellState.UNREADABLE:
            wrong.setdefault(_why_unreadable(entry, "unreadable_date"), []).append(entry)
    problems = [problem for code, entries in wrong.items() for problem in _named(code, entries, reading, *_UNREADABLE[code])]
    blocked = None
    where = f"{reading.where}{address_of(cells.entries[0]) if cells.entries else header}"
    if order.contradiction:
        listed = ", ".join(order.contradiction)
        blocked = f"Datumsangaben in zwei Reihenfolgen: {listed}"
        problems.append(
            Problem("contradictory_dates", where, f"Spalte „{header}“: {blocked}.", "Vereinheitlichen Sie die Datumsangaben.")
        )
    elif order.by == "locale":
        example = f"Spalte „{header}“: Tag und Monat sind nicht zu unterscheiden ({texts[0][0]})"
        message = f"{example}; das Gebietsschema „{reading.locale}“ entscheidet."
        problems.append(
            Problem("locale_decides_date", where, message, "Geben Sie beim Einlesen --locale an, wenn das nicht stimmt.")
        )
    if any(isinstance(value, datetime) for value in values):
        moments = tuple(
            value if isinstance(value, datetime) or not isinstance(value, date) else datetime(value.year, value.month, value.day)
            for value in values
        )
        return TypedColumn(ColumnType.TIMESTAMP, moments, tuple(states), blocked=blocked, problems=tuple(problems))
    return TypedColumn(ColumnType.DATE, tuple(values), tuple(states), blocked=blocked, problems=tuple(problems))


def _periods(cells: ColumnCells, reading: Reading) -> TypedColumn:
    values: list[Value | None] = []
    for entry in cells.entries:
        cell = entry.cell
        if cell is None:
            values.append(None)
        elif cell.kind == "text":
            values.append(parse_period(cell_text(cell), year_hint=reading.year_hint, fiscal_year_start=reading.fiscal_year_start))
        else:
            values.append(period_of_cell(cell, reading.year_hint, reading.fiscal_year_start))
    states = tuple(_state(cells, entry, value is not None) for entry, value in zip(cells.entries, values, strict=True))
    bare = next((text for text in cells.texts if is_period_without_year(text)), None)
    problems: tuple[Problem, ...] = ()
    if bare is not None:
        message = f"„{bare}“ nennt kein Jahr; {reading.year_hint} stammt aus Titel, Blatt- oder Dateiname."
        where = f"{reading.where}{address_of(cells.entries[0])}"
        problems = (Problem("year_assumed", where, message, "Nennen Sie das Jahr in der Datei, wenn das nicht stimmt."),)
    return TypedColumn(ColumnType.PERIOD, tuple(values), states, problems=problems)


def _booleans(cells: ColumnCells, reading: Reading) -> TypedColumn:
    values: list[Value | None] = []
    for entry in cells.entries:
        if entry.cell is None or entry.kind not in ("boolean", "text"):
            values.append(None)
        elif isinstance(entry.cell.value, bool):
            values.append(entry.cell.value)
        else:
            word = fold(cell_text(entry.cell))
            values.append(word in TRUE_WORDS if cells.only_truth_words else None)
    states = tuple(_state(cells, entry, value is not None) for entry, value in zip(cells.entries, values, strict=True))
    return TypedColumn(ColumnType.BOOLEAN, tuple(values), states)


def _texts(cells: ColumnCells, header: str, reading: Reading) -> TypedColumn:
    values: list[Value | None] = []
    states: list[CellState] = []
    wrong: dict[str, list[Entry]] = {}
    for entry in cells.entries:
        cell, value = entry.cell, None
        if cell is not None and entry.kind not in (None, "missing", "error"):
            if isinstance(cell.value, Decimal) and abs(cell.value) >= UNRELIABLE_FROM and cell.formula is None:
                wrong.setdefault("unreliable_digits", []).append(entry)
                values.append(None)
                states.append(CellState.UNREADABLE)
                continue
            value = str(cell.value).strip() if isinstance(cell.value, str) else cell_text(cell)
        values.append(value)
        states.append(_state(cells, entry, value is not None))
        if states[-1] is CellState.UNREADABLE:
            wrong.setdefault(_why_unreadable(entry, "error_value"), []).append(entry)
    problems = [problem for code, entries in wrong.items() for problem in _named(code, entries, reading, *_UNREADABLE[code])]
    return TypedColumn(ColumnType.TEXT, tuple(values), tuple(states), problems=tuple(problems))


def _why_unreadable(entry: Entry, otherwise: str) -> str:
    if entry.cell is not None and entry.cell.kind == "formula_without_result":
        return "formula_without_result"
    return "error_value" if entry.kind == "error" else otherwise


def _state(cells: ColumnCells, entry: Entry, has_value: bool) -> CellState:
    if has_value:
        return CellState.VALUE
    if (
        cells.is_total_label(entry)
        or entry.kind in (None, "missing")
        or (entry.kind == "text" and entry.cell is not None and looks_missing(cell_text(entry.cell)))
    ):
        return CellState.MISSING
    return CellState.UNREADABLE
