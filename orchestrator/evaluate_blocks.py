"""Blocks of a statement computed from the lineage that the engine returned: rows, groups, unions, subqueries, windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from orchestrator import evidence_parts as cells
from orchestrator import exact_vectors as exact
from orchestrator.check_rows import check_conditions, rows_present
from orchestrator.evaluate import Evaluated, Evaluator, Frame, QueryRows, TableRows, is_true
from orchestrator.evidence_parts import Part, Parts
from orchestrator.exact_vectors import Array, Vector
from orchestrator.lineage_layout import (
    BlockLayout,
    QueryLayout,
    ScalarLayout,
    SelectLayout,
    TableLayout,
    UnionLayout,
    WindowLayout,
)
from orchestrator.sql_algebra import (
    INTEGER,
    RATIONAL,
    Aggregate,
    Apply,
    Case,
    Expression,
    Reference,
    Type,
    children,
    has_aggregate,
)
from orchestrator.sql_refusals import NoProvenance


@dataclass(frozen=True)
class Slot:
    """A lineage column. Without `offsets`: one number a row, -1 for NULL. With: lists; `present` is False for NULL lists."""

    values: Array | None
    offsets: Array | None = None
    present: Array | None = None
    inner: Slot | None = None

    def take(self, index: Array) -> Slot:
        if self.offsets is None:
            assert self.values is not None
            return Slot(self.values[index])
        assert self.inner is not None and self.present is not None
        offsets, flat = cells.take_ragged(self.offsets, index)
        return Slot(None, offsets, self.present[index], self.inner.take(flat))

    def numbers(self) -> Array:
        assert self.values is not None
        return self.values

    def filled(self) -> Array:
        """Mask: not NULL."""
        if self.offsets is None:
            return self.numbers() >= 0
        assert self.present is not None
        return self.present


def read_slot(column: pa.ChunkedArray | pa.Array) -> Slot:
    """An Arrow column of numbers, booleans or (nested) lists of them."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        present = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
        lengths = array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Slot(None, offsets, present, read_slot(array.flatten()))
    numbers = array if pa.types.is_int32(array.type) else array.cast(pa.int64())
    return Slot(numbers.fill_null(-1).to_numpy(zero_copy_only=False))


