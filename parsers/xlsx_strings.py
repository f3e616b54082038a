"""Shared strings: plain and rich text, without phonetic hints."""

from __future__ import annotations

import re

from parsers.xlsx_package import Package
from parsers.xlsx_xml import BrokenXml, ForbiddenXml, parse_small

_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


def unescape(text: str) -> str:
    """Undo the _xHHHH_ escapes by which XLSX stores control characters ("_x000D_" is a carriage return)."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def text_of_run(text: str, preserve: bool) -> str:
    """Text of one `t` element: without xml:space="preserve" blanks at its ends do not count, as in Excel."""
    return unescape(text if preserve else text.strip(" \t\r\n"))


def read_shared_strings(package: Package, part: str | None) -> tuple[str, ...]:
    """Shared strings by index; a wrong count attribute does not matter. Raises UnreadableFile."""
    if part is None or not package.has(part):
        return ()
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

    try:
        parse_small(package.chunks(part), start, end, characters)
    except (BrokenXml, ForbiddenXml) as error:
        raise package.xml_error(part, error) from error
    return tuple(strings)
