"""Typed tables: what the parser hands on. Metadata (Table) apart from the values (TableData)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from parsers.grid import Grid
from parsers.periods import Period
from parsers.problem import Problem


class ColumnType(StrEnum):
    DECIMAL = "decimal"
    INTEGER = "integer"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"
    PERIOD = "period"
    BOOLEAN = "boolean"


class CellState(StrEnum):
    """Why a value is absent or another than stored. VALUE: it is there as stored."""

    VALUE = "value"
    MISSING = "missing"  # blank, k. A., n/a, -, X, ...
    UNREADABLE = "unreadable"  # error cell, formula without result, text in a number column
    SETTLED = "settled"  # the result of a formula, without the binary noise that the file stores


Value = Decimal | str | date | datetime | bool | Period

SECTION_HEADER = "Abschnitt"
"""Header of the column that says of each row under which labels it stands; they are joined by SECTION_STEP."""
SECTION_STEP = " / "

ColumnRole = Literal["plain", "total", "dimension", "scenario", "value", "parent"]
"""plain: a column of a list; total: a printed total column (never summed with the others); in a tidied cross-tab
dimension (row labels, periods or other column labels), scenario (Plan, Ist, Vorjahr, Budget, Forecast) and value; parent: the
labels of other rows that the row is indented under."""


@dataclass(frozen=True)
class Column:
    """Metadata of one column.

    `header` is the schema-map key: the header text as it stands in the file, paths joined by " / " (unit rows left out).
    `path`: its parts, and before them a heading of the first rows only, which the section column holds ("2004" over all columns
    where "2015" follows among the data).
    `name` is the header without a bracketed or trailing unit ("Nettoumsatz [PLN]" -> "Nettoumsatz").
    `sql_name` is a lower-case ASCII identifier, unique in the table, made from the header. `position` is the 1-based sheet
    column (CSV field), None where the values of the column stem from several sheet columns (tidied cross-tab).
    `unit`: "PLN", "TEUR", "%", "Stück" ... or None. Percent values are in percent points (0.342 as "0.0%" is 34.2).
    `scale`: decimal places that hold every value exactly. `unit_column`: sql_name of the column that gives the unit of each
    row (a currency column), else None. `has_cells`: TableData.cells is set for it. `has_unreadable`, `has_settled`:
    TableData.states is set and holds at least one UNREADABLE or SETTLED. `blocked`: None, or the reason why no number of it may
    be used (contradictory styles). `open_blanks`: blank cells may stand for the label above them, or for none.
    """

    header: str
    name: str
    sql_name: str
    type: ColumnType
    path: tuple[str, ...] = ()
    position: int | None = None
    unit: str | None = None
    unit_column: str | None = None
    scale: int = 0
    role: ColumnRole = "plain"
    hidden: bool = False
    has_cells: bool = False
    has_unreadable: bool = False
    has_settled: bool = False
    open_blanks: bool = False
    blocked: str | None = None


@dataclass(frozen=True)
class ControlTotal:
    """A printed total or subtotal row: label and the value of each number column by sql_name, with its cell."""

    row: int
    label: str
    kind: Literal["total", "subtotal"]
    values: tuple[tuple[str, Decimal, str], ...]  # (sql_name, value, cell address)


@dataclass(frozen=True)
class Table:
    """Metadata of one table version; all rows and columns 1-based as in the sheet (CSV: physical lines).

    `name` is the SQL name part within the file ("niederlassungen", "guv", "guv__tidy"; CSV: ""). `layout`: "list" as printed;
    "crosstab" as printed with labels in the columns; "tidy": the same cross-tab, one row per value.
    `printed`: for "tidy" the `name` of the printed table it stems from. `measure_names`: names under which the value column of
    a tidy table may be called (sheet name, words of the caption), best first.
    `suspected_totals`: rows that may be totals but stand among the data (each with a Problem `maybe_total`): a sum, average,
    count or ranking over the table that includes one of them may be wrong.
    `has_totals`: rows flagged in TableData.totals exist. `as_of`: the "Stand" date of the title or file, if any.
    """

    name: str
    sheet: str | None
    range: str
    layout: Literal["list", "crosstab", "tidy"]
    columns: tuple[Column, ...]
    header_rows: tuple[int, ...]
    first_data_row: int | None
    last_data_row: int | None
    data_rows: int
    total_rows: tuple[int, ...] = ()
    note_rows: tuple[int, ...] = ()
    caption: str | None = None
    notes: tuple[str, ...] = ()
    control_totals: tuple[ControlTotal, ...] = ()
    suspected_totals: tuple[ControlTotal, ...] = ()
    printed: str | None = None
    measure_names: tuple[str, ...] = ()
    has_totals: bool = False
    has_hidden_rows: bool = False
    sheet_hidden: bool = False
    as_of: date | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class TableData:
    """The values of a table, column-wise; every inner sequence has one entry a row, in sheet order.

    `rows`: source row of each record. `values[sql_name]`: typed value or None. `cells[sql_name]`: the cell address of each
    value where it is not just (column letter, row): merged areas (their top-left cell) and tidied cross-tabs.
    `states[sql_name]`: only for columns with an unreadable or settled cell. `totals`: True for printed total or subtotal rows
    (they are kept for look-ups by their label and never enter a sum or count). `hidden`: True for hidden rows.
    """

    rows: Sequence[int]
    values: dict[str, Sequence[Value | None]]
    cells: dict[str, Sequence[str]]
    states: dict[str, Sequence[CellState]]
    totals: Sequence[bool]
    hidden: Sequence[bool]


@dataclass(frozen=True)
class ParsedTable:
    table: Table
    data: TableData


@dataclass(frozen=True)
class ParsedSheet:
    name: str | None
    hidden: bool
    tables: tuple[ParsedTable, ...]
    grid: Grid
    notes: tuple[str, ...] = ()
    """Text of the sheet that is in no table (captions, explanations), one entry a cell."""


@dataclass(frozen=True)
class ParsedFile:
    """`file` is the base name; `kind` xlsx, xlsm, xls, xlsb, ods, csv or tsv by content."""

    file: str
    kind: str
    sheets: tuple[ParsedSheet, ...]
    problems: tuple[Problem, ...] = ()
