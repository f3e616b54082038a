"""CSV and TSV -> one grid of raw text cells with physical line numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from parsers.cell_store import CellStore
from parsers.csv_dialect import find_dialect, sep_line
from parsers.csv_encoding import NotText, decode
from parsers.csv_records import Dialect, Record, physical_lines, records
from parsers.csv_width import Widths, check_widths
from parsers.grid import Grid
from parsers.limits import DEFAULT_LIMITS, ReadLimits
from parsers.problem import Problem
from parsers.raw_cell import RawCell
from parsers.row_blocks import RowShape, Stored
from parsers.xlsx_package import unreadable

_PROTECTED_NUMBER = re.compile(r"'\s*[-+(]?\s*[€$£]?\s*\d[\d.,' \u00a0\u202f]*\s*(?:%|€|\$|£|[A-Za-z]{2,4})?\s*[)-]?\s*\Z")
_PROGRESS_STEP = 20_000


def read_csv(
    path: Path,
    file: str,
    *,
    encoding: str | None = None,
    limits: ReadLimits = DEFAULT_LIMITS,
    progress: Callable[[str, int], None] | None = None,
) -> tuple[Literal["csv", "tsv"], Grid, tuple[Problem, ...]]:
    """(kind, grid, problems). Grid rows are physical lines (a record has the number of its first), columns are fields.

    `encoding` decides over the evidence of the bytes. Blank fields are absent; every other cell is text as it stands in the
    file, without its quotes. Rows of another width than their header are named in `ragged_rows`. Raises UnreadableFile.
    """
    if path.stat().st_size > limits.text_bytes:
        raise unreadable(
            file,
            "limit",
            f"Die Textdatei ist größer als {limits.text_bytes >> 20} MiB; so große werden nicht gelesen.",
            "Bitte teilen Sie die Datei, etwa nach Monaten.",
        )
    try:
        decoded = decode(path.read_bytes(), encoding)
    except NotText as error:
        raise unreadable(
            file,
            "not_text",
            f"Die Datei ist weder eine Arbeitsmappe noch eine lesbare Textdatei: {error}.",
            "Gelesen werden XLSX, XLSM, XLS, XLSB, ODS, CSV und TSV.",
        ) from error
    lines = physical_lines(decoded.text)
    if not any(line and not line.isspace() for line in lines):
        raise unreadable(file, "file_empty", "Die Datei enthält nur Leerzeilen.", "Bitte die Datei noch einmal exportieren.")
    _refuse_other_text(lines, file)
    dialect = find_dialect(lines)
    found: list[Record] = []
    cells = CellStore()
    shapes: dict[tuple[int, ...], RowShape] = {}
    for record in records(lines, dialect, 1 if sep_line(lines) else 0):
        found.append(record)
        texts: list[Stored] = [_entry(text) for text in record.fields if text and not text.isspace()]
        if texts:
            columns = tuple(column for column, text in enumerate(record.fields, start=1) if text and not text.isspace())
            shape = shapes.get(columns)
            if shape is None:
                shape = shapes[columns] = RowShape.of(
                    columns, (("", ""),) * len(columns), formulas=(), kinds=(("text", ""),) * len(columns)
                )
            cells.put_row(record.line, shape, texts, _cell)
        if len(cells) > limits.cells:
            raise unreadable(
                file, "limit", f"Die Datei hat mehr als {limits.cells} gefüllte Felder; so viele werden nicht gelesen."
            )
        if progress is not None and len(found) % _PROGRESS_STEP == 0:
            progress(file, record.line)
    cells.pack()
    _refuse_single_column_under_workbook_name(dialect, lines, file)
    widths = check_widths(found, dialect.delimiter)
    problems = _problems(file, decoded.doubt, widths, found, limits)
    last_row, last_column = cells.extent()
    kind: Literal["csv", "tsv"] = "tsv" if dialect.delimiter == "\t" else "csv"
    return kind, Grid(None, cells, last_row, last_column, is_csv=True, ragged_rows=widths.ragged), problems


def _cell(_kind: str, _style: str, text: str | None, _formula: str | None) -> RawCell:
    assert text is not None, "every field has a text"
    return RawCell(text, "text", text)


def _entry(text: str) -> RawCell | str:
    """A field's text. An apostrophe before a number is a protection that export programs put there, no part of the value."""
    if text.startswith("'") and _PROTECTED_NUMBER.match(text):
        return RawCell(text[1:], "text", text, quote_prefix=True)
    return text


def _refuse_other_text(lines: Sequence[str], file: str) -> None:
    first = next(line.strip() for line in lines if line and not line.isspace())
    last = next(line.strip() for line in reversed(lines) if line and not line.isspace())
    if (first.startswith(("{", "[{", "[[")) or first == "[") and last.endswith(("}", "]", "},", "];")):
        raise unreadable(
            file, "kind_unsupported", "Die Datei ist ein JSON-Dokument, keine Tabelle.", "Bitte als CSV oder XLSX exportieren."
        )


def _refuse_single_column_under_workbook_name(dialect: Dialect, lines: Sequence[str], file: str) -> None:
    extension = file.rpartition(".")[2].lower()
    if not dialect.delimiter and extension in ("xls", "xlsx", "xlsm", "xlsb", "ods"):
        raise unreadable(
            file,
            "kind_unsupported",
            f"Die Datei heißt .{extension}, enthält aber nur Text ohne Spalten.",
            "Bitte die ursprüngliche Arbeitsmappe verwenden.",
        )


def _problems(file: str, doubt: str | None, widths: Widths, found: Sequence[Record], limits: ReadLimits) -> tuple[Problem, ...]:
    problems: list[Problem] = []
    if doubt is not None:
        problems.append(
            Problem("encoding_undecided", file, doubt, "Bitte die Datei als UTF-8 speichern oder die Zeichenkodierung angeben.")
        )
    stray = [record.line for record in found if record.stray_quote]
    problems += [
        Problem(
            "quote_unclosed",
            f"Zeile {line}",
            "Ein Anführungszeichen am Feldanfang wird nie geschlossen; es wurde als Zeichen gelesen.",
            "Bitte die Zeile prüfen.",
        )
        for line in stray[: limits.problems]
    ]
    ragged = [(line, count) for line, count in widths.ragged.items() if line not in set(stray)]
    problems += [
        Problem(
            "ragged_row",
            f"Zeile {line}",
            f"Die Zeile hat {count} Felder, die Kopfzeile aber {widths.expected[line]}.",
            "Bitte Trennzeichen, Dezimalkommas und Anführungszeichen dieser Zeile prüfen.",
        )
        for line, count in ragged[: limits.problems]
    ]
    if len(ragged) > limits.problems:
        problems.append(
            Problem(
                "ragged_row",
                file,
                f"Weitere {len(ragged) - limits.problems} Zeilen haben eine andere Feldzahl als die Kopfzeile.",
            )
        )
    return tuple(problems)
