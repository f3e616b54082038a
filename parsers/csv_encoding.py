"""Bytes of a text file -> text. First version: replaced by evidence of letters below."""

from __future__ import annotations

import codecs


def decode(data: bytes) -> tuple[str, str]:
    """(text, encoding)."""
    for mark, name in ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(mark):
            return data.decode(name), name
    for name in ("utf-8", "cp1252", "cp1250"):
        try:
            return data.decode(name), name
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"
