"""XLS (Excel 97 to 2003, BIFF8; older BIFF too) -> grids, through xlrd.

What is read: values, number formats, bold, indentation, quote prefix, error cells, which cells are computed, merges,
comments, hidden rows, columns and sheets, 1904 dates. What is not: the text of formulas (a computed cell has the formula ""),
defined tables.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xlrd
from xlrd.compdoc import CompDoc, CompDocError

from parsers.cell_values import CellStyle, Finding, number_cell, styled_cell
from parsers.grid import Grid
from parsers.limits import DEFAULT_LIMITS, ReadLimits
from parsers.number_format import is_date_format
from parsers.problem import Problem
from parsers.raw_cell import RawCell
from parsers.read_xlsb import ERROR_TEXTS
from parsers.sheet_content import SheetContent, finish_grid
from parsers.stored_number import decimal_of_double
from parsers.xlsx_package import unreadable

_BOLD_FROM = 600
# BIFF record types, [MS-XLS] 2.3.1
_FORMULA, _END, _BEGIN, _SHEET = 0x0006, 0x000A, 0x0809, 0x0085

FormulaCells = dict[str, frozenset[tuple[int, int]]]


def read_xls(
    path: Path, file: str, *, limits: ReadLimits = DEFAULT_LIMITS, progress: Callable[[str, int], None] | None = None
) -> tuple[tuple[Grid, ...], tuple[Problem, ...]]:
    """Grids of all worksheets in workbook order and what was noticed on the way. Raises UnreadableFile."""
    data = path.read_bytes()
    grids: list[Grid] = []
    problems: list[Problem] = []
    remaining = limits.cells
    try:
        book = xlrd.open_workbook(
            file_contents=data, formatting_info=True, on_demand=True, ragged_rows=True, logfile=io.StringIO()
        )
        with book:
            styles = tuple(_style(book, xf) for xf in book.xf_list)
            formulas = _formula_cells(data)
            for index, name in enumerate(book.sheet_names()):
                sheet = book.sheet_by_index(index)
                content = _read_sheet(book, sheet, styles, formulas.get(name, frozenset()), progress)
                remaining -= len(content.cells)
                if remaining < 0:
                    raise unreadable(
                        file,
                        "limit",
                        f"Die Arbeitsmappe hat mehr als {limits.cells} gefüllte Zellen; das ist zu viel.",
                    )
                grid, found = finish_grid(name, sheet.visibility != 0, content, limits.problems)
                grids.append(grid)
                problems += found
                book.unload_sheet(index)
    except xlrd.XLRDError as error:
        if "encrypted" in str(error).lower():
            raise unreadable(
                file,
                "encrypted",
                "Die Arbeitsmappe ist mit einem Kennwort verschlüsselt.",
                "Bitte ohne Kennwort speichern und neu einlesen.",
            ) from error
        raise _broken(file) from error
    except (
        CompDocError,
        ValueError,
        LookupError,
        AssertionError,
        struct.error,
        OverflowError,
        TypeError,
        AttributeError,
    ) as error:
        raise _broken(file) from error  # what xlrd runs into when the records contradict each other
    if not grids:
        raise unreadable(file, "no_sheets", "Die Arbeitsmappe enthält kein Tabellenblatt.")
    return tuple(grids), tuple(problems)


def _broken(file: str) -> Exception:
    return unreadable(file, "file_corrupt", "Die Arbeitsmappe ist beschädigt oder unvollständig.",
                      "Bitte die Datei in Excel öffnen, prüfen und als XLSX speichern.")  # fmt: skip


def _style(book: Any, xf: Any) -> CellStyle:
    number_format = book.format_map.get(xf.format_key)
    code = number_format.format_str if number_format is not None else ""
    code = "" if code.lower() == "general" else code
    bold = xf.font_index < len(book.font_list) and book.font_list[xf.font_index].weight >= _BOLD_FROM
    return CellStyle(code, is_date_format(code), bold, xf.alignment.indent_level, bool(xf.lotus_123_prefix))


def _read_sheet(
    book: Any,
    sheet: Any,
    styles: tuple[CellStyle, ...],
    formulas: frozenset[tuple[int, int]],
    progress: Callable[[str, int], None] | None,
) -> SheetContent:
    content = SheetContent()
    for row in range(sheet.nrows):
        if progress is not None and row % 5000 == 4999:
            progress(sheet.name, row + 1)
        for column in range(sheet.row_len(row)):
            kind = sheet.cell_type(row, column)
            if kind in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
                continue
            style = styles[sheet.cell_xf_index(row, column)]
            formula = "" if (row, column) in formulas else None
            cell = _cell(book, content, style, kind, sheet.cell_value(row, column), formula, row + 1, column + 1)
            if cell is not None:
                content.cells[row + 1, column + 1] = cell
    content.merges = [(top + 1, left + 1, bottom, right) for top, bottom, left, right in sheet.merged_cells]
    content.hidden_rows = {row + 1 for row, info in sheet.rowinfo_map.items() if info.hidden}
    content.hidden_columns = [(column + 1, column + 1) for column, info in sheet.colinfo_map.items() if info.hidden]
    content.comments = {(row + 1, column + 1): note.text for (row, column), note in sheet.cell_note_map.items()}
    return content


def _cell(
    book: Any, content: SheetContent, style: CellStyle, kind: int, value: Any, formula: str | None, row: int, column: int
) -> RawCell | None:
    if kind == xlrd.XL_CELL_TEXT:
        return styled_cell(style, "text", value, value, formula) if value else None
    if kind == xlrd.XL_CELL_BOOLEAN:
        return styled_cell(style, "boolean", bool(value), str(value), formula)
    if kind == xlrd.XL_CELL_ERROR:
        error = ERROR_TEXTS.get(value, f"#ERR{value}")
        return styled_cell(style, "error", error, error, formula)
    number = decimal_of_double(value)
    cell, finding = number_cell(style, number, str(number), formula, bool(book.datemode))
    if finding is not None:
        content.findings.append(Finding(finding, row, column, str(number)))
    return cell


def _formula_cells(data: bytes) -> FormulaCells:
    """Sheet name -> (row, column), 0-based, of its formula records, which xlrd does not tell apart from typed values."""
    if not data.startswith(b"\xd0\xcf\x11\xe0"):
        return {}
    document = CompDoc(data, logfile=io.StringIO())
    stream = b""
    for name in ("Workbook", "Book"):
        found, start, length = document.locate_named_stream(name)
        if found is not None:
            stream = bytes(found[start : start + length])
            break
    sheets: FormulaCells = {}
    for kind, position, size in _records(stream, 0):
        if kind == _SHEET and size > 8:
            begin, count, wide = struct.unpack_from("<IxxBB", stream, position)
            text = stream[position + 8 : position + 8 + count * (2 if wide & 1 else 1)]
            name = text.decode("utf-16-le" if wide & 1 else "latin-1", "replace")
            places = (struct.unpack_from("<HH", stream, at) for record, at, _ in _records(stream, begin) if record == _FORMULA)
            sheets[name] = frozenset((row, column) for row, column in places)
    return sheets


def _records(stream: bytes, position: int) -> list[tuple[int, int, int]]:
    """(type, where the content starts, size) of the records of one substream; inner substreams (charts) are passed over."""
    found: list[tuple[int, int, int]] = []
    depth = 0
    while position + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, position)
        position += 4
        if kind == _BEGIN:
            depth += 1
        elif kind == _END:
            depth -= 1
            if depth <= 0:
                break
        elif depth == 1 and kind in (_FORMULA, _SHEET):
            found.append((kind, position, size))
        position += size
    return found
