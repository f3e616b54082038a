"""CSV and TSV -> one grid of raw text cells with physical line numbers."""

from __future__ import annotations

import re
from pathlib import Path

from parsers.csv_dialect import find_dialect, sep_line
from parsers.csv_encoding import decode
from parsers.csv_records import Record, physical_lines, records
from parsers.csv_width import ragged_rows
from parsers.grid import Grid, RawCell
from parsers.problem import Problem

_PROTECTED_NUMBER = re.compile(r"'\s*[-+(]?\s*[€$£]?\s*\d[\d.,' \u00a0\u202f]*\s*(?:%|€|\$|£|[A-Z]{3})?\s*[)-]?\s*\Z")


def read_csv(path: Path, file: str, *, encoding: str | None = None) -> tuple[str, Grid, tuple[Problem, ...]]:
    """(kind "csv" or "tsv", grid, problems). Rows are physical lines, columns fields, both 1-based."""
    text, _ = decode(path.read_bytes())
    lines = physical_lines(text)
    dialect = find_dialect(lines)
    found = list(records(lines, dialect, 1 if sep_line(lines) else 0))
    cells: dict[tuple[int, int], RawCell] = {}
    cache: dict[str, RawCell] = {}
    for record in found:
        for column, field in enumerate(record.fields, start=1):
            if not field or field.isspace():
                continue
            cell = cache.get(field)
            if cell is None:
                cell = cache[field] = _cell(field)
            cells[record.line, column] = cell
    ragged = ragged_rows(found)
    grid = Grid(None, cells, max((row for row, _ in cells), default=0), max((column for _, column in cells), default=0),
                is_csv=True, ragged_rows=ragged)
    return ("tsv" if dialect.delimiter == "\t" else "csv"), grid, tuple(_ragged_problems(ragged, found))


def _cell(field: str) -> RawCell:
    """An apostrophe before a number is a protection that export programs put there; it is no part of the value."""
    if field.startswith("'") and _PROTECTED_NUMBER.match(field):
        return RawCell(field[1:], "text", field, quote_prefix=True)
    return RawCell(field, "text", field)


def _ragged_problems(ragged: dict[int, int], found: list[Record]) -> list[Problem]:
    return [Problem("ragged_row", f"Zeile {row}", f"Die Zeile hat {width} Felder, die Kopfzeile eine andere Zahl.",
                    "Bitte Trennzeichen und Anführungszeichen prüfen.") for row, width in list(ragged.items())[:20]]
