"""How a file is read, as plain data for `inspect --json` and as a drawn grid for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from parsers.address import column_letter, parse_address
from parsers.column_cells import looks_missing
from parsers.grid import Grid
from parsers.quantity import DecimalMark, number_text
from parsers.raw_cell import RawCell
from parsers.sheet_view import SheetView, classify
from parsers.table import SECTION_HEADER, SECTION_STEP, Column, ColumnType, ParsedFile, ParsedSheet, ParsedTable

_MOST_DRAWN_ROWS = 24
_MOST_DRAWN_COLUMNS = 8
_CELL_WIDTH = 18
_TYPE_WORDS = {
    ColumnType.DECIMAL: "Dezimalzahl",
    ColumnType.INTEGER: "Ganzzahl",
    ColumnType.TEXT: "Text",
    ColumnType.DATE: "Datum",
    ColumnType.TIMESTAMP: "Zeitpunkt",
    ColumnType.PERIOD: "Zeitraum",
    ColumnType.BOOLEAN: "Ja/Nein",
}


def inspection(parsed: ParsedFile, cells: Sequence[str] = ()) -> dict[str, object]:
    """The object of `inspect --json`. `cells`: addresses such as "GuV!C47", for a CSV "C47". Raises ValueError for an address
    that is none or names a sheet that is not there."""
    return {
        "file": parsed.file,
        "sheets": [_sheet(sheet) for sheet in parsed.sheets],
        "cells": {address: _cell(parsed, address) for address in cells},
        "problems": [
            {"code": problem.code, "where": problem.where, "message": problem.message, "hint": problem.hint}
            for problem in parsed.problems
        ],
    }


def draw(parsed: ParsedFile) -> str:
    """Every sheet with its tables as text: each row marked as title, header, data, total or note; long tables are shortened."""
    parts = [f"{parsed.file} ({parsed.kind})"]
    for sheet in parsed.sheets:
        parts += _drawn_sheet(sheet)
    for problem in parsed.problems[:20]:
        parts.append(f"! {problem.where}: {problem.message} {problem.hint}".rstrip())
    if len(parsed.problems) > 20:
        parts.append(f"! … und {len(parsed.problems) - 20} weitere Hinweise")
    return "\n".join(parts)


def printed_tables(sheet: ParsedSheet) -> list[ParsedTable]:
    """The tables as they stand in the file, without the tidied forms."""
    return [table for table in sheet.tables if table.table.layout != "tidy"]


def _sheet(sheet: ParsedSheet) -> dict[str, object]:
    return {"name": sheet.name, "hidden": sheet.hidden, "tables": [_table(parsed) for parsed in printed_tables(sheet)]}


def _table(parsed: ParsedTable) -> dict[str, object]:
    table = parsed.table
    return {
        "range": table.range,
        "layout": table.layout,
        "caption": table.caption,
        "header_rows": list(table.header_rows),
        "first_data_row": table.first_data_row,
        "last_data_row": table.last_data_row,
        "data_rows": table.data_rows,
        "total_rows": list(table.total_rows),
        "note_rows": list(table.note_rows),
        "columns": [_column(column) for column in table.columns if column.position is not None],
    }


def _column(column: Column) -> dict[str, object]:
    return {
        "column": column_letter(column.position or 1),
        "name": " / ".join(column.path) or column.header,
        "unit": column.unit,
        "type": "date" if column.type is ColumnType.TIMESTAMP else column.type.value,
        "scale": column.scale,
    }


def _cell(parsed: ParsedFile, address: str) -> dict[str, object]:
    """One cell: "value" as text (numbers as stored, so 0.342 for a cell shown as 34,2 %), "type", "raw" and "format"; in the data
    of a table also the labels of its row and the headers over it."""
    sheet_name, _, place = address.rpartition("!")
    sheet_name = sheet_name.strip("'")
    sheet = next((sheet for sheet in parsed.sheets if (sheet.name or "") == sheet_name), None)
    if sheet is None:
        raise ValueError(f"{parsed.file} hat kein Tabellenblatt „{sheet_name}“ ({address}).")
    row, column = parse_address(place)
    raw = SheetView(sheet.grid).grid.cells.get((row, column))
    if raw is None:
        return {"value": None, "type": "blank", "raw": "", "format": ""}
    found: dict[str, object] = {**_value(sheet, raw, row, column), "raw": raw.raw, "format": raw.number_format}
    if raw.formula is not None:
        found["computed"] = True
    typed = _typed_column(sheet, row, column)
    if typed is not None:
        table, index, definition = typed
        found |= {"row_path": _row_path(table, index, column), "column_path": list(definition.path)}
    return found


def _row_path(parsed: ParsedTable, index: int, column: int) -> list[str]:
    """What stands over and before a value in its row: the sections that it belongs to, then the labels left of it."""
    words = [c for c in parsed.table.columns if c.type is ColumnType.TEXT]
    values = {c.sql_name: parsed.data.values[c.sql_name][index] for c in words}
    sections = [values[c.sql_name] for c in words if c.position is None and c.header == SECTION_HEADER]
    labels = [values[c.sql_name] for c in words if c.position is not None and c.position < column]
    above = [part for text in sections if text for part in str(text).split(SECTION_STEP)]
    return [*above, *(str(text) for text in labels if text)]


def _value(sheet: ParsedSheet, raw: RawCell, row: int, column: int) -> dict[str, object]:
    """Value and type as the cell's column reads it; outside of tables as the cell stands."""
    typed = _typed_column(sheet, row, column)
    if raw.kind == "boolean":
        return {"value": "TRUE" if raw.value else "FALSE", "type": "boolean"}
    if raw.kind == "date" and isinstance(raw.value, date):
        return {"value": raw.value.isoformat(), "type": "date"}
    if raw.kind == "number" and isinstance(raw.value, Decimal):
        return {"value": format(raw.value, "f"), "type": "number"}
    if raw.kind in ("error", "formula_without_result") or classify(raw) == "error":
        return {"value": None, "type": "error" if raw.kind != "formula_without_result" else raw.kind}
    text = str(raw.value)
    if typed is not None:
        table, index, definition = typed
        value = table.data.values[definition.sql_name][index]
        if isinstance(value, Decimal):
            return {"value": format(value, "f"), "type": "number"}
        if isinstance(value, date):
            return {"value": value.isoformat(), "type": "date"}
        if isinstance(value, bool):
            return {"value": "TRUE" if value else "FALSE", "type": "boolean"}
        if value is None and looks_missing(text):
            return {"value": None, "type": "missing"}
    elif sheet.grid.is_csv and (number := number_text(text)) is not None and not number.ambiguous:
        mark: DecimalMark = "," if number.point is None else "."
        return {"value": format(number.value(mark) or Decimal(0), "f"), "type": "number"}
    return {"value": text, "type": "text"}


