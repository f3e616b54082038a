"""Computes expressions of the algebra from cells: the value, and which cells it comes from, in one pass over whole columns.

This is the second opinion on every value: it shares nothing with the engine but the row ids that the engine named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from indexer.segments import period_end, period_start
from orchestrator import evidence_parts as cells
from orchestrator import exact_vectors as exact
from orchestrator.claims import Claim
from orchestrator.evidence_parts import Part, Parts, Role
from orchestrator.exact_vectors import Array, Vector
from orchestrator.measured_choices import Choices
from orchestrator.segment_reader import SegmentReader
from orchestrator.sql_algebra import (
    BOOLEAN,
    Apply,
    Case,
    Constant,
    Expression,
    Kind,
    Reference,
    ScalarQuery,
    TableSource,
    Window,
    common_type,
    walk,
)
from orchestrator.sql_functions import FUNCTIONS
from orchestrator.sql_refusals import NoProvenance
from parsers.table import Column as TableColumn

_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})


@dataclass(frozen=True)
class Evaluated:
    """A column of values with the cells behind each row."""

    vector: Vector
    parts: Parts = ()

    def __len__(self) -> int:
        return len(self.vector)

    def take(self, index: Array) -> Evaluated:
        return Evaluated(self.vector.take(index), cells.take(self.parts, index))

    def only(self, mask: Array) -> Evaluated:
        """Missing, and without cells, where the mask is False."""
        return self if mask.all() else Evaluated(self.vector.only(mask), cells.only(self.parts, mask))


class QueryRows(Protocol):
    """Rows of a subquery in FROM, one for each row of the frame."""

    def column(self, index: int) -> Evaluated: ...

    def claims(self, index: int) -> Choices[Claim]:
        """What an output measures, for orchestrator.fan_out."""
        ...

    def row_claims(self) -> Choices[Claim]:
        """What stands for a row as such."""
        ...


@dataclass(frozen=True)
class TableRows:
    """Rows of a table: ids, -1 where there is none."""

    source: TableSource
    ids: Array


@dataclass
class Frame:
    """The rows over which expressions are computed: for each source its rows, all `size` long. `outer`: the frame of the
    enclosing query, with the outer row of each row here. `computed`: expressions whose values are made elsewhere
    (subqueries, windows, aggregates)."""

    size: int
    sources: dict[int, TableRows | QueryRows]
    outer: Frame | None = None
    outer_rows: Array | None = None
    computed: list[tuple[Expression, Callable[[], Evaluated]]] = field(default_factory=list)


class Evaluator:
    """Evaluates row by row expressions; aggregates are the business of orchestrator.evaluate_blocks."""

    def __init__(self, reader: SegmentReader) -> None:
        self.reader = reader

    def evaluate(self, expression: Expression, frame: Frame) -> Evaluated:
        """Raises NoProvenance for what has no meaning here (aggregates, IN (SELECT …) as a value)."""
        for known, compute in frame.computed:
            if known == expression:
                return compute()
        match expression:
            case Constant():
                return Evaluated(exact.constant(expression.type, expression.value, frame.size))
            case Reference():
                return self._reference(expression, frame)
            case Case():
                return self._case(expression, frame)
            case Apply():
                return self._apply(expression, frame)
        raise _no_meaning()

    def _reference(self, reference: Reference, frame: Frame) -> Evaluated:
        rows = frame.sources.get(reference.source)
        if rows is None:
            if frame.outer is None or frame.outer_rows is None:
                raise _no_meaning()
            return self._reference(reference, frame.outer).take(frame.outer_rows)
        if not isinstance(rows, TableRows):
            assert isinstance(reference.column, int)
            return rows.column(reference.column)
        assert isinstance(reference.column, str)
        table = rows.source.table
        column = _table_column(rows.source, reference.column)
        vector = self.reader.values(table, reference.column, reference.type, rows.ids)
        return Evaluated(vector, self.cell_parts(rows, column, vector.valid))

    def cell_parts(self, rows: TableRows, column: TableColumn, valid: Array) -> Parts:
        """The column's own cells: with a value, missing or unreadable."""
        table, there = rows.source.table, rows.ids >= 0
        if (valid | ~there).all():
            return (Part(table, column.sql_name, "cell", rows.ids),)
        unreadable = self.reader.unreadable(table, column, rows.ids)
        masks: list[tuple[Role, Array]] = [
            ("cell", valid),
            ("missing", there & ~valid & ~unreadable),
            ("unreadable", there & unreadable & ~valid),
        ]
        return tuple(Part(table, column.sql_name, role, np.where(mask, rows.ids, -1)) for role, mask in masks if mask.any())

    # --- operations

    def _apply(self, expression: Apply, frame: Frame) -> Evaluated:
        name = expression.name
        arguments = [self.evaluate(one, frame) for one in expression.arguments]
        if name == "coalesce":
            return self._coalesce(expression, arguments)
        vectors = [one.vector for one in arguments]
        parts = tuple(part for one in arguments for part in one.parts)
        if name in ("is_null", "is_true", "is_false"):
            return Evaluated(_truth_test(name, vectors[0]), parts)
        if name in ("and", "or", "not"):
            return Evaluated(_logic(name, vectors), parts)
        vector = _value(expression, vectors)
        return Evaluated(vector, cells.without_value(parts, vector.valid))

    def _coalesce(self, expression: Apply, arguments: list[Evaluated]) -> Evaluated:
        left = np.ones(len(arguments[0]), dtype=bool)
        chosen: list[tuple[Array, Vector]] = []
        for argument in arguments:
            mask = left & argument.vector.valid
            chosen.append((mask, argument.vector))
            left = left & ~mask
        parts: list[Part] = []
        for (mask, _), argument in zip(chosen, arguments, strict=True):
            # A blank that was replaced is not a gap in the value; where everything is blank, all gaps are.
            parts += (
                cells.only(argument.parts, mask)
                + cells.only(argument.parts, left)
                + cells.only(cells.demoted(argument.parts), ~mask & ~left)
            )
        return Evaluated(exact.choose(expression.type, len(left), chosen), tuple(parts))

    def _case(self, expression: Case, frame: Frame) -> Evaluated:
        """The chosen branch's cells; those of the conditions where the branch is a fixed value, else they were only read."""
        left = np.ones(frame.size, dtype=bool)
        chosen: list[tuple[Array, Vector]] = []
        parts: list[Part] = []
        tests: Parts = ()
        for test, result in (*expression.branches, (None, expression.otherwise)):
            mask = left
            if test is not None:
                tested = self.evaluate(test, frame)
                tests = tests + tested.parts
                mask = left & is_true(tested.vector)
            value = self.evaluate(result, frame)
            chosen.append((mask, value.vector))
            parts += cells.only(value.parts, mask)
            fixed = not any(isinstance(part, Reference | ScalarQuery | Window) for part in walk(result))
            parts += cells.only(tests if fixed and not _is_null(result) else cells.demoted(tests), mask)
            left = left & ~mask
        return Evaluated(exact.choose(expression.type, frame.size, chosen), tuple(parts))


