"""The guard: an allow-list over the syntax tree, before and again after names are resolved. Nothing else reaches the engine.

What comes out is never the asker's text: orchestrator.sql_build reads the admitted tree into orchestrator.sql_algebra, and
only SQL that is written anew from there is run.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from indexer.segments import period_end, period_start
from orchestrator.guard_rules import ALLOWED, ARGUMENT_NAMES, ARGUMENTS, PLAIN_ARGUMENTS, WITHOUT_PROVENANCE, SqlLimits
from orchestrator.scope import VisibleTable
from orchestrator.sql_refusals import GuardRefusal, NoProvenance, SqlRefusal, shown
from parsers.table import ColumnType

__all__ = ["Admitted", "GuardRefusal", "NoProvenance", "SqlLimits", "SqlRefusal", "admit", "usable_columns"]

logging.getLogger("sqlglot").addHandler(logging.NullHandler())  # its parser logs statements that it does not understand

_ONLY_SELECT = "Erlaubt ist genau eine SELECT-Anweisung."
_SEE_TABLES = "„beleg tables“ zeigt die Tabellen und Spalten, die Sie verwenden dürfen."


_LONGEST_HEADING = 60

_VIEW_NAME = re.compile(r"(v|vw|view|m|mv|t|tbl)_", re.IGNORECASE)
"""v_sales reads like a view of sales; a WITH query must not be taken for one."""


@dataclass(frozen=True)
class Admitted:
    """`tree`: the qualified statement. `sql`: the statement as it is shown and logged, regenerated from the tree. `headings`: of
    the result's columns; one without a name is called by its own text."""

    tree: exp.Select | exp.Union
    sql: str
    headings: tuple[str, ...]


def usable_columns(table: VisibleTable) -> dict[str, str]:
    """Columns that a statement may name -> SQL type: the visible ones, and the first and last day of visible period columns."""
    columns: dict[str, str] = {}
    for visible in table.columns:
        columns[visible.sql_name] = _SQL_TYPES[visible.column.type]
        if visible.column.type is ColumnType.PERIOD:
            columns[period_start(visible.sql_name)] = "DATE"
            columns[period_end(visible.sql_name)] = "DATE"
    return columns


_SQL_TYPES = {
    ColumnType.DECIMAL: "DECIMAL", ColumnType.INTEGER: "BIGINT", ColumnType.TEXT: "VARCHAR", ColumnType.DATE: "DATE",
    ColumnType.TIMESTAMP: "TIMESTAMP", ColumnType.PERIOD: "VARCHAR", ColumnType.BOOLEAN: "BOOLEAN",
}  # fmt: skip


def admit(sql: str, tables: Mapping[str, VisibleTable], limits: SqlLimits) -> Admitted:
    """Checks one statement against the allow-lists and resolves its names. `tables`: sql_name -> table. Raises GuardRefusal
    or NoProvenance."""
    try:
        _check_text(sql, limits)
        tree = _parse(sql)
        _check_tree(tree, tables, limits)
        schema = {name: _star_columns(table, tree) for name, table in tables.items()}
        qualified = _qualify(tree, schema)
        _check_tree(qualified, tables, limits)
        _check_columns_named(qualified)
        return Admitted(qualified, qualified.sql(dialect="duckdb", comments=False), _headings(tree, qualified))
    except RecursionError:
        raise GuardRefusal("too_deep", "Die Abfrage ist zu tief verschachtelt.", "Vereinfachen Sie sie.") from None


def _check_text(sql: str, limits: SqlLimits) -> None:
    if len(sql) > limits.statement_length:
        raise GuardRefusal(
            "too_long",
            f"Die Abfrage ist länger als {limits.statement_length} Zeichen.",
            "Kürzen Sie sie, etwa lange Wertelisten.",
        )
    if "\x00" in sql:
        raise GuardRefusal("bad_text", "Die Abfrage enthält ein Nullzeichen.", "Entfernen Sie es.")
    try:
        tokens = Dialect.get_or_raise("duckdb").tokenize(sql)
    except SqlglotError:
        raise GuardRefusal("not_readable", "Die Abfrage ist kein lesbares SQL.", _ONLY_SELECT) from None
    if not tokens:
        raise GuardRefusal("empty", "Die Abfrage ist leer.", _ONLY_SELECT)
    if tokens[0].token_type not in (TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN):
        raise GuardRefusal("not_a_select", "Die Anweisung ist kein SELECT.", _ONLY_SELECT)
    depth = deepest = 0
    for token in tokens:
        if token.token_type is TokenType.L_PAREN:
            depth += 1
            deepest = max(deepest, depth)
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
        elif token.token_type is TokenType.STRING and len(token.text) > limits.literal_length:
            raise GuardRefusal(
                "literal_too_long", f"Ein Text in der Abfrage hat mehr als {limits.literal_length} Zeichen.", "Kürzen Sie ihn."
            )
    if deepest > limits.depth or len(tokens) > limits.nodes:
        raise GuardRefusal("too_large", "Die Abfrage ist zu groß oder zu tief verschachtelt.", "Teilen Sie sie auf.")


