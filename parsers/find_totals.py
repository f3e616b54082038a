"""Total and subtotal rows by their words, by the look of their row and by their formulas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from parsers.address import column_number
from parsers.fold import fold
from parsers.sheet_view import SheetView
from parsers.total_words import MAYBE_TOTAL, MAYBE_TOTAL_OR_PART, TotalKind, names_part, statistic_of, total_form, total_kind

_AGGREGATE = re.compile(r"^\s*(?:SUM|SUBTOTAL|AGGREGATE|AVERAGE|COUNTA?|COUNTIFS?|SUMIFS?|MIN|MAX|MEDIAN)\(", re.IGNORECASE)
_RANGE = re.compile(r"\$?([A-Z]{1,3})\$?(\d+):\$?([A-Z]{1,3})\$?(\d+)", re.IGNORECASE)
_REFERENCE = re.compile(r"(?<![A-Za-z!'\w])\$?([A-Z]{1,3})\$?(\d+)(?![\w(])", re.IGNORECASE)
_STRUCTURED = re.compile(r"^\s*SUBTOTAL\(\s*\d+\s*,\s*[^,()]*\[[^\]]+\]\s*\)\s*$", re.IGNORECASE)
_ONLY_SUMS = re.compile(r"[-+()\s]*")


@dataclass(frozen=True)
class TotalRow:
    """One total row; `by` says what gave it away. `closes`: the rows after it are added up anew; a part ("davon …") or a
    statistic (average, deviation) closes nothing."""

    row: int
    label: str
    kind: TotalKind
    by: Literal["words", "formulas", "arithmetic"]
    closes: bool = True


def find_totals(view: SheetView, rows: Sequence[int], columns: Sequence[int], typed: frozenset[int]) -> dict[int, TotalRow]:
    """Total rows by words or formulas, before any value is typed. `typed`: columns of numbers, dates, booleans.

    Rows that say "davon" repeat a part of the row above them and are kept out of sums like totals. Formulas that add up cells
    of their own column in most rows (a moving sum) are no sign of a total.
    """
    computed = view.formula_rows
    by_formula = {row for row in rows if row in computed and sums_its_columns(view, row, columns)}
    if len(by_formula) * 2 > len(rows) > 3:
        by_formula = set()
    worded = view.rows_with(MAYBE_TOTAL_OR_PART)
    found: dict[int, TotalRow] = {}
    candidates = []
    for row in rows:
        if row in by_formula:
            label = _label(view, row, columns)
            closes = statistic_of(label) is None
            found[row] = TotalRow(row, label, total_kind(label) if total_form(label) else "subtotal", "formulas", closes)
        elif row in worded and _is_part(view, row, columns):
            found[row] = TotalRow(row, _label(view, row, columns), "subtotal", "words", closes=False)
        elif row in worded:
            named = _named_total(view, row, columns)
            if named is not None:
                candidates.append((row, *named))
    if candidates:
        shape = _Shape.of(view, rows, columns, typed, {row for row, _, _ in candidates} | found.keys())
        for row, column, text in candidates:
            if shape.is_total(view, row, column, text):
                found[row] = TotalRow(row, text, total_kind(text), "words")
    return found


def sums_its_columns(view: SheetView, row: int, columns: Sequence[int]) -> bool:
    """At least half of the row's formulas (and one) aggregate cells of their own column."""
    hits = formulas = 0
    for column in columns:
        cell = view.grid.cells.get((row, column))
        if cell is not None and cell.formula is not None and cell.kind in ("number", "formula_without_result"):
            formulas += 1
            hits += sums_own_column(cell.formula, row, column)
    return hits > 0 and hits * 2 >= formulas


