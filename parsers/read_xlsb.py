"""XLSB (binary workbooks) -> grids.

What is read: values, number formats, bold, indentation, quote prefix, error cells, merges, hidden rows, columns and sheets, 1904
dates. What is not: the text of formulas (a computed cell has the formula ""), comments, defined tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parsers.address import LAST_COLUMN, LAST_ROW
from parsers.cell_values import PLAIN_STYLE, CellStyle, Finding, number_cell, styled_cell
from parsers.grid import Grid
from parsers.limits import DEFAULT_LIMITS, ReadLimits
from parsers.number_format import BUILT_IN_FORMATS, is_date_format
from parsers.problem import Problem
from parsers.raw_cell import RawCell
from parsers.sheet_content import SheetContent, finish_grid
from parsers.stored_number import decimal_of_double
from parsers.xlsb_records import BrokenRecords, f64, read_records, rk_number, u16, u32, wide_string
from parsers.xlsx_package import Package, unreadable

# Record types, [MS-XLSB] 2.3.1.
_ROW, _BLANK, _RK, _ERROR, _BOOL, _REAL, _TEXT, _SHARED = 0, 1, 2, 3, 4, 5, 6, 7
_FORMULA_TEXT, _FORMULA_NUMBER, _FORMULA_BOOL, _FORMULA_ERROR, _RICH_TEXT = 8, 9, 10, 11, 62
_SST_ITEM, _FONT, _FORMAT, _XF, _COLUMN, _SHEET, _WORKBOOK, _MERGE = 19, 43, 44, 47, 60, 156, 153, 176
_BEGIN_CELL_XFS, _END_CELL_XFS, _BEGIN_FONTS, _END_FONTS = 617, 618, 611, 612
_BOLD_FROM = 600  # font weight; Excel writes 400 and 700
_CELLS = frozenset(
    (_RK, _ERROR, _BOOL, _REAL, _TEXT, _SHARED, _FORMULA_TEXT, _FORMULA_NUMBER, _FORMULA_BOOL, _FORMULA_ERROR, _RICH_TEXT)
)
_FORMULAS = frozenset((_FORMULA_TEXT, _FORMULA_NUMBER, _FORMULA_BOOL, _FORMULA_ERROR))

ERROR_TEXTS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A", 43: "#GETTING_DATA"}
"""BErr codes of BIFF8 and BIFF12 ([MS-XLSB] 2.5.97.2)."""


@dataclass(frozen=True)
class _Shared:
    styles: Sequence[CellStyle]
    strings: Sequence[str]
    date1904: bool


def read_xlsb(
    package: Package, part: str, *, limits: ReadLimits = DEFAULT_LIMITS, progress: Callable[[str, int], None] | None = None
) -> tuple[tuple[Grid, ...], tuple[Problem, ...]]:
    """Grids of all worksheets in workbook order and what was noticed on the way. Raises UnreadableFile."""
    try:
        return _read(package, part, limits, progress)
    except BrokenRecords as error:
        raise unreadable(
            package.file, "file_corrupt", "Die Arbeitsmappe ist beschädigt oder unvollständig.",
            "Bitte die Datei in Excel öffnen, prüfen und als XLSX speichern.",
        ) from error  # fmt: skip


def _read(
    package: Package, part: str, limits: ReadLimits, progress: Callable[[str, int], None] | None
) -> tuple[tuple[Grid, ...], tuple[Problem, ...]]:
    relationships = {relationship.id: relationship for relationship in package.relationships(part)}
    by_kind = {relationship.kind: relationship.target for relationship in relationships.values()}
    sheets: list[tuple[str, str, bool]] = []
    date1904 = False
    for kind, content in read_records(package.chunks(part), frozenset((_SHEET, _WORKBOOK))):
        if kind == _WORKBOOK:
            date1904 = bool(u32(content, 0) & 1)
        else:
            relationship_id, position = wide_string(content, 8)
            sheets.append((wide_string(content, position)[0], relationship_id, u32(content, 0) != 0))
    shared = _Shared(_read_styles(package, by_kind.get("styles")), _read_strings(package, by_kind.get("sharedStrings")), date1904)
    grids: list[Grid] = []
    problems: list[Problem] = []
    remaining = limits.cells
    for name, relationship_id, hidden in sheets:
        relationship = relationships.get(relationship_id)
        if relationship is None or relationship.target is None or relationship.kind != "worksheet":
            problems.append(Problem("sheet_skipped", name, "Das Blatt ist kein Tabellenblatt und wird nicht gelesen."))
            continue
        sheet = _read_sheet(package, name, relationship.target, shared, remaining, progress)
        remaining -= len(sheet.cells)
        grid, found = finish_grid(name, hidden, sheet, limits.problems)
        grids.append(grid)
        problems += found
    if not sheets:
        raise unreadable(package.file, "no_sheets", "Die Arbeitsmappe enthält kein Tabellenblatt.")
    return tuple(grids), tuple(problems)


def _read_strings(package: Package, part: str | None) -> Sequence[str]:
    if part is None or not package.has(part):
        return ()
    return [wide_string(content, 1)[0] for _, content in read_records(package.chunks(part), frozenset((_SST_ITEM,)))]


def _read_styles(package: Package, part: str | None) -> Sequence[CellStyle]:
    if part is None or not package.has(part):
        return ()
    formats: dict[int, str] = {}
    bold: list[bool] = []
    styles: list[CellStyle] = []
    inside = 0
    wanted = frozenset((_FORMAT, _FONT, _XF, _BEGIN_CELL_XFS, _END_CELL_XFS, _BEGIN_FONTS, _END_FONTS))
    for kind, content in read_records(package.chunks(part), wanted):
        if kind in (_BEGIN_CELL_XFS, _BEGIN_FONTS):
            inside = kind
        elif kind in (_END_CELL_XFS, _END_FONTS):
            inside = 0
        elif kind == _FORMAT:
            formats[u16(content, 0)] = wide_string(content, 2)[0]
        elif kind == _FONT and inside == _BEGIN_FONTS:
            bold.append(u16(content, 4) >= _BOLD_FROM)
        elif kind == _XF and inside == _BEGIN_CELL_XFS:
            format_id, font = u16(content, 2), u16(content, 4)
            code = formats.get(format_id, BUILT_IN_FORMATS.get(format_id, ""))
            code = "" if code.lower() == "general" else code
            quote_prefix = bool(u16(content, 12) & 0x8000)
            styles.append(CellStyle(code, is_date_format(code), font < len(bold) and bold[font], content[11], quote_prefix))
    return styles


def _read_sheet(
    package: Package, name: str, part: str, shared: _Shared, max_cells: int, progress: Callable[[str, int], None] | None
) -> SheetContent:
    sheet = SheetContent()
    row = 0
    for kind, content in read_records(package.chunks(part), _CELLS | {_ROW, _COLUMN, _MERGE}):
        if kind == _ROW:
            row = u32(content, 0) + 1
            if row > LAST_ROW:
                raise BrokenRecords
            if len(content) > 11 and content[11] & 0x10:
                sheet.hidden_rows.add(row)
            if progress is not None and row % 5000 == 0:
                progress(name, row)
        elif kind == _COLUMN:
            if u16(content, 16) & 1:
                sheet.hidden_columns.append((u32(content, 0) + 1, u32(content, 4) + 1))
        elif kind == _MERGE:
            top, bottom, left, right = (u32(content, position) + 1 for position in (0, 4, 8, 12))
            sheet.merges.append((top, left, bottom, right))
        else:
            column = u32(content, 0) + 1
            if column > LAST_COLUMN or not row:
                raise BrokenRecords
            cell = _cell(kind, content, shared, sheet, row, column)
            if cell is not None:
                sheet.cells[row, column] = cell
            if len(sheet.cells) > max_cells:
                raise unreadable(
                    package.file,
                    "limit",
                    f"Das Blatt „{name}“ hat mehr als {max_cells} gefüllte Zellen; so viele werden nicht gelesen.",
                )
    return sheet


def _cell(kind: int, content: bytes, shared: _Shared, sheet: SheetContent, row: int, column: int) -> RawCell | None:
    index = u32(content, 4) & 0xFFFFFF
    style = shared.styles[index] if index < len(shared.styles) else PLAIN_STYLE
    formula = "" if kind in _FORMULAS else None
    if kind in (_TEXT, _FORMULA_TEXT, _RICH_TEXT, _SHARED):
        if kind == _SHARED:
            number = u32(content, 8)
            if number >= len(shared.strings):
                raise BrokenRecords
            text = shared.strings[number]
        else:
            text, _ = wide_string(content, 9 if kind == _RICH_TEXT else 8)
        return styled_cell(style, "text", text, text, formula) if text else None
    if len(content) < 9:
        raise BrokenRecords
    if kind in (_BOOL, _FORMULA_BOOL):
        return styled_cell(style, "boolean", content[8] != 0, str(content[8]), formula)
    if kind in (_ERROR, _FORMULA_ERROR):
        error = ERROR_TEXTS.get(content[8], f"#ERR{content[8]}")
        return styled_cell(style, "error", error, error, formula)
    try:
        value = rk_number(content, 8) if kind == _RK else decimal_of_double(f64(content, 8))
    except ValueError as error:
        raise BrokenRecords from error
    cell, finding = number_cell(style, value, str(value), formula, shared.date1904)
    if finding is not None:
        sheet.findings.append(Finding(finding, row, column, str(value)))
    return cell