def _parse(sql: str) -> exp.Select | exp.Union:
    try:
        trees = [tree for tree in sqlglot.parse(sql, dialect="duckdb") if tree is not None]
    except SqlglotError:
        raise GuardRefusal(
            "not_readable", "Die Abfrage ist kein lesbares SQL.", "Prüfen Sie Klammern, Kommas und Anführungszeichen."
        ) from None
    if len(trees) != 1:
        raise GuardRefusal("several_statements", "Es sind mehrere Anweisungen.", _ONLY_SELECT)
    tree = trees[0]
    while isinstance(tree, exp.Subquery) and not tree.alias and set(_arguments(tree)) == {"this"}:
        tree = tree.this
    if not isinstance(tree, exp.Select | exp.Union):
        if type(tree) in WITHOUT_PROVENANCE:
            raise _without_provenance(WITHOUT_PROVENANCE[type(tree)])
        raise GuardRefusal("not_a_select", "Die Anweisung ist kein SELECT.", _ONLY_SELECT)
    return tree


def _check_tree(tree: exp.Expr, tables: Mapping[str, VisibleTable], limits: SqlLimits) -> None:
    nodes = list(tree.walk())
    if len(nodes) > 2 * limits.nodes:
        raise GuardRefusal("too_large", "Die Abfrage ist zu groß.", "Teilen Sie sie auf.")
    _check_names(tree, tables)
    # What is dangerous is refused before what only lacks evidence, so that a mixture of both is called unsafe.
    for node in nodes:
        if type(node) not in ALLOWED and type(node) not in WITHOUT_PROVENANCE:
            raise GuardRefusal("construct", f"{_name_of(node)} ist nicht erlaubt.", "Verwenden Sie nur einfache SELECT-Formen.")
    joins = sum(isinstance(node, exp.Join) for node in nodes)
    if joins > limits.joins:
        raise GuardRefusal(
            "too_many_joins", f"Die Abfrage verbindet mehr als {limits.joins + 1} Tabellen.", "Teilen Sie sie auf."
        )
    for node in nodes:
        if type(node) in WITHOUT_PROVENANCE:
            raise _without_provenance(WITHOUT_PROVENANCE[type(node)])
        _check_arguments(node)
        if isinstance(node, exp.Limit | exp.Offset) and not _is_count(node.expression):
            raise GuardRefusal(
                "limit_not_literal", "LIMIT und OFFSET müssen ganze Zahlen sein.", "Schreiben Sie zum Beispiel LIMIT 10."
            )


def _check_arguments(node: exp.Expr) -> None:
    allowed = ARGUMENTS.get(type(node), PLAIN_ARGUMENTS)
    for name in _arguments(node):
        if name in allowed:
            continue
        if name in ARGUMENT_NAMES:
            raise _without_provenance(ARGUMENT_NAMES[name])
        raise GuardRefusal(
            "construct", f"Ein Zusatz zu {_name_of(node)} ist nicht erlaubt.", "Verwenden Sie nur einfache SELECT-Formen."
        )


def _arguments(node: exp.Expr) -> list[str]:
    return [name for name, value in node.args.items() if value is not None and value is not False and value != []]


