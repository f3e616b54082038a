"""Rows indented under others ("  Löhne" under "Personalaufwand"): which row each stands under, and which repeat those below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal

from parsers.find_headers import Block
from parsers.sheet_view import SheetView
from parsers.sum_rows import ENOUGH_DIGITS, MOST_ROWS, significant_digits
from parsers.total_words import names_part, names_total

_ENOUGH_INDENTED = 3
"""Significant digits that must agree in all parents together where every parent of the table is the sum of its rows."""

Columns = Sequence[Sequence[Decimal | None]]


@dataclass(frozen=True)
class Indentation:
    """`columns`: the sheet column of each row's label; `indents`: of each row, 0 for a row without a label."""

    columns: tuple[int, ...]
    indents: tuple[int, ...]


@dataclass(frozen=True)
class Repeated:
    """Indexes of rows. `sums`: the sum of the rows indented below them; `details`: rows that only part up the row above them;
    `doubtful`: rows of which it is not known whether they repeat those below, or these are only some of their parts."""

    sums: frozenset[int] = frozenset()
    details: frozenset[int] = frozenset()
    doubtful: frozenset[int] = frozenset()


def indentation(view: SheetView, block: Block, rows: Sequence[int], typed: Set[int]) -> Indentation | None:
    """Of the first column of labels that are indented differently, else of labels that stand in the next column the deeper they
    are; None if there are neither, or the table is long."""
    if len(rows) > MOST_ROWS:
        return None
    labels = [column for column in range(block.left, block.right + 1) if column not in typed or column == block.left]
    for column in labels:
        indents = tuple(view.indent(row, column) for row in rows)
        labelled = {indent for row, indent in zip(rows, indents, strict=True) if view.kind(row, column) == "text"}
        if len(labelled) > 1:
            return Indentation((column,) * len(rows), indents)
    return _outline(view, block, rows, labels, typed)


def _outline(
    view: SheetView, block: Block, rows: Sequence[int], labels: Sequence[int], typed: Set[int]
) -> Indentation | None:
    """An outline as pivot tables print it: "Obst | | 30" over " | Apfel | 10". Each row has one label, left of all values, and
    none of the columns is filled throughout."""
    first_value = min((column for column in typed if column != block.left), default=block.right + 1)
    leading = [column for column in labels if column < first_value]
    if len(leading) < 2:
        return None
    columns: list[int] = []
    for row in rows:
        filled = [column for column in leading if view.kind(row, column) is not None]
        if len(filled) != 1 or view.source(row, filled[0]) != (row, filled[0]):
            return None
        columns += filled
    depths = {column: depth for depth, column in enumerate(sorted(set(columns)))}
    if len(depths) < 2 or depths[columns[0]] != 0:
        return None
    return Indentation(tuple(columns), tuple(depths[column] for column in columns))


def parent_rows(view: SheetView, rows: Sequence[int], found: Indentation | None) -> Mapping[int, int]:
    """Row -> its indentation, for rows under whose label the next label is indented deeper, unless that names a total or says
    itself that it is a part."""
    if found is None:
        return {}
    parents: dict[int, int] = {}
    last: tuple[int, int] | None = None
    for row, column, indent in zip(rows, found.columns, found.indents, strict=True):
        if view.kind(row, column) != "text":
            continue
        text = view.text(row, column)
        if last is not None and indent > last[1] and not names_total(text) and not names_part(text):
            parents[last[0]] = last[1]
        last = (row, indent)
    return parents


def repeated_rows(additive: Columns, numbers: Columns, indents: Sequence[int], known: Set[int], total: int | None) -> Repeated:
    """Of the rows with others indented below them: those that are their sum in every additive column that they fill, and those
    that are not. `numbers`: all number columns; `known`: indexes of totals by words and formulas; `total`: index of the printed
    total of the whole table, which may show that the indented rows are only details."""
    children = {index: parts for index in range(len(indents)) if index not in known and (parts := _parts(indents, index, known))}
    equal: dict[int, int] = {}
    other: set[int] = set()
    for index, parts in children.items():
        digits = _agreeing_digits(additive, index, parts)
        if digits is not None and len(parts) >= 2:
            equal[index] = digits
        elif any(column[index] is not None and any(column[part] is not None for part in parts) for column in numbers):
            other.add(index)
    together = not other and sum(equal.values()) >= _ENOUGH_INDENTED
    sums = frozenset(index for index, digits in equal.items() if together or digits >= ENOUGH_DIGITS)
    doubtful = (other | equal.keys()) - sums
    below = frozenset(part for index in doubtful for part in _below(indents, index) if part not in known)
    if doubtful and total is not None and _makes_total(additive, indents, known | sums | below, total):
        return Repeated(sums, below, frozenset())
    return Repeated(sums, frozenset(), frozenset(doubtful))


def _below(indents: Sequence[int], index: int) -> list[int]:
    """The rows indented below one, up to the next that is not."""
    end = index + 1
    while end < len(indents) and indents[end] > indents[index]:
        end += 1
    return list(range(index + 1, end))


def _parts(indents: Sequence[int], index: int, known: Set[int]) -> list[int]:
    """Those of them on the next level."""
    below = [other for other in _below(indents, index) if other not in known]
    level = min((indents[other] for other in below), default=0)
    return [other for other in below if indents[other] == level]


def _agreeing_digits(columns: Columns, index: int, parts: Sequence[int]) -> int | None:
    """Digits of the row's values where all of them are the sum of the parts; None if one is not, or there is none."""
    values = [(value, [column[part] for part in parts]) for column in columns if (value := column[index]) is not None]
    if not values or any(value != sum((one for one in own if one is not None), Decimal(0)) for value, own in values):
        return None
    return sum(significant_digits(value) for value, _ in values)


def _makes_total(columns: Columns, indents: Sequence[int], left_out: Set[int], total: int) -> bool:
    rows = [index for index in range(total) if index not in left_out]
    digits = _agreeing_digits(columns, total, rows)
    return len(rows) >= 2 and digits is not None and digits >= _ENOUGH_INDENTED
