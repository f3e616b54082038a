"""ODS (OpenDocument spreadsheets) -> grids.

What is read: values with their type (percentages, currencies, dates and times say so themselves), formulas in Excel's spelling,
comments, merges, bold, hidden rows, columns and sheets, error cells. What is not: indentation, named database ranges. Cached
copies of other files are left out.
"""

from __future__ import annotations

from collections.abc import Callable

from parsers.address import LAST_COLUMN, LAST_ROW
from parsers.cell_values import CellStyle, Finding, number_cell, styled_cell
from parsers.grid import Grid
from parsers.limits import DEFAULT_LIMITS, ReadLimits
from parsers.ods_styles import OdsStyles
from parsers.ods_text import LINE_BREAK, SPACE, TAB, days_of_duration, formula_in_excel_spelling, repetition, written_text
from parsers.problem import Problem
from parsers.raw_cell import RawCell
from parsers.sheet_content import SheetContent, finish_grid
from parsers.stored_number import date_of_iso, decimal_of_text
from parsers.xlsx_package import Package, unreadable
from parsers.xlsx_xml import BrokenXml, ForbiddenXml, parse_events

DURATION_FORMAT = "[h]:mm:ss"
_TABLE_NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:table"


class _TooLarge(Exception):
    """The message says which sheet has too much."""


def read_ods(
    package: Package, part: str, *, limits: ReadLimits = DEFAULT_LIMITS, progress: Callable[[str, int], None] | None = None
) -> tuple[tuple[Grid, ...], tuple[Problem, ...]]:
    """Grids of all sheets in order and what was noticed on the way. Raises UnreadableFile."""
    styles = OdsStyles()
    reader = _OdsPass(styles, limits.cells, progress)
    current = "styles.xml"
    try:
        if package.has(current):
            parse_events(package.chunks(current), styles.start, styles.end, styles.text)
        current = part
        parse_events(package.chunks(part), reader.start, reader.end, reader.text)
    except (BrokenXml, ForbiddenXml) as error:
        raise package.xml_error(current, error) from error
    except _TooLarge as error:
        raise unreadable(package.file, "limit", f"Die Tabelle wird nicht gelesen: {error}.") from error
    except ValueError as error:
        raise unreadable(package.file, "file_corrupt", f"Die Tabelle enthält ungültige Angaben ({error}).") from error
    if not reader.sheets:
        raise unreadable(package.file, "no_sheets", "Die Datei enthält kein Tabellenblatt.")
    grids: list[Grid] = []
    problems: list[Problem] = []
    for name, hidden, content in reader.sheets:
        grid, found = finish_grid(name, hidden, content, limits.problems)
        grids.append(grid)
        problems += found
    return tuple(grids), tuple(problems)