def _typed_column(sheet: ParsedSheet, row: int, column: int) -> tuple[ParsedTable, int, Column] | None:
    for table in printed_tables(sheet):
        rows = list(table.data.rows)
        definition = next((found for found in table.table.columns if found.position == column), None)
        if definition is not None and row in rows:
            return table, rows.index(row), definition
    return None


def _drawn_sheet(sheet: ParsedSheet) -> list[str]:
    lines = ["", f"== {sheet.name or 'CSV'}{' (ausgeblendet)' if sheet.hidden else ''}"]
    tables = printed_tables(sheet)
    if not tables:
        lines.append("   keine Tabelle")
    for parsed in tables:
        lines += ["", *_drawn_table(sheet.grid, parsed)]
    return lines


def _drawn_table(grid: Grid, parsed: ParsedTable) -> list[str]:
    table = parsed.table
    layout = "Kreuztabelle" if table.layout == "crosstab" else "Liste"
    lines = [f"   {table.range} · {layout} · {table.data_rows} {'Zeile' if table.data_rows == 1 else 'Zeilen'}"]
    lines += [f"   Titel     {line}" for line in (table.caption or "").splitlines()]
    columns = [column for column in table.columns if column.position is not None]
    shown = columns[:_MOST_DRAWN_COLUMNS]
    more = f" … {len(columns) - len(shown)} weitere Spalten" if len(columns) > len(shown) else ""
    lines.append("             " + "".join(f"{column_letter(c.position or 1):<{_CELL_WIDTH}}" for c in shown) + more)
    view = SheetView(grid)
    marks = {row: "Kopf" for row in table.header_rows}
    marks |= {row: "Summe" if total else "Daten" for row, total in zip(parsed.data.rows, parsed.data.totals, strict=True)}
    rows = sorted(marks)
    head = rows[: _MOST_DRAWN_ROWS - 4]
    tail = rows[max(len(head), len(rows) - 4) :]
    for row in head:
        lines.append(_drawn_row(view, row, marks[row], shown))
    if len(head) + len(tail) < len(rows):
        lines.append(f"   … {len(rows) - len(head) - len(tail)} weitere Zeilen")
    lines += [_drawn_row(view, row, marks[row], shown) for row in tail]
    lines += [f"   Anmerkung {row:>3} {text[:100]}" for row, text in zip(table.note_rows, table.notes, strict=False)]
    lines.append("   Typ       " + "".join(f"{_kind(c):<{_CELL_WIDTH}}" for c in shown))
    return lines


def _drawn_row(view: SheetView, row: int, mark: str, columns: Sequence[Column]) -> str:
    texts = []
    for column in columns:
        text = view.text(row, column.position or 1) if view.kind(row, column.position or 1) is not None else ""
        texts.append(f"{text if len(text) < _CELL_WIDTH else text[: _CELL_WIDTH - 2] + '…':<{_CELL_WIDTH}}")
    return f"   {mark:<6}{row:>5}  {''.join(texts)}".rstrip()


def _kind(column: Column) -> str:
    unit = f" {column.unit}" if column.unit else ""
    return f"{_TYPE_WORDS[column.type]}{unit}"[: _CELL_WIDTH - 1]
