"""Totals by arithmetic: rows that are the sum of rows above, and printed totals that differ from what they should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

MOST_ROWS = 500
"""Rows of a table up to which totals are looked for by arithmetic alone."""
_ENOUGH_DIGITS = 6
"""Significant digits that must agree in all columns together before a coincidence is ruled out."""


@dataclass
class _Sums:
    """Sums of ordinary rows of one column so far: over the table, since the last total, and that total itself."""

    all: Decimal = Decimal(0)
    segment: Decimal = Decimal(0)
    last_total: Decimal | None = None
    addends: int = 0
    seen: int = field(default=0)

    def add(self, value: Decimal | None) -> None:
        self.seen += 1
        if value is not None:
            self.all += value
            self.segment += value
            self.addends += value != 0

    def close(self, value: Decimal | None) -> None:
        """A total row was printed: the next segment begins."""
        self.last_total = value if value is not None else self.last_total
        self.segment = Decimal(0)
        self.addends = 0

    def candidates(self) -> tuple[Decimal, ...]:
        running = () if self.last_total is None else (self.last_total + self.segment,)
        return (self.segment, self.all, *running)


def sums_above(columns: Sequence[Sequence[Decimal | None]], known: frozenset[int], count: int) -> dict[int, bool]:
    """Index of each row that is the sum of rows above in every number column that it fills -> whether it is the sum of all
    ordinary rows so far. `columns`: additive number columns, `known`: rows already known as totals, which close a segment.

    A row counts only if at least two non-zero addends enter and the digits that agree rule out a coincidence.
    """
    sums = [_Sums() for _ in columns]
    found: dict[int, bool] = {}
    for index in range(count):
        row = [column[index] for column in columns]
        grand = _is_sum(row, sums) if index not in known else None
        if index in known or grand is not None:
            if grand is not None:
                found[index] = grand
            for value, total in zip(row, sums, strict=True):
                total.close(value)
        else:
            for value, total in zip(row, sums, strict=True):
                total.add(value)
    return found


def sums_below(columns: Sequence[Sequence[Decimal | None]], indents: Sequence[int]) -> set[int]:
    """Index of each row that is the sum of the rows indented below it, in every number column that it fills.

    Only the next deeper level counts as its parts; at least two of them, and enough digits to rule out a coincidence.
    """
    found = set()
    for index, indent in enumerate(indents):
        children = []
        for other in range(index + 1, len(indents)):
            if indents[other] <= indent:
                break
            children.append(other)
        level = min((indents[child] for child in children), default=0)
        parts = [child for child in children if indents[child] == level]
        values = [(column[index], [column[part] for part in parts]) for column in columns if column[index] is not None]
        if len(parts) < 2 or not values:
            continue
        sums = [(value, sum((part for part in own if part is not None), Decimal(0))) for value, own in values]
        digits = sum(len(value.normalize().as_tuple().digits) for value, _ in sums if value)
        if all(value == total for value, total in sums) and digits >= _ENOUGH_DIGITS:
            found.add(index)
    return found


def expected_totals(column: Sequence[Decimal | None], totals: frozenset[int], index: int) -> tuple[Decimal, ...]:
    """What a printed total in row `index` may rightly be: the sum since the last total, of all rows, or both together."""
    sums = _Sums()
    for other in range(index):
        if other in totals:
            sums.close(column[other])
        else:
            sums.add(column[other])
    return sums.candidates()


def _is_sum(row: list[Decimal | None], sums: list[_Sums]) -> bool | None:
    """None: no sum; else whether it is the sum of all rows so far."""
    for choice in range(3):
        digits = 0
        agrees = False
        for value, total in zip(row, sums, strict=True):
            if value is None:
                continue
            options = total.candidates()
            enough = total.addends >= 2 or (choice == 2 and total.addends >= 1)
            if choice >= len(options) or value != options[choice] or (value != 0 and not enough):
                agrees = False
                break
            agrees = True
            digits += len(value.normalize().as_tuple().digits) if value else 0
        if agrees and digits >= _ENOUGH_DIGITS:
            return choice == 1 or all(total.seen == 0 or total.all == total.segment for total in sums)
    return None