class _OdsPass:
    """Handlers for content.xml; `sheets` are (name, hidden, content)."""

    def __init__(self, styles: OdsStyles, max_cells: int, progress: Callable[[str, int], None] | None) -> None:
        self.sheets: list[tuple[str, bool, SheetContent]] = []
        self._styles = styles
        self._remaining = max_cells
        self._progress = progress
        self._depth = 0  # of table:table; sheets are at 1
        self._row = 0
        self._column = 0
        self._row_repeat = 1
        self._row_style: str | None = None
        self._row_cells: list[tuple[int, int, RawCell, str | None]] = []  # column, repeat, cell, comment
        self._spans: list[tuple[int, int, int]] = []  # column, columns, rows
        self._column_styles: list[tuple[int, int, str | None]] = []
        self._columns_seen = 0
        self._cell: dict[str, str] | None = None
        self._paragraphs: list[str] = []
        self._note: list[str] | None = None
        self._note_paragraphs: list[str] = []
        self._inside_paragraph = 0
        self._is_copy = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "office:document-content":
            if not attributes.get("xmlns:table", "").startswith(_TABLE_NAMESPACE):
                raise ValueError("kein OpenDocument-Tabellendokument")
        elif name.startswith("table:"):
            self._start_table(name, attributes)
        elif self._cell is not None:
            self._start_text(name, attributes)
        elif not self._depth:
            self._styles.start(name, attributes)

    def text(self, piece: str) -> None:
        if self._inside_paragraph:
            (self._note if self._note is not None else self._paragraphs)[-1] += piece
        elif not self._depth:
            self._styles.text(piece)

    def end(self, name: str) -> None:
        if name.startswith("table:"):
            self._end_table(name)
        elif self._cell is not None:
            if name == "text:p" or name == "text:h":
                self._inside_paragraph -= 1
            elif name == "office:annotation" and self._note is not None:
                self._note_paragraphs = self._note
                self._note = None
        elif not self._depth:
            self._styles.end(name)

    def _start_table(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table:table":
            self._depth += 1
            if self._depth == 1:
                hidden = attributes.get("table:style-name") in self._styles.hidden_tables
                self.sheets.append((attributes.get("table:name", ""), hidden, SheetContent()))
                self._row = 0
                self._column_styles, self._columns_seen, self._is_copy = [], 0, False
        elif self._depth != 1 or not self.sheets:
            return
        elif name == "table:table-source":
            self._is_copy = True
        elif name == "table:table-column":
            self._start_column(attributes)
        elif name == "table:table-row":
            self._row_repeat = repetition(attributes.get("table:number-rows-repeated"), LAST_ROW)
            self._row_style = attributes.get("table:default-cell-style-name")
            self._row += 1
            self._column = 0
            self._row_cells, self._spans = [], []
            if attributes.get("table:visibility") in ("collapse", "filter"):
                self.sheets[-1][2].hidden_row_spans.append((self._row, self._row + self._row_repeat - 1))
        elif name in ("table:table-cell", "table:covered-table-cell"):
            self._cell = attributes
            self._column += 1
            self._paragraphs, self._note, self._note_paragraphs, self._inside_paragraph = [], None, [], 0

    def _start_column(self, attributes: dict[str, str]) -> None:
        repeat = repetition(attributes.get("table:number-columns-repeated"), LAST_COLUMN)
        first, last = self._columns_seen + 1, self._columns_seen + repeat
        self._columns_seen = last
        self._column_styles.append((first, last, attributes.get("table:default-cell-style-name")))
        if attributes.get("table:visibility") in ("collapse", "filter"):
            self.sheets[-1][2].hidden_columns.append((first, last))

    def _start_text(self, name: str, attributes: dict[str, str]) -> None:
        target = self._note if self._note is not None else self._paragraphs
        if name in ("text:p", "text:h"):
            target.append("")
            self._inside_paragraph += 1
        elif name == "office:annotation":
            self._note = []
        elif self._inside_paragraph and target:
            if name == "text:s":
                target[-1] += SPACE * repetition(attributes.get("text:c"), 1000)
            elif name == "text:tab":
                target[-1] += TAB
            elif name == "text:line-break":
                target[-1] += LINE_BREAK

    def _end_table(self, name: str) -> None:
        if name == "table:table":
            self._depth -= 1
            if self._depth == 0 and self._is_copy:
                self.sheets.pop()
        elif self._depth != 1:
            return
        elif name in ("table:table-cell", "table:covered-table-cell") and self._cell is not None:
            self._end_cell(self._cell, name == "table:covered-table-cell")
            self._cell = None
        elif name == "table:table-row":
            self._end_row()

    def _end_cell(self, attributes: dict[str, str], covered: bool) -> None:
        repeat = repetition(attributes.get("table:number-columns-repeated"), LAST_COLUMN)
        first = self._column
        self._column += repeat - 1
        cell = self._raw_cell(attributes)
        if cell is not None:
            comment = "\n".join(written_text(text) for text in self._note_paragraphs).strip() or None
            self._row_cells.append((first, repeat, cell, comment))
        columns = repetition(attributes.get("table:number-columns-spanned"), LAST_COLUMN)
        rows = repetition(attributes.get("table:number-rows-spanned"), LAST_ROW)
        if not covered and (columns > 1 or rows > 1):
            self._spans.append((first, columns, rows))

    def _end_row(self) -> None:
        content = self.sheets[-1][2]
        count = sum(repeat for _, repeat, _, _ in self._row_cells) * self._row_repeat
        last = self._row + self._row_repeat - 1
        if count:
            self._remaining -= count
            name = self.sheets[-1][0]
            if self._remaining < 0:
                raise _TooLarge(f"das Blatt „{name}“ hat zu viele gefüllte Zellen (bis Zeile {self._row} gelesen)")
            if last > LAST_ROW or (self._column > LAST_COLUMN and self._row_cells[-1][0] > LAST_COLUMN):
                raise _TooLarge(f"das Blatt „{name}“ reicht über Zeile {LAST_ROW} oder Spalte {LAST_COLUMN} hinaus")
            for row in range(self._row, last + 1):
                for first, repeat, cell, comment in self._row_cells:
                    for column in range(first, first + repeat):
                        content.cells[row, column] = cell
                        if comment is not None:
                            content.comments[row, column] = comment
        for column, columns, rows in self._spans:
            content.merges.append((self._row, column, self._row + rows - 1, column + columns - 1))
        if self._progress is not None and self._row % 5000 == 0:
            self._progress(self.sheets[-1][0], self._row)
        self._row = last

    def _raw_cell(self, attributes: dict[str, str]) -> RawCell | None:
        kind = attributes.get("office:value-type")
        formula = formula_in_excel_spelling(attributes.get("table:formula"))
        text = "\n".join(written_text(paragraph) for paragraph in self._paragraphs)
        if kind is None and formula is None and not text:
            return None
        style = self._style(attributes.get("table:style-name"))
        if attributes.get("calcext:value-type") == "error" or (formula is not None and text in _ERRORS):
            return styled_cell(style, "error", text, text, formula)
        if kind is None and formula is not None and not text:
            return styled_cell(style, "formula_without_result", None, "", formula)
        if kind in ("float", "percentage", "currency"):
            return self._number(attributes, kind, style, formula)
        if kind == "boolean":
            raw = attributes.get("office:boolean-value", "")
            return styled_cell(style, "boolean", raw == "true", raw, formula)
        if kind == "date":
            raw = attributes.get("office:date-value", "")
            moment = date_of_iso(raw)
            if moment is not None:
                return styled_cell(style, "date", moment, raw, formula)
            self._report("date_unreadable", raw)
            return styled_cell(style, "text", raw, raw, formula)
        if kind == "time":
            raw = attributes.get("office:time-value", "")
            return RawCell(days_of_duration(raw), "number", raw, DURATION_FORMAT, formula, None, style.bold)
        written = attributes.get("office:string-value", text)
        return styled_cell(style, "text", written, written, formula) if written else None

    def _number(self, attributes: dict[str, str], kind: str, style: CellStyle, formula: str | None) -> RawCell:
        raw = attributes.get("office:value", "")
        try:
            value = decimal_of_text(raw)
        except ValueError:
            self._report("number_unreadable", raw)
            return styled_cell(style, "error", raw, raw, formula)
        code = style.number_format
        if kind == "percentage" and "%" not in code:
            code = (code or "0") + "%"
        elif kind == "currency" and "[$" not in code:
            code = f"{code or '#,##0.00'} [${attributes.get('office:currency', '')}]"
        cell, finding = number_cell(CellStyle(code, False, style.bold), value, raw, formula, False)
        if finding is not None:
            self._report(finding, raw)
        return cell

    def _style(self, name: str | None) -> CellStyle:
        if name is None:
            name = self._row_style
        if name is None:
            name = next((style for first, last, style in self._column_styles if first <= self._column <= last), None)
        return self._styles.cell_style(name)

    def _report(self, code: str, raw: str) -> None:
        self.sheets[-1][2].findings.append(Finding(code, self._row, self._column, raw))


_ERRORS = frozenset(
    ("#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#N/A", "#NULL!", "Err:502", "Err:504", "Err:508", "Err:522")
)
