"""Blocks of a statement computed from the lineage that the engine returned: rows, groups, unions, subqueries, windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from orchestrator import evidence_parts as cells
from orchestrator import exact_vectors as exact
from orchestrator.check_rows import check_conditions, rows_present
from orchestrator.claims import Claim
from orchestrator.evaluate import Evaluated, Evaluator, Frame, QueryRows, TableRows
from orchestrator.evaluate_aggregates import aggregated
from orchestrator.evidence_parts import Part
from orchestrator.exact_vectors import Array, Vector
from orchestrator.fan_out import (
    aggregate_claims,
    check_fan_out,
    cited,
    expression_claims,
    in_branch,
    in_groups,
    row_claims,
    where,
)
from orchestrator.lineage_layout import (
    BlockLayout,
    QueryLayout,
    ScalarLayout,
    SelectLayout,
    TableLayout,
    UnionLayout,
    WindowLayout,
)
from orchestrator.measured_choices import Choices, adds_up, all_of, choices
from orchestrator.sql_algebra import (
    Aggregate,
    Apply,
    Case,
    Expression,
    Reference,
    children,
    has_aggregate,
    walk,
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

    def block(
        self, layout: BlockLayout, slots: Sequence[Slot], size: int, outer: Frame | None = None, *, whole: bool = False
    ) -> QueryRows:
        """The rows of a query of which `slots` are the lineage columns. `outer`: the frame of a correlated query's outer row,
        row by row. `whole`: these are the rows of the query, each once."""
        if isinstance(layout, UnionLayout):
            return _UnionBlock(self, layout, slots, size, outer, whole)
        rows = np.arange(size)
        if not layout.select.grouped:
            frame = self._frame(layout, slots, size, outer, rows)
            check_conditions(self.evaluator, layout.select, frame, rows_present(frame))
            return _PlainBlock(self.evaluator, layout, frame)
        return _GroupedBlock(self, layout, slots, size, outer, whole)

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
        check_fan_out(self.evaluator, aggregate, rows, presence.offsets, across=False)
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

    def claims(self, index: int) -> Choices[Claim]:
        return where(self.rows.claims(index), self.present)

    def row_claims(self) -> Choices[Claim]:
        return where(self.rows.row_claims(), self.present)


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

    def claims(self, index: int) -> Choices[Claim]:
        return expression_claims(self._layout.select.outputs[index].expression, self._frame)

    def row_claims(self) -> Choices[Claim]:
        return row_claims(self._frame)


class _UnionBlock:
    def __init__(
        self, blocks: Blocks, layout: UnionLayout, slots: Sequence[Slot], size: int, outer: Frame | None, whole: bool
    ) -> None:
        self._layout, self._size = layout, size
        branch = slots[layout.branch].numbers()
        self._branches: list[tuple[Array, QueryRows]] = []
        for number, (first, inner) in enumerate(layout.branches):
            rows = np.flatnonzero(branch == number)
            taken = [slot.take(rows) for slot in slots[first : first + inner.width]]
            self._branches.append((rows, blocks.block(inner, taken, len(rows), outer, whole=whole)))

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

    def claims(self, index: int) -> Choices[Claim]:
        return all_of(in_branch(block.claims(index), rows) for rows, block in self._branches) or ((),)

    def row_claims(self) -> Choices[Claim]:
        return all_of(in_branch(block.row_claims(), rows) for rows, block in self._branches) or ((),)


class _GroupedBlock:
    def __init__(
        self, blocks: Blocks, layout: SelectLayout, slots: Sequence[Slot], size: int, outer: Frame | None, whole: bool
    ) -> None:
        self._blocks, self._layout, self._slots, self._size = blocks, layout, slots, size
        self._select = layout.select
        self._offsets = self._group_offsets()
        inner = [_inner(slot) for slot in slots]
        count = int(self._offsets[-1])
        group_of_row = self._group_of_row = np.repeat(np.arange(size), np.diff(self._offsets))
        self._rows = Frame(count, blocks.sources(layout.sources, inner, count), outer, None if outer is None else group_of_row)
        check_conditions(blocks.evaluator, self._select, self._rows, rows_present(self._rows))
        self._outer = Frame(size, {}, outer, None if outer is None else np.arange(size))
        for scalar in layout.scalars:
            self._outer.computed.append((scalar.expression, partial(blocks.scalar, scalar, slots, self._outer)))
        self._columns: dict[int, Evaluated] = {}
        self._across = whole and layout.select.rollup is None

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
                if self._may_repeat(expression):
                    check_fan_out(self._blocks.evaluator, expression, self._rows, self._offsets, self._across)
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

    def _may_repeat(self, aggregate: Aggregate) -> bool:
        """The rows of one table alone stand in one group each, once; so do those of the root of derived rows."""
        if len(self._layout.sources) == 1 and isinstance(self._layout.sources[0], TableLayout):
            return False
        read = {part.source for part in walk(aggregate.argument or aggregate) if isinstance(part, Reference)}
        return read != {self._layout.root}

    def claims(self, index: int) -> Choices[Claim]:
        return choices(self._select.outputs[index].expression, self._claimed, self.row_claims)

    def _claimed(self, part: Expression) -> Choices[Claim] | None:
        whole = part in self._select.group_by or any(known == part for known, _ in self._outer.computed)
        if isinstance(part, Aggregate) and adds_up(part):
            return in_groups(aggregate_claims(self._blocks.evaluator, part, self._rows), self._group_of_row)
        if whole or isinstance(part, Aggregate) or (isinstance(part, Reference) and part.source in self._rows.sources):
            return (cited(self.expression(part), 0),)
        return None

    def row_claims(self) -> Choices[Claim]:
        """A group stands for its rows: it is repeated only if the rows of every source are."""
        several = (row_claims(replace(self._rows, sources={number: rows})) for number, rows in self._rows.sources.items())
        return tuple(in_groups((choice,), self._group_of_row)[0] for found in several for choice in found)

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
