"""One row, one chunk: every value with its header inline, so that no number is read under another header or from another row."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexer.row_view import RowView, ShownColumn
from indexer.select_rows import selected
from indexer.stored import Version
from indexer.table_rows import TableRows, TypedValue, display, read_rows
from parsers.table import CellState

_BETWEEN = " | "
_MOST_SEARCHED = 1_200
"""Characters of a chunk that are searched by meaning: what a small model reads in one window. The chunk itself is never cut."""


@dataclass(frozen=True)
class RowChunk:
    """`row_id`: its place in the segment, `row`: in the sheet. `text`: the whole row; `searched`: texts first, then codes and
    dates, not the version, and amounts only of a row that has nothing else, so that rows of the same words are equally near.
    `fields`: heading and value of what is there. `digest`: of `searched`, under which vectors are kept."""

    row_id: int
    row: int
    text: str
    searched: str
    fields: tuple[tuple[str, str], ...]
    total: bool

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.searched.encode("utf-8", "surrogatepass")).hexdigest()


def row_chunks(view: RowView) -> tuple[RowChunk, ...]:
    """The rows of a view that are indexed, in sheet order; deterministic."""
    rows = read_rows(view.stored, {column.sql_name for column in view.columns}, view.row_filter)
    return tuple(_chunk(view, rows, place) for place in selected(rows, view.limit).places)


def version_text(version: Version) -> str:
    """ "nach Korrektur 2024-10-15", the date only where there is one."""
    return version.label if version.date is None else f"{version.label} {version.date.isoformat()}"


def _chunk(view: RowView, rows: TableRows, place: int) -> RowChunk:
    found = tuple(_fields(view.columns, rows, place))
    fields = tuple((column.heading, text) for column, text, _ in found)
    inline = [f"{heading}: {text}" for heading, text in fields]
    texts = [part for part, (_, _, value) in zip(inline, found, strict=True) if isinstance(value, str)]
    others = [
        part for part, (column, _, value) in zip(inline, found, strict=True) if not (isinstance(value, str) or column.measure)
    ]
    version = f"Version: {clean(version_text(view.stored.version))}"
    return RowChunk(
        row_id=rows.ids[place],
        row=rows.source_rows[place],
        text=_BETWEEN.join((*inline, version)),
        searched=_within(texts + others or inline, _MOST_SEARCHED),
        fields=fields,
        total=rows.totals[place],
    )


def _fields(columns: Sequence[ShownColumn], rows: TableRows, place: int) -> Iterator[tuple[ShownColumn, str, TypedValue]]:
    for column in columns:
        value = rows.value(place, column.sql_name)
        text = None if value is CellState.UNREADABLE else display(value)
        if text is not None and (cleaned := clean(text)):
            yield column, cleaned, value


def clean(text: str) -> str:
    """Without NUL bytes, at which C code would stop reading, and with single blanks."""
    return " ".join(text.replace("\0", " ").split())


def _within(parts: Sequence[str], most: int) -> str:
    """Whole parts up to a length; a first part that is longer alone is cut."""
    kept: list[str] = []
    length = 0
    for part in parts:
        if kept and length + len(part) > most:
            break
        kept.append(part[:most])
        length += len(part) + len(_BETWEEN)
    return _BETWEEN.join(kept)