def _is_null(expression: Expression) -> bool:
    return isinstance(expression, Constant) and expression.value is None


def _value(expression: Apply, vectors: list[Vector]) -> Vector:
    name = expression.name
    if name in _COMPARISONS:
        common = common_type([one.type for one in vectors])
        assert common is not None
        return exact.compare(name, vectors[0], vectors[1], common)
    match name:
        case "+":
            return exact.add(vectors[0], vectors[1], expression.type, 1)
        case "-":
            return exact.add(vectors[0], vectors[1], expression.type, -1)
        case "*":
            return exact.multiply(vectors[0], vectors[1], expression.type)
        case "/":
            return exact.divide(vectors[0], vectors[1])
        case "negative":
            return exact.negate(vectors[0])
    function = FUNCTIONS[name]
    valid = np.ones(len(vectors[0]), dtype=bool)
    if function.takes_missing:
        vectors = [exact.rescaled(one, expression.type) for one in vectors]
    else:
        for one in vectors:
            valid = valid & one.valid
    return exact.by_row(expression.type, valid, function.value, *vectors)


def is_true(vector: Vector) -> Array:
    """Mask of rows where a condition holds."""
    if vector.type.kind is Kind.NULL:
        return np.zeros(len(vector), dtype=bool)
    if isinstance(vector, exact.CodedVector):
        found: Array = vector.words.astype(bool)[vector.codes]
        return found
    if vector.data.dtype == bool:
        return vector.data & vector.valid
    return np.where(vector.valid, vector.data, False).astype(bool)


def _truth_test(name: str, vector: Vector) -> Vector:
    holds = ~vector.valid if name == "is_null" else is_true(vector)
    if name == "is_false":
        holds = vector.valid & ~holds
    return Vector(BOOLEAN, holds, np.ones(len(vector), dtype=bool))


def _logic(name: str, vectors: list[Vector]) -> Vector:
    """Three-valued: missing AND False is False."""
    holds = [is_true(one) for one in vectors]
    fails = [one.valid & ~true for one, true in zip(vectors, holds, strict=True)]
    if name == "not":
        return Vector(BOOLEAN, fails[0], vectors[0].valid)
    if name == "or":
        found, against = np.logical_or.reduce(holds), np.logical_and.reduce(fails)
    else:
        found, against = np.logical_and.reduce(holds), np.logical_or.reduce(fails)
    return Vector(BOOLEAN, found, found | against)


def _table_column(source: TableSource, name: str) -> TableColumn:
    for visible in source.table.columns:
        if name in (visible.sql_name, period_start(visible.sql_name), period_end(visible.sql_name)):
            return visible.column
    raise _no_meaning()


def _no_meaning() -> NoProvenance:
    return NoProvenance(
        "form",
        "Für diese Form lässt sich nicht angeben, aus welchen Zellen die Werte stammen.",
        "Formulieren Sie die Abfrage einfacher.",
    )
