"""Admitted syntax tree -> orchestrator.sql_algebra: sources, joins, groups, unions. WITH queries are written out at each use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from sqlglot import exp

from indexer.segments import period_end, period_start
from orchestrator.fixed_outputs import refuse_fixed_outputs
from orchestrator.guard_rules import SqlLimits
from orchestrator.join_rules import check_cross_joins, is_small, joins_on_equality, no_equality
from orchestrator.scope import VisibleTable
from orchestrator.sql_algebra import (
    BOOLEAN,
    DATE,
    INTEGER,
    TEXT,
    TIMESTAMP,
    Constant,
    Expression,
    JoinStep,
    Kind,
    OrderKey,
    OutputColumn,
    Query,
    QuerySource,
    Reference,
    Select,
    Source,
    TableSource,
    Type,
    Union,
    common_type,
    has_aggregate,
    walk,
)
from orchestrator.sql_build_expressions import ExpressionReader
from orchestrator.sql_refusals import GuardRefusal, NoProvenance, shown
from orchestrator.sql_typing import truth, unsupported
from parsers.table import Column, ColumnType

_TYPES = {
    ColumnType.INTEGER: INTEGER, ColumnType.TEXT: TEXT, ColumnType.DATE: DATE, ColumnType.TIMESTAMP: TIMESTAMP,
    ColumnType.PERIOD: TEXT, ColumnType.BOOLEAN: BOOLEAN,
}  # fmt: skip


def column_type(column: Column) -> Type:
    return Type(Kind.DECIMAL, column.scale) if column.type is ColumnType.DECIMAL else _TYPES[column.type]


@dataclass
class BuildContext:
    """`with_totals`: tables whose printed total rows are kept; `visible_rows_only`: tables without their hidden rows."""

    tables: Mapping[str, VisibleTable]
    limits: SqlLimits
    with_totals: frozenset[str]
    visible_rows_only: frozenset[str]
    numbers: Iterator[int] = field(default_factory=count)
    selects: int = 0

    def count_select(self) -> None:
        self.selects += 1
        if self.selects > self.limits.selects:
            raise GuardRefusal("too_large", f"Die Abfrage hat mehr als {self.limits.selects} SELECTs.", "Teilen Sie sie auf.")


@dataclass(frozen=True)
class _Named:
    """A source under its alias; `columns`: names of a query's outputs where the alias renames them."""

    source: Source
    columns: tuple[str, ...]


class _CommonTables:
    """WITH queries in force, inner ones first."""

    def __init__(self, outer: _CommonTables | None = None) -> None:
        self._outer = outer
        self._queries: dict[str, tuple[exp.Expr, tuple[str, ...], _CommonTables]] = {}

    def add(self, cte: exp.CTE) -> None:
        columns = tuple(one.name.lower() for one in cte.args["alias"].args.get("columns") or ())
        before = _CommonTables(self._outer)
        before._queries = dict(self._queries)
        self._queries[cte.alias.lower()] = (cte.this, columns, before)

    def find(self, name: str) -> tuple[exp.Expr, tuple[str, ...], _CommonTables] | None:
        found = self._queries.get(name)
        return found if found is not None or self._outer is None else self._outer.find(name)


def build_query(tree: exp.Select | exp.Union, context: BuildContext) -> Query:
    """The whole statement. Raises GuardRefusal or NoProvenance."""
    query = _build(tree, context, _CommonTables(), None)
    refuse_fixed_outputs(query)
    return query


def _build(node: exp.Expr, context: BuildContext, common: _CommonTables, outer: _SelectBuilder | None) -> Query:
    common = _CommonTables(common)
    inner = node
    while isinstance(inner, exp.Subquery):
        if inner.args.get("order") or inner.args.get("limit") or inner.args.get("offset"):
            raise unsupported("ORDER BY und LIMIT hinter einer Klammer")
        inner = inner.this
    if (block := inner.args.get("with_")) is not None:
        for cte in block.expressions:
            common.add(cte)
    if isinstance(inner, exp.Select):
        return _SelectBuilder(context, common, outer).build(inner)
    if isinstance(inner, exp.Union):
        return _build_union(inner, context, common, outer)
    raise unsupported(f"das Sprachmittel {type(inner).__name__}")


