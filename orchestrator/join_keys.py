"""Sums in places where the rows behind them are not in the engine's answer: HAVING, ORDER BY with LIMIT, subqueries.

A group that such a sum leaves out cannot be looked at afterwards (orchestrator.fan_out), so here it must be certain beforehand
that no join repeats the rows of what is summed: from them every other source is reached over a key that occurs once.
"""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.fan_out import fan_out
from orchestrator.join_rules import conjuncts
from orchestrator.key_values import repeated_key
from orchestrator.measured_choices import Choices, adds_up, choices
from orchestrator.sql_algebra import (
    Aggregate,
    Apply,
    Constant,
    Expression,
    Query,
    QuerySource,
    Reference,
    ScalarQuery,
    Select,
    Source,
    TableSource,
    Union,
    Window,
    walk,
)

Measured = tuple[Source | None, str | int]
"""A column of a source; None: something that may stand behind any number of rows."""


class JoinKeys:
    """Checks one statement; remembers which keys repeat."""

    def __init__(self) -> None:
        self._unique: dict[tuple[int, tuple[str | int, ...]], bool] = {}

    def check(self, query: Query, shown: bool = True) -> None:
        """Raises NoProvenance (rule "fan_out"). `shown`: the query's rows are the answer's."""
        if isinstance(query, Union):
            for branch in query.branches:
                self.check(branch, shown)
            return
        for expression in _unseen(query, shown):
            for part in walk(expression):
                if isinstance(part, Aggregate | Window) and adds_up(part) and not self._enters_once(part, query):
                    raise fan_out(part.name, "")
        for inner in _subqueries(query):
            self.check(inner, shown=False)

    def _enters_once(self, part: Aggregate | Window, select: Select) -> bool:
        if part.argument is None:
            return self._holds(_rows(select), select)
        return self._measures_once(part.argument, select)

    def _measures_once(self, expression: Expression, select: Select) -> bool:
        """No cell of a row by row expression stands in two rows of the select."""
        own = {source.number: source for source in select.sources}

        def leaf(part: Expression) -> Choices[Measured] | None:
            if isinstance(part, Reference) and part.source in own:
                return (((own[part.source], part.column),),)
            return (((None, ""),),) if isinstance(part, ScalarQuery | Window) else None

        return self._holds(choices(expression, leaf, lambda: _rows(select)), select)

    def _holds(self, found: Choices[Measured], select: Select) -> bool:
        return any(all(self._once(source, column, select) for source, column in choice) for choice in found)

    def _once(self, source: Source | None, column: str | int, select: Select) -> bool:
        if source is None or not self._unrepeated(source, select):
            return False
        return isinstance(source, TableSource) or column == "" or self._output_once(source.query, int(column))

    def _output_once(self, query: Query, index: int) -> bool:
        """No cell that an output measures stands in two rows of the query."""
        if isinstance(query, Union):
            tables = [{source.table.stored.table_id for source in _tables(branch)} for branch in query.branches]
            apart = sum(map(len, tables)) == len(set().union(*tables))
            return apart and all(self._output_once(branch, index) for branch in query.branches)
        if not query.grouped:
            return self._measures_once(query.outputs[index].expression, query)
        sums = [part for part in walk(query.outputs[index].expression) if isinstance(part, Aggregate) and adds_up(part)]
        return query.rollup is None and all(self._enters_once(part, query) for part in sums)

    # --- keys

    def _unrepeated(self, source: Source, select: Select) -> bool:
        """Every other source gives at most one row for a row of this one."""
        reached = {source.number}
        left = [other for other in select.sources if other.number != source.number]
        own = {one.number for one in select.sources}
        while left:
            found = next((one for one in left if self._is_key(one, _bound_columns(one, reached, own, select))), None)
            if found is None:
                return False
            reached.add(found.number)
            left.remove(found)
        return True

    def _is_key(self, source: Source, columns: tuple[str | int, ...]) -> bool:
        key = (source.number, columns)
        if key not in self._unique:
            self._unique[key] = _is_key(source, columns)
        return self._unique[key]


def _is_key(source: Source, columns: tuple[str | int, ...]) -> bool:
    if isinstance(source, TableSource):
        named = [str(column) for column in columns]
        plain = {column.sql_name for column in source.table.columns}
        return bool(named) and plain.issuperset(named) and not repeated_key(source.table.stored, named, source.table.row_filter)
    query = source.query
    if isinstance(query, Union):
        return False
    if query.limit == 1 or (query.grouped and not query.group_by):
        return True
    bound = [query.outputs[int(column)].expression for column in columns]
    return query.grouped and query.rollup is None and all(key in bound for key in query.group_by)


def _bound_columns(source: Source, reached: set[int], own: set[int], select: Select) -> tuple[str | int, ...]:
    """The columns of a source that equalities bind to reached rows, to constants or to rows of an enclosing query."""
    found: dict[str | int, None] = {}
    for condition in _equalities(source, select):
        left, right = condition.arguments
        for side, other in ((left, right), (right, left)):
            if isinstance(side, Reference) and side.source == source.number:
                known = isinstance(other, Reference) and (other.source in reached or other.source not in own)
                if known or isinstance(other, Constant):
                    found[side.column] = None
    return tuple(sorted(found, key=str))


def _equalities(source: Source, select: Select) -> Iterator[Apply]:
    """Those of WHERE and of inner joins hold in all rows; those of an outer join bind the two sides that it joins."""
    conditions = list(conjuncts(select.where))
    for join in select.joins:
        for condition in conjuncts(join.condition):
            ends = {part.source for part in walk(condition) if isinstance(part, Reference)}
            if join.kind == "INNER" or (join.source.number in ends and source.number in ends):
                conditions.append(condition)
    return (one for one in conditions if isinstance(one, Apply) and one.name == "=")


# --- places


def _unseen(select: Select, shown: bool) -> Iterator[Expression]:
    if select.having is not None:
        yield select.having
    if not shown or select.limit is not None or select.offset:
        yield from (key.expression for key in select.order)
    if not shown:
        yield from (output.expression for output in select.outputs)


def _subqueries(select: Select) -> Iterator[Query]:
    for source in select.sources:
        if isinstance(source, QuerySource):
            yield source.query
    conditions = [select.where, select.having, *(join.condition for join in select.joins)]
    for expression in (
        *(one for one in conditions if one is not None),
        *select.group_by,
        *(output.expression for output in select.outputs),
        *(key.expression for key in select.order),
    ):
        for part in walk(expression):
            if (inner := getattr(part, "query", None)) is not None:
                yield inner


def _tables(query: Query) -> Iterator[TableSource]:
    selects = query.branches if isinstance(query, Union) else (query,)
    for select in selects:
        if isinstance(select, Union):
            yield from _tables(select)
            continue
        for source in select.sources:
            if isinstance(source, TableSource):
                yield source
            else:
                yield from _tables(source.query)


def _rows(select: Select) -> Choices[Measured]:
    """What stands for the rows of a select: those of its first source, or of each where an outer join adds rows."""
    outer = any(join.kind in ("RIGHT", "FULL") for join in select.joins)
    return (tuple((source, "") for source in (select.sources if outer else select.sources[:1])),)
