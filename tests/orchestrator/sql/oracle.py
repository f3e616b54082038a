"""The oracle: another engine run of the asker's own text, over the same data and over the evidence alone.

1. Values equal those of the plain statement (quotients, which DuckDB gives as binary numbers, to 12 digits).
2. The statement over the evidence rows of one result row gives that row again.
3. Without one row that is no evidence of a result row, that row is still there. Rows on the optional side of an outer join are
   not taken away: the rows joined to them would have no partner then, and be counted in another result row.

Subqueries in conditions are replayed over the whole tables: their rows decide, but enter no value.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import pyarrow as pa
import sqlglot
from sqlglot import exp

from orchestrator.evidence import CellSet, EvidencedResult, EvidencedValue
from orchestrator.scope import VisibleTable
from tests.orchestrator.sql.made_tables import Made

SIGNIFICANT = 12
"""Digits to which a binary quotient is compared."""
Key = tuple[Any, ...]


def key_of(value: Any) -> Any:
    """Comparable form: numbers as a text of SIGNIFICANT digits, everything else as it is."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float | Decimal | Fraction):
        if value != value or value in (float("inf"), float("-inf")):
            return None  # division by zero: here a missing value
        number = float(value)
        return 0.0 if number == 0 or abs(number) < 1e-9 else float(f"{number:.{SIGNIFICANT}g}")
    return str(value)


@dataclass
class Oracle:
    """`made`: sql_name -> data; `tables`: sql_name -> the stored table with table_id."""

    made: Mapping[str, Made]
    tables: Mapping[str, VisibleTable]

    def __post_init__(self) -> None:
        self._connection = duckdb.connect()
        self._connection.execute("SET threads=1")
        for name, table in self.made.items():
            self._connection.register("incoming", _arrow(table))
            self._connection.execute(f'CREATE TABLE "{name}__all" AS SELECT * FROM incoming')
            self._connection.execute(f'CREATE TABLE "{name}__rows" AS SELECT * FROM incoming')
            self._connection.unregister("incoming")
        self._full = True

    def plain_rows(self, sql: str, kept: Mapping[str, Sequence[int]] | None = None) -> Counter[Key]:
        """Rows of the plain statement; `kept`: source rows of each table that value-giving references see, None: all."""
        self._fill(kept)
        redirected = _redirected(sql, self.made, limited=kept is None)
        return Counter(tuple(key_of(value) for value in row) for row in self._connection.execute(redirected).fetchall())

    def check_values(self, sql: str, result: EvidencedResult) -> str | None:
        """A sentence about the first difference, None without one."""
        expected = self.plain_rows(sql)
        found = Counter(result_key(row) for row in result.rows)
        if expected != found:
            plain, ours = list((expected - found).items())[:3], list((found - expected).items())[:3]
            return f"values differ: only plain {plain}, only ours {ours}"
        return None

    def check_replay(self, sql: str, row: Sequence[EvidencedValue], lineage: Sequence[CellSet]) -> str | None:
        kept = self._rows_of(lineage)
        if any(set(rows) - set(kept.get(name, ())) for name, rows in self._evidence(row).items()):
            return f"cells outside the rows behind the result row: {self._evidence(row)} and {kept}"
        wanted = result_key(row)
        replayed = self.plain_rows(sql, kept)
        if wanted not in replayed:
            return f"replay on the evidence gave {list(replayed)[:4]} instead of {wanted}; evidence {kept}"
        return None

    def check_deletion(
        self, sql: str, row: Sequence[EvidencedValue], lineage: Sequence[CellSet], chance: random.Random
    ) -> str | None:
        evidence, optional = self._rows_of(lineage), _optional_tables(sql)
        outside = [
            (name, source_row)
            for name, table in self.made.items()
            for source_row in _source_rows(table)
            if name not in optional and source_row not in evidence.get(name, ())
        ]
        if not outside:
            return None
        name, deleted = chance.choice(outside)
        kept: dict[str, Sequence[int]] = {one: list(_source_rows(table)) for one, table in self.made.items()}
        kept[name] = [source_row for source_row in kept[name] if source_row != deleted]
        wanted = result_key(row)
        return (
            None
            if wanted in self.plain_rows(sql, kept)
            else f"{wanted} is gone without row {deleted} of {name}, which is no evidence"
        )

    def _rows_of(self, sets: Sequence[CellSet]) -> dict[str, Sequence[int]]:
        names = {table.stored.table_id: name for name, table in self.tables.items()}
        return {names[cells.table_id]: cells.rows for cells in sets}

    def _evidence(self, row: Sequence[EvidencedValue]) -> dict[str, Sequence[int]]:
        names = {table.stored.table_id: name for name, table in self.tables.items()}
        kept: dict[str, set[int]] = {name: set() for name in self.made}
        for value in row:
            for cells in (*value.cells, *value.skipped, *value.unreadable):
                kept[names[cells.table_id]].update(cells.rows)
        return {name: sorted(rows) for name, rows in kept.items()}

    def _fill(self, kept: Mapping[str, Sequence[int]] | None) -> None:
        if kept is None and self._full:
            return
        for name in self.made:
            rows = None if kept is None else kept.get(name, ())
            where = "" if rows is None else f" WHERE _row IN ({', '.join(map(str, rows))})" if rows else " WHERE FALSE"
            self._connection.execute(f'CREATE OR REPLACE TABLE "{name}__rows" AS SELECT * FROM "{name}__all"{where}')
        self._full = kept is None


def result_key(row: Sequence[EvidencedValue]) -> Key:
    return tuple(key_of(value.value) for value in row)


def _source_rows(made: Made) -> Sequence[int]:
    size = len(next(iter(made.columns.values())))
    return made.rows or range(2, size + 2)


def _arrow(made: Made) -> pa.Table:
    columns: dict[str, pa.Array] = {}
    for name, values in made.columns.items():
        first = next((value for value in values if value is not None), None)
        columns[name] = pa.array(list(values), pa.decimal128(38, 2)) if isinstance(first, Decimal) else pa.array(list(values))
    columns["_row"] = pa.array(list(_source_rows(made)), pa.int64())
    return pa.table(columns)


def _redirected(sql: str, made: Mapping[str, Made], limited: bool) -> str:
    """Table names -> the reduced copies; inside subqueries of conditions -> the whole ones. Not `limited`: without LIMIT and
    OFFSET, which choose among rows but make none."""
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    if not limited:
        tree.set("limit", None)
        tree.set("offset", None)
    for table in list(tree.find_all(exp.Table)):
        if table.name not in made:
            continue
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name)))
        table.set("this", exp.to_identifier(f"{table.name}__{'all' if _in_condition(table) else 'rows'}"))
    for median in tree.find_all(exp.Median):  # of DECIMAL it would be cut to the column's places
        median.set("this", exp.cast(median.this, exp.DType.DOUBLE))
    return tree.sql(dialect="duckdb")


def _optional_tables(sql: str) -> frozenset[str]:
    """Tables of which an outer join takes nothing where it finds no partner."""
    found: set[str] = set()
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    for join in tree.find_all(exp.Join):
        if join.side:
            whole = join.this if join.side.upper() == "LEFT" else tree
            found |= {table.name for table in whole.find_all(exp.Table)}
    return frozenset(found)


def _in_condition(node: exp.Expr) -> bool:
    parent = node.parent
    while parent is not None:
        if isinstance(parent, exp.Where | exp.Having):
            return True
        if isinstance(parent, exp.Join) and node.arg_key == "on":
            return True
        node, parent = parent, parent.parent
    return False