class Blocks:
    """Makes blocks; holds the one evaluator."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def block(self, layout: BlockLayout, slots: Sequence[Slot], size: int, outer: Frame | None = None) -> QueryRows:
        """The rows of a query of which `slots` are the lineage columns. `outer`: the frame of a correlated query's outer row,
        row by row."""
        if isinstance(layout, UnionLayout):
            return _UnionBlock(self, layout, slots, size, outer)
        rows = np.arange(size)
        if not layout.select.grouped:
            frame = self._frame(layout, slots, size, outer, rows)
            check_conditions(self.evaluator, layout.select, frame, rows_present(frame))
            return _PlainBlock(self.evaluator, layout, frame)
        return _GroupedBlock(self, layout, slots, size, outer)

    def _frame(self, layout: SelectLayout, slots: Sequence[Slot], size: int, outer: Frame | None, outer_rows: Array) -> Frame:
        frame = Frame(size, self.sources(layout.sources, slots, size), outer, None if outer is None else outer_rows)
        for scalar in layout.scalars:
            frame.computed.append((scalar.expression, partial(self.scalar, scalar, slots, frame)))
        for window in layout.windows:
            frame.computed.append((window.expression, partial(self._window, window, slots, frame)))
        return frame

    def sources(
        self, layouts: Sequence[TableLayout | QueryLayout], slots: Sequence[Slot], size: int
    ) -> dict[int, TableRows | QueryRows]:
        found: dict[int, TableRows | QueryRows] = {}
        for one in layouts:
            if isinstance(one, TableLayout):
                found[one.source.number] = TableRows(one.source, slots[one.slot].numbers())
            else:
                inner = slots[one.first_slot : one.first_slot + one.inner.width]
                found[one.source.number] = _Optional(self.block(one.inner, inner, size), slots[one.presence].filled())
        return found

    def scalar(self, layout: ScalarLayout, slots: Sequence[Slot], frame: Frame) -> Evaluated:
        inner = slots[layout.first_slot : layout.first_slot + layout.inner.width]
        return _Optional(self.block(layout.inner, inner, frame.size, frame), slots[layout.presence].filled()).column(0)

    def _window(self, layout: WindowLayout, slots: Sequence[Slot], frame: Frame) -> Evaluated:
        window, presence = layout.expression, slots[layout.presence]
        if window.name in ("lag", "lead", "first_value"):
            assert window.argument is not None
            shifted = Frame(frame.size, self.sources(layout.sources, slots, frame.size))
            return self.evaluator.evaluate(window.argument, shifted).only(presence.filled())
        assert presence.offsets is not None
        inner = [_inner(slot) for slot in slots]
        size = int(presence.offsets[-1])
        rows = Frame(size, self.sources(layout.sources, inner, size))
        aggregate = Aggregate(window.name, window.argument, False, None, window.type)  # type: ignore[arg-type]
        return aggregated(self.evaluator, aggregate, rows, presence.offsets)


_NOTHING = Slot(np.zeros(0, dtype=np.int64))


def _inner(slot: Slot) -> Slot:
    return slot.inner if slot.inner is not None else _NOTHING


@dataclass(frozen=True)
class _Optional:
    """Rows of a subquery that an outer join may have left without a partner."""

    rows: QueryRows
    present: Array

    def column(self, index: int) -> Evaluated:
        return self.rows.column(index).only(self.present)


class _PlainBlock:
    def __init__(self, evaluator: Evaluator, layout: SelectLayout, frame: Frame) -> None:
        self._evaluator, self._layout, self._frame = evaluator, layout, frame
        self._columns: dict[int, Evaluated] = {}

    def column(self, index: int) -> Evaluated:
        if index not in self._columns:
            self._columns[index] = self._evaluator.evaluate(self._layout.select.outputs[index].expression, self._frame)
        return self._columns[index]

    def expression(self, expression: Expression) -> Evaluated:
        return self._evaluator.evaluate(expression, self._frame)


class _UnionBlock:
    def __init__(self, blocks: Blocks, layout: UnionLayout, slots: Sequence[Slot], size: int, outer: Frame | None) -> None:
        self._layout, self._size = layout, size
        branch = slots[layout.branch].numbers()
        self._branches: list[tuple[Array, QueryRows]] = []
        for number, (first, inner) in enumerate(layout.branches):
            rows = np.flatnonzero(branch == number)
            taken = [slot.take(rows) for slot in slots[first : first + inner.width]]
            self._branches.append((rows, blocks.block(inner, taken, len(rows), outer)))

    def column(self, index: int) -> Evaluated:
        kind = self._layout.union.outputs[index].expression.type
        chosen: list[tuple[Array, Vector]] = []
        parts: list[Part] = []
        for rows, block in self._branches:
            position = np.full(self._size, -1, dtype=np.int64)
            position[rows] = np.arange(len(rows))
            spread = block.column(index).take(position)
            chosen.append((position >= 0, spread.vector))
            parts += spread.parts
        return Evaluated(exact.choose(kind, self._size, chosen), tuple(parts))


class _GroupedBlock:
    def __init__(self, blocks: Blocks, layout: SelectLayout, slots: Sequence[Slot], size: int, outer: Frame | None) -> None:
        self._blocks, self._layout, self._slots, self._size = blocks, layout, slots, size
        self._select = layout.select
        self._offsets = self._group_offsets()
        inner = [_inner(slot) for slot in slots]
        count = int(self._offsets[-1])
        group_of_row = np.repeat(np.arange(size), np.diff(self._offsets))
        self._rows = Frame(count, blocks.sources(layout.sources, inner, count), outer, None if outer is None else group_of_row)
        check_conditions(blocks.evaluator, self._select, self._rows, rows_present(self._rows))
        self._outer = Frame(size, {}, outer, None if outer is None else np.arange(size))
        for scalar in layout.scalars:
            self._outer.computed.append((scalar.expression, partial(blocks.scalar, scalar, slots, self._outer)))
        self._columns: dict[int, Evaluated] = {}

    def _group_offsets(self) -> Array:
        first = self._layout.sources[0]
        slot = self._slots[first.slot if isinstance(first, TableLayout) else first.presence]
        assert slot.offsets is not None
        for one in self._layout.sources:
            other = self._slots[one.slot if isinstance(one, TableLayout) else one.presence].offsets
            if other is None or not np.array_equal(other, slot.offsets):
                raise NoProvenance(
                    "lineage", "Die Zeilen hinter den Werten sind nicht eindeutig.", "Formulieren Sie die Abfrage einfacher."
                )
        return slot.offsets

    def column(self, index: int) -> Evaluated:
        if index not in self._columns:
            self._columns[index] = self.expression(self._select.outputs[index].expression)
        return self._columns[index]

    def expression(self, expression: Expression) -> Evaluated:
        """One value a group."""
        for number, key in enumerate(self._select.group_by):
            if key == expression:
                return self._key(number, key)
        match expression:
            case Aggregate():
                return aggregated(self._blocks.evaluator, expression, self._rows, self._offsets)
            case Apply() | Case() if has_aggregate(expression) or self._select.group_by:
                return self._blocks.evaluator.evaluate(self._lifted(expression), self._outer)
            case Reference() if expression.source in self._rows.sources:
                raise NoProvenance(
                    "not_grouped",
                    "Eine Spalte steht weder in GROUP BY noch in einer Aggregation.",
                    "Nehmen Sie sie in GROUP BY auf.",
                )
        return self._blocks.evaluator.evaluate(expression, self._outer)

    def _lifted(self, expression: Expression) -> Expression:
        """Aggregates and keys inside an expression become columns of the groups' frame."""
        self._lift(expression)
        return expression

    def _lift(self, expression: Expression) -> None:
        for child in children(expression):
            whole = isinstance(child, Aggregate) or child in self._select.group_by
            if whole or (isinstance(child, Reference) and child.source in self._rows.sources):
                self._outer.computed.append((child, partial(self.expression, child)))
            else:
                self._lift(child)

    def _key(self, number: int, key: Expression) -> Evaluated:
        """The value of the first row; the cells of all rows of the group."""
        evaluator, starts = self._blocks.evaluator, self._offsets[:-1]
        sizes = np.diff(self._offsets)
        first = np.where(sizes > 0, starts, -1)
        everywhere = evaluator.evaluate(key, self._rows)
        value = everywhere.vector.take(first)
        found = Evaluated(value, cells.grouped(everywhere.parts, self._offsets))
        if self._layout.groupings:
            found = found.only(self._slots[self._layout.groupings[number]].numbers() == 0)
        return found


