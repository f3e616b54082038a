"""XML in its usual spelling, read without a parser: what may stand in it, and its character references resolved."""

from __future__ import annotations

import re

_OTHER_ENCODING = re.compile(r"""\A\ufeff?<\?xml[^>]*encoding\s*=\s*["'](?!utf-8["'])""", re.IGNORECASE)
_REFERENCE = re.compile(r"&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));|&")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NO_ELEMENTS = ("<!", "<?", "]]>")


class NotUsual(Exception):
    """The part is not spelt in the usual way; nothing is said about whether it is valid."""


def is_other_encoding(head: str) -> bool:
    """Whether a part, decoded as UTF-8, says at its beginning that it is in another encoding."""
    return _OTHER_ENCODING.match(head) is not None


def require_plain(text: str) -> None:
    """Raises NotUsual if the text has a character that no XML may hold, a comment, CDATA or an instruction."""
    if any(words in text for words in _NO_ELEMENTS) or holds_no_xml(text):
        raise NotUsual


def holds_no_xml(text: str) -> bool:
    """Whether a character stands in the text that no XML may hold."""
    return not text.isprintable() and _NO_XML.search(text) is not None


def plain_text(text: str) -> str:
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
