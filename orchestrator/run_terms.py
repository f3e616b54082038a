"""Runs the aggregate terms of a plan: per group key one exact value with its cells, unit and recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from orchestrator.cell_names import name_cells
from orchestrator.cell_ranges import union
from orchestrator.check_conditions import (
    check_compared_units,
    check_condition_cells,
    condition_tables,
    resolve_conditions,
)
from orchestrator.compile_sql import compile_factors, compile_term
from orchestrator.evidence import CellSet, EvidencedValue, Scalar
from orchestrator.exact_numbers import exact, fraction_of
from orchestrator.outcome import Stop, Stopped, TracedValue
from orchestrator.plan import Bucket, ColumnRef, Term
from orchestrator.recipe import Leaf, Node, Recipe, median
from orchestrator.run_buckets import (
    BucketKeys,
    merged_evidence,
    merged_recipe,
    merged_value,
    name_recipe,
    statement_key,
    truncations,
)
from orchestrator.run_context import RunContext, TableSet, tables_of
from orchestrator.units import factor_between, finer, is_currency, product_unit
from parsers.table import ColumnType

Key = tuple[Scalar, ...]


@dataclass(frozen=True)
class TermResult:
    """`values`: group key -> value (the empty key without groups); `keys`: group key -> its parts with their own cells.
    `unpaired`: rows of a sum of products that found no partner or had a blank factor. `term`: with text matches resolved."""

    term: Term
    tables: TableSet
    values: Mapping[Key, TracedValue]
    keys: Mapping[Key, tuple[TracedValue, ...]]
    unpaired: int = 0


@dataclass(frozen=True)
class _Part:
    """One result row of a term, by unit: the value as a fraction (or text, date), its evidence and its recipe."""

    value: Scalar
    unit: str | None
    evidence: EvidencedValue
    recipe: Recipe


def run_term(
    context: RunContext, term: Term, group_by: Sequence[ColumnRef], buckets: Sequence[Bucket | None] = ()
) -> TermResult:
    """`buckets`: for each group column what its values are put together by, () for the stored values.

    Raises Stopped: mixed currencies, unreadable cells, blocked columns, values that do not agree, too many rows."""
    keys = term.group_by if term.group_by is not None else tuple(group_by)
    tables = tables_of(context, term_tables(term), term.version_id)
    term = replace(term, conditions=resolve_conditions(context, tables, term.conditions))
    check_columns(term, tables)
    check_condition_cells(context, tables, term, with_totals=term.with_totals, keys=keys)
    check_compared_units(context, tables, term, tables.unit_column)
    unit_columns = _unit_columns(term, tables, keys)
    groups, cut = BucketKeys(keys, buckets, tables), truncations(keys, buckets, tables)
    compiled = compile_term(term, keys, unit_columns, tables.column, cut)
    result = context.run_all(
        compiled.sql, tables.all(), with_totals=term.with_totals, visible_rows_only=term.visible_rows_only
    )
    factors = _factor_cells(context, term, keys, tables, cut)
    parts: dict[Key, list[_Part]] = {}
    key_values: dict[Key, list[tuple[EvidencedValue, ...]]] = {}
    unpaired = 0
    for row in result.rows:
        key_cells = row[: compiled.keys]
        units = row[compiled.keys : compiled.keys + compiled.units]
        leaves = row[compiled.keys + compiled.units :]
        statement = tuple(cell.value for cell in key_cells)
        key = groups.group(statement)
        check_readable(context, (*key_cells, *units), None)
        unit, factor = _row_unit(term, tables, keys, key, unit_columns, units)
        key_values.setdefault(key, []).append(key_cells)
        if len(term.columns) > 1:
            unpaired += int((fraction_of(leaves[2].value) or 0) - (fraction_of(leaves[1].value) or 0))
        parts.setdefault(key, []).append(_part(term, leaves, unit, factor, factors.get(statement, ())))
    if any(buckets):
        parts = {key: _merged(term, found) for key, found in parts.items()}
    values = {key: _combine(context, term, found, result.sql) for key, found in parts.items()}
    traced_keys = {key: _merge_keys(found, keys, key, buckets, result.sql) for key, found in key_values.items()}
    return TermResult(term, tables, values, traced_keys, unpaired)


def term_tables(term: Term) -> tuple[str, ...]:
    """SQL names of every table a term reads, its own first."""
    return tuple(dict.fromkeys((term.table, *(join.one.table for join in term.joins), *condition_tables(term.conditions))))


def check_columns(term: Term, tables: TableSet) -> None:
    """Stops when a measured column may not be used: its number styles contradict each other."""
    for ref in term.columns:
        column = tables.column(ref)
        if column.blocked is not None and term.aggregation not in ("count", "count_distinct"):
            raise Stopped(Stop("refused", "incomplete_data", "blocked_column", (column.name, column.blocked)))


def check_readable(context: RunContext, values: Iterable[EvidencedValue], known: tuple[Fraction, str | None] | None) -> None:
    """Stops with incomplete_data when a needed cell has no readable value; `known` is the part without it."""
    unreadable = union(*(value.unreadable for value in values))
    if unreadable:
        names = name_cells(unreadable, context.reading.tables)
        raise Stopped(Stop("refused", "incomplete_data", "unreadable_cells", names, values=(known,) if known else ()))


def _unit_columns(term: Term, tables: TableSet, keys: Sequence[ColumnRef]) -> tuple[ColumnRef, ...]:
    """Columns that give the measured columns' unit row by row, unless the plan groups by them anyway. Stops when such a
    column exists but this person cannot see it: their amounts could not be told apart."""
    found: list[ColumnRef] = []
    for ref in term.columns:
        name = tables.column(ref).unit_column
        if name is None or term.aggregation in ("count", "count_distinct"):
            continue
        unit_ref = ColumnRef(ref.table, name)
        if tables.tables[ref.table].column(name) is None:
            raise Stopped(Stop("refused", "mixed_currency", "unit_not_visible", (tables.column(ref).name,)))
        if unit_ref not in keys and unit_ref not in found:
            found.append(unit_ref)
    return tuple(found)


def _row_unit(
    term: Term,
    tables: TableSet,
    keys: Sequence[ColumnRef],
    key: Key,
    unit_columns: Sequence[ColumnRef],
    units: Sequence[EvidencedValue],
) -> tuple[str | None, Fraction]:
    """Unit of one result row and the factor that a product of units brings (a percent factor: 1/100)."""
    if term.aggregation in ("count", "count_distinct"):
        return None, Fraction(1)
    by_column = dict(zip(unit_columns, (unit.value for unit in units), strict=True))
    by_column |= dict(zip(keys, key, strict=True))
    unit: str | None = None
    factor = Fraction(1)
    for position, ref in enumerate(term.columns):
        column = tables.visible(ref)
        own = column.unit
        if column.column.unit_column is not None:
            said = by_column.get(ColumnRef(ref.table, column.column.unit_column))
            own = str(said) if said is not None else None
        if position == 0:
            unit = own
        else:
            unit, more = product_unit(unit, own)
            factor *= more
    return unit, factor


def _part(
    term: Term,
    leaves: Sequence[EvidencedValue],
    unit: str | None,
    factor: Fraction,
    factors: tuple[tuple[tuple[str, str], ...], ...],
) -> _Part:
    first = leaves[0]
    number = fraction_of(first.value)
    columns = tuple(ref.column for ref in term.columns)
    match term.aggregation:
        case "average":
            count = fraction_of(leaves[1].value) or Fraction(0)
            value: Scalar = number / count if number is not None and count else None
            total = Leaf("sum", first.cells, columns=columns)
            counted = Leaf("count", first.cells, records=int(count), columns=columns)
            return _Part(value, unit, first, Node("/", (total, counted)))
        case "sum" if len(term.columns) > 1:
            recipe: Recipe = Leaf("product_sum", first.cells, factors, columns=columns)
            recipe = recipe if factor == 1 else Node("*", (recipe,), factor)
            return _Part(number * factor if number is not None else None, unit, first, recipe)
        case "count" | "count_distinct":
            leaf = Leaf(term.aggregation, first.cells, records=int(number or 0), columns=columns)
            return _Part(number, unit, first, leaf)
        case "median":
            times = int(fraction_of(leaves[1].value) or 0)
            return _Part(number, unit, first, Leaf("median", first.cells, records=times, columns=columns))
        case _:
            recipe = Leaf(term.aggregation, first.cells, columns=columns)
            return _Part(number if number is not None else first.value, unit, first, recipe)


def _merged(term: Term, parts: list[_Part]) -> list[_Part]:
    """Rows of the statement that fall into one calendar period, by unit. Raises Stopped for what cannot be put together."""
    merged: list[_Part] = []
    for unit in dict.fromkeys(part.unit for part in parts):
        same = [part for part in parts if part.unit == unit]
        present = [part for part in same if isinstance(part.value, Fraction)]
        if len(same) == 1 or term.aggregation in ("value", "median"):
            merged += same
            continue
        evidence = merged_evidence([part.evidence for part in same])
        if len(present) < sum(part.value is not None for part in same):
            raise Stopped(Stop("refused", "not_understood", "grain_of_count"))
        if not present:
            merged.append(_Part(None, unit, evidence, same[0].recipe))
            continue
        recipe = merged_recipe(term.aggregation, [part.recipe for part in present], tuple(ref.column for ref in term.columns))
        if recipe is None:
            raise Stopped(Stop("refused", "not_understood", "grain_of_count"))
        numbers = [part.value for part in present if isinstance(part.value, Fraction)]
        value = merged_value(term.aggregation, numbers, [part.recipe for part in present])
        merged.append(_Part(value, unit, replace(evidence, value=exact(value)), recipe))
    return merged


def _combine(context: RunContext, term: Term, parts: Sequence[_Part], sql: str) -> TracedValue:
    """The parts of one group key (one a unit; for median and value one a distinct value) as one value."""
    present = [part for part in parts if part.value is not None]
    present = _in_one_unit(term, present)
    evidence = _merged_evidence(parts)
    value, recipe = _finish(context, term, present)
    unit = present[0].unit if present else None
    known = (Fraction(value), unit) if isinstance(value, Fraction) else None
    check_readable(context, (evidence,), known)
    shown = exact(value) if isinstance(value, Fraction) else value
    traced = replace(evidence, value=shown, unit=unit)
    if value is None:
        skipped = evidence.skipped or evidence.cells
        traced = replace(traced, cells=(), skipped=skipped)
        return TracedValue(traced, None, (sql,), "missing")
    return TracedValue(traced, recipe, (sql,))


def _in_one_unit(term: Term, parts: list[_Part]) -> list[_Part]:
    """Scales of one unit are converted to the finest, exactly; different currencies or other units stop."""
    units = list(dict.fromkeys(part.unit for part in parts))
    if len(units) <= 1:
        return parts
    target = units[0]
    for unit in units[1:]:
        if target is None or unit is None or factor_between(unit, target) is None:
            money = any(is_currency(found) for found in units)
            values = tuple((part.value, part.unit) for part in parts if isinstance(part.value, Fraction))
            kind = "mixed_currency" if money else "mixed_units"
            names = tuple(found for found in units if found is not None)
            raise Stopped(Stop("refused", "mixed_currency", kind, names, values=values if term.aggregation == "sum" else ()))
        target = finer(target, unit)
    assert target is not None
    converted: list[_Part] = []
    for part in parts:
        assert part.unit is not None and isinstance(part.value, Fraction)
        factor = factor_between(part.unit, target)
        assert factor is not None
        recipe = part.recipe if factor == 1 else Node("*", (part.recipe,), factor)
        converted.append(replace(part, value=part.value * factor, unit=target, recipe=recipe))
    return converted


def _finish(context: RunContext, term: Term, parts: Sequence[_Part]) -> tuple[Scalar, Recipe | None]:
    if not parts:
        return None, None
    cells = union(*(part.evidence.cells for part in parts))
    columns = tuple(ref.column for ref in term.columns)
    if term.aggregation == "median":
        numbers = sorted(
            number for part in parts if isinstance(part.value, Fraction)
            for number in [part.value] * (part.recipe.records if isinstance(part.recipe, Leaf) else 1)
        )  # fmt: skip
        if not numbers or any(isinstance(part.recipe, Node) for part in parts):
            raise Stopped(Stop("refused", "mixed_currency", "mixed_units"))
        return median(numbers), Leaf("median", cells, columns=columns)
    if term.aggregation == "value":
        values = list(dict.fromkeys(part.value for part in parts))
        if len(values) > 1:
            raise Stopped(_several_values(context, parts))
        return values[0], Leaf("value", cells, columns=columns)
    if len(parts) == 1:
        return parts[0].value, parts[0].recipe
    return _add_units(term, parts)


def _add_units(term: Term, parts: Sequence[_Part]) -> tuple[Scalar, Recipe]:
    """Several parts, already in one unit: only sums and extremes can be put together."""
    values = [part.value for part in parts if isinstance(part.value, Fraction)]
    if term.aggregation == "sum":
        recipe = parts[0].recipe
        for part in parts[1:]:
            recipe = Node("+", (recipe, part.recipe))
        return sum(values, Fraction(0)), recipe
    if term.aggregation in ("minimum", "maximum"):
        best = min(values) if term.aggregation == "minimum" else max(values)
        return best, next(part.recipe for part in parts if part.value == best)
    raise Stopped(Stop("refused", "mixed_currency", "mixed_units", tuple(part.unit or "" for part in parts)))


def _several_values(context: RunContext, parts: Sequence[_Part]) -> Stop:
    values = tuple((part.value, part.unit) for part in parts if isinstance(part.value, Fraction))
    texts = tuple(str(part.value) for part in parts if not isinstance(part.value, Fraction))
    cells = name_cells(union(*(part.evidence.cells for part in parts)), context.reading.tables)
    return Stop("clarify", "ambiguous_value", "several_values", cells + texts, (len(parts),), values[:10])


def _merged_evidence(parts: Sequence[_Part]) -> EvidencedValue:
    found = [part.evidence for part in parts]
    return found[0] if len(found) == 1 else merged_evidence(found)


def _merge_keys(
    found: Sequence[tuple[EvidencedValue, ...]],
    keys: Sequence[ColumnRef],
    key: Key,
    buckets: Sequence[Bucket | None],
    sql: str,
) -> tuple[TracedValue, ...]:
    merged: list[TracedValue] = []
    for position, (ref, values) in enumerate(zip(keys, zip(*found, strict=True), strict=True)):
        cells: tuple[CellSet, ...] = union(*(value.cells or value.skipped for value in values))
        bucket = buckets[position] if buckets else None
        evidence = replace(values[0], cells=cells, skipped=())
        if bucket is not None:
            evidence = replace(merged_evidence(values), value=key[position], cells=cells, skipped=())
        if evidence.value is None:
            merged.append(TracedValue(evidence, None, (sql,), "missing"))
        else:
            merged.append(TracedValue(evidence, name_recipe(Leaf("value", cells, columns=(ref.column,)), bucket), (sql,)))
    return tuple(merged)


def _factor_cells(
    context: RunContext, term: Term, keys: Sequence[ColumnRef], tables: TableSet, cut: Mapping[ColumnRef, str]
) -> dict[Key, tuple[tuple[tuple[str, str], ...], ...]]:
    """For a sum of products: per group of the statement and row the cells that are multiplied."""
    if len(term.columns) < 2:
        return {}
    sql = compile_factors(term, keys, tables.column)
    result = context.run_all(
        sql, tables.all(), with_totals=term.with_totals, visible_rows_only=term.visible_rows_only, prove=False
    )
    found: dict[Key, list[tuple[tuple[str, str], ...]]] = {}
    for row in result.rows:
        factors = row[len(keys) :]
        if any(factor.value is None for factor in factors):
            continue
        cells = tuple((factor.cells[0].table_id, factor.cells[0].cells[0]) for factor in factors if factor.cells)
        key = statement_key([each.value for each in row[: len(keys)]], keys, cut)
        found.setdefault(key, []).append(cells)
    return {key: tuple(rows) for key, rows in found.items()}


def is_number_column(tables: TableSet, ref: ColumnRef) -> bool:
    return tables.column(ref).type in (ColumnType.DECIMAL, ColumnType.INTEGER)
