"""The record stream of binary workbook parts ([MS-XLSB] 2.1.4) and the field types that the reader needs."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from decimal import Decimal

from parsers.stored_number import decimal_of_double

_LONGEST_RECORD = 1 << 26
_U32 = struct.Struct("<I")
_F64 = struct.Struct("<d")


class BrokenRecords(Exception):
    """The stream ends inside a record or a field leaves its record."""


def read_records(chunks: Iterable[bytes], wanted: frozenset[int]) -> Iterator[tuple[int, bytes]]:
    """(type, content) of the records of the wanted types, in order. Raises BrokenRecords."""
    buffer = b""
    position = 0
    for chunk in chunks:
        buffer = buffer[position:] + chunk
        position = 0
        while (header := _header(buffer, position)) is not None:
            kind, size, start = header
            if start + size > len(buffer):
                break
            if kind in wanted:
                yield kind, buffer[start : start + size]
            position = start + size
    if position != len(buffer):
        raise BrokenRecords


def _header(buffer: bytes, position: int) -> tuple[int, int, int] | None:
    """(type, size, where the content starts), None if the header is not complete yet. Seven bits a byte, low ones first."""
    end = len(buffer)
    if position >= end:
        return None
    kind = buffer[position]
    position += 1
    if kind & 0x80:
        if position >= end:
            return None
        kind = (kind & 0x7F) | (buffer[position] & 0x7F) << 7
        position += 1
    size = 0
    for shift in (0, 7, 14, 21):
        if position >= end:
            return None
        byte = buffer[position]
        position += 1
        size |= (byte & 0x7F) << shift
        if not byte & 0x80:
            break
    if size > _LONGEST_RECORD:
        raise BrokenRecords
    return kind, size, position


def u32(content: bytes, position: int) -> int:
    """Unsigned 32 bits, low byte first. Raises BrokenRecords beyond the record's end."""
    if position + 4 > len(content):
        raise BrokenRecords
    return int(_U32.unpack_from(content, position)[0])


def u16(content: bytes, position: int) -> int:
    """Unsigned 16 bits, low byte first. Raises BrokenRecords beyond the record's end."""
    if position + 2 > len(content):
        raise BrokenRecords
    return content[position] | content[position + 1] << 8


def f64(content: bytes, position: int) -> float:
    """An IEEE double, low byte first. Raises BrokenRecords beyond the record's end."""
    if position + 8 > len(content):
        raise BrokenRecords
    return float(_F64.unpack_from(content, position)[0])


def wide_string(content: bytes, position: int) -> tuple[str, int]:
    """(text, position after it) of an XLWideString; a nullable one without text is ""."""
    length = u32(content, position)
    position += 4
    if length == 0xFFFFFFFF:
        return "", position
    end = position + 2 * length
    if end > len(content):
        raise BrokenRecords
    return content[position:end].decode("utf-16-le", "replace"), end


def rk_number(content: bytes, position: int) -> Decimal:
    """An RkNumber: 30 bits of an integer or of a double, divided by 100 if bit 0 says so ([MS-XLSB] 2.5.122)."""
    bits = u32(content, position)
    if bits & 2:
        whole = bits >> 2
        if whole >= 1 << 29:
            whole -= 1 << 30
        number: float = float(whole)
    else:
        number = float(_F64.unpack(struct.pack("<Q", (bits & 0xFFFFFFFC) << 32))[0])
    return decimal_of_double(number / 100 if bits & 1 else number)
