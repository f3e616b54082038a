"""Header rows -> one header a column: its path, its unit, its name, its SQL name."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from parsers.address import column_letter
from parsers.find_headers import Block, Split, is_unit_row
from parsers.fold import fold
from parsers.periods import parse_period
from parsers.problem import Problem
from parsers.sheet_view import Place, SheetView
from parsers.units import is_unit_cell, split_unit, unit_of_cell, unit_of_title

LONGEST_SQL_NAME = 60

# The words that DuckDB 2.0 reserves: duckdb_keywords() of category "reserved" or "type_function".
_SQL_WORDS = frozenset((
    "all", "analyse", "analyze", "and", "anti", "any", "array", "as", "asc", "asof", "asymmetric", "at", "authorization",
    "binary", "both", "by", "case", "cast", "check", "collate", "collation", "column", "concurrently", "constraint",
    "create", "cross", "default", "deferrable", "desc", "describe", "distinct", "do", "else", "end", "except", "false",
    "fetch", "for", "foreign", "freeze", "from", "full", "glob", "group", "having", "ilike", "in", "initially", "inner",
    "intersect", "into", "is", "isnull", "join", "lambda", "lateral", "leading", "left", "like", "limit", "map", "natural",
    "not", "notnull", "null", "offset", "on", "only", "or", "order", "outer", "overlaps", "pivot", "pivot_longer",
    "pivot_wider", "placing", "positional", "primary", "qualify", "references", "returning", "right", "select", "semi",
    "show", "similar", "some", "summarize", "symmetric", "table", "tablesample", "then", "to", "trailing", "true",
    "try_cast", "union", "unique", "unpivot", "using", "variadic", "verbose", "when", "where", "window", "with",
))  # fmt: skip


@dataclass(frozen=True)
class HeaderCell:
    """One element of a header path and the place it stands at."""

    text: str
    place: Place


@dataclass(frozen=True)
class ColumnHeader:
    """`column`: 1-based sheet column. `path` top to bottom without unit rows. `unit_place`: in a unit row, if there is one."""

    column: int
    path: tuple[HeaderCell, ...]
    header: str
    name: str
    sql_name: str
    unit: str | None = None


def name_columns(
    view: SheetView, block: Block, split: Split, left_out: Place | None = None
) -> tuple[tuple[ColumnHeader, ...], tuple[Problem, ...]]:
    """The columns of a table, left to right; columns with neither header nor data, and those that only lie under merges from
    their left, are left out. Duplicate headers get their column letter appended and are reported. `left_out`: a header cell that
    heads rows, no column."""
    unit_rows = [row for row in split.header_rows if is_unit_row(view, block, row)]
    if len(unit_rows) == len(split.header_rows):
        unit_rows = []
    text_rows = [row for row in split.header_rows if row not in unit_rows]
    fills = _banner_fills(view, block, split, text_rows)
    headers = []
    for column in _used_columns(view, block, split):
        path = tuple(cell for cell in _path(view, column, text_rows, fills) if cell.place != left_out)
        header, name, unit = _names(path, column)
        unit = unit or _unit_from_rows(view, block, split, unit_rows, column)
        headers.append(ColumnHeader(column, path, header, name, "", unit))
    told_apart, problems = _tell_apart(headers, view.grid.name)
    names = sql_names((header.header, header.column) for header in told_apart)
    return tuple(replace(header, sql_name=name) for header, name in zip(told_apart, names, strict=True)), tuple(problems)


def sql_name(text: str) -> str:
    """A lower-case ASCII identifier from any text: no keyword, no leading underscore or digit; "" if nothing is left of it."""
    ascii_text = unicodedata.normalize("NFKD", fold(text)).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "_", ascii_text).strip("_")[:LONGEST_SQL_NAME].strip("_")
    return f"c_{name}" if name and (name[0].isdigit() or name in _SQL_WORDS) else name


def sql_names(headers: Iterable[tuple[str, int | None]]) -> list[str]:
    """Unique SQL names for (header, sheet column) in order; "spalte_c" where a header leaves no letter."""
    taken: set[str] = set()
    names = []
    for header, column in headers:
        base = sql_name(header) or (f"spalte_{column_letter(column).lower()}" if column else "spalte")
        name, number = base, 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name)
        names.append(name)
    return names


def _used_columns(view: SheetView, block: Block, split: Split) -> list[int]:
    leaf = split.header_rows[-1:] if split.header_rows else ()
    own: set[int] = set()
    columns_of, sideways = view.rows, {row for (row, column), anchor in view.anchors.items() if anchor[1] != column}
    for columns in {columns_of[row] for row in (*leaf, *split.data_rows) if row not in sideways}:
        own.update(columns)
    for row in (*leaf, *split.data_rows) if sideways else ():
        own.update(column for column in columns_of[row] if view.source(row, column)[1] == column)
    for row in split.header_rows:
        own.update(column for column in view.rows[row] if view.source(row, column) == (row, column))
    return sorted(column for column in own if block.left <= column <= block.right)


def _path(view: SheetView, column: int, rows: list[int], fills: dict[Place, Place]) -> tuple[HeaderCell, ...]:
    path: list[HeaderCell] = []
    for row in rows:
        place = fills.get((row, column), view.source(row, column))
        text = view.text(*place)
        if text and not any(cell.place == place for cell in path) and (not path or path[-1].text != text):
            path.append(HeaderCell(text, place))
    return tuple(path)


def _names(path: tuple[HeaderCell, ...], column: int) -> tuple[str, str, str | None]:
    """(header, name, unit) of a path; the lowest element that names a unit decides."""
    if not path:
        letter = f"Spalte {column_letter(column)}"
        return letter, letter, None
    texts = [cell.text for cell in path]
    unit = None
    for index in range(len(texts) - 1, -1, -1):
        name, found = split_unit(texts[index])
        if found is None and is_unit_cell(texts[index]):
            name, found = texts[index], unit_of_cell(texts[index])
        if found is not None and unit is None:
            unit = found
            texts[index] = name
    return " / ".join(cell.text for cell in path), " / ".join(texts), unit


def _banner_fills(view: SheetView, block: Block, split: Split, rows: list[int]) -> dict[Place, Place]:
    """Blank places of a banner row that an unmerged banner to their left (or one in the middle of periods) also covers."""
    fills: dict[Place, Place] = {}
    values = sorted(split.typed_columns - {block.left}) or list(range(block.left + 1, block.right + 1))
    for row, below in pairwise(rows):
        own = [column for column in values if view.source(row, column) == (row, column) and view.text(row, column)]
        merged = [column for column in view.rows[row] if view.source(row, column) != (row, column)]
        if not own or merged or len(own) > 0.6 * len(values):
            break
        under = [column for column in values if view.text(below, column)]
        if len(own) == 1 and len(under) == len(values) and all(_is_period(view.text(below, column)) for column in under):
            fills.update({(row, column): (row, own[0]) for column in values})
            continue
        runs = _repeated_runs(view, [column for column in under if column > block.left], rows[rows.index(below) :], len(own))
        if runs and all(banner in run for banner, run in zip(own, runs, strict=True)):
            fills.update({(row, column): (row, banner) for banner, run in zip(own, runs, strict=True) for column in run})
            continue
        current: int | None = None
        for column in range(min(values), block.right + 1):
            if view.text(row, column):
                current = column
            elif current is not None and column in under:
                fills[row, column] = (row, current)
    return fills


def _repeated_runs(view: SheetView, columns: list[int], rows: list[int], count: int) -> list[list[int]]:
    """The columns cut into `count` runs where the headings of each run are the same ("High, Low, High, Low" under two years):
    each run then belongs to one banner, wherever in it the banner stands. Empty if they are not."""
    size, rest = divmod(len(columns), count)
    if count < 2 or size < 2 or rest:
        return []
    runs = [columns[start : start + size] for start in range(0, len(columns), size)]
    texts = [[tuple(fold(view.text(row, column)) for row in rows) for column in run] for run in runs]
    return runs if all(text == texts[0] for text in texts) and len(set(texts[0])) == size else []


def _is_period(text: str) -> bool:
    return parse_period(text, year_hint=2000) is not None


def _unit_from_rows(view: SheetView, block: Block, split: Split, rows: list[int], column: int) -> str | None:
    for row in rows:
        own = [place for place in view.places(row, block.left, block.right) if place[0] == row]
        text = view.text(row, column)
        if not text and column in split.typed_columns and column != block.left:
            left = [place for place in own if place[1] < column]
            text = view.text(*own[0]) if len(own) == 1 else view.text(*left[-1]) if left else ""
        if text and (unit := unit_of_cell(text) or unit_of_title(text)) is not None:
            return unit
    return None


def _tell_apart(headers: list[ColumnHeader], sheet: str | None) -> tuple[list[ColumnHeader], list[Problem]]:
    counts = Counter(header.header for header in headers)
    result: list[ColumnHeader] = []
    for header in headers:
        if counts[header.header] > 1:
            header = replace(header, header=f"{header.header} (Spalte {column_letter(header.column)})")
        result.append(header)
    problems = []
    for text, count in counts.items():
        if count > 1:
            letters = ", ".join(column_letter(header.column) for header in headers if header.header == text)
            problems.append(
                Problem(
                    "duplicate_header",
                    f"{sheet}!{letters}" if sheet else f"Spalten {letters}",
                    f"Die Überschrift „{text}“ steht über {count} Spalten ({letters}).",
                    "Geben Sie jeder Spalte eine eigene Überschrift; bis dahin wird bei Fragen nachgefragt.",
                )
            )
    unnamed = [column_letter(header.column) for header in headers if not header.path]
    if unnamed:
        letters = ", ".join(unnamed[:20])
        where = f"{sheet}!{letters}" if sheet else f"Spalten {letters}"
        message = f"Ohne Überschrift: Spalte {letters}; der Name ist hier „Spalte {unnamed[0]}“."
        problems.append(Problem("missing_header", where, message, "Tragen Sie in der Datei eine Überschrift ein."))
    return result, problems
