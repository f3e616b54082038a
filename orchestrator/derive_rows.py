"""The rows behind the groups of a plain aggregation, found from the cells, so that the engine need not name millions of rows.

For SELECT … GROUP BY over one table, or over tables that are each reached by a key that stands once, the conditions, joins and
groups are computed here from the stored values. The engine gives a digest with each of its groups: how many rows of each table
are in it and the sum of their ids. Only if that is the digest of the rows found here they are the rows behind the value.
Everything else that has provenance gets its rows from the engine, one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from orchestrator import derive_groups as groups
from orchestrator.derive_joins import Route, find_routes, follow
from orchestrator.evaluate import Evaluated, Evaluator, Frame, is_true
from orchestrator.evaluate_blocks import Slot
from orchestrator.evidence_parts import take_ragged
from orchestrator.exact_vectors import Array, Vector
from orchestrator.join_rules import conjuncts
from orchestrator.lineage_layout import SelectLayout, TableLayout, digest_of
from orchestrator.scope import VisibleTable
from orchestrator.segment_reader import SegmentReader
from orchestrator.sql_algebra import (
    EXACT_NUMBERS,
    Apply,
    Constant,
    Expression,
    Kind,
    Query,
    Reference,
    ScalarQuery,
    Select,
    TableSource,
    Window,
    walk,
)
from orchestrator.sql_refusals import EngineFailed
from parsers.table import ColumnType

_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_LOGIC = frozenset({"and", "or", "not", "is_null", "is_true", "is_false"})
_ARITHMETIC = frozenset({"+", "-", "*", "negative"})
"""Operations that are computed on whole columns."""
_FEW_GROUPS = 1_000
Ids = dict[int, Array]
"""Row ids by source; all sources equally long, -1 where an outer join found no partner."""


@dataclass(frozen=True)
class DerivedRows:
    """`root`: the source whose rows stand in one group each. `ids`: rows of each source, group after group, as `offsets` say."""

    root: int
    ids: Ids
    offsets: Array

    def slots(self, layout: SelectLayout, answer: pa.Table) -> list[Slot]:
        """The lineage of each row of the engine's answer. Raises EngineFailed where the engine's digest is of other rows."""
        by_source = {one.source.number: one.slot for one in layout.sources if isinstance(one, TableLayout)}
        chosen = self._groups_of(_numbers(answer, digest_of(by_source[self.root]).first))
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.offsets)[chosen])]).astype(np.int64)
        slots: dict[int, Slot] = {}
        for number, slot in by_source.items():
            ids = self._in_order(self.ids[number], chosen)
            names = digest_of(slot)
            told = _numbers(answer, names.count), _numbers(answer, names.total)
            if not all(map(np.array_equal, _counted(ids, offsets), told)):
                raise _contradiction()
            slots[slot] = Slot(None, offsets, np.ones(len(chosen), dtype=bool), Slot(ids))
        return [slots[number] for number in range(layout.width)]

    def _groups_of(self, firsts: Array) -> Array:
        """The group of each row of the answer, told by the first row of the root in it (-1: there is none)."""
        if len(self.offsets) == 2 and self.offsets[-1] == 0:
            if not (firsts == -1).all():
                raise _contradiction()
            return np.zeros(len(firsts), dtype=np.int64)
        own = self.ids[self.root][self.offsets[:-1]] if self.offsets[-1] else np.zeros(0, dtype=np.int64)
        order = np.argsort(own)
        place = np.searchsorted(own, firsts, sorter=order)
        if len(firsts) and (len(own) == 0 or int(place.max()) >= len(own) or not np.array_equal(own[order[place]], firsts)):
            raise _contradiction()
        found: Array = order[place] if len(firsts) else np.zeros(0, dtype=np.int64)
        return found

    def _in_order(self, ids: Array, chosen: Array) -> Array:
        if np.array_equal(chosen, np.arange(len(self.offsets) - 1)):
            return ids
        if len(chosen) <= _FEW_GROUPS:
            pieces = [ids[self.offsets[group] : self.offsets[group + 1]] for group in chosen.tolist()]
            return np.concatenate(pieces) if pieces else ids[:0]
        found: Array = ids[take_ragged(self.offsets, chosen)[1]]
        return found


class Derivation:
    """One statement whose rows can be found without the engine. `root`: the source that each row has one row of."""

    def __init__(self, select: Select, routes: Route, reader: SegmentReader) -> None:
        self._select, self._routes, self._reader, self.root = select, routes, reader, routes.root
        self._tables = {source.number: source for source in select.sources if isinstance(source, TableSource)}

    def rows(self) -> DerivedRows:
        root = self._tables[self._routes.root]
        conditions = [*conjuncts(self._select.where), *self._routes.conditions]
        own = [one for one in conditions if _sources_in(one) <= {root.number}]
        mask = self._visible(root)
        everything: Ids = {}
        for condition in own:
            holds = self._holds(condition, everything, self._reader.row_count(root.table))
            mask = holds if mask is None else mask & holds
        ids: Ids = {} if mask is None else {root.number: np.flatnonzero(mask)}
        size = self._reader.row_count(root.table) if mask is None else len(ids[root.number])
        for step in self._routes.steps:
            found = follow(step, self._vector(step.key, ids), self._reader, self._visible(self._tables[step.source]))
            if step.inner and not bool((found >= 0).all()):
                kept = np.flatnonzero(found >= 0)
                ids, found, size = _only(ids, root.number, kept), found[kept], len(kept)
            ids[step.source] = found
        for condition in conditions:
            if condition not in own:
                kept = np.flatnonzero(self._holds(condition, ids, size))
                ids, size = _only(ids, root.number, kept), len(kept)
        return self._grouped(root.number, ids, size)

    def _grouped(self, root: int, ids: Ids, size: int) -> DerivedRows:
        keys = [key for key in self._select.group_by if isinstance(key, Reference)]
        if not keys:
            found = {number: ids.get(number, np.arange(size)) for number in self._tables}
            return DerivedRows(root, found, np.array([0, size], dtype=np.int64))
        if not ids and len(keys) == 1:
            table, key = self._tables[root].table, keys[0]
            order, offsets = self._reader.kept(
                table, str(key.column), "groups", lambda: groups.grouped([self._vector(key, ids)], size)
            )
        else:
            order, offsets = groups.grouped([self._vector(key, ids) for key in keys], size)
        return DerivedRows(root, {number: ids[number][order] if number in ids else order for number in self._tables}, offsets)

    def _vector(self, reference: Reference, ids: Ids) -> Vector:
        table = self._tables[reference.source].table
        if reference.source in ids:
            return self._reader.values(table, str(reference.column), reference.type, ids[reference.source])
        return self._reader.whole(table, str(reference.column), reference.type)

    def _holds(self, condition: Expression, ids: Ids, size: int) -> Array:
        frame = Frame(size, {})
        for part in walk(condition):
            if isinstance(part, Reference):
                frame.computed.append((part, lambda part=part: Evaluated(self._vector(part, ids))))  # type: ignore[misc]
        return is_true(Evaluator(self._reader).evaluate(condition, frame).vector)

    def _visible(self, source: TableSource) -> Array | None:
        """Mask of the rows that this person may see and the statement reads; None: all. As orchestrator.rewrite_scope has it."""
        table, meta = source.table, source.table.stored.table
        masks = [self._allowed(table, column, values) for column, values in table.row_filter.items()]
        if meta.has_totals and not source.with_totals:
            masks.append(~self._reader.flags(table, "_total"))
        if meta.has_hidden_rows and source.visible_rows_only:
            masks.append(~self._reader.flags(table, "_hidden"))
        return np.logical_and.reduce(masks) if masks else None

    def _allowed(self, table: VisibleTable, column: str, values: tuple[str, ...]) -> Array:
        return self._reader.among(table, column, frozenset(values))


def _only(ids: Ids, root: int, kept: Array) -> Ids:
    """The rows at these positions; a root that is not named has all its rows, in order."""
    found = {number: one[kept] for number, one in ids.items()}
    return found if root in found else {root: kept, **found}


def derivation(query: Query, reader: SegmentReader) -> Derivation | None:
    """None for a statement whose rows the engine has to name."""
    if not isinstance(query, Select) or not query.grouped or query.rollup is not None:
        return None
    tables = {source.number: source.table for source in query.sources if isinstance(source, TableSource)}
    if len(tables) < len(query.sources) or not tables:
        return None
    if any(isinstance(part, Window | ScalarQuery) for output in query.outputs for part in walk(output.expression)):
        return None
    if not all(_filters_are_texts(table) for table in tables.values()):
        return None
    if not all(isinstance(key, Reference) and _is_plain(key, tables, reader) for key in query.group_by):
        return None
    if not all(_is_computed(condition, tables, reader) for condition in conjuncts(query.where)):
        return None
    routes = find_routes(query, reader)
    if routes is None or not all(_is_computed(condition, tables, reader) for condition in routes.conditions):
        return None
    return Derivation(query, routes, reader)


def _is_computed(condition: Expression, tables: Mapping[int, VisibleTable], reader: SegmentReader) -> bool:
    return all(_is_step(part, tables, reader) for part in walk(condition))


def _is_step(part: Expression, tables: Mapping[int, VisibleTable], reader: SegmentReader) -> bool:
    match part:
        case Reference():
            return _is_plain(part, tables, reader)
        case Constant():
            return part.type.kind is not Kind.RATIONAL
        case Apply() if part.name in _COMPARISONS:
            numbers = all(one.type.kind in EXACT_NUMBERS for one in part.arguments)
            return numbers or any(isinstance(one, Constant) for one in part.arguments)
        case Apply():
            return part.name in _LOGIC or (part.name in _ARITHMETIC and part.type.kind in EXACT_NUMBERS)
    return False


def _is_plain(reference: Reference, tables: Mapping[int, VisibleTable], reader: SegmentReader) -> bool:
    """A column of a table of this statement, with numbers that machine words hold."""
    if reference.source not in tables or not isinstance(reference.column, str):
        return False
    if reference.type.kind not in EXACT_NUMBERS:
        return reference.type.kind is not Kind.RATIONAL
    return bool(reader.whole(tables[reference.source], reference.column, reference.type).data.dtype == np.int64)


def _filters_are_texts(table: VisibleTable) -> bool:
    """A row filter on numbers or dates compares the engine's way of writing them, which is not known here."""
    types = {column.sql_name: column.type for column in table.stored.table.columns}
    return all(types.get(column) in (ColumnType.TEXT, ColumnType.PERIOD) for column in table.row_filter)


def _sources_in(expression: Expression) -> set[int]:
    return {part.source for part in walk(expression) if isinstance(part, Reference)}


def _counted(ids: Array, offsets: Array) -> tuple[Array, Array]:
    """How many rows are in each group, and the sum of their ids."""
    some = offsets[1:] > offsets[:-1]
    counts, totals = np.zeros(len(some), dtype=np.int64), np.zeros(len(some), dtype=np.int64)
    if some.any():
        starts, there = offsets[:-1][some], ids >= 0
        full = bool(there.all())
        counts[some] = np.diff(offsets)[some] if full else np.add.reduceat(there.astype(np.int64), starts)
        totals[some] = np.add.reduceat(ids if full else np.where(there, ids, 0), starts, dtype=np.int64)
    return counts, totals


def _numbers(answer: pa.Table, name: str) -> Array:
    column = answer.column(name).combine_chunks()
    numbers: Array = column.fill_null(-1).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers


def _contradiction() -> EngineFailed:
    return EngineFailed(
        "contradiction",
        "Die Nachrechnung der Zeilen widerspricht der SQL-Maschine.",
        "Formulieren Sie die Abfrage einfacher.",
    )
