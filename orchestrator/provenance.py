"""Evidence of a statement's result: the engine's values, computed again from the rows that the engine named, with their cells.

The engine returns values and row ids in one answer. Everything here works on whole columns; a cell gets its address only at
the end. A value is proved when the recomputation gives the same value and every cell that it read is confirmed by the second
reader (orchestrator.prove).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from orchestrator.evaluate import Evaluated, Evaluator
from orchestrator.evaluate_blocks import Blocks, Slot
from orchestrator.evidence import CellSet, EvidencedValue, Scalar
from orchestrator.evidence_parts import Part, Role, RowIds, column_named
from orchestrator.exact_vectors import Array
from orchestrator.lineage_rows import row_sets
from orchestrator.scope import VisibleTable
from orchestrator.segment_reader import SegmentReader
from orchestrator.sql_algebra import Kind, OutputColumn, Query, Select, Type
from orchestrator.sql_emit import Emitted
from orchestrator.sql_refusals import NoProvenance, shown
from orchestrator.units_of_values import UnitForm, UnitReader, fixed_unit, units_of
from parsers.table import Column


class CellCheck(Protocol):
    """The second reader's opinion. `doubtful` gives the row ids among `ids` (negative ones are none) whose cell it does not
    confirm, with one reason."""

    def doubtful(self, table: VisibleTable, column: Column, ids: Array) -> tuple[Array, str]: ...


@dataclass(frozen=True)
class Row:
    """`position`: the row's place in the engine's answer."""

    position: int
    values: tuple[Scalar, ...]


@dataclass(frozen=True)
class EvidencedRows:
    """`truncated`: there are more than the limit. `lineage`: orchestrator.lineage_rows, empty unless asked for."""

    rows: tuple[tuple[EvidencedValue, ...], ...]
    truncated: bool
    lineage: tuple[tuple[CellSet, ...], ...]


def evidenced_rows(
    query: Query,
    emitted: Emitted,
    answer: pa.Table,
    slots: Sequence[Slot],
    reader: SegmentReader,
    check: CellCheck | None,
    row_limit: int,
    lineage: bool = False,
) -> EvidencedRows:
    """The result's rows with their evidence. `slots`: the lineage columns. Raises NoProvenance."""
    assert emitted.layout is not None
    block = Blocks(Evaluator(reader)).block(emitted.layout, slots, answer.num_rows, whole=True)
    rows = [Row(position, ()) for position in range(answer.num_rows)]
    if emitted.sorted_outside:
        assert isinstance(query, Select)
        rows = _sorted_rows(query, answer)
    kept = rows[:row_limit]
    columns = []
    for index, output in enumerate(query.outputs):
        engine = _engine_values(answer, output.expression.type, f"{index}")
        columns.append(_OutputColumn(query, index, engine, block.column(index), reader, check))
    values = tuple(tuple(column.value(row.position) for column in columns) for row in kept)
    sets = row_sets(emitted.layout, slots, [row.position for row in kept], reader) if lineage else []
    return EvidencedRows(values, len(rows) > row_limit, tuple(sets))


def _sorted_rows(select: Select, answer: pa.Table) -> list[Row]:
    """Sorted and cut here, because the engine could not sort fractions exactly; ties keep the source's order."""
    keys = [_engine_values(answer, key.expression.type, f"{index}", "k") for index, key in enumerate(select.order)]
    rows = [Row(position, tuple(key[position] for key in keys)) for position in range(answer.num_rows)]

    def before(left: Row, right: Row) -> int:
        for key, a, b in zip(select.order, left.values, right.values, strict=True):
            if a == b:
                continue
            if a is None or b is None:
                return -1 if (a is None) == key.nulls_first else 1
            smaller: bool = a < b  # type: ignore[operator]
            return -1 if smaller != key.descending else 1
        return left.position - right.position

    rows.sort(key=cmp_to_key(before))
    first = select.offset or 0
    return rows[first:] if select.limit is None else rows[first : first + select.limit]


def _engine_values(answer: pa.Table, kind: Type, number: str, prefix: str = "") -> list[Scalar]:
    if kind.kind is not Kind.RATIONAL:
        values = answer.column(f"{prefix}v{number}").to_pylist()
        return [Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value for value in values]
    tops, bottoms = (answer.column(f"{prefix}{part}{number}").to_pylist() for part in "nd")
    return [_quotient(top, bottom) for top, bottom in zip(tops, bottoms, strict=True)]


def _quotient(top: Any, bottom: Any) -> Fraction | None:
    return None if top is None or bottom is None else Fraction(top) / Fraction(bottom)


def plain_number(value: Scalar) -> Scalar:
    """A fraction with a finite decimal form as Decimal; everything else as it is."""
    if not isinstance(value, Fraction):
        return value
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > 60:
        return value
    scaled = value * 10**places
    return Decimal((int(scaled < 0), tuple(int(digit) for digit in str(abs(scaled.numerator))), -places))


