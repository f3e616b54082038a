"""Random tables in random places, written by another library and read back: every value, address and type equal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.address import cell_address
from parsers.parse import parse_file
from parsers.table import ParsedTable
from tests.parsers.build_files import write_csv, write_xlsx

_WORDS = [
    "Kabel",
    "Rohre",
    "Danzig",
    "Łódź",
    "Köln",
    "Alpha GmbH",
    "Gesamtbau AG",
    "süß",
    "K-1",
    "Übersee",
    "Totalisator",
    "Summit",
]
_HEADERS = ["Kunde", "Ort", "Betrag", "Menge", "Buchungsdatum", "Bemerkung", "Preis je Einheit", "Artikel", "Kategorie"]
_KINDS = ["text", "date", "decimal", "integer"]  # whole numbers under "Buchungsdatum" are read as days, and should be
_FIRST_DAY = date(2019, 1, 1)


@dataclass(frozen=True)
class RandomTable:
    """`kinds`: text, decimal, integer or date of each column; the first is text and never blank."""

    top: int
    left: int
    title: str | None
    headers: list[str]
    kinds: list[str]
    rows: list[list[Any]]


@st.composite
def random_tables(draw: st.DrawFn) -> RandomTable:
    headers = draw(st.lists(st.sampled_from(_HEADERS), min_size=2, max_size=6, unique=True))
    kinds = ["text"] + [draw(st.sampled_from(_KINDS[:2] if "datum" in header else _KINDS)) for header in headers[1:]]
    count = draw(st.integers(min_value=3, max_value=9))
    rows = [[draw(_values(kind, column, row)) for column, kind in enumerate(kinds)] for row in range(count)]
    for column, kind in enumerate(kinds):
        values = [row[column] for row in rows]
        if kind == "decimal":
            rows[0][column] = Decimal("1234.75")
        if all(value is None for value in values):
            rows[0][column] = (
                rows[0][column] or {"text": "Kabel", "integer": 7, "date": _FIRST_DAY, "decimal": Decimal("1.5")}[kind]
            )
    title = draw(st.sampled_from([None, "Bericht der Filialen", "Auswertung"]))
    return RandomTable(draw(st.integers(1, 6)), draw(st.integers(1, 4)), title, headers, kinds, rows)


def _values(kind: str, column: int, row: int) -> st.SearchStrategy[Any]:
    if kind == "text":
        return st.sampled_from(_WORDS) if column == 0 else st.one_of(st.none(), st.sampled_from(_WORDS))
    if kind == "integer":
        return st.one_of(st.none(), st.integers(min_value=-99_999, max_value=99_999))
    if kind == "date":
        return st.one_of(st.none(), st.integers(0, 2000).map(lambda days: _FIRST_DAY + timedelta(days=days)))
    return st.one_of(st.none(), st.integers(min_value=-(10**9), max_value=10**9).map(lambda cents: Decimal(cents) / 100))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(random_tables())
def test_workbooks(tmp_path_factory: pytest.TempPathFactory, table: RandomTable) -> None:
    cells: dict[str, Any] = {}
    top = table.top + 2 if table.title else table.top
    if table.title:
        cells[cell_address(table.top, table.left)] = table.title
    for position, header in enumerate(table.headers):
        cells[cell_address(top, table.left + position)] = header
    for number, row in enumerate(table.rows, start=top + 1):
        for position, value in enumerate(row):
            if value is not None:
                cells[cell_address(number, table.left + position)] = float(value) if isinstance(value, Decimal) else value
    path = write_xlsx(tmp_path_factory.mktemp("xlsx") / "datei.xlsx", {"Blatt": {"cells": cells}})
    (sheet,) = parse_file(path).sheets
    assert len(sheet.tables) == 1
    _check(sheet.tables[0], table, top, table.left)
    assert sheet.tables[0].table.caption == table.title


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(random_tables(), st.sampled_from(["de", "en"]), st.sampled_from([";", "\t"]))
def test_delimited_text(tmp_path_factory: pytest.TempPathFactory, table: RandomTable, locale: str, delimiter: str) -> None:
    lines = [delimiter.join(table.headers)]
    lines += [delimiter.join(_printed(value, locale) for value in row) for row in table.rows]
    path = write_csv(tmp_path_factory.mktemp("csv") / "datei.csv", "\n".join(lines) + "\n")
    (sheet,) = parse_file(path, locale=locale).sheets
    assert len(sheet.tables) == 1
    _check(sheet.tables[0], table, 1, 1)


def _printed(value: Any, locale: str) -> str:
    if value is None:
        return ""
    if isinstance(value, Decimal):
        english = f"{value:,.2f}"
        return english if locale == "en" else english.replace(",", "\x00").replace(".", ",").replace("\x00", ".")
    return value.strftime("%d.%m.%Y") if isinstance(value, date) else str(value)


def _check(parsed: ParsedTable, table: RandomTable, top: int, left: int) -> None:
    found = parsed.table
    assert [column.header for column in found.columns] == table.headers
    assert found.header_rows == (top,)
    assert list(parsed.data.rows) == list(range(top + 1, top + 1 + len(table.rows)))
    assert not any(parsed.data.totals)
    for position, (column, kind) in enumerate(zip(found.columns, table.kinds, strict=True)):
        expected = [row[position] for row in table.rows]
        assert column.position == left + position
        if all(value is None for value in expected):
            continue
        assert column.type.value == kind or (kind == "integer" and column.type.value == "decimal"), column.header
        values = [
            int(value) if isinstance(value, Decimal) and kind == "integer" else value
            for value in parsed.data.values[column.sql_name]
        ]
        assert values == expected