def _build_union(node: exp.Union, context: BuildContext, common: _CommonTables, outer: _SelectBuilder | None) -> Query:
    context.count_select()
    branches = (_build(node.this, context, common, outer), _build(node.expression, context, common, outer))
    first, second = branches
    if len(first.outputs) != len(second.outputs):
        raise GuardRefusal(
            "union_columns", "Die Teile von UNION haben verschieden viele Spalten.", "Wählen Sie gleich viele aus."
        )
    outputs = []
    for left, right in zip(first.outputs, second.outputs, strict=True):
        found = common_type([left.expression.type, right.expression.type])
        if found is None:
            raise GuardRefusal("types", "Die Spalten von UNION passen nicht zueinander.", "Wählen Sie Spalten gleicher Art.")
        if found.kind is Kind.RATIONAL or left.places is not None or right.places is not None:
            raise unsupported("UNION über Quotienten oder Durchschnitte")
        outputs.append(OutputColumn(left.name, Constant(None, found)))
    union = Union(branches, tuple(outputs))
    order, limit, offset = node.args.get("order"), node.args.get("limit"), node.args.get("offset")
    if not node.args.get("distinct") and order is None and limit is None and offset is None:
        return union
    return _SelectBuilder(context, common, outer).wrap(union, bool(node.args.get("distinct")), order, limit, offset)


