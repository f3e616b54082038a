"""A printed table as rows and columns with the words of their header paths; built from the rows that the asker sees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from orchestrator.link_names import is_number, is_time
from orchestrator.plan import ColumnRef, Condition, Missing, OneOf
from orchestrator.printed.words import book, is_year, outside_brackets, words_in
from orchestrator.scope import VisibleColumn, VisibleTable
from orchestrator.value_names import visible_rows
from parsers.table import SECTION_HEADER, ColumnType

_PARTS = re.compile(r"[,;:()]|\bby\b|\bfor\b")
_FEWEST_PARTS = 3
MOST_ROWS = 400
"""A longer table is no report that somebody reads line by line."""


@dataclass(frozen=True)
class Label:
    """One label: `needed`: stems that must all be said, `extra`: stems in brackets, that may be said. `ordered`: it is
    only itself in its own order ("debt to equity"). `words`: all its stems, joining words included."""

    text: str
    needed: tuple[str, ...]
    extra: frozenset[str]
    ordered: bool
    words: frozenset[str]

    @property
    def stems(self) -> frozenset[str]:
        return frozenset(self.needed) | self.extra


@dataclass(frozen=True)
class PrintedRow:
    """`labels`: one a label column; `sections`: the path above; `conditions`: what picks this very row, None if nothing does."""

    index: int
    labels: tuple[Label | None, ...]
    sections: tuple[Label, ...]
    conditions: tuple[Condition, ...] | None
    section: str | None
    is_total: bool

    @property
    def section_stems(self) -> frozenset[str]:
        return frozenset(stem for label in self.sections for stem in label.stems)

    @property
    def stems(self) -> frozenset[str]:
        return frozenset(stem for label in self.labels if label is not None for stem in label.stems)


@dataclass(frozen=True)
class PrintedColumn:
    """`needed`: stems that tell the column from the others and are no mere decoration of a period; `stems`: all of its path.
    `years`: years that its path names. `levels`: the stems of each part of the path."""

    visible: VisibleColumn
    needed: frozenset[str]
    stems: frozenset[str]
    years: frozenset[str]
    accessory: bool
    levels: tuple[frozenset[str], ...]

    @property
    def usable(self) -> bool:
        return is_number(self.visible) and self.visible.column.blocked is None


@dataclass(frozen=True)
class PrintedTable:
    """`context`: stems of each part of the title and of the measure names; `kinds`: stems that say what the rows are ("Farm
    type") and of a heading over the years ("Year ended December 31"); `cell_stems`: stems of every label and column header,
    which only that label or column can explain. `title`: the stems of the title in order. `ranks`: of each row, as a rank
    column numbers them. `whole`: the column that is the sum of all others."""

    table: VisibleTable
    label_columns: tuple[VisibleColumn, ...]
    rows: tuple[PrintedRow, ...]
    columns: tuple[PrintedColumn, ...]
    context: tuple[frozenset[str], ...]
    kinds: frozenset[str]
    title: tuple[str, ...]
    cell_stems: frozenset[str]
    ranks: tuple[Decimal | None, ...]
    whole: PrintedColumn | None

    @property
    def sql_name(self) -> str:
        return self.table.sql_name


def printed_table(table: VisibleTable) -> PrintedTable | None:
    """None for a table that is long, has no row labels or no numbers, or is the tidied form of another."""
    meta = table.stored.table
    if meta.layout == "tidy" or not 0 < meta.data_rows <= MOST_ROWS:
        return None
    key = (str(table.stored.segment), tuple(column.sql_name for column in table.columns))
    return _build(_Key(key, tuple(sorted((c, tuple(v)) for c, v in table.row_filter.items())), table))


@dataclass(frozen=True)
class _Key:
    segment: tuple[str, tuple[str, ...]]
    row_filter: tuple[tuple[str, tuple[str, ...]], ...]
    table: VisibleTable

    def __hash__(self) -> int:
        return hash((self.segment, self.row_filter))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and (self.segment, self.row_filter, self.table) == (
            other.segment,
            other.row_filter,
            other.table,
        )


@lru_cache(maxsize=512)
def _build(key: _Key) -> PrintedTable | None:
    table = key.table
    placed = sorted((c for c in table.columns if c.column.position is not None), key=lambda c: c.column.position or 0)
    first_number = next((c.column.position for c in placed if is_number(c) and not _is_rank(c)), None)
    if first_number is None:
        return None
    labels = tuple(c for c in placed if c.column.type is ColumnType.TEXT and (c.column.position or 0) < first_number)
    if not labels:
        return None
    section = next((c for c in table.columns if c.column.header == SECTION_HEADER and c.column.position is None), None)
    rows = _rows(table, labels, section)
    columns = _columns([c for c in placed if (c.column.position or 0) >= first_number and not is_time(c)])
    meta = table.stored.table
    title_text = _first_sentence(meta.caption or "")
    title = tuple(word.stem for word in words_in(title_text))
    texts = list(meta.measure_names)
    context = tuple(
        frozenset(word.stem for word in words_in(part))
        for text in [title_text, *texts]
        for part in _PARTS.split(text)
        if part.strip()
    )
    kinds = frozenset(
        word.stem for c in labels if not c.column.header.startswith("Spalte ") for word in words_in(c.column.header)
    )
    banner = _time_banner(columns)
    cell_stems = frozenset(
        stem for row in rows for stem in row.section_stems | (frozenset() if row.stems <= kinds | book().total else row.stems)
    ) | frozenset(stem for column in columns for stem in column.stems)
    rank = next((c for c in placed if is_number(c) and _is_rank(c) and (c.column.position or 0) < first_number), None)
    ranks = visible_rows(table, [rank.sql_name])[rank.sql_name].to_pylist() if rank is not None else []
    return PrintedTable(
        table,
        labels,
        rows,
        columns,
        context,
        kinds | banner,
        title,
        cell_stems - banner,
        tuple(None if one is None else Decimal(one) for one in ranks),
        _whole_column(table, columns),
    )


def _first_sentence(caption: str) -> str:
    """The title itself; what follows on further lines describes the sheet."""
    return caption.split("\n")[0].split("Table summary")[0]


def _is_rank(column: VisibleColumn) -> bool:
    return any(word.stem in book().accessory for word in words_in(column.column.header))


def _rows(table: VisibleTable, labels: Sequence[VisibleColumn], section: VisibleColumn | None) -> tuple[PrintedRow, ...]:
    names = [c.sql_name for c in labels] + ([section.sql_name] if section else [])
    data = visible_rows(table, names).to_pydict()
    keys = list(zip(*(data[name] for name in names), strict=True))
    totals = data.get("_total", [False] * len(keys))
    counts = Counter(keys)
    written = Counter(outside_brackets(str(key[0])).strip() for key in keys if key[0] is not None)
    rows = []
    for index, key in enumerate(keys):
        texts = key[: len(labels)]
        above = key[len(labels)] if section else None
        if all(text is None for text in texts):
            continue
        rows.append(
            PrintedRow(
                index,
                tuple(None if text is None else _label(str(text), written) for text in texts),
                tuple(_label(part, Counter()) for part in str(above).split(" / ")) if above else (),
                _address(table, names, key) if counts[key] == 1 else None,
                above,
                bool(totals[index]),
            )
        )
    return tuple(rows)


def _address(table: VisibleTable, names: Sequence[str], key: Sequence[object]) -> tuple[Condition, ...]:
    found: list[Condition] = []
    for name, value in zip(names, key, strict=True):
        ref = ColumnRef(table.sql_name, name)
        found.append(Missing(ref) if value is None else OneOf(ref, (str(value),)))
    return tuple(found)


def _label(text: str, written: Counter[str]) -> Label:
    """A bare digit at the end is a footnote mark where no other label differs from this one in it alone ("Region 1")."""
    outside = outside_brackets(text)
    words = [word.stem for word in words_in(outside)]
    joining = book().joining
    needed = [stem for stem in telling(words) if stem not in joining]
    extra = {word.stem for word in words_in(text)} - set(needed) - joining
    if len(needed) > 1 and needed[-1].isdigit() and len(needed[-1]) == 1 and outside.rstrip().endswith(" " + needed[-1]):
        head = outside.rstrip()[: -len(needed[-1])].strip()
        like = [other for other in written if other[: len(head)] == head and other[len(head) :].strip().isdigit()]
        if len(like) <= 1 and written[head] == 0:
            extra.add(needed.pop())
    ordered = any(stem in book().ordering for stem in words)
    return Label(text, tuple(needed), frozenset(extra), ordered, frozenset(word.stem for word in words_in(text)))


def header_parts(column: VisibleColumn) -> tuple[str, ...]:
    """The parts of a header; a heading of the first rows, which stands in the path but not in the header, is none of them."""
    header = column.column.header
    return tuple(part for part in column.column.path if part in header) or (header,)


def _columns(visible: Sequence[VisibleColumn]) -> tuple[PrintedColumn, ...]:
    printed = [header_parts(c) for c in visible]
    paths = [[words_in(outside_brackets(part)) for part in parts] for parts in printed]
    stems = [frozenset(word.stem for part in path for word in part) for path in paths]
    accessory = [bool(found & book().accessory) for found in stems]
    proper = [found for found, aside in zip(stems, accessory, strict=True) if not aside]
    common = frozenset.intersection(*proper) if len(proper) > 1 else frozenset()
    marks = _footnote_marks(stems) | _banner_stems([part for parts in printed for part in parts])
    result = []
    for column, parts, path, found, aside in zip(visible, printed, paths, stems, accessory, strict=True):
        levels = tuple(frozenset(word.stem for word in words_in(part)) for part in parts)
        needed = (
            frozenset(stem for part in path for stem in telling([word.stem for word in part]))
            - common
            - book().plain_header
            - marks
        )
        years = frozenset(stem for stem in found if is_year(stem))
        result.append(PrintedColumn(column, needed, found.union(*levels), years, aside, levels))
    return tuple(result)


def cell_unit(printed: PrintedTable, row: PrintedRow, column: PrintedColumn) -> str | None:
    """The unit of a cell, also where each row has its own."""
    by_row = column.visible.column.unit_column
    if by_row is None or printed.table.column(by_row) is None:
        return column.visible.unit
    unit = visible_rows(printed.table, [by_row])[by_row].to_pylist()[row.index]
    return None if unit is None else str(unit)


def cell_value(printed: PrintedTable, row: PrintedRow, column: PrintedColumn) -> Decimal | None:
    """The number of a cell; None for a blank."""
    value = visible_rows(printed.table, [column.visible.sql_name])[column.visible.sql_name].to_pylist()[row.index]
    return None if value is None else Decimal(value)


def row_amount(printed: PrintedTable, row: PrintedRow, column: PrintedColumn) -> str | None:
    """The number of a cell as people write it without separators; None for a fraction or a blank."""
    value = cell_value(printed, row, column)
    return None if value is None or value != int(value) else str(int(value))


def _whole_column(table: VisibleTable, columns: Sequence[PrintedColumn]) -> PrintedColumn | None:
    """The column that is the sum of all others in every row that has all of its values: exactly in at least three and in most,
    and never off by more than the parts may have been rounded."""
    parts = [c for c in columns if not c.accessory and is_number(c.visible)]
    if len(parts) < _FEWEST_PARTS or any(c.years or c.visible.unit == "%" for c in parts):
        return None
    data = visible_rows(table, [c.visible.sql_name for c in parts])
    rows = list(zip(*(data[c.visible.sql_name].to_pylist() for c in parts), strict=True))
    full = [[Decimal(value) for value in row] for row in rows if all(value is not None for value in row) and any(row)]
    rounding = Decimal(len(parts)) / 2 / 10 ** max(c.visible.column.scale for c in parts)
    found = []
    for index, column in enumerate(parts):
        gaps = [abs(2 * row[index] - sum(row)) for row in full]
        exact = sum(gap == 0 for gap in gaps)
        if exact >= _FEWEST_PARTS and 2 * exact > len(gaps) and max(gaps) <= rounding:
            found.append(column)
    return found[0] if len(found) == 1 else None


def _time_banner(columns: Sequence[PrintedColumn]) -> frozenset[str]:
    return _banner_stems([part for column in columns for part in header_parts(column.visible)])


def _banner_stems(parts: Sequence[str]) -> frozenset[str]:
    """Headings that only say of what time the years below them are: "Year ended December 31,"."""
    known = book().months | book().plain_header | book().joining
    found: set[str] = set()
    for part in dict.fromkeys(parts):
        stems = {word.stem for word in words_in(part)}
        if stems & book().months and all(stem in known or (stem.isdigit() and len(stem) < 3) for stem in stems):
            found |= stems
    return frozenset(found)


def telling(stems: Sequence[str]) -> tuple[str, ...]:
    """Of a text that names a year its month and day are decoration; one without a year says all of itself."""
    dated = any(is_year(stem) for stem in stems)
    decoration = book().months | {stem for stem in stems if stem.isdigit() and not is_year(stem) and len(stem) < 3}
    return tuple(stem for stem in stems if stem not in book().joining and not (dated and stem in decoration))


def _footnote_marks(columns: Sequence[frozenset[str]]) -> frozenset[str]:
    """Single digits beside a year in every column that has one: "2018 1", "2017 1"."""
    dated = [stems for stems in columns if any(is_year(stem) for stem in stems)]
    digits = [frozenset(stem for stem in stems if stem.isdigit() and len(stem) == 1) for stems in dated]
    return frozenset.intersection(*digits) if digits else frozenset()