def rounded(value: Scalar, places: int | None) -> Scalar:
    """ROUND of SQL on an exact fraction: half away from zero."""
    if places is None or not isinstance(value, Fraction | Decimal):
        return value
    scaled = Fraction(value) * 10**places
    whole = (abs(scaled) + Fraction(1, 2)).__floor__()
    return Decimal((int(scaled < 0), tuple(int(digit) for digit in str(whole)), -places))


def _same(left: Scalar, right: Scalar) -> bool:
    if isinstance(left, Fraction | Decimal) and isinstance(right, Fraction | Decimal):
        return Fraction(left) == Fraction(right)
    return left == right and type(left) is type(right)


class _OutputColumn:
    """One output: engine values beside recomputed ones, and the cells of each value."""

    def __init__(
        self, query: Query, index: int, engine: list[Scalar], evaluated: Evaluated, reader: SegmentReader, check: CellCheck | None
    ) -> None:
        self._output: OutputColumn = query.outputs[index]
        self._form: UnitForm = UnitReader(query).output(query, index)
        self._engine, self._evaluated, self._reader = engine, evaluated, reader
        self._checked = check is not None
        self._parts = evaluated.parts
        self._doubts = [_doubts(check, part) for part in evaluated.parts] if check is not None else []

    def value(self, row: int) -> EvidencedValue:
        engine = self._engine[row]
        contributing = self._ids(row, "cell")
        if not contributing and engine is not None:
            self._refuse_constant(engine)
        units = self._units(contributing)
        why_not = self._why_not(row, engine)
        return EvidencedValue(
            value=plain_number(rounded(engine, self._output.places)),
            cells=self._cells(contributing),
            skipped=self._cells(self._ids(row, "missing")),
            unreadable=self._cells(self._ids(row, "unreadable")),
            hidden_rows=self._hidden_rows(contributing),
            unit=units[0] if len(units) == 1 else None,
            units=units,
            proved=why_not is None,
            why_not=why_not,
        )

    def _refuse_constant(self, engine: Scalar) -> None:
        if isinstance(engine, str) and not any(letter.isdigit() for letter in engine):
            return  # a label that the asker wrote
        if isinstance(engine, bool | date) or (isinstance(engine, Decimal | Fraction) and engine == 0):
            return  # a count over no rows, a comparison
        raise NoProvenance(
            "constant",
            f"Die Ausgabe {shown(self._output.name)} stammt aus keiner Zelle.",
            "Zeigen Sie nur Werte, die aus Zellen kommen.",
        )

    def _why_not(self, row: int, engine: Scalar) -> str | None:
        recomputed: Scalar = self._evaluated.vector.value(row)
        if not _same(engine, recomputed):
            return "Die Nachrechnung aus den Zellen ergab einen anderen Wert."
        if not self._checked:
            return "Nicht nachgerechnet."
        for part, (doubtful, reason) in zip(self._parts, self._doubts, strict=True):
            if len(doubtful) and np.isin(part.of_row(row), doubtful).any():
                return reason
        return None

    def _ids(self, row: int, role: Role) -> list[tuple[VisibleTable, Column, RowIds]]:
        """The row ids behind one value, by table column."""
        found: dict[tuple[str, str], tuple[VisibleTable, str, list[Array]]] = {}
        for part in self._parts:
            if part.role == role and len(ids := part.of_row(row)):
                key = (part.table.stored.table_id, part.column)
                found.setdefault(key, (part.table, part.column, []))[2].append(ids)
        return [(table, column_named(table, name), RowIds(several)) for table, name, several in found.values()]

    def _cells(self, found: list[tuple[VisibleTable, Column, RowIds]]) -> tuple[CellSet, ...]:
        by_table: dict[str, list[tuple[VisibleTable, Column, RowIds]]] = {}
        for one in found:
            by_table.setdefault(one[0].stored.table_id, []).append(one)
        return tuple(self._reader.cell_set(table_id, columns) for table_id, columns in by_table.items())

    def _hidden_rows(self, found: list[tuple[VisibleTable, Column, RowIds]]) -> int:
        hidden: dict[str, set[int]] = {}
        for table, _, ids in found:
            if table.stored.table.has_hidden_rows:
                rows = self._reader.rows(table, ids.unique[self._reader.hidden(table, ids.unique)])
                hidden.setdefault(table.stored.table_id, set()).update(rows.tolist())
        return sum(len(rows) for rows in hidden.values())

    def _units(self, contributing: list[tuple[VisibleTable, Column, RowIds]]) -> tuple[str, ...]:
        if self._output.expression.type.kind not in (Kind.INTEGER, Kind.DECIMAL, Kind.RATIONAL):
            return ()
        found: dict[tuple[str, str], frozenset[str | None]] = {}
        for table, column, ids in contributing:
            unit, by_row = fixed_unit(table, column.sql_name)
            named = frozenset({unit}) if by_row is None else self._reader.distinct_texts(table, by_row, ids.unique)
            if by_row is not None and table.column(by_row) is None and len(named) > 1:
                named = frozenset({"?", None})  # that there are several must be known, not which
            found[table.stored.table_id, column.sql_name] = named
        return units_of(self._form, found)


def _doubts(check: CellCheck, part: Part) -> tuple[Array, str]:
    return check.doubtful(part.table, column_named(part.table, part.column), part.ids)
