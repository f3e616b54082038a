"""Groups that are calendar periods or ages: which rows of a statement belong together, and their values and cells as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import pyarrow.parquet as pq

from indexer.segments import period_end, period_start
from orchestrator.buckets import bucket_of, bucket_text
from orchestrator.cell_ranges import union
from orchestrator.evidence import EvidencedValue, Scalar
from orchestrator.outcome import Stop, Stopped
from orchestrator.plan import Bucket, ColumnRef
from orchestrator.recipe import Leaf, Node, Recipe
from orchestrator.run_context import TableSet
from orchestrator.sql_functions import truncate
from parsers.table import ColumnType

_TRUNCATED = {"week": "week", "month": "month", "quarter": "quarter", "half_year": "quarter", "year": "year", "age": "day"}


def truncations(keys: Sequence[ColumnRef], buckets: Sequence[Bucket | None], tables: TableSet) -> dict[ColumnRef, str]:
    """Day and moment columns that the engine itself cuts to a period's first day, with the unit."""
    return {
        ref: _TRUNCATED[bucket.grain]
        for ref, bucket in zip(keys, buckets, strict=False)
        if bucket is not None and tables.column(ref).type in (ColumnType.DATE, ColumnType.TIMESTAMP)
    }


def statement_key(key: Sequence[Scalar], keys: Sequence[ColumnRef], cut: Mapping[ColumnRef, str]) -> tuple[Scalar, ...]:
    """Group columns of one source row as the statement groups them."""
    return tuple(
        truncate(cut[ref], value) if ref in cut and isinstance(value, date) else value
        for ref, value in zip(keys, key, strict=True)
    )


class BucketKeys:
    """Keys of a term's rows -> keys of its groups."""

    def __init__(self, keys: Sequence[ColumnRef], buckets: Sequence[Bucket | None], tables: TableSet) -> None:
        self._buckets = tuple(buckets) or (None,) * len(keys)
        self._spans: list[Mapping[str, tuple[date, date]]] = []
        for ref, bucket in zip(keys, self._buckets, strict=True):
            of_periods = bucket is not None and tables.column(ref).type is ColumnType.PERIOD
            self._spans.append(_spans_of(tables, ref) if of_periods else {})

    def group(self, key: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Raises Stopped where a stored period is longer than the groups."""
        found: list[Scalar] = []
        for value, bucket, spans in zip(key, self._buckets, self._spans, strict=True):
            try:
                found.append(value if bucket is None else bucket_of(bucket, value, spans.get(str(value))))
            except ValueError:
                raise Stopped(Stop("refused", "not_in_data", "no_such_grain", (str(value),))) from None
        return tuple(found)


def _spans_of(tables: TableSet, ref: ColumnRef) -> dict[str, tuple[date, date]]:
    return {label: (start, end) for start, end, label in read_periods(tables.tables[ref.table].stored.segment, ref.column)}


def name_recipe(cells: Leaf, bucket: Bucket | None) -> Leaf:
    """How a group's name is found again: from every day in it."""
    return cells if bucket is None else Leaf("value", cells.cells, columns=cells.columns, bucket=bucket_text(bucket))


def merged_recipe(aggregation: str, recipes: Sequence[Recipe], columns: tuple[str, ...]) -> Recipe | None:
    """One recipe over the cells of several rows of a term's statement; None where they cannot be put together."""
    leaves = [recipe for recipe in recipes if isinstance(recipe, Leaf)]
    if aggregation == "average":
        sides = [recipe.parts for recipe in recipes if isinstance(recipe, Node) and recipe.kind == "/"]
        totals = merged_recipe("sum", [side[0] for side in sides], columns)
        counts = merged_recipe("count", [side[1] for side in sides], columns)
        return Node("/", (totals, counts)) if totals and counts and len(sides) == len(recipes) else None
    if len(leaves) != len(recipes):
        return Node("+", tuple(recipes)) if aggregation == "sum" else None
    cells = union(*(leaf.cells for leaf in leaves))
    records = sum(leaf.records for leaf in leaves)
    products = tuple(row for leaf in leaves for row in leaf.products)
    if aggregation in ("sum", "count", "minimum", "maximum"):
        return Leaf(leaves[0].kind, cells, products, records, columns)
    return None


def merged_value(aggregation: str, values: Sequence[Fraction], recipes: Sequence[Recipe]) -> Fraction:
    """Of sums, counts, extremes and averages (weighted by their counts)."""
    match aggregation:
        case "minimum":
            return min(values)
        case "maximum":
            return max(values)
        case "average":
            counted = [recipe.parts[1] for recipe in recipes if isinstance(recipe, Node)]
            counts = [leaf.records for leaf in counted if isinstance(leaf, Leaf)]
            return sum((value * count for value, count in zip(values, counts, strict=True)), Fraction(0)) / sum(counts)
    return sum(values, Fraction(0))


def merged_evidence(found: Sequence[EvidencedValue]) -> EvidencedValue:
    """The cells of several rows as those of one value."""
    return EvidencedValue(
        None,
        cells=union(*(value.cells for value in found if value.value is not None)),
        skipped=union(*(value.skipped or (value.cells if value.value is None else ()) for value in found)),
        unreadable=union(*(value.unreadable for value in found)),
        hidden_rows=sum(value.hidden_rows for value in found),
        proved=all(value.proved for value in found),
        why_not=next((value.why_not for value in found if value.why_not), None),
    )


Span = tuple[date, date, str]


@lru_cache(maxsize=4096)
def read_periods(segment: Path, column: str) -> tuple[Span, ...]:
    """Distinct periods of a column with their labels, sorted; segments never change."""
    names = [column, period_start(column), period_end(column)]
    data = pq.read_table(segment, columns=names).group_by(names).aggregate([]).to_pydict()
    found = [
        (start, end, label)
        for label, start, end in zip(*(data[name] for name in names), strict=True)
        if start is not None and end is not None
    ]
    return tuple(sorted(found))