class _SelectBuilder:
    """Builds one SELECT; implements the `Names` of its expressions."""

    def __init__(self, context: BuildContext, common: _CommonTables, outer: _SelectBuilder | None) -> None:
        self._context = context
        self._common = common
        self._outer = outer
        self._named: dict[str, _Named] = {}
        self._outputs: dict[str, Expression] = {}
        self._aliases_visible = False
        self._reader = ExpressionReader(self)
        context.count_select()

    # --- names

    def column(self, node: exp.Column) -> Expression:
        name, table = node.name.lower(), node.table.lower()
        if not table:
            if self._aliases_visible and name in self._outputs:
                return self._outputs[name]
            raise GuardRefusal(
                "unknown_column",
                f"Die Spalte {shown(node.name)} ist unbekannt oder mehrdeutig.",
                "Nennen Sie Tabelle und Spalte.",
            )
        builder: _SelectBuilder | None = self
        while builder is not None:
            if table in builder._named:
                return _resolve(builder._named[table], name)
            builder = builder._outer
        raise GuardRefusal("unknown_table", f"Die Tabelle {shown(node.table)} gibt es hier nicht.", "Nennen Sie sie in FROM.")

    def query(self, node: exp.Expr) -> Query:
        return _build(node, self._context, self._common, self)

    # --- the parts

    def build(self, node: exp.Select) -> Select:
        first, joins, comma_joined = self._from(node)
        where = node.args.get("where")
        condition = None if where is None else self._plain(where.this, "WHERE")
        check_cross_joins(first, comma_joined, condition)
        outputs = [self._output(one) for one in node.expressions]
        for output in outputs:
            self._outputs[output.name.lower()] = output.expression
        keys, rollup = self._group(node.args.get("group"), outputs)
        having_node = node.args.get("having")
        self._aliases_visible = True
        having = None if having_node is None else truth(self._reader.read(having_node.this))
        grouped = bool(node.args.get("group")) or having is not None or any(has_aggregate(one.expression) for one in outputs)
        order_node = node.args.get("order")
        order = () if order_node is None else tuple(self._reader.order_key(one) for one in order_node.expressions)
        self._aliases_visible = False
        grouped = grouped or any(has_aggregate(key.expression) for key in order)
        select = Select(
            first, joins, condition, grouped, keys, rollup, having, tuple(outputs), order,
            _count_of(node.args.get("limit")), _count_of(node.args.get("offset")),
        )  # fmt: skip
        _check_select(select)
        return self._distinct(select) if node.args.get("distinct") is not None else select

    def _distinct(self, select: Select) -> Select:
        """SELECT DISTINCT is grouping by every output."""
        if any(one.expression.type.kind is Kind.RATIONAL for one in select.outputs):
            raise unsupported("DISTINCT über Quotienten oder Durchschnitte")
        if not select.grouped and not _has_window(select):
            keys = tuple(one.expression for one in select.outputs)
            plain = Select(
                select.first,
                select.joins,
                select.where,
                True,
                keys,
                None,
                None,
                select.outputs,
                select.order,
                select.limit,
                select.offset,
            )
            return plain
        if select.limit is None and select.offset is None and not select.order:
            return self.wrap(select, True, None, None, None)
        raise unsupported("DISTINCT zusammen mit GROUP BY und ORDER BY oder LIMIT")

    def wrap(
        self, query: Query, distinct: bool, order: exp.Expr | None, limit: exp.Expr | None, offset: exp.Expr | None
    ) -> Select:
        """SELECT [DISTINCT] * FROM (query) ORDER BY … LIMIT …, ordered by output names only."""
        source = QuerySource(next(self._context.numbers), query)
        outputs = tuple(
            OutputColumn(one.name, Reference(source.number, index, one.expression.type))
            for index, one in enumerate(query.outputs)
        )
        self._outputs = {one.name.lower(): one.expression for one in outputs}
        self._aliases_visible = True
        keys: tuple[OrderKey, ...] = () if order is None else tuple(self._reader.order_key(one) for one in order.expressions)
        self._aliases_visible = False
        group_by = tuple(one.expression for one in outputs) if distinct else ()
        return Select(source, (), None, distinct, group_by, None, None, outputs, keys, _count_of(limit), _count_of(offset))

    def _from(self, node: exp.Select) -> tuple[Source | None, tuple[JoinStep, ...], list[Source]]:
        start = node.args.get("from_")
        if start is None:
            return None, (), []
        first = self._source(start.this)
        joins: list[JoinStep] = []
        unconditional: list[Source] = []
        for join in node.args.get("joins") or ():
            before = {named.source.number for named in self._named.values()}
            source = self._source(join.this)
            side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
            if side not in ("", "LEFT", "RIGHT", "FULL") or kind not in ("", "INNER", "OUTER", "CROSS"):
                raise unsupported(f"{side} {kind} JOIN".strip())
            on = join.args.get("on")
            if join.args.get("using"):
                raise unsupported("diese Form von USING")
            if on is None:
                if side:
                    raise GuardRefusal("join_condition", "Ein Verbund hat keine Bedingung.", "Verbinden Sie mit ON a = b.")
                joins.append(JoinStep("CROSS", source, None))
                unconditional.append(source)
                continue
            condition = self._plain(on, "ON")
            if not joins_on_equality(condition, source.number, before) and not is_small(source):
                raise no_equality()
            joins.append(JoinStep(side or "INNER", source, condition))  # type: ignore[arg-type]
        return first, tuple(joins), unconditional

    def _source(self, node: exp.Expr) -> Source:
        alias = node.alias.lower() if node.alias else node.name.lower()
        if not alias or alias in self._named:
            raise GuardRefusal(
                "alias_twice", f"Der Name {shown(alias)} kommt in FROM zweimal vor.", "Vergeben Sie verschiedene Namen."
            )
        columns = (
            tuple(one.name.lower() for one in (node.args["alias"].args.get("columns") or ())) if node.args.get("alias") else ()
        )
        source: Source
        if isinstance(node, exp.Table):
            found = self._common.find(node.name.lower())
            if found is not None:
                tree, names, visible = found
                query = _build(tree, self._context, visible, None)
                source, columns = QuerySource(next(self._context.numbers), query), columns or names
            else:
                source = self._table(node.name.lower())
        elif isinstance(node, exp.Subquery):
            source = QuerySource(next(self._context.numbers), _build(node, self._context, self._common, None))
        else:
            raise unsupported(f"das Sprachmittel {type(node).__name__} in FROM")
        if isinstance(source, QuerySource):
            if columns and len(columns) != len(source.query.outputs):
                raise GuardRefusal(
                    "alias_columns", "Die Spaltennamen eines Alias passen nicht.", "Nennen Sie für jede Spalte einen."
                )
            columns = columns or tuple(one.name.lower() for one in source.query.outputs)
        self._named[alias] = _Named(source, columns)
        return source

    def _table(self, name: str) -> TableSource:
        table = self._context.tables.get(name)
        if table is None:
            raise GuardRefusal("unknown_table", f"Die Tabelle {shown(name)} gibt es nicht.", "„beleg tables“ zeigt die Tabellen.")
        return TableSource(
            next(self._context.numbers), table, name in self._context.with_totals, name in self._context.visible_rows_only
        )

    def _plain(self, node: exp.Expr, clause: str) -> Expression:
        condition = truth(self._reader.read(node))
        if has_aggregate(condition):
            raise GuardRefusal("aggregate_place", f"In {clause} darf keine Aggregation stehen.", "Verwenden Sie HAVING.")
        return condition

    def _output(self, node: exp.Expr) -> OutputColumn:
        name = node.alias or node.name or "?"
        inner = node.this if isinstance(node, exp.Alias) else node
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if isinstance(inner, exp.Round):
            rounded = self._reader.read(inner.this)
            places = inner.args.get("decimals")
            if rounded.type.kind is Kind.RATIONAL and (
                places is None or (isinstance(places, exp.Literal) and places.name.isdigit())
            ):
                return OutputColumn(name, rounded, 0 if places is None else min(int(places.name), 30))
        return OutputColumn(name, self._reader.read(inner))

    def _group(
        self, node: exp.Group | None, outputs: list[OutputColumn]
    ) -> tuple[tuple[Expression, ...], tuple[tuple[int, ...], ...] | None]:
        if node is None:
            return (), None
        if node.args.get("all"):
            return tuple(one.expression for one in outputs if not has_aggregate(one.expression)), None
        rolled = [*(node.args.get("rollup") or []), *(one for one in node.expressions if isinstance(one, exp.Rollup))]
        if not rolled:
            return tuple(self._reader.read(one) for one in node.expressions), None
        if len(rolled) > 1 or len(node.expressions) > 1:
            raise unsupported("mehrere Gruppierungen nebeneinander")
        keys = [self._reader.read(one) for one in rolled[0].expressions]
        return tuple(keys), tuple(tuple(range(size)) for size in range(len(keys), -1, -1))


