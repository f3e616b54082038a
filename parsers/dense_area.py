"""How large a rectangle a sheet's cells span: calamine holds all of it in memory, also where there is nothing.

One value in A1 and one in XFD1048576 make 17 thousand million places of 32 bytes; the process would be killed.
"""

from __future__ import annotations

import re

from parsers.address import LAST_COLUMN, column_number
from parsers.xlsb_records import BrokenRecords, read_records, u32
from parsers.xlsx_package import Package, unreadable

LARGEST_AREA = 20_000_000
"""Places that may be held at once; 640 MB."""

_USUAL_CELL = re.compile(rb'<c r="([A-Z]{1,3})([0-9]{1,9})"')
_CELL = re.compile(rb"""<(?:[\w.-]+:)?c\b(?:[^<>]*?\sr\s*=\s*["']([A-Za-z]{1,3})([0-9]{1,9})["'])?""")
_USUAL_ROW = re.compile(rb'<row r="([0-9]{1,9})"')
_ROW = re.compile(rb"""<(?:[\w.-]+:)?row\b(?:[^<>]*?\sr\s*=\s*["']([0-9]{1,9})["'])?""")
_OVERLAP = 4096
_ROW_RECORD = 0
_CELL_RECORDS = frozenset((2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 62))


def sheet_area(package: Package, part: str) -> int:
    """An upper bound of rows times columns of an XLSX worksheet part, from its addresses; cells without one count as if they
    could stand in the last column. Raises UnreadableFile."""
    letters: set[bytes] = set()
    last_row, rows_seen = 0, 0
    rest = b""
    for chunk in package.chunks(part):
        data = rest + chunk
        cut = data.rfind(b"<")  # the last tag may be incomplete; it is looked at again with the next chunk
        rest = data[cut:] if cut >= 0 and len(data) - cut < _OVERLAP else b""
        data = data[: len(data) - len(rest)]
        last_row, rows_seen = _scan(data, letters, last_row, rows_seen)
    last_row, rows_seen = _scan(rest, letters, last_row, rows_seen)
    columns = max((column_number(name.decode()) if name else LAST_COLUMN for name in letters), default=0)
    return max(last_row, rows_seen) * columns


def _scan(data: bytes, letters: set[bytes], last_row: int, rows_seen: int) -> tuple[int, int]:
    cells = _USUAL_CELL.findall(data)
    if len(cells) != data.count(b"<c ") or b":c " in data or b"<c>" in data:
        cells = _CELL.findall(data)
    rows = _USUAL_ROW.findall(data)
    if len(rows) != data.count(b"<row") or b":row" in data:
        rows = _ROW.findall(data)
    numbers = set(rows)
    if cells:
        names, cell_numbers = zip(*cells, strict=True)
        letters.update(names)
        numbers.update(cell_numbers)
    return max(last_row, *(int(number or 0) for number in numbers), 0), rows_seen + len(rows)


def binary_area(package: Package) -> int:
    """The largest rectangle of all sheets of an XLSB. Raises UnreadableFile."""
    try:
        return _binary_area(package)
    except BrokenRecords as error:
        raise unreadable(package.file, "file_corrupt", "Die Arbeitsmappe ist beschädigt oder unvollständig.") from error


def _binary_area(package: Package) -> int:
    largest = 0
    for part in package.names():
        if not part.endswith(".bin") or "sheet" not in part:
            continue
        row = last_row = last_column = 0
        for kind, content in read_records(package.chunks(part), _CELL_RECORDS | {_ROW_RECORD}):
            if kind == _ROW_RECORD:
                row = u32(content, 0) + 1
            else:
                last_row, last_column = max(last_row, row), max(last_column, u32(content, 0) + 1)
        largest = max(largest, last_row * last_column)
    return largest
