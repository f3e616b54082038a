"""How to compute a value again from its cells alone: kept in the audit record beside the answer, never shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from orchestrator.buckets import bucket_from_text, bucket_of
from orchestrator.cell_ranges import expand_cells, expand_rows, shown_ranges, shown_rows
from orchestrator.evidence import CellSet, Scalar

LeafKind = Literal["sum", "average", "median", "minimum", "maximum", "count", "count_distinct", "value", "product_sum"]
NodeKind = Literal["+", "-", "*", "/", "change", "all_equal", "rank_down", "rank_up", "lower_fence", "upper_fence"]


@dataclass(frozen=True)
class Leaf:
    """One aggregate over cells. `products`: for product_sum, per row the cells to multiply as (table_id, address).

    `count` counts the records behind the cells: `records`, one a row unless the table has several values a row.
    `columns`: sql names of the columns that the cells are read as (a header cell can stand for a year and a quarter).
    `bucket`: of a group's name, what its days are put together by (buckets.bucket_text)."""

    kind: LeafKind
    cells: tuple[CellSet, ...]
    products: tuple[tuple[tuple[str, str], ...], ...] = ()
    records: int = 0
    columns: tuple[str, ...] = ()
    bucket: str = ""


@dataclass(frozen=True)
class Node:
    """Arithmetic over other recipes; `factor` multiplies the result (percent, scales of a unit). "+" adds all parts; a rank is
    that of the first part among all, one more than there are parts above (rank_down) or below it (rank_up); a fence is that of
    all parts (see fences)."""

    kind: NodeKind
    parts: tuple[Recipe, ...]
    factor: Fraction = Fraction(1)


Recipe = Leaf | Node

CellValue = Callable[[str, str, tuple[str, ...]], Scalar]
"""(table_id, cell address, columns it may be read as) -> the value as it stands in the file now; None if blank."""


class NotComputable(Exception):
    """The cells no longer allow the computation (a blank where a number was, a zero denominator)."""


def recompute(recipe: Recipe, value_of: CellValue, known: Callable[[Leaf], Scalar] = lambda leaf: None) -> Scalar:
    """The value from the cells as `value_of` reads them. Numbers come back as Fraction. Raises NotComputable. `known`: what an
    aggregate gives where that has been computed from the cells already."""
    if isinstance(recipe, Leaf):
        found = known(recipe)
        return _recompute_leaf(recipe, value_of) if found is None else found
    parts = [recompute(part, value_of, known) for part in recipe.parts]
    if recipe.kind == "all_equal":
        if any(part != parts[0] for part in parts):
            raise NotComputable("the versions no longer agree")
        return parts[0]
    left, right = _number(parts[0]), _number(parts[1]) if len(parts) > 1 else Fraction(0)
    match recipe.kind:
        case "+":
            return sum((_number(part) for part in parts), Fraction(0)) * recipe.factor
        case "rank_down":
            return Fraction(1 + sum(_number(part) > left for part in parts[1:]))
        case "rank_up":
            return Fraction(1 + sum(_number(part) < left for part in parts[1:]))
        case "lower_fence" | "upper_fence":
            return fences([_number(part) for part in parts])[recipe.kind == "upper_fence"] * recipe.factor
        case "-":
            return (left - right) * recipe.factor
        case "*":
            return (left * right if len(parts) > 1 else left) * recipe.factor
        case "/":
            if right == 0:
                raise NotComputable("the denominator is zero")
            return left / right * recipe.factor
        case "change":
            if right <= 0:
                raise NotComputable("the base is zero or negative")
            return (left - right) / right * recipe.factor
    raise AssertionError(recipe.kind)


def _recompute_leaf(leaf: Leaf, value_of: CellValue) -> Scalar:
    if leaf.kind == "product_sum":
        return sum((_product(row, leaf.columns, value_of) for row in leaf.products), Fraction(0))
    values = [value_of(cells.table_id, address, leaf.columns) for cells in leaf.cells for address in cells.cells]
    if leaf.kind == "count":
        if any(value is None for value in values):
            raise NotComputable("a counted cell is blank")
        return Fraction(leaf.records)
    if leaf.kind == "count_distinct":
        return Fraction(len({value for value in values if value is not None}))
    if not values:
        raise NotComputable("there is no cell")
    if leaf.kind == "value":
        if leaf.bucket:
            values = [_bucketed(leaf.bucket, value) for value in values]
        if any(value != values[0] for value in values):
            raise NotComputable("the cells no longer hold one and the same value")
        return Fraction(values[0]) if isinstance(values[0], Decimal) else values[0]
    if leaf.kind in ("minimum", "maximum") and not isinstance(values[0], Decimal):
        return _extreme(leaf.kind, values)
    numbers = sorted(_number(value) for value in values)
    match leaf.kind:
        case "sum":
            return sum(numbers, Fraction(0))
        case "average":
            return sum(numbers, Fraction(0)) / len(numbers)
        case "minimum":
            return numbers[0]
        case "maximum":
            return numbers[-1]
        case "median":
            return median(numbers)
    raise AssertionError(leaf.kind)