def aggregated(evaluator: Evaluator, aggregate: Aggregate, rows: Frame, offsets: Array) -> Evaluated:
    """An aggregate over consecutive groups of rows: value, contributing cells, cells without a value."""
    condition: Evaluated | None = None
    counted = np.ones(rows.size, dtype=bool)
    if aggregate.condition is not None:
        condition = evaluator.evaluate(aggregate.condition, rows)
        counted = is_true(condition.vector)
    if aggregate.name == "count_rows":
        counts = exact.count_per_group(counted, offsets)
        parts = cells.unused_where(_row_anchors(evaluator, rows), counted)
        found = Evaluated(Vector(INTEGER, counts, np.ones(len(counts), dtype=bool)), cells.grouped(parts, offsets))
    else:
        assert aggregate.argument is not None
        argument = evaluator.evaluate(aggregate.argument, rows)
        vector = argument.vector.only(counted)
        parts = cells.unused_where(argument.parts, counted)
        if not argument.parts:
            parts = cells.unused_where(_row_anchors(evaluator, rows), vector.valid)
        if aggregate.name in ("min", "max"):
            found = _extreme(aggregate, vector, parts, offsets)
        else:
            found = Evaluated(_aggregate_values(aggregate, vector, offsets), cells.grouped(parts, offsets))
    if condition is not None:
        found = Evaluated(found.vector, found.parts + cells.grouped(cells.demoted(condition.parts), offsets))
    return found


def _row_anchors(evaluator: Evaluator, rows: Frame) -> Parts:
    """What stands for a row as such: the first shown column of the first source, of the next one where an outer join left the
    first without a partner."""
    left = np.ones(rows.size, dtype=bool)
    anchors: list[Part] = []
    for source in rows.sources.values():
        if isinstance(source, TableRows):
            table, there = source.source.table, source.ids >= 0
            if not table.columns:
                raise NoProvenance("no_column", "Die Tabelle hat keine sichtbare Spalte.", "")
            anchors.append(Part(table, table.columns[0].sql_name, "cell", np.where(left & there, source.ids, -1)))
        else:
            column = source.column(0)
            there = source.present if isinstance(source, _Optional) else left
            parts = tuple(part.as_role("cell") for part in column.parts if part.role != "read") or column.parts
            anchors += cells.only(parts, left & there)
        left = left & ~there
        if not left.any():
            break
    return tuple(anchors)


def _extreme(aggregate: Aggregate, vector: Vector, parts: Parts, offsets: Array) -> Evaluated:
    found = exact.extreme_per_group(vector, offsets, aggregate.name == "max")
    spread = found.take(np.repeat(np.arange(len(found)), np.diff(offsets)))
    deciding = vector.valid & spread.valid & np.asarray(vector.data == spread.data, dtype=bool)
    kept = tuple(part.only(deciding) if part.role == "cell" else part for part in parts)
    others = tuple(part.only(~deciding).as_role("read") for part in parts if part.role == "cell")
    return Evaluated(found, cells.grouped(kept + others, offsets))


def _aggregate_values(aggregate: Aggregate, vector: Vector, offsets: Array) -> Vector:
    if aggregate.distinct or aggregate.name == "median":
        groups = [exact.group_values(vector, offsets, group) for group in range(len(offsets) - 1)]
        if aggregate.distinct:
            groups = [list(set(values)) for values in groups]
        return _listed_values(aggregate, vector.type, groups)
    counts = exact.count_per_group(vector.valid, offsets)
    if aggregate.name == "count":
        return Vector(INTEGER, counts, np.ones(len(counts), dtype=bool))
    total = exact.sum_per_group(vector, offsets)
    if aggregate.name == "sum":
        return total
    return exact.divide(total, Vector(INTEGER, counts, counts > 0))


def _listed_values(aggregate: Aggregate, kind: Type, groups: list[list[object]]) -> Vector:
    if aggregate.name == "count":
        return exact.from_values(INTEGER, [len(values) for values in groups])
    numbers = [[exact.as_number(kind, one) for one in values] for values in groups]
    match aggregate.name:
        case "sum":
            return exact.from_values(kind, [sum(values) if values else None for values in numbers])
        case "avg":
            return exact.from_values(RATIONAL, [sum(values) / len(values) if values else None for values in numbers])
        case "median":
            middles = []
            for values in numbers:
                ordered, half = sorted(values), len(values) // 2
                middles.append(None if not values else (ordered[half] + ordered[-half - 1]) / 2)
            return exact.from_values(RATIONAL, middles)
    raise AssertionError(aggregate.name)