def sums_own_column(formula: str, row: int, column: int) -> bool:
    """ "SUM(B6:B9)" in B10, "B6+B7-B8" in B9, "SUBTOTAL(109,Tabelle1[Umsatz])": other cells of the same column, at least two."""
    if "!" in formula or len(formula) > 2000:
        return False
    if _STRUCTURED.match(formula):
        return True
    ranges = [(column_number(a), int(b), column_number(c), int(d)) for a, b, c, d in _RANGE.findall(formula)]
    if _AGGREGATE.match(formula):
        return bool(ranges) and all(
            left == right == column and abs(bottom - top) >= 1 and not min(top, bottom) <= row <= max(top, bottom)
            for left, top, right, bottom in ranges
        )
    references = [(column_number(a), int(b)) for a, b in _REFERENCE.findall(_RANGE.sub("", formula))]
    rest = _REFERENCE.sub("", formula)
    return (
        not ranges
        and len(references) >= 2
        and all(c == column and r != row for c, r in references)
        and _ONLY_SUMS.fullmatch(rest) is not None
    )


def sums_its_row(formula: str, row: int, column: int, values: frozenset[int]) -> bool:
    """ "SUM(B6:M6)", "B6+D6+F6" in a cell of row 6: other value columns of the same row, added up, at least two."""
    ranges = [(column_number(a), int(b), column_number(c), int(d)) for a, b, c, d in _RANGE.findall(formula)]
    references = [(column_number(a), int(b)) for a, b in _REFERENCE.findall(_RANGE.sub("", formula))]
    rest = _REFERENCE.sub("", _RANGE.sub("", formula))
    if "!" in formula or not re.fullmatch(r"(?:SUM\(|[+(),;\s])*", rest, re.IGNORECASE):
        return False
    named = {c for left, _, right, _ in ranges for c in range(left, right + 1)} | {c for c, _ in references}
    same_row = all(top == bottom == row for _, top, _, bottom in ranges) and all(r == row for _, r in references)
    return same_row and len(named) >= 2 and column not in named and len(named & values) >= 2


def _is_part(view: SheetView, row: int, columns: Sequence[int]) -> bool:
    first = view.grid.cells.get((row, columns[0])) if columns else None
    return first is not None and isinstance(first.value, str) and names_part(first.value)


def _label(view: SheetView, row: int, columns: Sequence[int]) -> str:
    return next((view.text(row, column) for column in columns if view.kind(row, column) == "text"), "")


def _named_total(view: SheetView, row: int, columns: Sequence[int]) -> tuple[int, str] | None:
    """(column, text) of the first cell of the row that names a total."""
    for column in columns:
        cell = view.grid.cells.get((row, column))
        if (
            cell is not None
            and cell.kind == "text"
            and MAYBE_TOTAL.search(str(cell.value))
            and total_form(text := view.text(row, column)) is not None
        ):
            return column, text
    return None


@dataclass(frozen=True)
class _Shape:
    """What ordinary rows look like: columns of words or left of the values that are nearly always filled, and the share of
    distinct texts a column has."""

    labels: tuple[int, ...]
    distinct: dict[int, float]
    repeats: Counter[tuple[int, str]]

    @staticmethod
    def of(view: SheetView, rows: Sequence[int], columns: Sequence[int], typed: frozenset[int], totals: set[int]) -> _Shape:
        ordinary = [row for row in rows if row not in totals][:2000]
        labels, distinct = [], {}
        for column in columns:
            texts = [view.text(row, column) for row in ordinary if view.kind(row, column) is not None]
            if ordinary and len(texts) >= 0.8 * len(ordinary) and column not in typed:
                labels.append(column)
            distinct[column] = len(set(texts)) / len(texts) if texts else 1.0
        repeats = Counter(
            (column, fold(view.text(row, column))) for row in totals for column in columns if view.kind(row, column) == "text"
        )
        return _Shape(tuple(labels), distinct, repeats)

    def is_total(self, view: SheetView, row: int, column: int, text: str) -> bool:
        others = [label for label in self.labels if label != column]
        if any(view.kind(row, label) is None for label in others):
            return True
        if not others:
            return True
        if self.distinct.get(column, 1.0) < 0.8:
            return False
        return total_form(text) in ("exact", "end", "start")
