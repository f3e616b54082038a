"""From what a format stores in a cell to a RawCell; the same for every workbook format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from parsers.address import cell_address
from parsers.problem import Problem
from parsers.raw_cell import CellKind, RawCell
from parsers.stored_number import UNRELIABLE_FROM, date_of_serial


@dataclass(frozen=True, slots=True)
class CellStyle:
    """What a reader of values needs of a cell's style. `number_format` is the code, "" for General."""

    number_format: str = ""
    is_date: bool = False
    bold: bool = False
    indent: int = 0
    quote_prefix: bool = False


PLAIN_STYLE = CellStyle()


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to report about one cell: `code` is a key of the sentences below, `raw` the stored text."""

    code: str
    row: int
    column: int
    raw: str


def styled_cell(
    style: CellStyle, kind: CellKind, value: Decimal | str | bool | date | datetime | None, raw: str, formula: str | None = None
) -> RawCell:
    """A cell with the facts of its style."""
    return RawCell(value, kind, raw, style.number_format, formula, None, style.bold, style.indent, style.quote_prefix)


def number_cell(style: CellStyle, value: Decimal, raw: str, formula: str | None, date1904: bool) -> tuple[RawCell, str | None]:
    """The cell for a stored number, a date if its format says so, and the code of a Finding or None."""
    if style.is_date:
        moment = date_of_serial(value, date1904)
        if moment is not None:
            return styled_cell(style, "date", moment, raw, formula), None
        return styled_cell(style, "number", value, raw, formula), "date_out_of_range"
    doubtful = abs(value) >= UNRELIABLE_FROM and value == value.to_integral_value()
    return styled_cell(style, "number", value, raw, formula), "digits_unreliable" if doubtful else None


_EXCEL_AGAIN = "Bitte die Zelle in Excel neu eingeben."
_SAVE_AGAIN = "Bitte die Datei in Excel öffnen, prüfen und neu speichern."

_SENTENCES: dict[str, tuple[str, str]] = {
    "digits_unreliable": (
        "Die Zahl {raw} hat mehr als 15 Stellen; die letzten Stellen sind in der Datei nicht zuverlässig gespeichert.",
        "Nummern dieser Länge bitte als Text speichern.",
    ),
    "number_unreadable": ("Der Zelleninhalt „{raw}“ ist als Zahl gespeichert, ist aber keine.", _EXCEL_AGAIN),
    "date_unreadable": ("Der Zelleninhalt „{raw}“ ist als Datum gespeichert, ist aber keines.", _EXCEL_AGAIN),
    "date_out_of_range": (
        "Die Zahl {raw} ist als Datum formatiert, bezeichnet aber keinen Tag des Kalenders.",
        "Bitte Wert oder Zahlenformat prüfen.",
    ),
    "shared_string_missing": ("Die Zelle verweist auf den Text Nummer {raw}, den die Datei nicht enthält.", _SAVE_AGAIN),
    "cell_twice": ("Die Zelle steht zweimal mit verschiedenem Inhalt in der Datei.", _SAVE_AGAIN),
}


def finding_problems(sheet: str, findings: Iterable[Finding], named: int) -> list[Problem]:
    """One Problem for each of the first `named` findings of a kind, one more for the rest of the kind."""
    problems: list[Problem] = []
    counts: dict[str, int] = {}
    for finding in findings:
        counts[finding.code] = counts.get(finding.code, 0) + 1
        if counts[finding.code] <= named:
            message, hint = _SENTENCES[finding.code]
            where = f"{sheet}!{cell_address(finding.row, finding.column)}"
            problems.append(Problem(finding.code, where, message.format(raw=finding.raw[:60]), hint))
    for code, count in counts.items():
        if count > named:
            problems.append(Problem(code, sheet, f"Dasselbe gilt für weitere {count - named} Zellen dieses Blatts."))
    return problems
