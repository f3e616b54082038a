"""Bytes of a text file -> text: byte order marks first, then UTF-8, then the code page by its letters."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from parsers.code_page import find_code_page

_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip


class NotText(Exception):
    """The bytes are no text in any accepted encoding; the message is the rest of a sentence that says why."""


@dataclass(frozen=True)
class Decoded:
    """`encoding` is a Python codec name. `doubt`: one German sentence if the encoding could not be decided, else None."""

    text: str
    encoding: str
    doubt: str | None = None


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Decode the bytes; `encoding` decides if it is given. Raises NotText."""
    if encoding is not None:
        try:
            return Decoded(data.decode(encoding).removeprefix("\ufeff"), encoding)
        except LookupError as error:
            raise NotText(f"die Zeichenkodierung „{encoding}“ ist unbekannt") from error
        except UnicodeDecodeError as error:
            raise NotText(f"Byte {error.start + 1} passt nicht zur Zeichenkodierung „{encoding}“") from error
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _strict(data, name)
    wide = _utf16_without_mark(data)
    if wide is not None:
        return _strict(data, wide)
    if b"\x00" in data:
        raise NotText("sie enthält Nullbytes und ist damit kein Text")
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _mixed(data) or _by_code_page(data)


def _strict(data: bytes, name: str) -> Decoded:
    try:
        return Decoded(data.decode(name), name)
    except UnicodeDecodeError as error:
        raise NotText(f"Byte {error.start + 1} passt nicht zur Kodierung {name}, die am Anfang der Datei steht") from error


def _utf16_without_mark(data: bytes) -> str | None:
    """The byte order of UTF-16 without a mark: text in Latin letters has a zero in every other byte."""
    sample = data[: 1 << 14]
    half = len(sample) // 2
    if half < 2 or len(data) % 2:
        return None
    zeros_first, zeros_second = sample[0::2].count(0), sample[1::2].count(0)
    if zeros_second > 0.7 * half and zeros_first < 0.05 * half:
        return "utf-16-le"
    if zeros_first > 0.7 * half and zeros_second < 0.05 * half:
        return "utf-16-be"
    return None


def _mixed(data: bytes) -> Decoded | None:
    """UTF-8 with a few foreign bytes (files glued together, a cut last letter): those bytes are read as cp1252, with a doubt."""
    text = data.decode("utf-8", "surrogateescape")
    foreign = sum("\udc80" <= letter <= "\udcff" for letter in text)
    good = sum(letter > "\x7f" for letter in text) - foreign
    if good <= foreign:
        return None
    repaired = "".join(
        bytes([ord(letter) - 0xDC00]).decode("cp1252", "replace") if "\udc80" <= letter <= "\udcff" else letter for letter in text
    )
    return Decoded(
        repaired, "utf-8", f"Die Datei ist in UTF-8, aber {foreign} Zeichen darin sind anders kodiert und können falsch sein."
    )


def _by_code_page(data: bytes) -> Decoded:
    page = find_code_page(data)
    doubt = None
    if page.rival is not None:
        words = ", ".join(f"„{first}“ oder „{second}“" for first, second in page.examples)
        doubt = (
            f"Die Zeichenkodierung ist nicht zu entscheiden ({page.name} oder {page.rival}): {words}; gelesen wurde {page.name}."
        )
    return Decoded(data.decode(page.name), page.name, doubt)
