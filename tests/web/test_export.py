"""Exports: exact numbers, German and English form, and text that no spreadsheet program takes for a formula."""

from __future__ import annotations

import csv
from decimal import Decimal
from io import BytesIO, StringIO
from typing import Any

import openpyxl
import pytest

from qa.web.answer_view import answer_view, sorted_rows
from qa.web.chart import chart_of
from qa.web.export import csv_text, pasted_text, workbook_bytes

VERSION = {"label": "1", "date": "2024-10-15", "status": None, "binding": True}

HARMFUL = ("=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =1", "\u200b=1", "\ufeff@x", "＝1+1", "\u00a0-1", "\n=1")
HARMLESS = ("Danzig", "a=b", "1-2", "x@y.example", "Müller & Söhne", '"zitiert"', "a;b", "zwei\nZeilen", "")


def _answer(rows: list[list[str | None]], unit: str | None = "EUR") -> dict[str, Any]:
    columns = [{"name": "Name", "unit": None, "type": "text"}, {"name": "Umsatz", "unit": unit, "type": "decimal"}]
    facts = [
        {
            "row": row, "column": column, "value": value, "unit": unit if column else None,
            "shown_as": f"{value} {unit}" if column else value, "exact": True,
            "provenance": {
                "kind": "sql", "query": "SELECT 1", "complete": True,
                "sources": [{"file": "=a.xlsx", "sheet": "Blatt", "rows": str(row + 2), "cells": [f"{'AB'[column]}{row + 2}"],
                             "row_count": 1, "version": VERSION}],
            },
        }
        for row, values in enumerate(rows) for column, value in enumerate(values) if value is not None
    ]  # fmt: skip
    return {
        "answer_id": "a" * 32, "asked_at": "2024-10-16T08:00:00Z", "question": "=cmd", "language": "de", "status": "answered",
        "text": "Name | Umsatz:", "result": {"columns": columns, "rows": rows, "truncated": False}, "facts": facts, "related": [],
        "warnings": [], "refusal": None, "clarification": None, "session_id": None, "review": {"state": "not_required"},
    }  # fmt: skip


def _csv_cells(answer: dict[str, Any]) -> list[list[str]]:
    text = csv_text(answer, "de")
    assert text.startswith("\ufeff")
    return list(csv.reader(StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=";"))


@pytest.mark.parametrize("name", HARMFUL)
def test_what_looks_like_a_formula_is_text_in_every_export(name: str) -> None:
    answer = _answer([[name, "1"]])
    assert _csv_cells(answer)[1][0] == f"'{name}"
    assert pasted_text(answer, "de").splitlines()[-1].startswith("'") or name[0] in "\t\r\n"
    book = openpyxl.load_workbook(BytesIO(workbook_bytes(answer, "de")))
    assert "f" not in {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}


@pytest.mark.parametrize("name", HARMLESS)
def test_other_text_stays_as_it_is(name: str) -> None:
    assert _csv_cells(_answer([[name, "1"]]))[1][0] == name
    book = openpyxl.load_workbook(BytesIO(workbook_bytes(_answer([[name, "1"]]), "de")))
    assert (book["Ergebnis"]["A2"].value or "") == name


@pytest.mark.parametrize(
    ("value", "german", "english"),
    [
        ("1234.5", "1234,5", "1234.5"),
        ("-12.50", "-12,50", "-12.50"),
        ("0", "0", "0"),
        ("12345678901234567890.01", "12345678901234567890,01", "12345678901234567890.01"),
        ("1E+3", "1000", "1000"),
    ],
)
def test_numbers_keep_every_digit(value: str, german: str, english: str) -> None:
    answer = _answer([["a", value]])
    assert _csv_cells(answer)[1][1] == german
    assert pasted_text(answer, "en").splitlines()[1] == f"a\t{english}"
    cell = openpyxl.load_workbook(BytesIO(workbook_bytes(answer, "de")))["Ergebnis"]["B2"].value
    assert Decimal(str(cell)) == Decimal(value)


def test_the_evidence_names_every_cell() -> None:
    book = openpyxl.load_workbook(BytesIO(workbook_bytes(_answer([["a", "1"], ["b", "2"]]), "en")))
    assert book.sheetnames == ["Result", "Evidence", "Question"]
    assert [row[9].value for row in book["Evidence"].iter_rows(min_row=2)] == ["A2", "B2", "A3", "B3"]
    assert book["Evidence"]["H2"].value == "=a.xlsx" and book["Evidence"]["H2"].data_type != "f"


def test_rows_are_sorted_by_exact_value_and_missing_ones_stand_last() -> None:
    rows: list[list[str | None]] = [["b", "10"], ["a", None], ["c", "9.5"], ["d", "-3"]]
    columns = _answer(rows)["result"]["columns"]
    assert sorted_rows(columns, rows, 1, "asc") == [3, 2, 0, 1]
    assert sorted_rows(columns, rows, 1, "desc") == [0, 2, 3, 1]
    assert sorted_rows(columns, rows, 0, "desc") == [3, 2, 0, 1]


@pytest.mark.parametrize(
    ("rows", "bars"),
    [
        ([["a", "10"], ["b", "5"]], [("0.00", "1000.00", False), ("0.00", "500.00", False)]),
        ([["a", "30"], ["b", "-10"]], [("250.00", "750.00", False), ("0.00", "250.00", True)]),
        ([["a", "1"], ["b", None], ["c", "3"]], [("0.00", "333.33", False), ("0.00", "0.00", False), ("0.00", "1000.00", False)]),
        ([["a", "10"]], None),
        ([["a", "1"], ["a", "2"]], None),
        ([["a", "0"], ["b", "0"]], None),
        ([[str(n), "1"] for n in range(25)], None),
    ],
    ids=["positive", "negative", "missing", "one row", "same labels", "all zero", "too many"],
)
def test_bars_are_as_long_as_the_exact_values(rows: list[list[str | None]], bars: list[tuple[str, str, bool]] | None) -> None:
    chart = chart_of(_answer(rows))
    assert (None if chart is None else [(bar.x, bar.width, bar.is_negative) for bar in chart.bars]) == bars


def test_a_number_in_the_sentence_is_linked_once_and_never_inside_another() -> None:
    answer = _answer([["a", "5"]])
    answer["result"] = {"columns": answer["result"]["columns"][1:], "rows": [["5"]], "truncated": False}
    answer["facts"] = [{**answer["facts"][1], "column": 0, "shown_as": "5 EUR"}]
    answer["text"] = "Von 15 EUR und 5 EUR bleiben 5 EUR."
    pieces = [(piece.text, piece.fact) for piece in answer_view(answer).headline]
    assert pieces == [("Von 15 EUR und ", None), ("5 EUR", 0), (" bleiben 5 EUR.", None)]
