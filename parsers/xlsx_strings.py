"""Shared strings: plain and rich text, without phonetic hints."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from parsers.xlsx_package import Package
from parsers.xlsx_plain import NotUsual, is_other_encoding, plain_text, require_plain
from parsers.xlsx_xml import BrokenXml, ForbiddenXml, parse_events, parse_small

_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_HEAD = re.compile(r"<sst(?:\s[^<>]*)?(?<!/)>")
_TAIL = re.compile(r"\s*</sst>\s*")
_HEAD_LIMIT = 1 << 12
_LONGEST_STRING = 1 << 22  # characters with their XML; Excel allows 32,767
_ITEMS = re.compile(r'<si><t( xml:space="preserve")?>([^<]*)</t></si>|(<si>.*?</si>)', re.DOTALL)
_STRIDE = _ITEMS.groups + 1
_END = "</si>"


def unescape(text: str) -> str:
    """Undo the _xHHHH_ escapes by which XLSX stores control characters ("_x000D_" is a carriage return)."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def text_of_run(text: str, preserve: bool) -> str:
    """Text of one `t` element: without xml:space="preserve" blanks at its ends do not count, as in Excel."""
    return unescape(text if preserve else text.strip(" \t\r\n"))


def read_shared_strings(package: Package, part: str | None, *, bulk: bool = True) -> tuple[str, ...]:
    """Shared strings by index; a wrong count attribute does not matter. `bulk=False` reads event by event (the same result,
    slower). Raises UnreadableFile."""
    if part is None or not package.has(part):
        return ()
    try:
        if bulk:
            try:
                return strings_in_bulk(package.chunks(part))
            except (NotUsual, UnicodeDecodeError, BrokenXml):  # the event pass tells whether the part is really broken
                pass
        return tuple(strings_by_events(package.chunks(part)))
    except (BrokenXml, ForbiddenXml) as error:
        raise package.xml_error(part, error) from error


def strings_by_events(chunks: Iterable[bytes]) -> list[str]:
    """The shared strings of any part. Raises BrokenXml, ForbiddenXml."""
    strings: list[str] = []
    runs: list[str] = []
    text: list[str] = []
    state = {"in_text": 0, "phonetic": 0, "preserve": 0}

    def start(element: str, attributes: dict[str, str]) -> None:
        if element == "t":
            state["in_text"], state["preserve"] = 1, attributes.get("xml:space") == "preserve"
            text.clear()
        elif element == "rPh":
            state["phonetic"] += 1
        elif element == "si":
            runs.clear()

    def end(element: str) -> None:
        if element == "t":
            state["in_text"] = 0
            if not state["phonetic"]:
                runs.append(text_of_run("".join(text), bool(state["preserve"])))
        elif element == "rPh":
            state["phonetic"] -= 1
        elif element == "si":
            strings.append("".join(runs))

    def characters(piece: str) -> None:
        if state["in_text"]:
            text.append(piece)

    parse_small(chunks, start, end, characters)
    return strings


def strings_in_bulk(chunks: Iterable[bytes]) -> tuple[str, ...]:
    """The usual spelling by one expression. Raises NotUsual, UnicodeDecodeError, BrokenXml, ForbiddenXml."""
    strings: list[str] = []
    parse_events(_outside(chunks, strings), _ignore, _ignore, _ignore)
    return tuple(strings)


def _outside(chunks: Iterable[bytes], strings: list[str]) -> Iterator[bytes]:
    """The part without its strings, which are read on the way."""
    decode = codecs.getincrementaldecoder("utf-8")("strict").decode
    buffer = ""
    head = None
    for chunk in chunks:
        buffer += decode(chunk)
        if head is None:
            head = _HEAD.search(buffer)
            if head is None:
                if len(buffer) > _HEAD_LIMIT:
                    raise NotUsual
                continue
            opening, buffer = buffer[: head.end()], buffer[head.end() :]
            if "<!" in opening or is_other_encoding(opening):
                raise NotUsual
            yield opening.encode()
        cut = buffer.rfind(_END) + len(_END)
        if cut >= len(_END):
            strings += _strings(buffer[:cut])
            buffer = buffer[cut:]
        elif len(buffer) > _LONGEST_STRING:
            raise NotUsual
    decode(b"", True)
    if head is None or _TAIL.fullmatch(buffer) is None:
        raise NotUsual
    yield buffer.encode()


def _strings(text: str) -> Iterator[str]:
    """The strings of complete `si` elements."""
    require_plain(text)
    parts = _ITEMS.split(text)
    if "".join(parts[::_STRIDE]).strip(" \t\r\n"):
        raise NotUsual
    for kept, plain, other in zip(*(parts[group::_STRIDE] for group in range(1, _STRIDE)), strict=True):
        if other is None:
            if "&" in plain or "\r" in plain:
                plain = plain_text(plain)
            yield text_of_run(plain, kept is not None)
        else:
            yield from strings_by_events((other.encode(),))


def _ignore(*_event: object) -> None:
    return None
