"""Columns of exact values: scaled integers, fractions, texts and dates, with a mask of what is there. No float anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from orchestrator.sql_algebra import BOOLEAN, EXACT_NUMBERS, INTEGER, RATIONAL, Kind, Type

Array = np.ndarray[Any, Any]
_LARGEST = 2**63 - 1
_WORDS_OF_CONSTANT = 2
"""One value and the None behind it."""


@dataclass(frozen=True)
class Vector:
    """`data`: for INTEGER and DECIMAL whole numbers scaled by 10 ** type.scale (int64, or Python ints where that could
    overflow); for RATIONAL Fractions; else Python values. `valid`: False where the value is missing; data is then anything."""

    type: Type
    data: Array
    valid: Array

    def __len__(self) -> int:
        return len(self.valid)

    def take(self, index: Array) -> Vector:
        """Rows by position; -1 gives a missing value."""
        if len(self.valid) == 0:
            return missing(self.type, len(index))
        return Vector(self.type, self.data[index], self.valid[index] & (index >= 0))

    def only(self, mask: Array) -> Vector:
        """Missing where the mask is False."""
        return Vector(self.type, self.data, self.valid & mask)

    def value(self, row: int) -> Any:
        """One Python value: Decimal (Fraction for RATIONAL), str, date, datetime, bool or None."""
        if not self.valid[row]:
            return None
        item = self.data[row]
        if self.type.kind in EXACT_NUMBERS:
            return Decimal((int(item < 0), tuple(map(int, str(abs(int(item))))), -self.type.scale))
        return bool(item) if self.type.kind is Kind.BOOLEAN else item

    def values(self) -> list[Any]:
        return [self.value(row) for row in range(len(self))]


class CodedVector(Vector):
    """Values named by their place among few distinct ones: `words` are Python values with a None behind the last one, `codes` the
    places, -1 where the value is missing. `data` is written out only when somebody reads it."""

    def __init__(self, kind: Type, words: Array, codes: Array) -> None:
        for name, value in (("type", kind), ("words", words), ("codes", codes), ("valid", codes >= 0)):
            object.__setattr__(self, name, value)

    words: Array
    codes: Array

    @cached_property
    def data(self) -> Array:
        written: Array = self.words[self.codes]
        return written

    def take(self, index: Array) -> Vector:
        """Rows by position; -1 gives a missing value."""
        if len(self.codes) == 0:
            return missing(self.type, len(index))
        codes = self.codes[index]
        return CodedVector(self.type, self.words, codes if no_gap(index) else np.where(index >= 0, codes, -1))

    def only(self, mask: Array) -> Vector:
        """Missing where the mask is False."""
        return CodedVector(self.type, self.words, np.where(mask, self.codes, -1))

    def value(self, row: int) -> Any:
        word = self.words[self.codes[row]]
        return bool(word) if self.type.kind is Kind.BOOLEAN and word is not None else word

    def each(self, kind: Type, function: Callable[[Any], Any]) -> Vector:
        """A function of the value, computed once for each distinct one that occurs; missing stays missing."""
        occurs = np.zeros(len(self.words), dtype=bool)
        occurs[self.codes] = True
        results = [function(word) if there else None for word, there in zip(self.words[:-1], occurs, strict=False)]
        table = from_values(kind, [*results, None])
        if kind.kind is Kind.BOOLEAN:
            return Vector(kind, table.data.astype(bool)[self.codes], table.valid[self.codes])
        if kind.kind in EXACT_NUMBERS:
            return Vector(kind, table.data[self.codes], table.valid[self.codes])
        place = np.where(table.valid, np.cumsum(table.valid) - 1, -1)
        return CodedVector(kind, np.append(table.data[table.valid], table.data[-1:]), place[self.codes])


def no_gap(ids: Array) -> bool:
    """No row is absent (-1)."""
    return len(ids) == 0 or bool(ids.min() >= 0)


def sorted_unique(numbers: Array) -> Array:
    """By sorting: numpy's own `unique` hashes, which takes ten times as long for many different numbers."""
    ordered = np.sort(numbers)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def missing(kind: Type, size: int) -> Vector:
    return Vector(
        kind,
        np.zeros(size, dtype=np.int64) if kind.kind in EXACT_NUMBERS else np.empty(size, dtype=object),
        np.zeros(size, dtype=bool),
    )


def constant(kind: Type, value: Any, size: int) -> Vector:
    if value is None:
        return missing(kind, size)
    one = from_values(kind, [value])
    if kind.kind in EXACT_NUMBERS or kind.kind is Kind.RATIONAL:
        return Vector(kind, np.full(size, one.data[0], dtype=one.data.dtype), np.ones(size, dtype=bool))
    return CodedVector(kind, from_values(kind, [value, None]).data, np.zeros(size, dtype=np.int16))


