"""The guard's allow-lists: which nodes of sqlglot's tree may occur, and which forms have a better message than "not allowed"."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True)
class SqlLimits:
    """Sizes of one statement and of its run.

    `nodes`, `depth`: of the syntax tree; `selects`: SELECTs after CTEs were written out at each use; `joins`: of the whole
    statement; `literal_length`: characters of one text; `statement_length`: characters; `seconds`: wall time of the engine;
    `evidence_rows`: most contributing records over all result rows.
    """

    nodes: int = 6_000
    depth: int = 60
    selects: int = 40
    joins: int = 12
    literal_length: int = 1_000
    statement_length: int = 60_000
    seconds: float = 5.0
    evidence_rows: int = 20_000_000


STRUCTURE: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.Select, exp.Union, exp.From, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset,
        exp.Join, exp.Table, exp.TableAlias, exp.Alias, exp.Column, exp.Identifier, exp.Star, exp.Subquery, exp.Paren,
        exp.With, exp.CTE, exp.Distinct, exp.Filter, exp.Rollup, exp.Window, exp.WindowSpec, exp.Literal, exp.Boolean, exp.Null,
        exp.DataType, exp.DataTypeParam, exp.Tuple, exp.Var,
    }
)  # fmt: skip

OPERATORS: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.In, exp.Between, exp.Like,
        exp.ILike, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.DPipe, exp.Exists, exp.All, exp.Any, exp.Case,
        exp.If, exp.Cast,
    }
)  # fmt: skip

FUNCTIONS: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.Sum, exp.Count, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Coalesce, exp.Nullif, exp.Abs, exp.Round, exp.Floor,
        exp.Ceil, exp.Greatest, exp.Least, exp.Upper, exp.Lower, exp.Trim, exp.Length, exp.Substring, exp.Left, exp.Right,
        exp.Contains, exp.StartsWith, exp.EndsWith, exp.Year, exp.Month, exp.Day, exp.Quarter, exp.Extract, exp.DateTrunc,
        exp.TimestampTrunc, exp.TimeToStr, exp.Lag, exp.Lead, exp.FirstValue,
    }
)  # fmt: skip

ALLOWED = STRUCTURE | OPERATORS | FUNCTIONS

WITHOUT_PROVENANCE: dict[type[exp.Expr], str] = {
    exp.Except: "EXCEPT",
    exp.Intersect: "INTERSECT",
    exp.Pivot: "PIVOT",
    exp.TableSample: "eine Stichprobe (SAMPLE)",
    exp.Lateral: "LATERAL",
    exp.Values: "VALUES",
    exp.GroupConcat: "STRING_AGG",
    exp.Qualify: "QUALIFY",
    exp.Cube: "CUBE",
    exp.GroupingSets: "GROUPING SETS",
    exp.RowNumber: "ROW_NUMBER",
    exp.Rank: "RANK",
    exp.DenseRank: "DENSE_RANK",
    exp.Ntile: "NTILE",
}
"""Harmless forms whose values cannot be traced to cells; everything that is in no list is refused as unsafe."""

ARGUMENTS: dict[type[exp.Expr], frozenset[str]] = {
    kind: frozenset(names.split())
    for kind, names in {
        exp.Select: "with_ expressions distinct from_ joins where group having order limit offset",
        exp.Union: "with_ this expression distinct order limit offset",
        exp.Subquery: "this alias order limit offset",
        exp.Table: "this alias",
        exp.TableAlias: "this columns",
        exp.Join: "this on side kind using",
        exp.CTE: "this alias",
        exp.With: "expressions",
        exp.Group: "expressions rollup all",
        exp.Ordered: "this desc nulls_first",
        exp.Limit: "expression",
        exp.Offset: "expression",
        exp.Distinct: "expressions",
        exp.Star: "",
        exp.Column: "this table shadow",
        exp.Identifier: "this quoted",
        exp.Alias: "this alias",
        exp.Literal: "this is_string",
        exp.Boolean: "this",
        exp.Var: "this",
        exp.Window: "this partition_by order spec over",
        exp.WindowSpec: "kind start start_side end end_side",
        exp.Cast: "this to",
        exp.DataType: "this expressions nested",
        exp.In: "this expressions query",
        exp.Between: "this low high",
        exp.Case: "this ifs default",
        exp.If: "this true false",
        exp.Div: "this expression typed safe",
        exp.Count: "this big_int",
        exp.DPipe: "this expression safe",
        exp.Round: "this decimals",
        exp.Substring: "this start length",
        exp.TimestampTrunc: "this unit",
        exp.DateTrunc: "this unit",
        exp.TimeToStr: "this format",
        exp.Greatest: "this expressions ignore_nulls",
        exp.Least: "this expressions ignore_nulls",
        exp.Lag: "this offset",
        exp.Lead: "this offset",
    }.items()
}
"""Arguments that allowed nodes may have; nodes that are not listed: this, expression, expressions. Whatever else is set would
change the meaning without a node of its own, and is refused."""

PLAIN_ARGUMENTS = frozenset({"this", "expression", "expressions"})

ARGUMENT_NAMES = {
    "pivots": "PIVOT", "sample": "eine Stichprobe (SAMPLE)", "laterals": "LATERAL", "by_name": "UNION BY NAME",
    "method": "ASOF und POSITIONAL JOIN",
    "recursive": "eine rekursive Abfrage", "on": "DISTINCT ON", "qualify": "QUALIFY", "cube": "CUBE",
    "grouping_sets": "GROUPING SETS",
    "windows": "benannte Fenster", "except_": "* EXCLUDE", "replace": "* REPLACE", "rename": "* RENAME",
    "default": "ein Ersatzwert bei LAG und LEAD",
}  # fmt: skip
"""Harmless ones that only lack evidence, with their names for messages."""
