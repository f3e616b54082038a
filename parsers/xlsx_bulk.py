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
from parsers.xlsx_rows import RowReader
from parsers.xlsx_sheet import SheetHandlers
from parsers.xlsx_strings import text_of_run
from parsers.xlsx_xml import BrokenXml, is_true, parse_events

_HEAD_LIMIT = 1 << 20  # characters before sheetData: views, formats, columns
_MOST_HEADS = 4096
_PIECE = 1 << 20  # characters handed to the expression at once
_SHEET_DATA = re.compile(r"<sheetData(?:\s[^<>]*)?(/?)>")
_OTHER_ENCODING = re.compile(r"""\A\ufeff?<\?xml[^>]*encoding\s*=\s*["'](?!utf-8["'])""", re.IGNORECASE)
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
_REFERENCE = re.compile(r"&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));|&")
_NO_XML = bytes(code for code in range(32) if code not in (9, 10, 13))  # characters that no XML may hold
_NEVER_IN_ROWS = ("\ufffe", "\uffff", "<!", "<?", "]]>")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class NotUsual(Exception):
    """The part is not spelt in the usual way; nothing is said about whether it is valid."""


def read_in_bulk(
    chunks: Iterable[bytes], content: SheetContent, sink: CellSink, progress: Callable[[int], None] | None, *, rows: bool = True
) -> None:
    """Read one worksheet part; `rows=False` does without whole rows (the same result, slower).

    Raises NotUsual (`content` is then worthless), ForbiddenXml, SheetTooLarge, NoWorksheet."""
    scanner = _Scanner(content, sink, progress, RowReader(content.cells, sink, _plain) if rows else None)
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
        self._sink = sink
        self._progress = progress
        self._columns: dict[str, int] = {}

    def outside(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        """The part without the inside of `sheetData`, which is read on the way."""
        decoded = codecs.getincrementaldecoder("utf-8")("strict").decode

        def decode(data: bytes) -> str:
            if len(data.translate(None, _NO_XML)) != len(data):
                raise NotUsual
            return decoded(data)

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
        if "<!" in head or _OTHER_ENCODING.match(head):
            raise NotUsual
        yield head.encode()
        buffer = buffer[opening.end() :]
        if not opening[1]:
            for chunk in stream:
                if len(buffer) >= _PIECE or "</sheetData" in buffer:
                    buffer, finished = self._rows(buffer)
                    if finished:
                        yield b"".join((buffer.encode(), chunk))
                        break
                buffer += decode(chunk)
            else:
                buffer, finished = self._rows(buffer)
                if not finished:
                    raise NotUsual
                yield buffer.encode()
        else:
            yield buffer.encode()
        yield from stream

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
                    raw = text_of_run(_plain(inline), preserve is not None)
                elif "&" in raw or "\r" in raw:
                    raw = _plain(raw)
                add(row, column, kind or "n", style or "0", raw, formula if formula is None else _plain(formula))
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
            handlers.finish_cell(attributes, _stored(found[3], found[4]), _plain(found[2] or ""), _attributes(found[1]))
        elif (found := _INLINE.match(inside)) is not None:
            handlers.place(attributes.get("r"))
            handlers.finish_cell(attributes, text_of_run(_plain(found[2]), found[1] is not None), None, {})
        else:
            parse_events((f"<cell>{text}</cell>".encode(),), handlers.start, handlers.end, handlers.text)


def _stored(value: str | None, empty: str | None) -> str | None:
    if value is None:
        return "" if empty else None
    return _plain(value)


def _attributes(text: str) -> dict[str, str]:
    found = {name: _plain(double or single) for name, double, single in _ATTRIBUTE.findall(text)}
    if _ATTRIBUTE.sub("", text).strip() or len(found) != len(_ATTRIBUTE.findall(text)):
        raise NotUsual
    return found


def _plain(text: str) -> str:
    """Character references resolved and line ends as XML reads them. Raises NotUsual on any other reference."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    if match[3]:
        return _NAMED[match[3]]
    if not match[1] and not match[2]:
        raise NotUsual
    code = int(match[1], 16) if match[1] else int(match[2])
    if not (code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000):
        raise NotUsual
    return chr(code)