def from_values(kind: Type, values: Sequence[Any]) -> Vector:
    """Python values (None: missing) as a vector. A number with more places than the type's scale raises ValueError."""
    valid = np.fromiter((value is not None for value in values), dtype=bool, count=len(values))
    data = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        if kind.kind in EXACT_NUMBERS:
            data[row] = 0 if value is None else _scaled(value, kind.scale)
        else:
            data[row] = Fraction(value) if kind.kind is Kind.RATIONAL and value is not None else value
    return Vector(kind, _narrow(data) if kind.kind in EXACT_NUMBERS else data, valid)


def _scaled(value: Any, scale: int) -> int:
    number = Fraction(value) * 10**scale
    if number.denominator != 1:
        raise ValueError("more decimal places than the column has")
    return int(number.numerator)


def _narrow(data: Array) -> Array:
    return data.astype(np.int64) if len(data) == 0 or largest(data) <= _LARGEST else data


def largest(data: Array) -> int:
    """Largest absolute value; 0 if empty."""
    if len(data) == 0:
        return 0
    low, high = int(data.min()), int(data.max())
    return max(high, -low, 0)


def _wide(data: Array) -> Array:
    return data if data.dtype == object else data.astype(object)


# --- arithmetic


def rescaled(vector: Vector, kind: Type) -> Vector:
    """The same values in a wider type (more places, or as fractions, or a date as its midnight)."""
    if vector.type == kind:
        return vector
    if vector.type.kind is Kind.NULL:
        return missing(kind, len(vector))
    if kind.kind is Kind.RATIONAL:
        return from_values(RATIONAL, vector.values())
    if kind.kind is Kind.TIMESTAMP and vector.type.kind is Kind.DATE:
        if isinstance(vector, CodedVector):
            return vector.each(kind, lambda day: datetime.combine(day, time()))
        moments = [None if one is None else datetime.combine(one, time()) for one in vector.values()]
        return from_values(kind, moments)
    if kind.kind not in EXACT_NUMBERS:
        return vector
    step = 10 ** (kind.scale - vector.type.scale)
    data = vector.data if largest(vector.data) * step <= _LARGEST else _wide(vector.data)
    return Vector(kind, data * step if step != 1 else data, vector.valid)


def add(left: Vector, right: Vector, kind: Type, sign: int) -> Vector:
    """left + sign * right; missing where one of them is."""
    left, right = rescaled(left, kind), rescaled(right, kind)
    valid = left.valid & right.valid
    if kind.kind is Kind.RATIONAL:
        return _by_row(kind, valid, lambda a, b: a + sign * b, left, right)
    if largest(left.data) + largest(right.data) > _LARGEST:
        return Vector(kind, _wide(left.data) + sign * _wide(right.data), valid)
    return Vector(kind, left.data + sign * right.data, valid)


def multiply(left: Vector, right: Vector, kind: Type) -> Vector:
    """left * right; missing where one of them is."""
    valid = left.valid & right.valid
    if kind.kind is Kind.RATIONAL:
        return _by_row(kind, valid, lambda a, b: a * b, rescaled(left, kind), rescaled(right, kind))
    if Kind.NULL in (left.type.kind, right.type.kind):
        return missing(kind, len(left))
    if largest(left.data) * largest(right.data) > _LARGEST:
        return Vector(kind, _wide(left.data) * _wide(right.data), valid)
    return Vector(kind, left.data * right.data, valid)


def divide(left: Vector, right: Vector) -> Vector:
    """Fractions; missing where the divisor is zero."""
    left, right = rescaled(left, RATIONAL), rescaled(right, RATIONAL)
    valid = left.valid & right.valid & np.fromiter((bool(one) for one in right.data), dtype=bool, count=len(right))
    return _by_row(RATIONAL, valid, lambda a, b: a / b, left, right)


def negate(vector: Vector) -> Vector:
    if vector.type.kind is Kind.RATIONAL:
        return _by_row(vector.type, vector.valid, lambda a: -a, vector)
    return Vector(vector.type, -vector.data, vector.valid)


def compare(operator: str, left: Vector, right: Vector, common: Type) -> Vector:
    """Row by row, missing where a side is missing."""
    left, right = rescaled(left, common), rescaled(right, common)
    valid = left.valid & right.valid
    test = _TESTS[operator]
    if common.kind in EXACT_NUMBERS:
        return Vector(BOOLEAN, np.asarray(test(left.data, right.data), dtype=bool), valid)
    found = _compared_words(test, left, right)
    return _by_row(BOOLEAN, valid, test, left, right) if found is None else found


_TESTS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda a, b: a == b, "<>": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip


def _compared_words(test: Callable[[Any, Any], Any], left: Vector, right: Vector) -> Vector | None:
    """A column of few distinct values against a fixed one; None if that is not what is given."""
    if not isinstance(left, CodedVector) or not isinstance(right, CodedVector):
        return None
    for column, other in ((left, right), (right, left)):
        if len(other.words) == _WORDS_OF_CONSTANT and other.valid.all() and len(column.words) <= len(column.codes) + 1:
            sides = (column.words[:-1], other.words[0]) if column is left else (other.words[0], column.words[:-1])
            holds = np.append(np.asarray(test(*sides), dtype=bool), False)
            return Vector(BOOLEAN, holds[column.codes], column.valid)
    return None