def _resolve(named: _Named, name: str) -> Expression:
    source = named.source
    if isinstance(source, QuerySource):
        places = [index for index, column in enumerate(named.columns) if column == name]
        if len(places) != 1:
            raise GuardRefusal(
                "unknown_column",
                f"Die Spalte {shown(name)} ist unbekannt oder mehrdeutig.",
                "Geben Sie den Spalten eigene Namen.",
            )
        output = source.query.outputs[places[0]]
        if output.places is not None:
            raise unsupported("gerundete Quotienten in einer Unterabfrage", "Runden Sie erst in der äußeren Abfrage.")
        return Reference(source.number, places[0], output.expression.type)
    for visible in source.table.columns:
        if visible.sql_name == name:
            if visible.column.blocked is not None and visible.column.type in (ColumnType.DECIMAL, ColumnType.INTEGER):
                raise NoProvenance(
                    "blocked_column", f"Die Spalte {shown(visible.names[0])} ist gesperrt: {visible.column.blocked}", ""
                )
            return Reference(source.number, name, column_type(visible.column))
        if visible.column.type is ColumnType.PERIOD and name in (period_start(visible.sql_name), period_end(visible.sql_name)):
            return Reference(source.number, name, DATE)
    raise GuardRefusal("unknown_column", f"Die Spalte {shown(name)} gibt es nicht.", "„beleg tables“ zeigt die Spalten.")


def _count_of(node: exp.Expr | None) -> int | None:
    return None if node is None else int(node.expression.name)


def _has_window(select: Select) -> bool:
    return any(type(part).__name__ == "Window" for one in select.outputs for part in walk(one.expression))


def _check_select(select: Select) -> None:
    for part in (part for one in select.outputs for part in walk(one.expression)):
        if type(part).__name__ == "Window" and select.grouped:
            raise unsupported("eine Fensterfunktion zusammen mit GROUP BY", "Bilden Sie die Gruppen in einer Unterabfrage.")
    if any(key.type.kind is Kind.RATIONAL for key in select.group_by):
        raise unsupported("GROUP BY über Quotienten")
