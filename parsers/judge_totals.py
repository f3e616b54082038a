"""Which rows of a typed table repeat others: sums, averages and deviations by their numbers, labels and looks; and which may."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from statistics import median

from parsers.exact_numbers import ExactNumbers
from parsers.find_totals import TotalRow
from parsers.row_marks import RowMarks
from parsers.sum_rows import MOST_ROWS, Agreement, RunningSums, agreement
from parsers.total_words import Statistic, hints_at_sum, names_whole, statistic_of, total_form

Column = Sequence[Decimal | None]
_FEW_DIGITS = 4
"""Digits that must agree in several columns of a closing row."""
_DIGITS_OF_ROUND = 2
_NOISE = Fraction(1, 10**12)
"""Relative error of a computed mean stored as a double."""


@dataclass(frozen=True)
class Judged:
    """`totals`: rows that certainly repeat others. `suspected`: rows that may; they stay data."""

    totals: dict[int, TotalRow]
    suspected: dict[int, TotalRow]


def judge_totals(marks: RowMarks, additive: Sequence[Column], numbers: Sequence[Column], known: dict[int, TotalRow]) -> Judged:
    """`additive`: columns whose values may be added, `numbers`: all number columns, one entry a row; `known`: totals by words
    and formulas.

    A row is a total if it is the sum of rows above in its columns and chance is ruled out: by the digits that agree, by several
    columns, or by a label that is blank, hints at a sum or stands out. Where only chance speaks against it, or a label
    promises a total that the numbers do not show, the row is suspected; not where chance is likely: the next month or number of
    a series, a name like the others beside the sum of two round numbers.
    """
    sums = [RunningSums() for _ in additive]
    trailing = _trailing(marks, known)
    totals: dict[int, TotalRow] = {}
    suspected: dict[int, TotalRow] = {}
    above: list[int] = []
    pending: list[int] = []
    needed = [len(marks.rows)] * len(additive)
    if len(marks.rows) > MOST_ROWS and not known:
        needed = [_enough_rows(column, trailing) for column in additive]
    done = 0
    for index, row in enumerate(marks.rows):
        found = known.get(row)
        judged = found is None and (len(marks.rows) <= MOST_ROWS or index in trailing)
        if found is None and not judged:
            continue
        for column, total, rows in zip(additive, sums, needed, strict=True):
            total.add_all(column, done, min(index, rows))
        above += range(done, index)
        done = index + 1
        values = [column[index] for column in additive]
        if judged:
            found, sure = _judge(marks, index, additive, sums, numbers, above, index in trailing)
            if found is None and index == 0 and _is_sum_of_all_below(marks, additive, known):
                found, sure = TotalRow(row, marks.label(row), "subtotal", "arithmetic"), True
            if found is not None and sure:
                totals[row] = found
            elif found is not None:
                suspected[row], found = found, None
                pending.append(index)
        if found is not None and found.closes and pending:
            _settle(marks, index, additive, sums, pending, suspected, totals)
        if found is None:
            above.append(index)
            for value, total in zip(values, sums, strict=True):
                total.add(value)
        elif found.closes:
            for value, total in zip(values, sums, strict=True):
                total.close(value)
    return Judged(totals, suspected)


def _enough_rows(column: Column, judged: frozenset[int]) -> int:
    """How many rows of a long table must be added up to tell the sum from the judged rows: where nothing is negative and the
    first rows make more than all of them twice over, the others only lead further away."""
    if isinstance(column, ExactNumbers) and not column.has_negative:
        largest = max((value for index in judged if (value := column[index]) is not None), default=Decimal(0))
        total, addends = column.sum(0, MOST_ROWS)
        if addends >= 2 and total > (len(judged) + 2) * largest:
            return MOST_ROWS
    return len(column)


def _settle(
    marks: RowMarks,
    index: int,
    additive: Sequence[Column],
    sums: Sequence[RunningSums],
    pending: list[int],
    suspected: dict[int, TotalRow],
    totals: dict[int, TotalRow],
) -> None:
    """A total below suspected rows settles them: it counts them in, so they are data, or leaves them out, so they are totals."""
    values = [column[index] for column in additive]
    rows = [marks.rows[other] for other in pending]
    if agreement(values, sums).exact:
        for row in rows:
            suspected.pop(row, None)
    else:
        without = [replace(total) for total in sums]
        for column, total in zip(additive, without, strict=True):
            for other in pending:
                total.add(None if (number := column[other]) is None else -number)
        if agreement(values, without).exact:
            totals.update((row, suspected.pop(row)) for row in rows if row in suspected)
    pending.clear()


def _trailing(marks: RowMarks, known: dict[int, TotalRow]) -> frozenset[int]:
    """Indexes of the rows at the end that are known or marked by their label, and of the last plain row above them if none is."""
    found: set[int] = set()
    for index in range(len(marks.rows) - 1, -1, -1):
        row = marks.rows[index]
        if row in known:
            continue
        marked = _is_marked(marks, row)
        if marked or not found:
            found.add(index)
        if not marked:
            break
    return frozenset(found)


def _is_marked(marks: RowMarks, row: int) -> bool:
    label = marks.label(row)
    return marks.has_blank_labels(row) or hints_at_sum(label) or names_whole(label) or statistic_of(label) is not None


def _judge(
    marks: RowMarks,
    index: int,
    additive: Sequence[Column],
    sums: Sequence[RunningSums],
    numbers: Sequence[Column],
    above: Sequence[int],
    closing: bool,
) -> tuple[TotalRow | None, bool]:
    """(the row as a total or statistic, whether that is sure); (None, _) for an ordinary row."""
    row = marks.rows[index]
    label = marks.label(row)
    blank = marks.has_blank_labels(row)
    if all(column[index] is None for column in numbers):
        return None, False
    statistic = statistic_of(label)
    if statistic is not None:
        verdict = _judge_statistic(*statistic, index, numbers, above, closing)
        if verdict is not None:
            return TotalRow(row, label, "subtotal", "arithmetic", closes=False), verdict
    agree = agreement([column[index] for column in additive], sums)
    verdict = _judge_sum(marks, index, agree, additive, label, blank, closing)
    if verdict is True:
        return TotalRow(row, label, "total" if agree.grand and index == len(marks.rows) - 1 else "subtotal", "arithmetic"), True
    if blank and closing and len(above) >= 2:
        sure = len(above) >= 3 and _hits(numbers, index, above, _mean) == _filled(numbers, index)
        return TotalRow(row, label, "subtotal", "arithmetic", closes=False), sure
    return (None, False) if verdict is None else (TotalRow(row, label, "subtotal", "arithmetic"), False)


def _judge_sum(
    marks: RowMarks, index: int, agree: Agreement, additive: Sequence[Column], label: str, blank: bool, closing: bool
) -> bool | None:
    """True: a total; False: perhaps; None: a row like any other."""
    if agree.rules_out_chance:
        return True
    if agree.columns == 0:
        return False if closing and hints_at_sum(label) and index >= 2 else None
    worded = blank or hints_at_sum(label) or total_form(label) == "exact" or marks.closes_group(index)
    adds_up = agree.columns > 0 and agree.addends >= 2
    if worded and adds_up and (agree.others == 0 or closing):
        return True
    stands_out = names_whole(label) or marks.stands_out(index)
    if stands_out and agree.exact and (agree.addends >= 3 or (agree.addends >= 2 and agree.columns > 1)):
        return True
    if not closing and not marks.before_gap(index):
        return None
    if agree.exact and agree.addends >= 2:
        if not stands_out and (marks.continues_series(index) or _may_be_chance(marks, index, agree, additive)):
            return None
        return agree.columns > 1 and agree.digits >= _FEW_DIGITS
    if adds_up and (agree.columns > 1 or stands_out) and (agree.others == 0 or agree.digits >= _FEW_DIGITS):
        return False
    return False if closing and hints_at_sum(label) and index >= 2 else None


def _may_be_chance(marks: RowMarks, index: int, agree: Agreement, additive: Sequence[Column]) -> bool:
    """Two round numbers often make a third ("60, 40, 100"): one column, two addends, few digits, and a name like the others."""
    if agree.columns > 1 or agree.addends > 2 or not marks.is_named_alike(index):
        return False
    rows = range(max(0, index - 2), index + 1)
    numbers = [number for column in additive for row in rows if (number := column[row]) is not None]
    return all(len(number.normalize().as_tuple().digits) <= _DIGITS_OF_ROUND for number in numbers)


# --- averages, medians, deviations


def _judge_statistic(
    statistic: Statistic, alone: bool, index: int, numbers: Sequence[Column], above: Sequence[int], closing: bool
) -> bool | None:
    """True: the numbers are that statistic of the rows above, in at least half of the columns; False: a label that says nothing
    else closes the table with other numbers; None: an ordinary row."""
    expected = _EXPECTED.get(statistic)
    if expected is not None:
        hits = _hits(numbers, index, above, expected)
        if hits > 0 and hits * 2 >= _filled(numbers, index) and (len(above) >= 2 or statistic == "deviation"):
            return True
    if not closing or len(above) < 2:
        return None
    if statistic == "spread" and alone:
        return True
    return False if alone or statistic in ("mean", "median") else None


def _filled(numbers: Sequence[Column], index: int) -> int:
    return sum(column[index] is not None for column in numbers)


def _hits(
    numbers: Sequence[Column], index: int, above: Sequence[int], expected: Callable[[list[Fraction]], tuple[Fraction, ...]]
) -> int:
    """Number columns in which the row shows the statistic, rounded to its own decimal places."""
    hits = 0
    for column in numbers:
        value = column[index]
        earlier = [Fraction(number) for other in above if (number := column[other]) is not None]
        if value is None or len(earlier) < 2:
            continue
        tolerance = Fraction(1, 2) / 10 ** _places(column, index)
        hits += any(abs(Fraction(value) - one) <= max(tolerance, abs(one) * _NOISE) for one in expected(earlier))
    return hits


def _places(column: Column, index: int) -> int:
    """Decimal places to which a statistic is printed: its own, and no fewer than the column shows elsewhere."""
    exponents = [number.normalize().as_tuple().exponent for number in (column[index], *column[:index]) if number is not None]
    return max((-exponent for exponent in exponents if isinstance(exponent, int) and exponent < 0), default=0)


def _mean(values: list[Fraction]) -> tuple[Fraction, ...]:
    return (sum(values, Fraction(0)) / len(values),)


def _median(values: list[Fraction]) -> tuple[Fraction, ...]:
    return (median(values),)


def _extreme(values: list[Fraction]) -> tuple[Fraction, ...]:
    return min(values), max(values)


def _deviation(values: list[Fraction]) -> tuple[Fraction, ...]:
    """Of the last two rows, either way, absolute or in percent points of the first."""
    first, second = values[-2:]
    return second - first, first - second, *((second / first * 100 - 100,) if first else ())


_EXPECTED: dict[Statistic, Callable[[list[Fraction]], tuple[Fraction, ...]]] = {
    "mean": _mean,
    "median": _median,
    "extreme": _extreme,
    "deviation": _deviation,
}


# --- a total above its parts


def _is_sum_of_all_below(marks: RowMarks, additive: Sequence[Column], known: dict[int, TotalRow]) -> bool:
    """The first row names the whole and is the sum of all rows below it in every column that it fills."""
    label = marks.label(marks.rows[0])
    if not (marks.has_blank_labels(marks.rows[0]) or hints_at_sum(label) or names_whole(label)):
        return False
    below = [index for index, row in enumerate(marks.rows) if index and row not in known]
    agree = 0
    for column in additive:
        parts = [number for index in below if (number := column[index]) is not None and number != 0]
        if column[0] is None or column[0] == 0:
            continue
        if len(parts) < 2 or sum(parts, Decimal(0)) != column[0]:
            return False
        agree += 1
    return agree > 0
