"""Small CSV and XLSX files from plain data, for the cases of the parser tests."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import xlsxwriter

from parsers.address import parse_address, parse_range


def write_csv(path: Path, text: str, encoding: str = "utf-8") -> Path:
    """`text` with real line breaks; "<NBSP>" and "<NNBSP>" stand for the two non-breaking blanks."""
    path.write_bytes(text.replace("<NBSP>", "\u00a0").replace("<NNBSP>", "\u202f").encode(encoding))
    return path


def write_xlsx(path: Path, sheets: dict[str, dict[str, Any]]) -> Path:
    """Sheet name -> {"cells": {address: value or {"value", "format", "formula", "bold", "indent"}}, "rows": [[...], ...],
    "merges": {range: value}, "hidden_rows": [...], "hidden_columns": [...], "tables": {name: range}}; addresses as in Excel."""
    book = xlsxwriter.Workbook(str(path))
    for name, content in sheets.items():
        sheet = book.add_worksheet(name)
        cells: dict[str, Any] = {}
        for number, row in enumerate(content.get("rows", []), start=content.get("first_row", 1)):
            cells.update(
                {f"{chr(64 + position)}{number}": value for position, value in enumerate(row, start=1) if value is not None}
            )
        cells.update(content.get("cells", {}))
        for area, value in content.get("merges", {}).items():
            top, left, bottom, right = parse_range(area)
            sheet.merge_range(top - 1, left - 1, bottom - 1, right - 1, value)
        for address, value in cells.items():
            _write(book, sheet, address, value)
        for row in content.get("hidden_rows", []):
            sheet.set_row(row - 1, None, None, {"hidden": True})
        for column in content.get("hidden_columns", []):
            sheet.set_column(f"{column}:{column}", None, None, {"hidden": True})
        for table, area in content.get("tables", {}).items():
            header = content["table_headers"][table]
            sheet.add_table(area, {"name": table, "columns": [{"header": text} for text in header]})
        if content.get("hidden"):
            sheet.hide()
    book.close()
    return path


def _write(book: Any, sheet: Any, address: str, content: Any) -> None:
    row, column = parse_address(address)
    given = content if isinstance(content, dict) else {"value": content}
    properties = {key: given[key] for key in ("bold", "indent") if key in given}
    if "format" in given:
        properties["num_format"] = given["format"]
    value = given.get("value")
    if isinstance(value, date) and "num_format" not in properties:
        properties["num_format"] = "dd.mm.yyyy"
    style = book.add_format(properties) if properties else None
    if "formula" in given:
        sheet.write_formula(row - 1, column - 1, "=" + given["formula"], style, value if value is not None else "")
    elif isinstance(value, date | datetime):
        sheet.write_datetime(row - 1, column - 1, value, style)
    elif isinstance(value, bool):
        sheet.write_boolean(row - 1, column - 1, value, style)
    elif isinstance(value, int | float):
        sheet.write_number(row - 1, column - 1, value, style)
    else:
        sheet.write_string(row - 1, column - 1, str(value).replace("<NBSP>", "\u00a0").replace("<NNBSP>", "\u202f"), style)
