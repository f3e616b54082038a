"""One streaming pass over a worksheet's XML: every non-empty cell with its facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from parsers.address import cell_address, column_number, parse_range
from parsers.grid import RawCell
from parsers.problem import Problem
from parsers.stored_number import UNRELIABLE_FROM, date_of_iso, date_of_serial, decimal_of_text
from parsers.xlsx_strings import text_of_run, unescape
from parsers.xlsx_styles import PLAIN_STYLE, CellStyle
from parsers.xlsx_xml import is_true, parse_events

Area = tuple[int, int, int, int]

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384  # Excel's sheet size since 2007
_CACHE_SIZE = 1 << 17


class SheetTooLarge(Exception):
    """More cells than the limit, or an address outside of any sheet; the message names it."""


@dataclass
class SheetContent:
    """What the pass found. `array_areas`: areas of array formulas and data tables with their formula text."""

    cells: dict[tuple[int, int], RawCell] = field(default_factory=dict)
    merges: list[Area] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    array_areas: list[tuple[Area, str]] = field(default_factory=list)
    findings: list[tuple[str, int, int, str]] = field(default_factory=list)  # code, row, column, raw text
    formulas: int = 0


def read_sheet_xml(
    chunks: Iterable[bytes],
    styles: Sequence[CellStyle],
    strings: Sequence[str],
    *,
    date1904: bool,
    max_cells: int,
    progress: Callable[[int], None] | None = None,
) -> SheetContent:
    """Read the cells of one worksheet part. `progress` gets the last row seen, now and then.

    Raises BrokenXml, ForbiddenXml, SheetTooLarge.
    """
    content = SheetContent()
    reader = _SheetPass(content, styles, strings, date1904, max_cells)

    def watched() -> Iterable[bytes]:
        for number, chunk in enumerate(chunks):
            yield chunk
            if progress is not None and number % 32 == 31:
                progress(reader.row)

    parse_events(watched(), reader.start, reader.end, reader.text)
    if not reader.known_root:
        raise SheetTooLarge("kein Tabellenblatt")
    return content


class _SheetPass:
    """Expat handlers for one worksheet; state is the cell being read."""

    def __init__(
        self, content: SheetContent, styles: Sequence[CellStyle], strings: Sequence[str], date1904: bool, max_cells: int
    ) -> None:
        self.content = content
        self.styles = styles
        self.strings = strings
        self.date1904 = date1904
        self.max_cells = max_cells
        self.row = 0
        self.column = 0
        self.known_root = False
        self.prefix = ""
        self.names: dict[str, str] = {}
        self.columns: dict[str, int] = {}
        self.cache: dict[tuple[str, str, str], RawCell | None] = {}
        self.shared: dict[str, str] = {}
        self.collecting = False
        self.pieces: list[str] = []
        self._new_cell({})

    def _new_cell(self, attributes: dict[str, str]) -> None:
        self.cell_type = attributes.get("t", "n")
        self.style = attributes.get("s", "0")
        self.raw: str | None = None
        self.formula: str | None = None
        self.formula_attributes: dict[str, str] = {}
        self.inline: list[str] = []
        self.phonetic = 0
        self.preserve = False

    def _root(self, name: str) -> None:
        prefix, _, local = name.rpartition(":")
        self.known_root = local == "worksheet"
        self.prefix = f"{prefix}:" if prefix else ""
        self.names = {self.prefix + local: local for local in ("c", "v", "f", "row", "t", "rPh", "is", "mergeCell", "col")}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.names:
            self._root(name)
            return
        local = self.names.get(name)
        if local is None:
            return
        if local == "c":
            self._place(attributes.get("r"))
            self._new_cell(attributes)
        elif local == "v":
            self.pieces = []
            self.collecting = True
        elif local == "f":
            self.pieces = []
            self.collecting = True
            self.formula_attributes = attributes
        elif local == "row":
            reference = attributes.get("r")
            self.row = int(reference) if reference else self.row + 1
            self.column = 0
            if "hidden" in attributes and is_true(attributes["hidden"]):
                self.content.hidden_rows.add(self.row)
        elif local == "t":
            self.pieces = []
            self.collecting = True
            self.preserve = attributes.get("xml:space") == "preserve"
        elif local == "rPh":
            self.phonetic += 1
        elif local == "mergeCell":
            self.content.merges.append(parse_range(attributes["ref"]))
        elif local == "col" and "hidden" in attributes and is_true(attributes["hidden"]):
            self.content.hidden_columns.append((int(attributes["min"]), int(attributes["max"])))

    def text(self, piece: str) -> None:
        if self.collecting:
            self.pieces.append(piece)

    def end(self, name: str) -> None:
        local = self.names.get(name)
        if local is None:
            return
        if local == "c":
            self._finish()
        elif local == "v":
            self.raw = "".join(self.pieces)
            self.collecting = False
        elif local == "f":
            self.formula = "".join(self.pieces)
            self.collecting = False
        elif local == "t":
            if not self.phonetic:
                self.inline.append(text_of_run("".join(self.pieces), self.preserve))
            self.collecting = False
        elif local == "rPh":
            self.phonetic -= 1

    def _place(self, reference: str | None) -> None:
        if reference is None:
            self.column += 1
            return
        letters = reference.rstrip("0123456789")
        column = self.columns.get(letters)
        if column is None:
            column = self.columns[letters] = column_number(letters.replace("$", ""))
        self.column = column
        digits = reference[len(letters) :]
        if digits and int(digits) != self.row:
            self.row = int(digits)

    def _finish(self) -> None:
        raw = self.raw
        if self.formula is None:
            if raw is None and not self.inline:
                return
            key = (self.cell_type, self.style, raw if raw is not None else "\0".join(self.inline))
            cell = self.cache.get(key)
            if cell is None:
                cell = self._cell()
                if cell is None:
                    return
                if len(self.cache) < _CACHE_SIZE and not self._reported:
                    self.cache[key] = cell
        else:
            self.content.formulas += 1
            self._resolve_formula()
            cell = self._cell()
            if cell is None:
                return
        cells = self.content.cells
        position = (self.row, self.column)
        if position in cells and cells[position] != cell:
            self._report("cell_twice", raw or "")
            cell = RawCell(raw or "", "error", raw or "")
        cells[position] = cell
        if len(cells) > self.max_cells:
            raise SheetTooLarge(f"mehr als {self.max_cells} Zellen")
        if self.row > LAST_ROW or self.column > LAST_COLUMN:
            raise SheetTooLarge(f"die Zelle {cell_address(self.row, self.column)} liegt außerhalb eines Tabellenblatts")

    def _report(self, code: str, raw: str) -> None:
        self._reported = True
        self.content.findings.append((code, self.row, self.column, raw))

    def _resolve_formula(self) -> None:
        attributes = self.formula_attributes
        kind = attributes.get("t", "normal")
        if kind == "shared":
            index = attributes.get("si", "")
            if self.formula:
                self.shared[index] = self.formula
            else:
                self.formula = self.shared.get(index, "")
        elif kind in ("array", "dataTable") and ":" in attributes.get("ref", ""):
            self.content.array_areas.append((parse_range(attributes["ref"]), self.formula or ""))

    def _cell(self) -> RawCell | None:
        """The cell just read; None if it shows nothing."""
        self._reported = False
        index = int(self.style)
        style = self.styles[index] if 0 <= index < len(self.styles) else PLAIN_STYLE
        raw, kind = self.raw, self.cell_type
        if kind == "s" and raw is not None:
            number = int(raw)
            if not 0 <= number < len(self.strings):
                self._report("shared_string_missing", raw)
                return self._with(style, raw, "error", raw)
            text = self.strings[number]
            return self._with(style, text, "text", text) if text else None
        if kind == "inlineStr":
            text = "".join(self.inline) if self.inline else unescape(raw or "")
            return self._with(style, text, "text", text) if text else None
        if kind == "str" and raw is not None:
            text = unescape(raw)
            return self._with(style, text, "text", text) if text else None
        if raw is None or not raw.strip():
            return self._with(style, None, "formula_without_result", "") if self.formula is not None else None
        if kind == "b":
            return self._with(style, is_true(raw), "boolean", raw)
        if kind == "e":
            return self._with(style, raw, "error", raw)
        if kind == "d":
            moment = date_of_iso(raw)
            if moment is None:
                self._report("date_unreadable", raw)
                return self._with(style, raw, "text", raw)
            return self._with(style, moment, "date", raw)
        return self._number(style, raw)

    def _number(self, style: CellStyle, raw: str) -> RawCell:
        try:
            value = decimal_of_text(raw)
        except ValueError:
            self._report("number_unreadable", raw)
            return self._with(style, raw, "error", raw)
        if style.is_date:
            moment = date_of_serial(value, self.date1904)
            if moment is not None:
                return self._with(style, moment, "date", raw)
            self._report("date_out_of_range", raw)
        elif abs(value) >= UNRELIABLE_FROM and value == value.to_integral_value():
            self._report("digits_unreliable", raw)
        return self._with(style, value, "number", raw)

    def _with(self, style: CellStyle, value: object, kind: object, raw: str) -> RawCell:
        return RawCell(
            value,
            kind,
            raw,
            style.number_format,
            self.formula,
            None,  # type: ignore[arg-type]
            style.bold,
            style.indent,
            style.quote_prefix,
        )


def finding_problem(code: str, where: str, raw: str) -> Problem:
    """The Problem for one finding of the pass; `where` is "Blatt!C4"."""
    message, hint = _FINDINGS[code]
    return Problem(code, where, message.format(raw=raw[:60]), hint)


_FINDINGS: dict[str, tuple[str, str]] = {
    "digits_unreliable": (
        "Die Zahl {raw} hat mehr als 15 Stellen; Excel speichert die letzten Stellen nicht zuverlässig.",
        "Nummern dieser Länge bitte als Text speichern.",
    ),
    "number_unreadable": (
        "Der Zelleninhalt „{raw}“ ist als Zahl gespeichert, ist aber keine.",
        "Bitte die Zelle in Excel neu eingeben.",
    ),
    "date_unreadable": (
        "Der Zelleninhalt „{raw}“ ist als Datum gespeichert, ist aber keines.",
        "Bitte die Zelle in Excel neu eingeben.",
    ),
    "date_out_of_range": (
        "Die Zahl {raw} ist als Datum formatiert, bezeichnet aber keinen Tag des Kalenders.",
        "Bitte Wert oder Zahlenformat prüfen.",
    ),
    "shared_string_missing": (
        "Die Zelle verweist auf den Text Nummer {raw}, den die Datei nicht enthält.",
        "Bitte die Datei in Excel neu speichern.",
    ),
    "cell_twice": ("Die Zelle steht zweimal mit verschiedenem Inhalt in der Datei.", "Bitte die Datei in Excel neu speichern."),
}
