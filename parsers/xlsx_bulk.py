"""The usual spelling of a worksheet's cells, read in bulk by one regular expression instead of event by event.

Only the inside of `sheetData` is read so, and only while the expression matches every character of it; what stands before and
after goes to the XML parser. Anything else (comments, CDATA, prefixes, other encodings) raises NotUsual: the event pass reads it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable

from parsers.address import column_number
from parsers.sheet_content import SheetContent
from parsers.xlsx_cells import CellSink
from parsers.xlsx_plain import NotUsual, is_other_encoding, plain_text, require_plain
from parsers.xlsx_rows import RowReader
from parsers.xlsx_sheet import SheetHandlers
from parsers.xlsx_strings import text_of_run
from parsers.xlsx_xml import BrokenXml, is_true, parse_events

_HEAD_LIMIT = 1 << 20  # characters before sheetData: views, formats, columns
_MOST_HEADS = 4096
_PIECE = 1 << 20  # characters handed to the expression at once
_SHEET_DATA = re.compile(r"<sheetData(?:\s[^<>]*)?(/?)>")
_ITEMS = re.compile(
    r'<c r="([A-Z]{1,3})([0-9]{1,7})"(?: s="([0-9]+)")?(?: t="([a-zA-Z]+)")?'
    r'(?:/>|>(?:(?:<f>([^<]*)</f>)?<v>([^<]*)</v>|<is><t( xml:space="preserve")?>([^<]*)</t></is>)?</c>)'
    r"|(<c(?:\s[^<>]*)?(?:/>|(?<!/)>.*?</c>))"
    r"|<row((?:\s[^<>]*)?)>"
    r"|</row>",
    re.DOTALL,
)
_STRIDE = _ITEMS.groups + 1
_ATTRIBUTE = re.compile(r"""\s([A-Za-z_:][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_CELL = re.compile(r"<c((?:\s[^<>]*?)?)(?:/>|(?<!/)>(.*)</c>)\Z", re.DOTALL)
_FORMULA_AND_VALUE = re.compile(r"\s*<f((?:\s[^<>]*?)?)(?:/>|(?<!/)>([^<]*)</f>)\s*(?:<v>([^<]*)</v>|(<v\s*/>))?\s*\Z")
_VALUE = re.compile(r"\s*(?:<v>([^<]*)</v>|(<v\s*/>))?\s*\Z")
_INLINE = re.compile(r'\s*<is>\s*<t( xml:space="preserve")?>([^<]*)</t>\s*</is>\s*\Z')
_MERGE = re.compile(r'<mergeCell ref="([A-Z]{1,3})([1-9][0-9]{0,6}):([A-Z]{1,3})([1-9][0-9]{0,6})"/>')
_TAIL_LIMIT = 1 << 24  # characters after sheetData in which merged areas are read in bulk
_NEVER_IN_ROWS = ("\ufffe", "\uffff")


def read_in_bulk(
    chunks: Iterable[bytes], content: SheetContent, sink: CellSink, progress: Callable[[int], None] | None, *, rows: bool = True
) -> None:
    """Read one worksheet part; `rows=False` does without whole rows (the same result, slower).

    Raises NotUsual (`content` is then worthless), ForbiddenXml, SheetTooLarge, NoWorksheet."""
    scanner = _Scanner(content, sink, progress, RowReader(content.cells, sink, plain_text) if rows else None)
    try:
        parse_events(scanner.outside(chunks), scanner.handlers.start, scanner.handlers.end, scanner.handlers.text)
    except (BrokenXml, ValueError, KeyError) as error:  # the event pass tells whether the part is really broken
        raise NotUsual from error


class _Scanner:
    def __init__(
        self, content: SheetContent, sink: CellSink, progress: Callable[[int], None] | None, rows: RowReader | None
    ) -> None:
        self._row_reader = rows
        self._known_heads: dict[str, bool] = {}
        self.handlers = SheetHandlers(content, sink)
        self._content = content
        self._sink = sink
        self._progress = progress
        self._columns: dict[str, int] = {}

    def outside(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        """The part without the inside of `sheetData`, which is read on the way."""
        decoder = codecs.getincrementaldecoder("utf-8")("strict")
        decode = decoder.decode
        stream = iter(chunks)
        buffer = ""
        for chunk in stream:
            buffer += decode(chunk)
            opening = _SHEET_DATA.search(buffer)
            if opening is not None:
                break
            if len(buffer) > _HEAD_LIMIT:
                raise NotUsual
        else:
            raise NotUsual
        head = buffer[: opening.end()]
        if "<!" in head or is_other_encoding(head):
            raise NotUsual
        yield head.encode()
        buffer = buffer[opening.end() :]
        if not opening[1]:
            for chunk in stream:
                if len(buffer) >= _PIECE or "</sheetData" in buffer:
                    buffer, finished = self._rows(buffer)
                    if finished:
                        buffer += decode(chunk)
                        break
                buffer += decode(chunk)
            else:
                buffer, finished = self._rows(buffer)
                if not finished:
                    raise NotUsual
        for chunk in stream:
            buffer += decode(chunk)
            if len(buffer) > _TAIL_LIMIT:
                break
        yield self._tail(buffer).encode() + decoder.getstate()[0]
        yield from stream

    def _tail(self, buffer: str) -> str:
        """What follows `sheetData`, without the merged areas that are spelt in the usual way; these are kept."""
        merges = _MERGE.findall(buffer)
        if merges and len(merges) == buffer.count("<mergeCell ") and "<!" not in buffer and "<?" not in buffer:
            for letters, row, last_letters, last_row in merges:
                top, left, bottom, right = int(row), column_number(letters), int(last_row), column_number(last_letters)
                self._content.merges.append((min(top, bottom), min(left, right), max(top, bottom), max(left, right)))
            buffer = _MERGE.sub("", buffer)
        return buffer

    def _rows(self, buffer: str) -> tuple[str, bool]:
        """Read the complete rows of the buffer; (the rest, whether `sheetData` ends at its start)."""
        end = buffer.find("</sheetData")
        cut = end if end >= 0 else buffer.rfind("<row")
        if cut > 0:
            self._read_rows(buffer[:cut])
            if self._progress is not None:
                self._progress(self.handlers.row)
        return buffer[max(cut, 0) :], end >= 0

    def _read_rows(self, text: str) -> None:
        """Row by row where their spelling allows it; what stands between two such rows cell by cell."""
        if any(words in text for words in _NEVER_IN_ROWS):
            raise NotUsual
        if self._row_reader is None:
            self._read(text)
            return
        *rows, rest = text.split("</row>")
        for row in rows:
            found = self._row_reader.read(row)
            if found is None:
                self._read(f"{row}</row>")
            else:
                self.handlers.row = found[0]
                if found[1]:
                    self._row_attributes(*found)
        if rest.strip():
            self._read(rest)

    def _row_attributes(self, row: int, text: str) -> None:
        hidden = self._known_heads.get(text)
        if hidden is None:
            hidden = is_true(_attributes(f' r="1"{text}').get("hidden"))
            if len(self._known_heads) < _MOST_HEADS:
                self._known_heads[text] = hidden
        if hidden:
            self.handlers.start_row({"r": str(row), "hidden": "1"})

    def _read(self, text: str) -> None:
        require_plain(text)
        parts = _ITEMS.split(text)
        if "".join(parts[::_STRIDE]).strip():
            raise NotUsual
        handlers, add, columns = self.handlers, self._sink.add, self._columns
        row, row_text, in_row = handlers.row, "", False
        groups = (parts[group::_STRIDE] for group in range(1, _STRIDE))
        cells = zip(*groups, strict=True)
        for letters, digits, style, kind, formula, raw, preserve, inline, other, row_attributes in cells:
            if not in_row and row_attributes is None:
                raise NotUsual
            if letters is not None:
                column = columns.get(letters)
                if column is None:
                    column = columns[letters] = column_number(letters)
                handlers.column = column
                if digits != row_text:
                    row, row_text = int(digits), digits
                    handlers.row = row
                if raw is None:
                    if inline is None:
                        continue
                    raw = text_of_run(plain_text(inline), preserve is not None)
                elif "&" in raw or "\r" in raw:
                    raw = plain_text(raw)
                add(row, column, kind or "n", style or "0", raw, formula if formula is None else plain_text(formula))
            elif row_attributes is not None:
                if in_row:
                    raise NotUsual
                in_row = not row_attributes.endswith("/")
                handlers.start_row(_attributes(row_attributes.removesuffix("/")))
                row, row_text = handlers.row, str(handlers.row)
            elif other is not None:
                self._unusual_cell(other)
                row, row_text = handlers.row, str(handlers.row)
            else:
                in_row = False
        if in_row:
            raise NotUsual

    def _unusual_cell(self, text: str) -> None:
        """A cell with a shared or array formula, a rich inline string, or attributes in another order."""
        match = _CELL.match(text)
        if match is None:
            raise NotUsual
        attributes = _attributes(match[1])
        inside = match[2] or ""
        handlers = self.handlers
        if (found := _VALUE.match(inside)) is not None:
            handlers.place(attributes.get("r"))
            handlers.finish_cell(attributes, _stored(found[1], found[2]), None, {})
        elif (found := _FORMULA_AND_VALUE.match(inside)) is not None:
            handlers.place(attributes.get("r"))
            handlers.finish_cell(attributes, _stored(found[3], found[4]), plain_text(found[2] or ""), _attributes(found[1]))
        elif (found := _INLINE.match(inside)) is not None:
            handlers.place(attributes.get("r"))
            handlers.finish_cell(attributes, text_of_run(plain_text(found[2]), found[1] is not None), None, {})
        else:
            parse_events((f"<cell>{text}</cell>".encode(),), handlers.start, handlers.end, handlers.text)


def _stored(value: str | None, empty: str | None) -> str | None:
    if value is None:
        return "" if empty else None
    return plain_text(value)


def _attributes(text: str) -> dict[str, str]:
    found = {name: plain_text(double or single) for name, double, single in _ATTRIBUTE.findall(text)}
    if _ATTRIBUTE.sub("", text).strip() or len(found) != len(_ATTRIBUTE.findall(text)):
        raise NotUsual
    return found
