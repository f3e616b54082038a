"""Reads the demo files for `expected.py` with openpyxl and csv only: records whose every value knows its cell.

Nothing of the product is used here, so that a mistake of the product cannot repeat itself in the expected values.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import openpyxl

DATA = Path(__file__).parent / "data"
FINAL = "korrektur/bericht_ergebnisse_Q3_2024.xlsx"
DRAFT = "entwurf/bericht_ergebnisse_Q3_2024.xlsx"
PROFIT_AND_LOSS = "guv_2024.xlsx"
OPEN_ITEMS = "offene_posten_2024-09.csv"
ORDERS = "bestellungen_2024.xlsx"

Plain = Decimal | str | date | None


@dataclass(frozen=True)
class Cell:
    """A value with its place; `value` None: blank or "k. A.". Percent cells are in percent points."""

    value: Plain
    file: str
    sheet: str | None
    address: str

    @property
    def number(self) -> Decimal:
        """The value as a number; TypeError if it is none."""
        if not isinstance(self.value, Decimal):
            raise TypeError(f"{self.file} {self.sheet} {self.address} holds no number: {self.value!r}")
        return self.value


Record = dict[str, Cell]


def _plain(cell: Any) -> Plain:
    value = cell.value
    if value is None or value == "k. A.":
        return None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, int | float):
        number = Decimal(repr(value))
        return number * 100 if "%" in cell.number_format else number
    return str(value)


@cache
def _page(file: str, sheet: str) -> Any:
    return openpyxl.load_workbook(DATA / file, data_only=True)[sheet]  # data_only: stored results of formulas


def read_sheet(file: str, sheet: str, header_row: int, last_row: int | None = None) -> list[Record]:
    """The rows below `header_row` (1-based) up to `last_row` or the first row with an empty first column, keyed by header;
    a merged label is repeated for each of its rows."""
    page = _page(file, sheet)
    corner = {(row, area.min_col): area.min_row for area in page.merged_cells.ranges
              for row in range(area.min_row, area.max_row + 1)}
    records: list[Record] = []
    for row in range(header_row + 1, (last_row or page.max_row) + 1):
        record: Record = {}
        for column in range(1, page.max_column + 1):
            cell = page.cell(corner.get((row, column), row), column)
            record[str(page.cell(header_row, column).value)] = Cell(_plain(cell), file, sheet, cell.coordinate)
        if next(iter(record.values())).value is None:
            break
        records.append(record)
    return records


def branches(file: str = FINAL) -> list[Record]:
    """Sheet Niederlassungen without its total row."""
    return [r for r in read_sheet(file, "Niederlassungen", 8) if r["Region"].value != "Gesamt"]


def profit_and_loss() -> dict[tuple[str, str, str], Cell]:
    """(position, quarter, "Plan" or "Ist") -> cell, in TEUR."""
    page = _page(PROFIT_AND_LOSS, "GuV")
    cells: dict[tuple[str, str, str], Cell] = {}
    for row in range(6, 15):
        for column in range(2, 10):
            quarter = page.cell(4, column if column % 2 == 0 else column - 1).value
            cell = page.cell(row, column)
            key = (str(page.cell(row, 1).value), str(quarter), str(page.cell(5, column).value))
            cells[key] = Cell(_plain(cell), PROFIT_AND_LOSS, "GuV", cell.coordinate)
    return cells


def open_items() -> list[Record]:
    """The items of the ledger export without its two total lines; amounts and dates typed."""
    lines = list(csv.reader(io.StringIO((DATA / OPEN_ITEMS).read_bytes().decode("cp1252"), newline=""), delimiter=";"))
    heads = lines[3]
    records: list[Record] = []
    for line_number, fields in enumerate(lines[4:], 5):
        if fields[0].startswith("Summe"):
            continue
        record: Record = {}
        for index, (head, text) in enumerate(zip(heads, fields, strict=True)):
            record[head] = Cell(_csv_value(head, text), OPEN_ITEMS, None, f"{'ABCDEFGH'[index]}{line_number}")
        records.append(record)
    return records


def _csv_value(head: str, text: str) -> Plain:
    if not text:
        return None
    if head == "Betrag":
        number = Decimal(text.rstrip("-").replace(".", "").replace(",", "."))
        return -number if text.endswith("-") else number
    if head in ("Belegdatum", "Fällig am"):
        return datetime.strptime(text, "%d.%m.%Y").date()
    return text
