"""Aggregates computed from cells: value, contributing cells, cells without a value."""

from __future__ import annotations

import numpy as np

from orchestrator import evidence_parts as cells
from orchestrator import exact_vectors as exact
from orchestrator.evaluate import Evaluated, Evaluator, Frame, TableRows, is_true
from orchestrator.evidence_parts import Part, Parts
from orchestrator.exact_vectors import Array, Vector
from orchestrator.sql_algebra import INTEGER, RATIONAL, Aggregate, Type
from orchestrator.sql_refusals import NoProvenance


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
            there = getattr(source, "present", left)
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
