"""A printed total that covers just what was asked is compared with the computed sum."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from orchestrator.cell_names import name_cells
from orchestrator.evidence import CellSet
from orchestrator.exact_numbers import round_half_even
from orchestrator.outcome import Notice
from orchestrator.plan import AggregatePlan, ColumnRef, Condition, OneOf
from orchestrator.run_context import RunContext
from orchestrator.run_terms import Key, TermResult
from orchestrator.scope import VisibleTable
from parsers.fold import fold
from parsers.table import ControlTotal

# Words around the name of what a total row totals ("Summe Nord", "Nord gesamt", "Razem EUR").
_TOTAL_WORDS = frozenset(
    ("summe", "gesamt", "gesamtsumme", "zwischensumme", "endsumme", "gesamtbetrag", "insgesamt", "total", "subtotal", "sum",
     "grand", "razem", "suma", "ogolem", "lacznie", "der", "die", "das", "von", "of", "in", "und")
)


def control_total_notices(context: RunContext, plan: AggregatePlan, result: TermResult) -> Iterator[Notice]:
    """One notice for each group whose printed total differs from the sum. Nothing where a filter, a join or a level leaves
    out rows that the printed total covers."""
    term = result.term
    if term.aggregation != "sum" or len(term.columns) != 1 or term.joins or term.visible_rows_only or term.with_totals:
        return
    table = result.tables.tables[term.table]
    if table.row_filter or not table.stored.table.control_totals:
        return
    group_by = term.group_by if term.group_by is not None else plan.group_by
    for key, value in result.values.items():
        named = _named(group_by, key, term.conditions)
        if named is None or value.number is None:
            continue
        printed = _printed(table, term.columns[0], named)
        if printed is None:
            continue
        total, amount, address = printed
        scale = result.tables.column(term.columns[0]).scale
        if round_half_even(Fraction(amount), scale) != round_half_even(value.number, scale):
            cells = name_cells((CellSet(table.stored.table_id, (total.row,), (address,)),), context.reading.tables)
            unit = value.evidence.unit
            yield Notice("total_differs", "", (total.label, *cells), (), ((value.number, unit), (Fraction(amount), unit)))


def _named(group_by: tuple[ColumnRef, ...], key: Key, conditions: tuple[Condition, ...]) -> frozenset[str] | None:
    """The names that restrict the sum, folded: group key values and single-value filters; None if anything else does."""
    names = [fold(str(part)) for part in key if part is not None]
    if len(names) != len(key):
        return None
    for condition in conditions:
        if not isinstance(condition, OneOf) or condition.negated or len(condition.values) != 1:
            return None
        names.append(fold(str(condition.values[0])))
    return frozenset(names)


def _printed(table: VisibleTable, column: ColumnRef, named: frozenset[str]) -> tuple[ControlTotal, Decimal, str] | None:
    """The one printed total whose label names exactly this; None if there is none or several that differ."""
    found = [
        (total, value, address)
        for total in table.stored.table.control_totals
        for sql_name, value, address in total.values
        if sql_name == column.column and _covers(total, named)
    ]
    amounts = {value for _, value, _ in found}
    return found[0] if len(amounts) == 1 else None


def _covers(total: ControlTotal, named: frozenset[str]) -> bool:
    words = [word for word in fold(total.label).replace(":", " ").split() if word not in _TOTAL_WORDS]
    if not named:
        return total.kind == "total" and not words
    return " ".join(words) in named and len(named) == 1