def _check_names(tree: exp.Expr, tables: Mapping[str, VisibleTable]) -> None:
    """Tables only from the scope or from a CTE; no CTE and no alias that is named like another table."""
    queries = set()
    for cte in tree.find_all(exp.CTE):
        if cte.alias.lower() in tables or (cte.alias.lower().partition("_")[2] in tables and _VIEW_NAME.match(cte.alias)):
            raise GuardRefusal(
                "name_taken",
                f"Der Name {shown(cte.alias)} gehört einer Tabelle.",
                "Geben Sie der WITH-Abfrage einen anderen Namen.",
            )
        if cte.alias.startswith("_"):
            raise GuardRefusal("reserved_name", "Namen dürfen nicht mit „_“ beginnen.", "Wählen Sie einen anderen Namen.")
        queries.add(cte.alias.lower())
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier):
            raise GuardRefusal("table_function", "Tabellenfunktionen sind nicht erlaubt.", _SEE_TABLES)
        name = table.name.lower()
        if table.args.get("db") or table.args.get("catalog") or (name not in tables and name not in queries):
            raise GuardRefusal("unknown_table", f"Die Tabelle {shown(table.name)} gibt es nicht.", _SEE_TABLES)
        alias = table.alias.lower()
        if alias and alias != name and (alias in tables or alias in queries):
            raise GuardRefusal(
                "name_taken", f"Der Name {shown(table.alias)} gehört einer Tabelle.", "Wählen Sie einen anderen Alias."
            )
    for subquery in tree.find_all(exp.Subquery):
        if subquery.alias.lower() in tables or subquery.alias.lower() in queries:
            raise GuardRefusal(
                "name_taken", f"Der Name {shown(subquery.alias)} gehört einer Tabelle.", "Wählen Sie einen anderen Alias."
            )


def _star_columns(table: VisibleTable, tree: exp.Expr) -> dict[str, str]:
    """A star stands for the visible columns only, so with one the ends of periods cannot be named in the same statement."""
    columns = usable_columns(table)
    if not any(isinstance(star.parent, exp.Select | exp.Column) for star in tree.find_all(exp.Star)):
        return columns
    return {name: kind for name, kind in columns.items() if not name.startswith("_")}


def _qualify(tree: exp.Select | exp.Union, schema: dict[str, dict[str, str]]) -> exp.Select | exp.Union:
    try:
        qualified = qualify(tree.copy(), schema={name: dict(columns) for name, columns in schema.items()}, dialect="duckdb")
    except SqlglotError as error:
        raise GuardRefusal(
            "unknown_column", f"Ein Name der Abfrage ist unbekannt oder mehrdeutig{_column_of(error)}.", _SEE_TABLES
        ) from None
    except (KeyError, ValueError, AttributeError, TypeError, IndexError):
        raise GuardRefusal("not_readable", "Die Abfrage lässt sich nicht auflösen.", "Vereinfachen Sie sie.") from None
    assert isinstance(qualified, exp.Select | exp.Union)
    return qualified


def _column_of(error: SqlglotError) -> str:
    text = str(error)
    start = text.find("'")
    end = text.find("'", start + 1)
    return f": {shown(text[start + 1 : end])}" if 0 <= start < end else ""


def _check_columns_named(tree: exp.Expr) -> None:
    """After resolving: no star is left in a select list (COUNT(*) aside)."""
    for star in tree.find_all(exp.Star):
        if not isinstance(star.parent, exp.Count):
            raise GuardRefusal("star_unresolved", "Der Stern ließ sich nicht auflösen.", "Nennen Sie die Spalten.")


def _is_count(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit() and len(node.name) < 10


def _name_of(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return f"Die Funktion {shown(node.name)}"
    if isinstance(node, exp.Func):
        return f"Die Funktion {node.sql_name()}"
    return f"Das Sprachmittel {type(node).__name__}"


def _without_provenance(name: str) -> NoProvenance:
    return NoProvenance(
        "form",
        f"Für {name} lässt sich nicht angeben, aus welchen Zellen die Werte stammen.",
        "Formulieren Sie die Abfrage ohne dieses Mittel.",
    )


def _headings(tree: exp.Select | exp.Union, qualified: exp.Select | exp.Union) -> tuple[str, ...]:
    written, resolved = tree.selects, qualified.selects
    names = [one.alias_or_name for one in resolved]
    if len(written) == len(resolved):
        texts = [one.sql(dialect="duckdb", comments=False) for one in written]
        names = [text[:_LONGEST_HEADING] if name.startswith("_col_") else name for name, text in zip(names, texts, strict=True)]
    return tuple(names)
