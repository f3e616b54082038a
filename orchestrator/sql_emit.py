"""The algebra -> SQL for the engine: every value exact or as numerator and denominator, with the rows it comes from beside it.

Output columns of a block: v<i> for an exact value, n<i> and d<i> for a fraction (d positive or NULL), l<j> lineage slots
(orchestrator.lineage_layout), k<i> or kn<i>/kd<i> sort keys when the sorting is done outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.lineage_layout import (
    BlockLayout,
    QueryLayout,
    ScalarLayout,
    SelectLayout,
    TableLayout,
    UnionLayout,
    WindowLayout,
    digest_of,
)
from orchestrator.rewrite_scope import ROW_ID, quoted, source_sql
from orchestrator.sql_algebra import (
    Aggregate,
    Constant,
    Expression,
    Kind,
    Query,
    QuerySource,
    Reference,
    ScalarQuery,
    Select,
    Source,
    TableSource,
    Type,
    Union,
    Window,
    walk,
)
from orchestrator.sql_emit_expressions import ExpressionWriter, alias
from orchestrator.sql_refusals import NoProvenance


@dataclass(frozen=True)
class Emitted:
    """`layout` None if no lineage was asked for. `sorted_outside`: the engine gives all rows unsorted, with sort keys."""

    sql: str
    layout: BlockLayout | None
    sorted_outside: bool = False


class SqlWriter:
    """Writes queries. Raises NoProvenance where a form has no exact or traceable SQL."""

    def __init__(self) -> None:
        self._queries: dict[int, Query] = {}
        self._expressions = ExpressionWriter(self._subquery, self._queries)

    def statement(self, query: Query, row_limit: int, root: int | None = None) -> Emitted:
        """The whole statement with lineage; at most `row_limit` + 1 rows unless it is sorted outside. `root`: for a select whose
        rows are derived (orchestrator.derive_rows), which has digests of the rows instead of the rows."""
        self._remember(query)
        if isinstance(query, Union):
            body, layout = self._union(query, True)
            return Emitted(f"{body} LIMIT {row_limit + 1}", layout)
        outside = any(key.expression.type.kind is Kind.RATIONAL for key in query.order)
        body, select_layout = self._select(query, True, outside, root)
        if outside:
            return Emitted(body, select_layout, True)
        parts = [body, *self._order(query, True)]
        limit = row_limit + 1 if query.limit is None else min(query.limit, row_limit + 1)
        parts.append(f"LIMIT {limit}")
        if query.offset:
            parts.append(f"OFFSET {query.offset}")
        return Emitted(" ".join(parts), select_layout)

    def plain(self, query: Query) -> str:
        """The query's values only."""
        self._remember(query)
        return self._block(query, False)[0]

    def _subquery(self, query: Query, part: str, kind: Type | None) -> str:
        """A subquery as an expression; `part` is the one column wanted: v0, n0, d0, or * (EXISTS)."""
        self._remember(query)
        if (
            isinstance(query, Select)
            and part in ("v0", "n0", "d0")
            and not query.order
            and query.limit is None
            and not query.offset
        ):
            return self._single_value(query, part, kind)
        wanted = "1" if part == "*" else part
        if kind is not None and kind.kind is Kind.DECIMAL and query.outputs[0].expression.type.scale != kind.scale:
            wanted = f"CAST({part} AS DECIMAL(38, {kind.scale}))"
        return f"(SELECT {wanted} FROM ({self._block(query, False)[0]}) AS {alias('q')})"

    def _single_value(self, query: Select, part: str, kind: Type | None) -> str:
        expression = query.outputs[0].expression
        if part == "v0":
            text = self._expressions.exact(expression) if kind is None else self._expressions.exact_as(expression, kind)
        else:
            text = self._expressions.pair(expression)[0 if part == "n0" else 1].text
        return f"(SELECT {text}{self._tail(query)})"

    def _remember(self, query: Query) -> None:
        """Notes the queries in FROM, also those inside, for references to their fractions."""
        for select in _selects(query):
            for source in select.sources:
                if isinstance(source, QuerySource):
                    self._queries[source.number] = source.query

    def _block(self, query: Query, lineage: bool) -> tuple[str, BlockLayout | None]:
        if isinstance(query, Union):
            return self._union(query, lineage)
        body, layout = self._select(query, lineage, False)
        parts = [body, *self._order(query, query.limit is not None or bool(query.offset))]
        if query.limit is not None:
            parts.append(f"LIMIT {query.limit}")
        if query.offset:
            parts.append(f"OFFSET {query.offset}")
        return " ".join(parts), layout

    def _select(self, select: Select, lineage: bool, with_keys: bool, root: int | None = None) -> tuple[str, SelectLayout | None]:
        columns = [text for index, output in enumerate(select.outputs) for text in self._value(output.expression, index)]
        layout: SelectLayout | None = None
        if root is not None:
            digests, layout = self._digests(select, root)
            columns += digests
        elif lineage:
            slots, layout = self._slots(select)
            columns += [f"{slot} AS l{number}" for number, slot in enumerate(slots)]
        if with_keys:
            for index, key in enumerate(select.order):
                columns += [
                    f"{text.rpartition(' AS ')[0]} AS k{text.rpartition(' AS ')[2]}"
                    for text in self._value(key.expression, index)
                ]
        return f"SELECT {', '.join(columns)}{self._tail(select)}", layout

    def _value(self, expression: Expression, index: int) -> list[str]:
        if expression.type.kind is Kind.RATIONAL:
            numerator, denominator = self._expressions.pair(expression)
            return [f"{numerator.text} AS n{index}", f"{denominator.text} AS d{index}"]
        return [f"{self._expressions.exact(expression)} AS v{index}"]

    def _tail(self, select: Select) -> str:
        """FROM … WHERE … GROUP BY … HAVING …"""
        if select.first is None:
            raise NoProvenance("no_table", "Die Abfrage liest keine Tabelle.", "Nennen Sie in FROM eine Tabelle.")
        used = _columns_used(select)
        parts = [f" FROM {self._source(select.first, used)}"]
        for join in select.joins:
            on = "" if join.condition is None else f" ON {self._expressions.exact(join.condition)}"
            parts.append(f" {join.kind} JOIN {self._source(join.source, used)}{on}")
        if select.where is not None:
            parts.append(f" WHERE {self._expressions.exact(select.where)}")
        if select.group_by:
            if any(isinstance(key, Constant) for key in select.group_by):
                raise NoProvenance(
                    "constant_key", "Nach einem festen Wert lässt sich nicht gruppieren.", "Gruppieren Sie nach Spalten."
                )
            keys = ", ".join(self._expressions.exact(key) for key in select.group_by)
            parts.append(f" GROUP BY ROLLUP ({keys})" if select.rollup is not None else f" GROUP BY {keys}")
        if select.having is not None:
            parts.append(f" HAVING {self._expressions.exact(select.having)}")
        return "".join(parts)

    def _source(self, source: Source, used: dict[int, set[str]]) -> str:
        if isinstance(source, TableSource):
            return f"{source_sql(source, used.get(source.number, set()))} AS {alias(source.number)}"
        body, _ = self._block(source.query, True)
        return f"(SELECT *, TRUE AS present FROM ({body}) AS {alias('b')}) AS {alias(source.number)}"

    def _order(self, select: Select, break_ties: bool) -> list[str]:
        """ORDER BY; ties are broken by the source's order, so that the same statement gives the same rows."""
        if select.order and any(key.expression.type.kind is Kind.RATIONAL for key in select.order):
            raise NoProvenance(
                "order_by_ratio",
                "In einer Unterabfrage lässt sich nicht nach einem Quotienten sortieren.",
                "Sortieren Sie erst außen.",
            )
        keys = [self._expressions.order_key(key) for key in select.order if not isinstance(key.expression, Constant)]
        if break_ties and select.first is not None and not (select.grouped and not select.group_by):
            for source in select.sources if not select.grouped else select.sources[:1]:
                place = f"{alias(source.number)}.{ROW_ID if isinstance(source, TableSource) else 'l0'}"
                keys.append(f"min({place})" if select.grouped else place)
        return [f"ORDER BY {', '.join(keys)}"] if keys else []

    # --- lineage

    def _slots(self, select: Select) -> tuple[list[str], SelectLayout]:
        slots: list[str] = []
        listed = "list({})" if select.grouped else "{}"
        if select.grouped and not select.group_by:
            listed = "coalesce(list({}), [])"
        sources = tuple(self._source_slots(source, slots, listed) for source in select.sources)
        scalars = tuple(self._scalar_slots(one, slots) for one in _distinct_parts(select, ScalarQuery))
        windows = tuple(self._window_slots(select, one, slots) for one in _distinct_parts(select, Window))
        groupings: tuple[int, ...] = ()
        if select.rollup is not None:
            groupings = tuple(range(len(slots), len(slots) + len(select.group_by)))
            slots += [f"grouping({self._expressions.exact(key)})" for key in select.group_by]
        return slots, SelectLayout(select, sources, scalars, windows, groupings, len(slots))

    def _digests(self, select: Select, root: int) -> tuple[list[str], SelectLayout]:
        """Of each table how many rows are in a group and the sum of their ids; of the root also the first one."""
        texts: list[str] = []
        layouts: list[TableLayout] = []
        for slot, source in enumerate(select.sources):
            assert isinstance(source, TableSource)
            names, place = digest_of(slot), f"{alias(source.number)}.{quoted(ROW_ID)}"
            texts += [f"count({place}) AS {names.count}", f"CAST(coalesce(sum({place}), 0) AS BIGINT) AS {names.total}"]
            if source.number == root:
                texts.append(f"min({place}) AS {names.first}")
            layouts.append(TableLayout(source, slot))
        return texts, SelectLayout(select, tuple(layouts), (), (), (), len(layouts), root)

    def _source_slots(self, source: Source, slots: list[str], listed: str) -> TableLayout | QueryLayout:
        name = alias(source.number)
        if isinstance(source, TableSource):
            slots.append(listed.format(f"{name}.{quoted(ROW_ID)}"))
            return TableLayout(source, len(slots) - 1)
        _, inner = self._block(source.query, True)
        assert inner is not None
        presence = len(slots)
        slots.append(listed.format(f"{name}.present"))
        slots += [listed.format(f"{name}.l{number}") for number in range(inner.width)]
        return QueryLayout(source, presence, presence + 1, inner)

    def _scalar_slots(self, expression: Expression, slots: list[str]) -> ScalarLayout:
        assert isinstance(expression, ScalarQuery)
        body, inner = self._block(expression.query, True)
        assert inner is not None
        presence = len(slots)
        slots.append(f"(SELECT TRUE FROM ({body}) AS {alias('q')})")
        slots += [f"(SELECT l{number} FROM ({body}) AS {alias('q')})" for number in range(inner.width)]
        return ScalarLayout(expression, presence, presence + 1, inner)

    def _window_slots(self, select: Select, expression: Expression, slots: list[str]) -> WindowLayout:
        assert isinstance(expression, Window)
        over = self._expressions.over(expression)
        if expression.name in ("lag", "lead"):
            pattern = f"{expression.name}({{}}, {expression.offset}) OVER {over}"
        else:
            pattern = f"{'first_value' if expression.name == 'first_value' else 'list'}({{}}) OVER {over}"
        presence = len(slots)
        slots.append(pattern.format("TRUE"))
        read = (
            set()
            if expression.argument is None
            else {one.source for one in walk(expression.argument) if isinstance(one, Reference)}
        )
        wanted = [one for one in select.sources if one.number in read] or list(select.sources[:1])
        return WindowLayout(expression, presence, tuple(self._source_slots(source, slots, pattern) for source in wanted))

    def _union_value(self, union: Union, branch: Query, index: int) -> str:
        kind = union.outputs[index].expression.type
        if kind.kind is Kind.DECIMAL and branch.outputs[index].expression.type.scale != kind.scale:
            return f"CAST(v{index} AS DECIMAL(38, {kind.scale})) AS v{index}"
        return f"v{index}"

    def _union(self, union: Union, lineage: bool) -> tuple[str, UnionLayout | None]:
        bodies = [self._block(branch, lineage) for branch in union.branches]
        widths = [0 if layout is None else layout.width for _, layout in bodies]
        pieces: list[str] = []
        branches: list[tuple[int, BlockLayout]] = []
        first = 1
        for number, (body, layout) in enumerate(bodies):
            columns = [self._union_value(union, union.branches[number], index) for index in range(len(union.outputs))]
            if lineage:
                assert layout is not None
                branches.append((first, layout))
                columns.append(f"{number} AS l0")
                columns += [
                    f"l{slot - first} AS l{slot}" if first <= slot < first + widths[number] else f"NULL AS l{slot}"
                    for slot in range(1, 1 + sum(widths))
                ]
                first += widths[number]
            pieces.append(f"SELECT {', '.join(columns)} FROM ({body}) AS {alias('u')}")
        found = UnionLayout(union, 0, tuple(branches), 1 + sum(widths)) if lineage else None
        return " UNION ALL ".join(pieces), found