def _bucketed(bucket: str, value: Scalar) -> str | None:
    try:
        return bucket_of(bucket_from_text(bucket), value)
    except ValueError as error:
        raise NotComputable(str(error)) from None


def _extreme(kind: str, values: Sequence[Scalar]) -> Scalar:
    ordered = sorted(values, key=str)  # ISO dates and texts
    return ordered[0] if kind == "minimum" else ordered[-1]


def _product(row: tuple[tuple[str, str], ...], columns: tuple[str, ...], value_of: CellValue) -> Fraction:
    result = Fraction(1)
    for table_id, address in row:
        result *= _number(value_of(table_id, address, columns))
    return result


def _number(value: Scalar) -> Fraction:
    if isinstance(value, Decimal | Fraction):
        return Fraction(value)
    raise NotComputable(f"not a number: {value!r}")


def median(ordered: Sequence[Fraction]) -> Fraction:
    """Of a sorted, non-empty sequence; the mean of the two middle values for an even number of them."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def fences(values: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Tukey's fences of two or more values: one and a half interquartile ranges below the first and above the third quartile. A
    quartile between two values is interpolated, as spreadsheets do (QUARTILE.INC)."""
    ordered = sorted(values)
    first, third = _quantile(ordered, Fraction(1, 4)), _quantile(ordered, Fraction(3, 4))
    reach = (third - first) * Fraction(3, 2)
    return first - reach, third + reach


def _quantile(ordered: Sequence[Fraction], part: Fraction) -> Fraction:
    place = (len(ordered) - 1) * part
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def recipe_to_json(recipe: Recipe) -> dict[str, object]:
    """Compact JSON: cells as ranges, fractions as "n/d"; very long lists as in the answer object."""
    if isinstance(recipe, Node):
        node: dict[str, object] = {"op": recipe.kind, "parts": [recipe_to_json(part) for part in recipe.parts]}
        return node | ({"factor": str(recipe.factor)} if recipe.factor != 1 else {})
    leaf: dict[str, object] = {
        "agg": recipe.kind,
        "cells": [[cells.table_id, shown_ranges(cells.cells), shown_rows(cells.rows)] for cells in recipe.cells],
    }
    if recipe.products:
        tables = sorted({table for row in recipe.products for table, _ in row})
        leaf["product_tables"] = tables
        leaf["products"] = [[f"{tables.index(table)}:{address}" for table, address in row] for row in recipe.products]
    leaf |= {"columns": list(recipe.columns)} if recipe.columns else {}
    leaf |= {"bucket": recipe.bucket} if recipe.bucket else {}
    return leaf | ({"records": recipe.records} if recipe.records else {})


def recipe_from_json(data: dict[str, object]) -> Recipe:
    """Inverse of recipe_to_json. Raises KeyError, TypeError or ValueError on anything else."""
    if "op" in data:
        parts, kind = data["parts"], data["op"]
        assert isinstance(parts, list)
        return Node(kind, tuple(recipe_from_json(part) for part in parts), Fraction(str(data.get("factor", "1"))))  # type: ignore[arg-type]
    cells, tables, products = data["cells"], data.get("product_tables", []), data.get("products", [])
    columns = data.get("columns", [])
    assert isinstance(cells, list) and isinstance(tables, list) and isinstance(products, list) and isinstance(columns, list)
    return Leaf(
        data["agg"],  # type: ignore[arg-type]
        tuple(CellSet(table, expand_rows(rows), expand_cells(ranges)) for table, ranges, rows in cells),
        tuple(tuple((tables[int(i)], a) for i, _, a in (cell.partition(":") for cell in row)) for row in products),
        int(str(data.get("records", 0))),
        tuple(columns),
        str(data.get("bucket", "")),
    )
