"""Text -> records with the physical line each one starts on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\n|\r")
_LONGEST_QUOTED_FIELD = 2_000  # physical lines; a quote open for longer is a stray quotation mark


@dataclass(frozen=True, slots=True)
class Record:
    """`line` is the 1-based number of the first physical line; `fields` without their quotes.

    `stray_quote`: a field begins with a quotation mark that never closes; the mark was taken literally. `text_after_quote`: text
    stands between a closing quotation mark and the delimiter; it was added to the field.
    """

    line: int
    fields: list[str]
    stray_quote: bool = False
    text_after_quote: bool = False


@dataclass(frozen=True)
class Dialect:
    """`delimiter` "" means one column. `backslash`: \\" inside quotes stands for a quotation mark (else only "" does)."""

    delimiter: str
    backslash: bool = False


def physical_lines(text: str) -> list[str]:
    """Lines without their ends (\\r\\n, \\n or \\r); a line end at the very end of the text opens no further line."""
    lines = _LINE_END.split(text) if "\r" in text else text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return lines


def records(lines: list[str], dialect: Dialect, first: int = 0) -> Iterator[Record]:
    """All records from the line with index `first` on, blank lines included (one empty field).

    A quoted field may hold delimiters, doubled quotation marks and line breaks (given back as "\\n").
    """
    delimiter = dialect.delimiter
    index = first
    while index < len(lines):
        line = lines[index]
        if '"' not in line:
            yield Record(index + 1, line.split(delimiter) if delimiter else [line])
            index += 1
            continue
        record, used = _quoted_record(lines, index, dialect)
        yield record
        index += used


def _quoted_record(lines: list[str], index: int, dialect: Dialect) -> tuple[Record, int]:
    """The record that starts at lines[index] and how many physical lines it takes."""
    delimiter = dialect.delimiter
    line, used, position, stray, after_quote = lines[index], 1, 0, False, False
    fields: list[str] = []
    while True:
        if line.startswith('"', position):
            content, after, more = _quoted_field(lines, index + used - 1, position, dialect.backslash)
            if content is not None:
                used += more
                line = lines[index + used - 1]
                end = line.find(delimiter, after) if delimiter else -1
                rest = line[after : end if end >= 0 else len(line)]
                after_quote = after_quote or bool(rest)
                fields.append(content + rest)
                if end < 0:
                    return Record(index + 1, fields, stray, after_quote), used
                position = end + 1
                continue
            stray = True
        end = line.find(delimiter, position) if delimiter else -1
        if end < 0:
            fields.append(line[position:])
            return Record(index + 1, fields, stray, after_quote), used
        fields.append(line[position:end])
        position = end + 1


def _quoted_field(lines: list[str], index: int, start: int, backslash: bool) -> tuple[str | None, int, int]:
    """Content of the field whose opening quote is lines[index][start], where it ends in its last line, and how many further
    lines it took. (None, 0, 0) if the quote never closes."""
    pieces: list[str] = []
    position, number = start + 1, index
    limit = min(len(lines), index + _LONGEST_QUOTED_FIELD)
    while number < limit:
        line = lines[number]
        while (end := line.find('"', position)) >= 0:
            if backslash and end > position and _escaped(line, end, position):
                pieces.append(line[position : end - 1] + '"')
                position = end + 1
            elif line.startswith('"', end + 1):
                pieces.append(line[position : end + 1])
                position = end + 2
            else:
                pieces.append(line[position:end])
                return "".join(pieces), end + 1, number - index
        pieces.append(line[position:] + "\n")
        number, position = number + 1, 0
    return None, 0, 0


def _escaped(line: str, quote: int, start: int) -> bool:
    slashes = 0
    while quote - 1 - slashes >= start and line[quote - 1 - slashes] == "\\":
        slashes += 1
    return slashes % 2 == 1