def _distinct_parts(select: Select, kind: type[Expression]) -> list[Expression]:
    """Parts of the output expressions of one kind, equal ones once. Subqueries inside an aggregate's argument are refused."""
    found: list[Expression] = []
    for output in select.outputs:
        for part in walk(output.expression):
            if isinstance(part, Aggregate) and any(isinstance(one, ScalarQuery) for one in walk(part)):
                raise NoProvenance(
                    "subquery_in_aggregate",
                    "Eine Unterabfrage in einer Aggregation lässt sich nicht belegen.",
                    "Verbinden Sie die Tabellen mit JOIN.",
                )
            if isinstance(part, kind) and part not in found:
                found.append(part)
    return found


def _columns_used(select: Select) -> dict[int, set[str]]:
    """Table columns that this SELECT and its subqueries read, by source."""
    used: dict[int, set[str]] = {}
    for expression in _expressions_of(select):
        for part in walk(expression):
            if isinstance(part, Reference) and isinstance(part.column, str):
                used.setdefault(part.source, set()).add(part.column)
            elif (inner := getattr(part, "query", None)) is not None:
                for source, columns in _columns_in(inner).items():
                    used.setdefault(source, set()).update(columns)
    return used


def _columns_in(query: Query) -> dict[int, set[str]]:
    used: dict[int, set[str]] = {}
    for select in _selects(query):
        for source, columns in _columns_used(select).items():
            used.setdefault(source, set()).update(columns)
    return used


def _selects(query: Query) -> Iterator[Select]:
    if isinstance(query, Union):
        for branch in query.branches:
            yield from _selects(branch)
        return
    yield query
    for source in query.sources:
        if isinstance(source, QuerySource):
            yield from _selects(source.query)


def _expressions_of(select: Select) -> Iterator[Expression]:
    for output in select.outputs:
        yield output.expression
    yield from select.group_by
    for one in (
        select.where,
        select.having,
        *(join.condition for join in select.joins),
        *(key.expression for key in select.order),
    ):
        if one is not None:
            yield one
