"""Text outside of tables, by section: sheets without a table, and the notes beside tables, each piece with its cells."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow.parquet as pq

from indexer.row_text import clean, version_text
from indexer.row_view import FORMAT
from indexer.stored import StoredSheet, Version
from parsers.address import cell_address

_MOST_OF_A_SECTION = 900
_LONGEST_HEADING = 80


@dataclass(frozen=True)
class NoteView:
    """The texts of one sheet outside of its rows, for all who may see the sheet as a whole. `texts`: its own notes and those
    of its tables. `levels`: as in RowView."""

    sheet: StoredSheet
    texts: tuple[str, ...]
    levels: frozenset[str]

    @property
    def version(self) -> Version:
        return self.sheet.version

    @property
    def level(self) -> str:
        return self.sheet.access_level

    @property
    def sheet_name(self) -> str | None:
        return self.sheet.name

    @cached_property
    def key(self) -> str:
        version = self.sheet.version
        content = [
            *(FORMAT, version.tenant, version.document, version.version_id, version_text(version), version.kind),
            *(self.sheet.access_level, self.sheet.name, version.sha256, *self.texts),
        ]
        return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class NoteChunk:
    """One section: `heading` (may be empty) and its lines, each with its cell. `row_id` counts the sections; `row`: the first
    line's."""

    row_id: int
    row: int
    heading: str
    lines: tuple[tuple[str, str], ...]
    total: bool = False

    @property
    def text(self) -> str:
        return " ".join(line for line, _ in self.lines)

    @property
    def searched(self) -> str:
        return self.text if not self.heading or self.heading == self.lines[0][0] else f"{self.heading}: {self.text}"

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.searched.encode("utf-8", "surrogatepass")).hexdigest()


def note_chunks(view: NoteView) -> tuple[NoteChunk, ...]:
    """The sections of the sheet's notes, in order."""
    found: list[NoteChunk] = []
    heading = ""
    for text, row, cell in _placed(view):
        last = found[-1] if found else None
        if _is_heading(text):
            heading = text
            found.append(NoteChunk(len(found), row, heading, ((text, cell),)))
        elif last is not None and last.heading == heading and len(last.text) + len(text) < _MOST_OF_A_SECTION:
            found[-1] = replace(last, lines=(*last.lines, (text, cell)))
        else:
            found.append(NoteChunk(len(found), row, heading, ((text, cell),)))
    return tuple(chunk for chunk in found if len(chunk.lines) > 1 or not _is_heading(chunk.lines[0][0]) or len(found) == 1)


def _is_heading(text: str) -> bool:
    """Short, and no sentence."""
    short = len(text) <= _LONGEST_HEADING and len(text.split()) <= 7
    return short and ": " not in text and not text.endswith((".", ";", ",", ")"))


def _placed(view: NoteView) -> Iterator[tuple[str, int, str]]:
    """Each text with the row and the address of its cell. What stands in no single cell has no evidence and is left out."""
    places = _cells_by_text(view.sheet, {clean(text) for text in view.texts})
    for text in dict.fromkeys(clean(text) for text in view.texts):
        if text in places:
            row, column = places[text]
            yield text, row, cell_address(row, column)


def _cells_by_text(sheet: StoredSheet, wanted: set[str]) -> dict[str, tuple[int, int]]:
    """The first cell of each text, as the second reader saw it."""
    found: dict[str, tuple[int, int]] = {}
    if not wanted or not sheet.cells.exists():
        return found
    cells = pq.read_table(sheet.cells, columns=["row", "column", "text"], partitioning=None)
    columns: Sequence[Sequence[int | str | None]] = [cells[name].to_pylist() for name in ("row", "column", "text")]
    for row, column, text in zip(*columns, strict=True):
        cleaned = clean(str(text or ""))
        if cleaned in wanted:
            place = (int(row or 0), int(column or 0))
            found[cleaned] = min(found.get(cleaned, place), place)
    return found
