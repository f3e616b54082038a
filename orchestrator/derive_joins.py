"""Joins followed from the rows of one table to those of the others, each over a key that stands once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from orchestrator.exact_vectors import Array, CodedVector, Vector
from orchestrator.join_rules import conjuncts
from orchestrator.segment_reader import SegmentReader
from orchestrator.sql_algebra import Apply, Expression, Kind, Reference, Select, TableSource, Type

_GAPS = 8
"""Numbers that are keys may lie so much wider apart than their number for a table of all numbers between them."""


@dataclass(frozen=True)
class Step:
    """To `source` from the rows that have `key`, over its column `column`. `inner`: rows without a partner are left out."""

    source: int
    table: TableSource
    column: Reference
    key: Reference
    inner: bool


@dataclass(frozen=True)
class Route:
    """`root`: the source from which each other one is reached. `conditions`: what inner joins ask besides."""

    root: int
    steps: tuple[Step, ...]
    conditions: tuple[Expression, ...]


def find_routes(select: Select, reader: SegmentReader) -> Route | None:
    """None if some table is not reached over a key that stands once."""
    kinds = {join.kind for join in select.joins}
    if kinds <= {"INNER"}:
        conditions = [part for join in select.joins for part in conjuncts(join.condition)]
        routes = (_inner_route(source.number, select, conditions, reader) for source in select.sources)
        return next((route for route in routes if route is not None), None)
    return _outer_route(select, reader) if kinds <= {"INNER", "LEFT"} else None


def _inner_route(root: int, select: Select, conditions: list[Expression], reader: SegmentReader) -> Route | None:
    tables = {source.number: source for source in select.sources if isinstance(source, TableSource)}
    reached, steps, used = {root}, [], []
    while len(reached) < len(tables):
        found = next(
            (
                (step, condition)
                for condition in conditions
                for step in _steps(condition, tables, reached, True)
                if _is_key(step, reader)
            ),
            None,
        )
        if found is None:
            return None
        steps.append(found[0])
        used.append(found[1])
        reached.add(found[0].source)
    return Route(root, tuple(steps), tuple(one for one in conditions if not any(one is other for other in used)))


def _outer_route(select: Select, reader: SegmentReader) -> Route | None:
    """Joins in the order of the statement, each of one equality: what an outer join asks besides changes its partners."""
    assert select.first is not None
    tables = {source.number: source for source in select.sources if isinstance(source, TableSource)}
    reached, steps = {select.first.number}, []
    for join in select.joins:
        parts = list(conjuncts(join.condition))
        own = {join.source.number: tables[join.source.number]}
        found = [step for part in parts for step in _steps(part, own, reached, join.kind == "INNER")]
        if len(parts) != 1 or len(found) != 1 or not _is_key(found[0], reader):
            return None
        steps.append(found[0])
        reached.add(join.source.number)
    return Route(select.first.number, tuple(steps), ())


def _steps(condition: Expression, tables: dict[int, TableSource], reached: set[int], inner: bool) -> Iterator[Step]:
    if not (isinstance(condition, Apply) and condition.name == "="):
        return
    left, right = condition.arguments
    for column, key in ((left, right), (right, left)):
        if (
            isinstance(column, Reference)
            and isinstance(key, Reference)
            and column.source in tables
            and column.source not in reached
            and key.source in reached
            and _comparable(column.type, key.type)
        ):
            yield Step(column.source, tables[column.source], column, key, inner)


def _comparable(left: Type, right: Type) -> bool:
    """Equal values are stored alike."""
    return left == right and left.kind is not Kind.BOOLEAN


def _is_key(step: Step, reader: SegmentReader) -> bool:
    return bool(_key_map(step, reader).once)


@dataclass(frozen=True)
class _KeyMap:
    """Row id by key. `once`: no value stands twice. For numbers: `rows` of the numbers from `low` on, or of the sorted `keys`.
    For texts and dates: by the value itself."""

    once: bool
    low: int = 0
    rows: Array | None = None
    keys: Array | None = None
    by_word: dict[object, int] | None = None


def _key_map(step: Step, reader: SegmentReader) -> _KeyMap:
    table, column = step.table.table, step.column
    whole = reader.whole(table, str(column.column), column.type)
    found: _KeyMap = reader.kept(table, str(column.column), "key", lambda: _made(whole))
    return found


def _made(whole: Vector) -> _KeyMap:
    filled = np.flatnonzero(whole.valid)
    if isinstance(whole, CodedVector):
        codes = whole.codes[filled]
        rows = np.full(len(whole.words), -1, dtype=np.int64)
        rows[codes] = filled
        once = int((rows >= 0).sum()) == len(filled)
        return _KeyMap(once, by_word=dict(zip(whole.words[:-1].tolist(), rows.tolist(), strict=False)) if once else None)
    keys = whole.data[filled]
    if len(keys) == 0:
        return _KeyMap(True, rows=np.zeros(0, dtype=np.int64))
    low, high = int(keys.min()), int(keys.max())
    if high - low < _GAPS * len(keys) + 1000:
        rows = np.full(high - low + 1, -1, dtype=np.int64)
        rows[keys - low] = filled
        return _KeyMap(int((rows >= 0).sum()) == len(filled), low, rows)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    return _KeyMap(bool((keys[1:] != keys[:-1]).all()), rows=filled[order], keys=keys)


def follow(step: Step, key: Vector, reader: SegmentReader, visible: Array | None) -> Array:
    """The row id of the partner of each key; -1: there is none that is `visible`."""
    found = _partners(_key_map(step, reader), key)
    if visible is not None:
        found = np.where((found >= 0) & visible[found], found, -1)
    return found


def _partners(known: _KeyMap, key: Vector) -> Array:
    if isinstance(key, CodedVector):
        assert known.by_word is not None
        rows = np.fromiter((known.by_word.get(word, -1) for word in key.words[:-1]), dtype=np.int64, count=len(key.words) - 1)
        partners: Array = np.append(rows, -1)[key.codes]
        return partners
    assert known.rows is not None
    if len(known.rows) == 0:
        return np.full(len(key), -1, dtype=np.int64)
    if known.keys is not None:
        place = np.minimum(np.searchsorted(known.keys, key.data), len(known.keys) - 1)
        return np.where(key.valid & (known.keys[place] == key.data), known.rows[place], -1)
    inside = key.valid & (key.data >= known.low) & (key.data < known.low + len(known.rows))
    if inside.all():
        partners = known.rows[key.data - known.low]
        return partners
    return np.where(inside, known.rows[np.where(inside, key.data - known.low, 0)], -1)
