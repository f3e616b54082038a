"""The type of a column by the evidence of all its cells, and its values as that type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import Literal

from parsers.cell_units import CellUnits
from parsers.column_cells import TRUE_WORDS, ColumnCells, is_date_cell, looks_missing, says_identifier
from parsers.dates import Order, compact_date, date_text, decide_order, header_says_date, is_serial
from parsers.fold import fold
from parsers.number_format import is_duration_format
from parsers.number_values import Numbers, read_numbers
from parsers.periods import is_period_without_year, parse_period
from parsers.problem import Problem
from parsers.quantity import DecimalMark, StyleDecision, decide_style
from parsers.raw_cell import RawCell
from parsers.sheet_view import CellClass, cell_text, period_of_cell
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
    """Values of a column with one entry a row. `unreadable`: indexes of the cells that hold something else than a value of this
    type. `settled`: of computed cells whose value is not the stored one, for its noise. `units`: what header and cells say about
    the unit of numbers."""

    type: ColumnType
    values: Sequence[Value | None]
    unreadable: frozenset[int] = frozenset()
    settled: frozenset[int] = frozenset()
    scale: int = 0
    units: CellUnits = _NO_UNITS
    blocked: str | None = None
    problems: tuple[Problem, ...] = field(default=())

    def states(self) -> tuple[CellState, ...]:
        """Of each row, whether its value is there, missing or unreadable."""
        found = [CellState.MISSING if value is None else CellState.VALUE for value in self.values]
        for index in self.unreadable:
            found[index] = CellState.UNREADABLE
        for index in self.settled:
            found[index] = CellState.SETTLED
        return tuple(found)

    @cached_property
    def words(self) -> Counter[str]:
        """How often each text stands in the column, without blanks around it."""
        return Counter(text for value in self.values if isinstance(value, str) and (text := value.strip()))


Kind = Literal["number", "date", "period", "boolean", "text"]


def type_column(
    cells: ColumnCells, header: str, header_unit: str | None, reading: Reading, *, is_value: bool = False
) -> TypedColumn:
    """Decides the type and converts every cell. A text among numbers, an error value or a formula without result is
    UNREADABLE and reported; a missing mark or blank is MISSING. `is_value`: a
    value column of a cross-tab, a number column like its neighbours even where it is still blank."""
    match "number" if is_value and not cells.has_evidence else decide_kind(cells, header, header_unit, reading):
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
    total = counts.total() - counts["error"]
    if total <= 0:
        return "number" if counts["error"] and header_unit else "text"
    if cells.all_periods(reading.year_hint, reading.fiscal_year_start):
        return "period"
    if counts["boolean"] * 2 > total or cells.only_truth_words:
        return "boolean"
    if cells.has_codes or cells.stored_as_codes(header):
        return "text"
    numbers, dates = counts["number"], counts["date"]
    if not numbers and not dates:
        return "text"
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
    return all(_day_of_number(cells.cell(index)) is not None for index in cells.evidence() if cells.kinds[index] == "number")


def _day_of_number(cell: RawCell | None) -> date | None:
    if cell is None:
        return None
    text = cell_text(cell)
    if (day := compact_date(text)) is not None:
        return day
    if text.isdigit() and is_serial(Decimal(text)):
        found = date_of_serial(Decimal(text), False)
        return found if found is None or not isinstance(found, datetime) else found.date()
    return None


def _numbers(cells: ColumnCells, header: str, header_unit: str | None, reading: Reading) -> TypedColumn:
    style = style_of(cells, reading)
    numbers = read_numbers(cells, style.mark, header_unit)
    problems = [*_style_problems(cells, header, style, reading), *_numbers_problems(cells, numbers, header, reading)]
    blocked = numbers.units.blocked
    if style.contradiction:
        blocked = f"Zahlen in zwei Schreibweisen: {', '.join(style.contradiction)}"
    if (code := _duration_format(cells)) is not None:
        blocked = f"Zeitdauern (Zahlenformat {code}) werden nicht gelesen"
        where, hint = f"{reading.where}{header}", "Schreiben Sie die Dauern als Dezimalzahl von Stunden oder Minuten."
        problems.append(Problem("duration_column", where, f"Spalte „{header}“: {blocked}.", hint))
    kind = ColumnType.DECIMAL if numbers.scale or numbers.is_measure else ColumnType.INTEGER
    unreadable = frozenset(chain.from_iterable(numbers.unreadable.values()))
    return TypedColumn(
        kind, numbers.values, unreadable, numbers.settled, numbers.scale, numbers.units, blocked, tuple(problems)
    )  # fmt: skip


def _duration_format(cells: ColumnCells) -> str | None:
    """The first number format of elapsed time or time of day: the stored number counts days, whatever unit the header says."""
    own = (stored.number_format for stored in cells.held or () if isinstance(stored, RawCell) and stored.kind == "number")
    codes = dict.fromkeys(chain((code for _, code in cells.formats), own))
    return next((code for code in codes if code and is_duration_format(code)), None)


def _numbers_problems(cells: ColumnCells, numbers: Numbers, header: str, reading: Reading) -> list[Problem]:
    problems = _unreadable_problems(cells, numbers.unreadable, reading)
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


def _unreadable_problems(cells: ColumnCells, unreadable: Mapping[str, Sequence[int]], reading: Reading) -> list[Problem]:
    """`unreadable`: problem code -> indexes; the first of each code are named one by one."""
    problems = []
    for code, indexes in unreadable.items():
        message, hint = _UNREADABLE[code]
        for index in indexes[:MOST_NAMED_CELLS]:
            cell = cells.cell(index)
            raw = "" if cell is None else str(cell.value if cell.kind in ("text", "error") else cell.raw).strip()
            problems.append(Problem(code, f"{reading.where}{cells.address(index)}", message.format(raw=raw[:60]), hint))
        if len(indexes) > MOST_NAMED_CELLS:
            first, last = cells.address(indexes[MOST_NAMED_CELLS]), cells.address(indexes[-1])
            rest = f"Weitere {len(indexes) - MOST_NAMED_CELLS} Zellen von {first} bis {last}: " + message.format(raw="…")
            problems.append(Problem(code, f"{reading.where}{first}", rest, hint))
    return problems


def _style_problems(cells: ColumnCells, header: str, style: StyleDecision, reading: Reading) -> list[Problem]:
    where = f"{reading.where}{cells.first_address or header}"
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
    for kind, stored in zip(cells.kinds, cells.held or (), strict=False):
        if kind == "date" and isinstance(stored, RawCell) and stored.kind == "text":
            found = date_text(str(stored.value))
            if found is not None:
                texts.append((str(stored.value).strip(), found))
    order = decide_order(texts, reading.locale)
    values: list[Value | None] = []
    wrong: dict[str, list[int]] = {}
    for index, kind in enumerate(cells.kinds):
        value = _day(cells.cell(index), kind, order.order)
        values.append(value)
        if value is None and not _is_missing(cells, index):
            wrong.setdefault(_why_unreadable(cells, index, "unreadable_date"), []).append(index)
    problems = _unreadable_problems(cells, wrong, reading)
    unreadable = frozenset(chain.from_iterable(wrong.values()))
    blocked = None
    where = f"{reading.where}{cells.first_address or header}"
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
        return TypedColumn(ColumnType.TIMESTAMP, moments, unreadable, blocked=blocked, problems=tuple(problems))
    return TypedColumn(ColumnType.DATE, tuple(values), unreadable, blocked=blocked, problems=tuple(problems))


def _day(cell: RawCell | None, kind: CellClass | None, order: Order) -> date | datetime | None:
    if cell is not None and is_date_cell(cell):
        if isinstance(cell.value, date):
            return cell.value
        found = date_text(str(cell.value)) if isinstance(cell.value, str) else None
        return None if found is None else found.value(order)
    return _day_of_number(cell) if kind == "number" else None


def _periods(cells: ColumnCells, reading: Reading) -> TypedColumn:
    values: list[Value | None] = []
    for index in range(len(cells.rows)):
        cell = cells.cell(index)
        if cell is None:
            values.append(None)
        elif cell.kind == "text":
            values.append(parse_period(cell_text(cell), year_hint=reading.year_hint, fiscal_year_start=reading.fiscal_year_start))
        else:
            values.append(period_of_cell(cell, reading.year_hint, reading.fiscal_year_start))
    bare = next((text for text in cells.texts if is_period_without_year(text)), None)
    problems: tuple[Problem, ...] = ()
    if bare is not None:
        message = f"„{bare}“ nennt kein Jahr; {reading.year_hint} stammt aus Titel, Blatt- oder Dateiname."
        where = f"{reading.where}{cells.first_address}"
        problems = (Problem("year_assumed", where, message, "Nennen Sie das Jahr in der Datei, wenn das nicht stimmt."),)
    return TypedColumn(ColumnType.PERIOD, tuple(values), _unreadable(cells, values), problems=problems)


def _booleans(cells: ColumnCells, reading: Reading) -> TypedColumn:
    values: list[Value | None] = []
    for kind, cell in zip(cells.kinds, cells.stored, strict=True):
        if not isinstance(cell, RawCell) or kind not in ("boolean", "text"):
            values.append(None)
        elif isinstance(cell.value, bool):
            values.append(cell.value)
        else:
            word = fold(cell_text(cell))
            values.append(word in TRUE_WORDS if cells.only_truth_words else None)
    return TypedColumn(ColumnType.BOOLEAN, tuple(values), _unreadable(cells, values))


def _texts(cells: ColumnCells, header: str, reading: Reading) -> TypedColumn:
    values: list[Value | None] = []
    wrong: dict[str, list[int]] = {}
    for index, kind in enumerate(cells.kinds):
        cell, value = cells.cell(index), None
        if cell is not None and kind not in (None, "missing", "error"):
            if isinstance(cell.value, Decimal) and abs(cell.value) >= UNRELIABLE_FROM and cell.formula is None:
                wrong.setdefault("unreliable_digits", []).append(index)
                values.append(None)
                continue
            value = str(cell.value).strip() if isinstance(cell.value, str) else cell_text(cell)
        values.append(value)
        if value is None and not _is_missing(cells, index):
            wrong.setdefault(_why_unreadable(cells, index, "error_value"), []).append(index)
    unreadable = frozenset(chain.from_iterable(wrong.values()))
    return TypedColumn(ColumnType.TEXT, tuple(values), unreadable, problems=tuple(_unreadable_problems(cells, wrong, reading)))


def _why_unreadable(cells: ColumnCells, index: int, otherwise: str) -> str:
    cell = cells.cell(index)
    if cell is not None and cell.kind == "formula_without_result":
        return "formula_without_result"
    return "error_value" if cells.kinds[index] == "error" else otherwise


def _unreadable(cells: ColumnCells, values: Sequence[Value | None]) -> frozenset[int]:
    return frozenset(index for index, value in enumerate(values) if value is None and not _is_missing(cells, index))


def _is_missing(cells: ColumnCells, index: int) -> bool:
    """Whether a row without a value lacks one: blank, a missing mark, the word of a total row."""
    kind = cells.kinds[index]
    if kind in (None, "missing") or cells.is_total_label(index):
        return True
    return kind == "text" and (cell := cells.cell(index)) is not None and looks_missing(cell_text(cell))
