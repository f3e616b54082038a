"""Totals by arithmetic: rows that are the sum of rows above, and printed totals that differ from what they should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from parsers.exact_numbers import ExactNumbers

MOST_ROWS = 500
"""Rows of a table up to which totals are looked for by arithmetic alone; in a longer one only among its last rows."""
ENOUGH_DIGITS = 6
"""Significant digits that must agree in all columns together before a coincidence is ruled out."""


@dataclass
class RunningSums:
    """Sums of ordinary rows of one column so far: over the table, since the last total, and that total itself."""

    all: Decimal = Decimal(0)
    segment: Decimal = Decimal(0)
    last_total: Decimal | None = None
    addends: int = 0
    all_addends: int = 0

    def add(self, value: Decimal | None) -> None:
        if value is not None:
            self.all += value
            self.segment += value
            self.addends += value != 0
            self.all_addends += value != 0

    def add_all(self, column: Sequence[Decimal | None], start: int, end: int) -> None:
        """The same for the rows from `start` to before `end`."""
        if isinstance(column, ExactNumbers):
            total, addends = column.sum(start, end)
        else:
            there = [value for value in column[start:end] if value]
            total, addends = sum(there, Decimal(0)), len(there)
        self.all += total
        self.segment += total
        self.addends += addends
        self.all_addends += addends

    def close(self, value: Decimal | None) -> None:
        """A total row was printed: the next segment begins."""
        self.last_total = value if value is not None else self.last_total
        self.segment = Decimal(0)
        self.addends = 0

    def candidates(self) -> tuple[tuple[Decimal, int], ...]:
        """(sum, how many non-zero values enter): since the last total, of all rows, the last total and what follows it."""
        running = () if self.last_total is None else ((self.last_total + self.segment, self.addends + 1),)
        return ((self.segment, self.addends), (self.all, self.all_addends), *running)


@dataclass(frozen=True)
class Agreement:
    """How a row agrees with one of the sums above it. `columns`: number columns with a value other than zero that are the sum,
    `others`: that are not; `digits`: significant digits that agree; `addends`: the fewest values that enter a sum;
    `rounded`: some column agrees only up to the rounding of its addends; `grand`: the sum is that of all ordinary rows."""

    columns: int
    others: int
    digits: int
    addends: int
    rounded: bool
    grand: bool

    @property
    def exact(self) -> bool:
        return self.columns > 0 and self.others == 0 and not self.rounded

    @property
    def rules_out_chance(self) -> bool:
        return self.exact and self.addends >= 2 and self.digits >= ENOUGH_DIGITS


def agreement(row: Sequence[Decimal | None], sums: Sequence[RunningSums]) -> Agreement:
    """The best agreement of a row with the sums so far; one choice of sum holds for all its columns."""
    only_one = all(total.all == total.segment for total in sums)
    found = [_agreement(row, sums, choice, grand=choice == 1 or (choice == 0 and only_one)) for choice in range(3)]
    return max(found, key=lambda one: (one.exact, one.columns - one.others, not one.rounded, one.grand))


def _agreement(row: Sequence[Decimal | None], sums: Sequence[RunningSums], choice: int, *, grand: bool) -> Agreement:
    columns = others = digits = 0
    addends: list[int] = []
    rounded = False
    for value, total in zip(row, sums, strict=True):
        options = total.candidates()
        if value is None:
            continue
        expected, count = options[choice] if choice < len(options) else (None, 0)
        if expected is None or (value == 0) != (expected == 0) or (value != 0 and count < 2):
            others += 1
        elif value == expected:
            columns += value != 0
            digits += significant_digits(value)
            addends += [count] if value else []
        elif _is_rounded(value, expected, count):
            columns += 1
            rounded = True
            addends.append(count)
        else:
            others += 1
    return Agreement(columns, others, digits, min(addends, default=0), rounded, grand)


def _is_rounded(value: Decimal, expected: Decimal, count: int) -> bool:
    """Off by no more than half a unit of the last place for each addend, and by less than half a percent."""
    exponents = [number.as_tuple().exponent for number in (value, expected)]
    places = min(0, *(exponent for exponent in exponents if isinstance(exponent, int)))
    off = abs(value - expected)
    return off <= Decimal(count + 1) / 2 * Decimal(1).scaleb(places) and off * 200 < abs(expected)


def significant_digits(value: Decimal) -> int:
    """How many digits a number has without zeros at its ends; 0 for zero."""
    return len(value.normalize().as_tuple().digits) if value else 0


def expected_totals(
    column: Sequence[Decimal | None], totals: frozenset[int], index: int, parts: frozenset[int] = frozenset()
) -> tuple[Decimal, ...]:
    """What a printed total in row `index` may rightly be: the sum since the last total, of all rows, or both together.
    `parts`: rows that neither enter a sum nor close one."""
    sums = RunningSums()
    start = 0
    for stop in sorted(other for other in totals | parts if other < index):
        sums.add_all(column, start, stop)
        if stop in totals:
            sums.close(column[stop])
        start = stop + 1
    sums.add_all(column, start, index)
    return tuple(total for total, _ in sums.candidates())