def by_row(kind: Type, valid: Array, function: Callable[..., Any], *vectors: Vector) -> Vector:
    """A Python function over the Python values of each row where `valid`; None gives a missing value."""
    if all(np.array_equal(valid, one.valid) or len(one.valid) == 0 or bool(one.valid.all()) for one in vectors):
        found = _each_distinct(kind, function, *vectors)
        if found is not None:
            return found
    results = [function(*(one.value(row) for one in vectors)) if valid[row] else None for row in range(len(valid))]
    return from_values(kind, results)


def _each_distinct(kind: Type, function: Callable[..., Any], *vectors: Vector) -> Vector | None:
    """The function of one column and fixed values, computed once for each distinct value; None if that is not what is given."""
    coded = [one for one in vectors if isinstance(one, CodedVector)]
    varying = [place for place, one in enumerate(coded) if len(one.words) > _WORDS_OF_CONSTANT or not one.valid.all()]
    if not coded or len(coded) < len(vectors) or len(varying) > 1 or kind.kind is Kind.RATIONAL:
        return None
    place = varying[0] if varying else 0
    if len(coded[place].words) > len(coded[place].codes) + _WORDS_OF_CONSTANT:
        return None
    fixed = [one.words[0] for one in coded]
    return coded[place].each(kind, lambda word: function(*fixed[:place], word, *fixed[place + 1 :]))


def _by_row(kind: Type, valid: Array, function: Callable[..., Any], *vectors: Vector) -> Vector:
    data = np.empty(len(valid), dtype=object)
    for row in np.flatnonzero(valid):
        data[row] = function(*(one.data[row] for one in vectors))
    return Vector(kind, data, valid)


def choose(kind: Type, size: int, chosen: Sequence[tuple[Array, Vector]]) -> Vector:
    """Rows from several vectors; the masks do not overlap, uncovered rows are missing."""
    parts = [(mask, rescaled(vector, kind)) for mask, vector in chosen]
    wide = any(vector.data.dtype == object for _, vector in parts) or kind.kind not in EXACT_NUMBERS
    data: Array = np.zeros(size, dtype=object if wide else np.int64)
    valid = np.zeros(size, dtype=bool)
    for mask, vector in parts:
        data[mask] = vector.data[mask]
        valid[mask] = vector.valid[mask]
    return Vector(kind, data, valid)


# --- groups


def count_per_group(mask: Array, offsets: Array) -> Array:
    counts: Array = np.diff(offsets)
    if mask.all():
        return counts
    total = np.concatenate([[0], np.cumsum(mask)])
    counts = total[offsets[1:]] - total[offsets[:-1]]
    return counts


def sum_per_group(vector: Vector, offsets: Array) -> Vector:
    """Missing for a group without a value."""
    counts = count_per_group(vector.valid, offsets)
    if vector.type.kind is Kind.NULL:
        return missing(INTEGER, len(counts))
    data = vector.data if vector.valid.all() else np.where(vector.valid, vector.data, 0)
    if len(data) and largest(data) * len(data) > _LARGEST:
        data = _wide(data)
    total: Array = np.zeros(len(counts), dtype=data.dtype)
    some = offsets[1:] > offsets[:-1]
    if some.any():
        total[some] = np.add.reduceat(data, offsets[:-1][some])
    return Vector(vector.type, total, counts > 0)


def extreme_per_group(vector: Vector, offsets: Array, largest_wanted: bool) -> Vector:
    """MIN or MAX of each group; missing without a value."""
    filled = np.flatnonzero(vector.valid)
    data = vector.data[filled]
    bounds = np.searchsorted(filled, offsets)
    some = bounds[1:] > bounds[:-1]
    starts = bounds[:-1][some]
    result = missing(vector.type, len(offsets) - 1)
    if len(starts) == 0:
        return result
    if data.dtype == np.int64:
        found = (np.maximum if largest_wanted else np.minimum).reduceat(data, starts)
        values: Array = np.zeros(len(some), dtype=np.int64)
        values[some] = found
        return Vector(vector.type, values, some)
    pick = max if largest_wanted else min
    extremes: Array = np.empty(len(some), dtype=object)
    for group in np.flatnonzero(some):
        extremes[group] = pick(data[bounds[group] : bounds[group + 1]])
    return Vector(vector.type, extremes, some)


def group_values(vector: Vector, offsets: Array, group: int) -> list[Any]:
    """The values of one group that are there, as stored in `data`."""
    first, last = offsets[group], offsets[group + 1]
    return list(vector.data[first:last][vector.valid[first:last]])


def as_number(kind: Type, data: Any) -> Fraction:
    """One item of `data` as a number."""
    return data if kind.kind is Kind.RATIONAL else Fraction(int(data), 10**kind.scale)
