"""A second way to run the statements that plans compile to, for tests: DuckDB picks the rows, Python does the rest.

Slow and plain on purpose; values and cells come from the same rows, so that evidence can be judged against it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

import duckdb
import pyarrow.parquet as pq
import sqlglot
from sqlglot import exp

from orchestrator.evidence import CellSet, EvidencedResult, EvidencedValue, Scalar
from orchestrator.run_context import ROW_LIMIT
from orchestrator.scope import VisibleTable
from parsers.address import cell_address

Row = dict[str, dict[str, Scalar]]


class PlainSelect:
    def __call__(
        self,
        sql: str,
        tables: Sequence[VisibleTable],
        *,
        with_totals: bool = False,
        visible_rows_only: bool = False,
        prove: bool = True,
        row_limit: int = ROW_LIMIT,
    ) -> EvidencedResult:
        tree = sqlglot.parse_one(sql, dialect="duckdb")
        assert isinstance(tree, exp.Select)
        by_name = {table.sql_name: table for table in tables}
        rows = _picked_rows(tree, by_name, with_totals, visible_rows_only)
        outputs = [item.unalias() for item in tree.expressions]
        groups = _groups(tree, outputs, rows)
        found = [tuple(_output(item, group, by_name) for item in outputs) for group in groups]
        return EvidencedResult(tuple(item.sql() for item in outputs), tuple(found[:row_limit]), sql, sql, len(found) > row_limit)


def _picked_rows(tree: exp.Select, tables: dict[str, VisibleTable], with_totals: bool, visible_only: bool) -> list[Row]:
    connection = duckdb.connect()
    for name, table in tables.items():
        data = pq.read_table(table.stored.segment)
        connection.register(f"{name}_all", data)
        conditions = ["true"]
        conditions += [f'"{column}" IN ({", ".join(map(_quoted, values))})' for column, values in table.row_filter.items()]
        conditions += ["NOT _hidden"] if visible_only and "_hidden" in data.column_names else []
        conditions += ["NOT _total"] if not with_totals and "_total" in data.column_names else []
        connection.execute(f'CREATE VIEW "{name}" AS SELECT * FROM "{name}_all" WHERE {" AND ".join(conditions)}')
    joins = tree.args.get("joins") or []
    names = [tree.args["from_"].this.name, *(join.this.name for join in joins)]
    selected = [
        exp.alias_(exp.column(column, table=name), f"{name}.{column}", quoted=True)
        for name in names
        for column in (item[0] for item in connection.execute(f'SELECT * FROM "{name}" LIMIT 0').description)
    ]
    plain = exp.select(*selected).from_(tree.args["from_"].this.copy())
    plain.set("joins", [join.copy() for join in joins])
    if tree.args.get("where") is not None:
        plain.set("where", tree.args["where"].copy())
    result = connection.execute(plain.sql(dialect="duckdb"))
    columns = [item[0].split(".", 1) for item in result.description]
    rows: list[Row] = []
    for values in result.fetchall():
        row: Row = {}
        for (table_name, column), value in zip(columns, values, strict=True):
            number = isinstance(value, int) and not isinstance(value, bool)
            row.setdefault(table_name, {})[column] = Decimal(value) if number else value
        rows.append(row)
    return sorted(rows, key=lambda row: int(row[names[0]]["_row"] or 0))  # type: ignore[arg-type]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _groups(tree: exp.Select, outputs: Sequence[exp.Expr], rows: list[Row]) -> list[list[Row]]:
    group = tree.args.get("group")
    if tree.args.get("distinct") is not None:
        keys: Sequence[exp.Expr] = outputs
    elif group is not None:
        keys = group.expressions
    else:
        is_aggregate = any(item.find(exp.AggFunc) for item in outputs)
        return [rows] if is_aggregate else [[row] for row in rows]
    found: dict[tuple[Scalar, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(_scalar(key, row) for key in keys), []).append(row)
    return list(found.values())


def _place(column: exp.Column, row: Row) -> tuple[str, str]:
    name = column.table or next(table for table, values in row.items() if column.name in values)
    return name, column.name


def _scalar(item: exp.Expr, row: Row) -> Scalar:
    if isinstance(item, exp.Column):
        table, column = _place(item, row)
        return row[table][column]
    assert isinstance(item, exp.Mul)
    left, right = _scalar(item.this, row), _scalar(item.expression, row)
    return None if left is None or right is None else left * right  # type: ignore[operator]


def _output(item: exp.Expr, rows: list[Row], tables: dict[str, VisibleTable]) -> EvidencedValue:
    if isinstance(item, exp.Column | exp.Mul):
        value = _scalar(item, rows[0])
        return _evidenced(value, item, [row for row in rows if _scalar(item, row) is not None], rows, tables)
    inner = item.this
    if isinstance(item, exp.Count):
        if isinstance(inner, exp.Star):
            return _evidenced(Decimal(len(rows)), _first_column(tables), rows, [], tables)
        distinct = isinstance(inner, exp.Distinct)
        measure = inner.expressions[0] if distinct else inner
        present = [row for row in rows if _scalar(measure, row) is not None]
        number = len({_scalar(measure, row) for row in present}) if distinct else len(present)
        return _evidenced(Decimal(number), measure, present, rows, tables)
    present = [row for row in rows if _scalar(inner, row) is not None]
    values = [_scalar(inner, row) for row in present]
    if not values:
        return _evidenced(None, inner, [], rows, tables)
    reduce: dict[type, Callable[[list[Scalar]], Scalar]] = {exp.Sum: sum, exp.Min: min, exp.Max: max}  # type: ignore[dict-item]
    value = reduce[type(item)](values)
    deciding = present if isinstance(item, exp.Sum) else [row for row in present if _scalar(inner, row) == value]
    return _evidenced(value, inner, deciding, rows, tables)


def _first_column(tables: dict[str, VisibleTable]) -> exp.Column:
    name, table = next(iter(tables.items()))
    return exp.column(table.columns[0].sql_name, table=name)


def _evidenced(
    value: Scalar, item: exp.Expr, present: list[Row], considered: list[Row], tables: dict[str, VisibleTable]
) -> EvidencedValue:
    columns = [column for column in item.find_all(exp.Column)]
    absent = [row for row in considered if _scalar(item, row) is None]
    unreadable = [row for row in absent if any(_state(column, row) == 2 for column in columns)]
    skipped = [row for row in absent if row not in unreadable]
    main = next(iter(tables))
    return EvidencedValue(
        value,
        cells=_cells(columns, present, tables),
        skipped=_cells(columns, skipped, tables),
        unreadable=_cells(columns, unreadable, tables),
        hidden_rows=sum(bool(row[main].get("_hidden")) for row in present),
        proved=True,
    )


def _state(column: exp.Column, row: Row) -> int:
    table, name = _place(column, row)
    return int(row[table].get(f"_state_{name}") or 0)  # type: ignore[arg-type]


def _cells(columns: Sequence[exp.Column], rows: list[Row], tables: dict[str, VisibleTable]) -> tuple[CellSet, ...]:
    found: dict[str, dict[str, int]] = {}
    for column in columns:
        for row in rows:
            name, sql_name = _place(column, row)
            if row[name]["_row"] is None:
                continue
            number = int(row[name]["_row"])  # type: ignore[arg-type]
            order = [visible.sql_name for visible in tables[name].columns]
            found.setdefault(name, {})[cell_address(number, order.index(sql_name) + 1)] = number
    return tuple(
        CellSet(tables[name].stored.table_id, tuple(sorted(set(cells.values()))), tuple(cells))
        for name, cells in found.items()
    )
