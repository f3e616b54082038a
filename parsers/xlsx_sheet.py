"""A worksheet part as XML events: rows, cells, merged areas, hidden rows and columns.

This pass understands every spelling that XML allows. `xlsx_bulk` reads the usual spelling faster and must give the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from parsers.address import column_number, parse_range
from parsers.sheet_content import SheetContent
from parsers.xlsx_cells import CellSink
from parsers.xlsx_strings import text_of_run
from parsers.xlsx_xml import is_true, parse_events

_ELEMENTS = ("c", "v", "f", "row", "t", "rPh", "mergeCell", "col")


class NoWorksheet(Exception):
    """The part's root element is no worksheet."""


def read_by_events(
    chunks: Iterable[bytes], content: SheetContent, sink: CellSink, progress: Callable[[int], None] | None
) -> None:
    """Read one worksheet part. Raises BrokenXml, ForbiddenXml, SheetTooLarge, NoWorksheet, ValueError, KeyError."""
    handlers = SheetHandlers(content, sink)

    def watched() -> Iterable[bytes]:
        for number, chunk in enumerate(chunks):
            yield chunk
            if progress is not None and number % 32 == 31:
                progress(handlers.row)

    parse_events(watched(), handlers.start, handlers.end, handlers.text)


class SheetHandlers:
    """Expat handlers; `row` and `column` are the place of the last cell seen."""

    def __init__(self, content: SheetContent, sink: CellSink) -> None:
        self.row = 0
        self.column = 0
        self._content = content
        self._sink = sink
        self._names: dict[str, str] = {}
        self._columns: dict[str, int] = {}
        self._pieces: list[str] | None = None
        self._phonetic = 0
        self._preserve = False
        self._cell: dict[str, str] = {}
        self._raw: str | None = None
        self._formula: str | None = None
        self._formula_attributes: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._names:
            self._root(name)
            return
        element = self._names.get(name)
        if element is None:
            return
        if element == "c":
            self.place(attributes.get("r"))
            self._cell, self._raw, self._formula = attributes, None, None
        elif element in ("v", "f", "t"):
            self._pieces = []
            if element == "f":
                self._formula_attributes = attributes
            elif element == "t":
                self._preserve = attributes.get("xml:space") == "preserve"
        elif element == "row":
            self.start_row(attributes)
        elif element == "rPh":
            self._phonetic += 1
        elif element == "mergeCell":
            self._content.merges.append(parse_range(attributes["ref"]))
        elif is_true(attributes.get("hidden")):  # col
            self._content.hidden_columns.append((int(attributes["min"]), int(attributes["max"])))

    def text(self, piece: str) -> None:
        if self._pieces is not None:
            self._pieces.append(piece)

    def end(self, name: str) -> None:
        element = self._names.get(name)
        if element is None:
            return
        if element == "c":
            self.finish_cell(self._cell, self._raw, self._formula, self._formula_attributes)
        elif element == "rPh":
            self._phonetic -= 1
        elif self._pieces is not None and element in ("v", "f", "t"):
            text = "".join(self._pieces)
            self._pieces = None
            if element == "v":
                self._raw = text
            elif element == "f":
                self._formula = text
            elif not self._phonetic:
                self._raw = (self._raw or "") + text_of_run(text, self._preserve)

    def start_row(self, attributes: dict[str, str]) -> None:
        """A row without a number is the one after the last."""
        number = attributes.get("r")
        self.row = int(number) if number else self.row + 1
        self.column = 0
        if "hidden" in attributes and is_true(attributes["hidden"]):
            self._content.hidden_rows.add(self.row)

    def place(self, reference: str | None) -> None:
        """A cell without an address is the one right of the last; an address decides over the row that it stands in."""
        if reference is None:
            self.column += 1
            return
        letters = reference.rstrip("0123456789")
        column = self._columns.get(letters)
        if column is None:
            column = self._columns[letters] = column_number(letters)
        self.column = column
        if len(reference) > len(letters):
            self.row = int(reference[len(letters) :])

    def finish_cell(
        self, attributes: dict[str, str], raw: str | None, formula: str | None, formula_attributes: dict[str, str]
    ) -> None:
        if formula is not None:
            formula = self._sink.formula_text(self.row, self.column, formula_attributes, formula)
        self._sink.add(self.row, self.column, attributes.get("t", "n"), attributes.get("s", "0"), raw, formula)

    def _root(self, name: str) -> None:
        prefix, _, element = name.rpartition(":")
        if element != "worksheet":
            raise NoWorksheet(element)
        self._names = {(f"{prefix}:" if prefix else "") + element: element for element in _ELEMENTS}
