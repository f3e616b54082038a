"""Which unit a computed value has: read off the expression and the cells behind the value."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.scope import VisibleTable
from orchestrator.sql_algebra import (
    NUMBERS,
    Aggregate,
    Apply,
    Case,
    Expression,
    Kind,
    Query,
    QuerySource,
    Reference,
    ScalarQuery,
    TableSource,
    Union,
    Window,
)

MeasuredColumn = tuple[str, str]
"""(table_id, sql_name)"""


@dataclass(frozen=True)
class Measured:
    """The unit of these columns; none: a bare number."""

    columns: frozenset[MeasuredColumn]


@dataclass(frozen=True)
class Quotient:
    top: UnitForm
    bottom: UnitForm


@dataclass(frozen=True)
class Product:
    """Of two quantities that both have a unit: no unit that people use."""

    parts: tuple[UnitForm, ...]


UnitForm = Measured | Quotient | Product
BARE = Measured(frozenset())
UnitsOfColumn = dict[MeasuredColumn, frozenset[str | None]]

_SAME = frozenset({"+", "-", "negative", "abs", "round", "floor", "ceil", "greatest", "least", "coalesce", "mod"})


class UnitReader:
    """Unit forms of a statement's outputs. `has_unit(table, column)`: whether the column has a unit at all."""

    def __init__(self, query: Query) -> None:
        self._sources: dict[int, TableSource | QuerySource] = {}
        self._collect(query)

    def output(self, query: Query, index: int) -> UnitForm:
        if isinstance(query, Union):
            return _merged([self.output(branch, index) for branch in query.branches])
        return self._form(query.outputs[index].expression)

    def _collect(self, query: Query) -> None:
        if isinstance(query, Union):
            for branch in query.branches:
                self._collect(branch)
            return
        for source in query.sources:
            self._sources[source.number] = source
            if isinstance(source, QuerySource):
                self._collect(source.query)

    def _form(self, expression: Expression) -> UnitForm:
        if expression.type.kind not in NUMBERS and expression.type.kind is not Kind.NULL:
            return BARE
        match expression:
            case Reference():
                return self._reference(expression)
            case Aggregate() | Window():
                if expression.argument is None or expression.name == "count":
                    return BARE
                return self._form(expression.argument)
            case Case():
                return _merged([*(self._form(value) for _, value in expression.branches), self._form(expression.otherwise)])
            case ScalarQuery():
                self._collect(expression.query)
                return self.output(expression.query, 0)
            case Apply():
                return self._apply(expression)
        return BARE

    def _apply(self, expression: Apply) -> UnitForm:
        forms = [self._form(one) for one in expression.arguments]
        if expression.name in _SAME:
            return _merged(forms)
        if expression.name == "*":
            left, right = forms
            return right if left == BARE else left if right == BARE else Product((left, right))
        if expression.name == "/":
            return Quotient(forms[0], forms[1]) if forms[1] != BARE else forms[0]
        return BARE

    def _reference(self, reference: Reference) -> UnitForm:
        source = self._sources.get(reference.source)
        if isinstance(source, QuerySource):
            assert isinstance(reference.column, int)
            return self.output(source.query, reference.column)
        if source is None or not isinstance(reference.column, str):
            return BARE
        visible = source.table.column(reference.column)
        if visible is None or (visible.unit is None and visible.column.unit_column is None):
            return BARE
        return Measured(frozenset({(source.table.stored.table_id, reference.column)}))


def _merged(forms: list[UnitForm]) -> UnitForm:
    """Of values that are added or that stand beside each other; fixed numbers have no unit of their own."""
    known = [form for form in forms if form != BARE]
    if not known:
        return BARE
    if all(isinstance(form, Measured) for form in known):
        return Measured(frozenset().union(*(form.columns for form in known if isinstance(form, Measured))))
    return known[0] if all(form == known[0] for form in known) else Product(tuple(known))


def units_of(form: UnitForm, found: UnitsOfColumn) -> tuple[str, ...]:
    """The units that a value mixes: none for a bare number, one where all cells agree. `found`: per column the units of the
    cells behind this value; None stands for a cell without a unit."""
    if isinstance(form, Measured):
        units: set[str | None] = set()
        for column in form.columns:
            units |= found.get(column, frozenset())
        return tuple(sorted(unit or "?" for unit in units)) if units != {None} else ()
    if isinstance(form, Quotient):
        top, bottom = units_of(form.top, found), units_of(form.bottom, found)
        if len(top) > 1 or len(bottom) > 1:
            return tuple(sorted({*top, *bottom})) if len({*top, *bottom}) > 1 else (*top, *bottom)
        if top == bottom:
            return ()
        return (f"{top[0] if top else '1'}/{bottom[0]}",) if bottom else top
    mixed = [units_of(part, found) for part in form.parts]
    several = [units for units in mixed if len(units) > 1]
    return several[0] if several else ()


def fixed_unit(table: VisibleTable, column: str) -> tuple[str | None, str | None]:
    """(unit of the whole column, name of the column that gives the unit of each row)."""
    visible = table.column(column)
    if visible is None:
        return None, None
    return visible.unit, visible.column.unit_column if visible.unit is None else None
