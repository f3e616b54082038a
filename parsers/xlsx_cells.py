"""One cell of a worksheet part: type, style index and text -> RawCell, each different one built once."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.address import LAST_COLUMN, LAST_ROW, cell_address, parse_range
from parsers.cell_values import PLAIN_STYLE, CellStyle, Finding, number_cell, styled_cell
from parsers.raw_cell import CellKind, RawCell
from parsers.row_blocks import SharedFormula
from parsers.sheet_content import SheetContent
from parsers.shift_formula import shift_formula
from parsers.stored_number import date_of_iso, decimal_of_text
from parsers.xlsx_strings import unescape
from parsers.xlsx_xml import is_true

_CACHE_SIZE = 1 << 17
_KINDS: dict[str, CellKind] = {"s": "text", "str": "text", "inlineStr": "text", "b": "boolean", "e": "error"}


class SheetTooLarge(Exception):
    """More cells than the limit, or an address outside of any sheet; the message names it."""


class CellBuilder:
    """Builds cells whose text is known to be what its type says, with every escape resolved."""

    def __init__(self, styles: Sequence[CellStyle], date1904: bool) -> None:
        self._styles = styles
        self._date1904 = date1904

    def build(self, kind: str, style_index: str, text: str | None, formula: str | None) -> RawCell:
        """`kind` and `style_index` are the attributes t and s; `text` is the shared string itself, not its number."""
        index = int(style_index)
        style = self._styles[index] if index < len(self._styles) else PLAIN_STYLE
        if text is None:
            return styled_cell(style, "formula_without_result", None, "", formula)
        if kind == "n":
            value = decimal_of_text(text)
            if style.is_date:
                return number_cell(style, value, text, formula, self._date1904)[0]
            return styled_cell(style, "number", value, text, formula)
        if kind == "b":
            return styled_cell(style, "boolean", is_true(text), text, formula)
        if kind == "e":
            return styled_cell(style, "error", text, text, formula)
        return styled_cell(style, "text", text, text, formula)


class CellSink:
    """Takes the cells of one worksheet into its SheetContent."""

    def __init__(
        self, content: SheetContent, styles: Sequence[CellStyle], strings: Sequence[str], date1904: bool, max_cells: int
    ) -> None:
        self._content = content
        self._styles = styles
        self.strings = strings
        self._date1904 = date1904
        self.max_cells = max_cells
        self._known: dict[tuple[str, str, str], RawCell] = {}
        self._shared: dict[str, SharedFormula] = {}
        self.build = CellBuilder(styles, date1904).build

    def add(self, row: int, column: int, kind: str, style: str, raw: str | None, formula: str | None) -> None:
        """One cell; `kind` and `style` are the attributes t and s, `raw` the text of `v` or of an inline string.

        A cell that shows nothing is passed over. Raises SheetTooLarge, ValueError for a style or string index that is no number.
        """
        if formula is not None:
            cell = self._cell(row, column, kind, style, raw, formula)
        elif raw is None:
            return
        else:
            key = (kind, style, raw)
            known = self._known.get(key)
            if known is not None:
                cell = known
            else:
                before = len(self._content.findings)
                cell = self._cell(row, column, kind, style, raw, None)
                if cell is not None and len(self._known) < _CACHE_SIZE and len(self._content.findings) == before:
                    self._known[key] = cell
        if cell is None:
            return
        cells = self._content.cells
        earlier = cells.put(row, column, cell)
        if earlier is not None and earlier != cell:
            self._content.findings.append(Finding("cell_twice", row, column, cell.raw))
            cells.put(row, column, RawCell(cell.raw, "error", cell.raw))
        if row > LAST_ROW or column > LAST_COLUMN or row < 1:
            raise SheetTooLarge(f"die Zelle in Zeile {row}, Spalte {column} liegt außerhalb eines Tabellenblatts")
        if len(cells) > self.max_cells:
            raise SheetTooLarge(f"es hat mehr als {self.max_cells} gefüllte Zellen (bis {cell_address(row, column)} gelesen)")

    def formula_text(self, row: int, column: int, attributes: dict[str, str], text: str) -> str:
        """The formula of a cell: a shared one is moved here from the cell that holds its text."""
        kind = attributes.get("t", "normal")
        if kind == "shared":
            index = attributes.get("si", "")
            if text:
                self._shared[index] = (text, row, column)
            elif index in self._shared:
                first, first_row, first_column = self._shared[index]
                return shift_formula(first, row - first_row, column - first_column)
        elif kind in ("array", "dataTable") and ":" in attributes.get("ref", ""):
            self._content.array_areas.append((parse_range(attributes["ref"]), text))
        return text

    def style(self, index: str) -> CellStyle:
        """The style of the attribute s; a number that the workbook does not define is no style. Raises ValueError."""
        number = int(index)
        return self._styles[number] if 0 <= number < len(self._styles) else PLAIN_STYLE

    def kind(self, kind: str, style_index: str) -> tuple[CellKind, str]:
        """What a stored text of this type and style is, given that it is what its type says; with its number format."""
        style = self.style(style_index)
        usual: CellKind = "date" if style.is_date else "number"
        return _KINDS.get(kind, usual), style.number_format

    def shared_formula(self, index: str) -> str | SharedFormula:
        """The shared formula that a cell refers to, not yet moved there; "" if no earlier cell holds its text."""
        return self._shared.get(index, "")

    def _cell(self, row: int, column: int, kind: str, style_index: str, raw: str | None, formula: str | None) -> RawCell | None:
        style = self.style(style_index)
        if kind == "s" and raw is not None:
            number = int(raw)
            if not 0 <= number < len(self.strings):
                self._content.findings.append(Finding("shared_string_missing", row, column, raw))
                return styled_cell(style, "error", raw, raw, formula)
            text = self.strings[number]
            return styled_cell(style, "text", text, text, formula) if text else None
        if kind in ("str", "inlineStr") and raw is not None:
            text = unescape(raw) if kind == "str" else raw
            return styled_cell(style, "text", text, text, formula) if text else None
        if raw is None or not raw.strip():
            return styled_cell(style, "formula_without_result", None, "", formula) if formula is not None else None
        if kind == "b":
            return styled_cell(style, "boolean", is_true(raw), raw, formula)
        if kind == "e":
            return styled_cell(style, "error", raw, raw, formula)
        if kind == "d":
            moment = date_of_iso(raw)
            if moment is not None:
                return styled_cell(style, "date", moment, raw, formula)
            self._content.findings.append(Finding("date_unreadable", row, column, raw))
            return styled_cell(style, "text", raw, raw, formula)
        try:
            value = decimal_of_text(raw)
        except ValueError:
            self._content.findings.append(Finding("number_unreadable", row, column, raw))
            return styled_cell(style, "error", raw, raw, formula)
        cell, finding = number_cell(style, value, raw, formula, self._date1904)
        if finding is not None:
            self._content.findings.append(Finding(finding, row, column, raw))
        return cell
