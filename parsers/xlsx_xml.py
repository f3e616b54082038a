"""Reading an XML part as a stream of events, with document types and entities refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from xml.parsers import expat

_DECLARED_ENCODING = re.compile(rb"""\A[^<]{0,4}<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']*)["']""")
# Those that expat knows itself, and single-byte ones that it asks Python for.
_KNOWN_ENCODING = re.compile(
    rb"utf-?8|utf-?16(le|be)?|us-ascii|ascii|iso-8859-\d{1,2}|latin-?1|(windows-|cp)125\d", re.IGNORECASE
)

StartHandler = Callable[[str, dict[str, str]], None]
EndHandler = Callable[[str], None]
TextHandler = Callable[[str], None]


class ForbiddenXml(Exception):
    """The part declares a document type or entities; no office program writes them, attackers do."""


class BrokenXml(Exception):
    """The part is not well-formed XML; the message says where."""


def _refuse(*_arguments: object) -> None:
    raise ForbiddenXml


def parse_events(chunks: Iterable[bytes], start: StartHandler, end: EndHandler, text: TextHandler) -> None:
    """Feed `chunks` of one XML document to the handlers; names come as written, with their prefix.

    Raises ForbiddenXml on a document type or entity declaration and BrokenXml on anything that is not well-formed.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = 1 << 16
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    try:
        for number, chunk in enumerate(chunks):
            if number == 0:
                _check_encoding(chunk)
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise BrokenXml(f"{expat.ErrorString(error.code)} (Zeile {error.lineno})") from error


def _check_encoding(head: bytes) -> None:
    declared = _DECLARED_ENCODING.match(head)
    if declared is not None and not _KNOWN_ENCODING.fullmatch(declared[1]):
        raise BrokenXml(f"unbekannte Zeichenkodierung {declared[1].decode('ascii', 'replace')[:40]}")


def parse_small(
    chunks: Iterable[bytes], start: StartHandler, end: EndHandler | None = None, text: TextHandler | None = None
) -> None:
    """Like parse_events for small parts: element names come without their prefix."""

    def start_local(name: str, attributes: dict[str, str]) -> None:
        start(local_name(name), attributes)

    def end_local(name: str) -> None:
        if end is not None:
            end(local_name(name))

    def ignore(_text: str) -> None:
        return None

    parse_events(chunks, start_local, end_local, text or ignore)


def local_name(name: str) -> str:
    """ "x:row" -> "row"."""
    return name.rpartition(":")[2]


def local_attribute(attributes: dict[str, str], name: str) -> str | None:
    """The attribute with this local name, whatever its prefix ("r:id" or "d3p1:id"); None if absent."""
    if name in attributes:
        return attributes[name]
    return next((value for key, value in attributes.items() if local_name(key) == name), None)


def is_true(text: str | None) -> bool:
    """XML Schema boolean: "1", "true" (and "on" of old writers)."""
    return text is not None and text.strip().lower() in ("1", "true", "on")
