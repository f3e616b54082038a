"""The plan language: what a question means, as small frozen types. Only plans compile to SQL by default.

A term is one aggregate over one table (and what is joined to it on the one side), so a join never multiplies a measure.
Everything that needs division, comparison of two sides, having, order or a limit is done outside the engine on exact
fractions, over the terms' values.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from parsers.periods import Period

Operator = Literal["<", "<=", ">", ">=", "=", "<>"]


@dataclass(frozen=True)
class ColumnRef:
    """A column by SQL names."""

    table: str
    column: str


# --- conditions: all of a tuple must hold


@dataclass(frozen=True)
class OneOf:
    """Equality or membership by stored value. `negated` keeps rows where the column is blank ("ohne Danzig")."""

    column: ColumnRef
    values: tuple[str | Decimal | date | bool, ...]
    negated: bool = False


@dataclass(frozen=True)
class Compare:
    column: ColumnRef
    operator: Operator
    value: Decimal | date


@dataclass(frozen=True)
class CompareColumns:
    """Row by row: left operator right, both of the term's table."""

    left: ColumnRef
    operator: Operator
    right: ColumnRef


@dataclass(frozen=True)
class Within:
    """Date or timestamp columns: from the first to the end of the last day. Period columns: the row's period lies inside;
    `exact`: it is the very period."""

    column: ColumnRef
    period: Period
    exact: bool = False
    negated: bool = False


@dataclass(frozen=True)
class Missing:
    """The column is blank; `negated`: it is not."""

    column: ColumnRef
    negated: bool = False


@dataclass(frozen=True)
class TextMatch:
    column: ColumnRef
    kind: Literal["begins", "ends", "contains"]
    text: str
    negated: bool = False


@dataclass(frozen=True)
class InRows:
    """Semi-join: the column's value occurs in `inner` among the rows that meet `conditions`; `negated`: anti-join
    ("Kunden ohne Auftrag"), blank inner values ignored. `approved` False: the relation is only measured, the answer warns."""

    column: ColumnRef
    inner: ColumnRef
    conditions: tuple[Condition, ...] = ()
    negated: bool = False
    approved: bool = True


@dataclass(frozen=True)
class HavingIn:
    """The column's value is one whose `term`, grouped by that column, meets the comparison ("Kunden, deren Umsatz über …")."""

    column: ColumnRef
    term: Term
    operator: Operator
    value: Decimal


@dataclass(frozen=True)
class AnyOf:
    """One of several comparisons of the same column ("nach 2013 oder vor 2008", "nicht bezahlt oder erst danach")."""

    column: ColumnRef
    options: tuple[Compare | Missing, ...]


@dataclass(frozen=True)
class CompareAggregate:
    """Left operator right, where right is one aggregate over the rows of `of`'s own table that meet `conditions`
    ("unter dem Durchschnitt")."""

    column: ColumnRef
    operator: Operator
    aggregation: Literal["average", "minimum", "maximum"]
    of: ColumnRef
    conditions: tuple[Condition, ...] = ()


Condition = OneOf | Compare | CompareColumns | Within | Missing | TextMatch | InRows | HavingIn | AnyOf | CompareAggregate

# --- terms


@dataclass(frozen=True)
class Join:
    """An equality join towards the one side; `approved` False: measured only, the answer warns `measured_relation`."""

    many: ColumnRef
    one: ColumnRef
    approved: bool


@dataclass(frozen=True)
class Term:
    """One aggregate, grouped by the plan's `group_by`.

    `columns`: one column; several: their product row by row (quantity times price); none: rows are counted.
    aggregation "value": all rows of a group must hold one and the same value (a look-up that may not add up).
    `version_id`: read this version of the table's document instead of the plan's. `with_totals`: printed total rows are
    kept because a filter names one by its label. `group_by` replaces the plan's (same length), for terms of other tables.
    """

    table: str
    aggregation: Literal["sum", "average", "median", "minimum", "maximum", "count", "count_distinct", "value"]
    columns: tuple[ColumnRef, ...] = ()
    joins: tuple[Join, ...] = ()
    conditions: tuple[Condition, ...] = ()
    group_by: tuple[ColumnRef, ...] | None = None
    version_id: str | None = None
    with_totals: bool = False
    visible_rows_only: bool = False


# --- groups that are no stored value


@dataclass(frozen=True)
class Bucket:
    """What the days of a group column are put together by: a calendar period, or ("age") for how long they are past `as_of`.

    `labels`: for ages, the names of not past, 1-30, 31-60, 61-90 and more than 90 days, in the asker's language."""

    grain: Literal["week", "month", "quarter", "half_year", "year", "age"]
    as_of: date | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Window:
    """What is shown of an output after its groups stand in order: the running total up to each group, each group's share of all
    in percent, or the rank of one group (by `rank_of`, its key; ties share a rank)."""

    kind: Literal["running", "share", "rank"]
    descending: bool = True
    rank_of: tuple[str | Decimal, ...] = ()


@dataclass(frozen=True)
class Conspicuous:
    """Keeps the groups that stand out among all by the first output, and holds each against a bound (see Bound).

    "outlier": beyond Tukey's fences, one and a half interquartile ranges outside the quartiles of all groups; the bound is the
    fence. "more", "less": the first output is a change from the third to the second, and it goes further, or less far, in the
    direction of `side` than that of all groups together; the bound is the change of all together."""

    kind: Literal["outlier", "more", "less"]
    side: Literal["up", "down", "both"]


# --- expressions over terms, evaluated on exact fractions


@dataclass(frozen=True)
class TermValue:
    term: int


@dataclass(frozen=True)
class Arithmetic:
    """left + - * right."""

    operator: Literal["+", "-", "*"]
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Ratio:
    """numerator / denominator, times 100 if `percent`. `kind` "share": the denominator is the whole (its cells are
    `base_sources`)."""

    numerator: Expression
    denominator: Expression
    percent: bool = False
    kind: Literal["ratio", "share"] = "ratio"


@dataclass(frozen=True)
class Change:
    """(new - old) / old * 100 in percent; a base that is zero or negative is "nicht berechenbar"."""

    new: Expression
    old: Expression


@dataclass(frozen=True)
class Divided:
    """An expression divided by a whole number: the mean of `by` cells that stand side by side is their sum, divided."""

    operand: Expression
    by: int


@dataclass(frozen=True)
class Bound:
    """What a conspicuous group is held against: known only when all groups are (see Conspicuous)."""


Expression = TermValue | Arithmetic | Ratio | Change | Divided | Bound


@dataclass(frozen=True)
class Output:
    """A shown column. `unit` None: from the expression's terms. `places`: decimal places the question asks for.
    `convert_to`: unit of the same kind that the question asks for ("in Euro" from TEUR), exact."""

    name: str
    expression: Expression
    unit: str | None = None
    places: int | None = None
    convert_to: str | None = None
    shown: bool = True


@dataclass(frozen=True)
class Having:
    """Keeps groups whose output meets the comparison, with a number or with another output (by index)."""

    output: int
    operator: Operator
    value: Decimal | int
    against_output: bool = False


@dataclass(frozen=True)
class Order:
    """Best first by one output; `limit` keeps that many groups and all that tie with the last (`ties_listed`)."""

    output: int
    descending: bool
    limit: int | None = None


@dataclass(frozen=True)
class AggregatePlan:
    """`group_names`: heading of each group column. `count_groups`: the answer is how many groups remain after `having`.
    `buckets`: for each group column what its values are put together by, None for the stored values; () for none at all.
    `window`: over the first output. `conspicuous`: only groups that stand out among all by the first output."""

    terms: tuple[Term, ...]
    outputs: tuple[Output, ...]
    group_by: tuple[ColumnRef, ...] = ()
    group_names: tuple[str, ...] = ()
    having: tuple[Having, ...] = ()
    order: Order | None = None
    count_groups: bool = False
    buckets: tuple[Bucket | None, ...] = ()
    window: Window | None = None
    conspicuous: Conspicuous | None = None


@dataclass(frozen=True)
class Beside:
    """The row next to the one whose `column` holds `value`: `step` 1 behind it, -1 before it, in sheet order."""

    column: ColumnRef
    value: str
    step: Literal[1, -1]


@dataclass(frozen=True)
class ListPlan:
    """Rows with chosen columns, in sheet order unless `order` says otherwise; `distinct`: the same row of values once.
    `existence`: the answer is ja/yes with the evidence of one row. `from_end`: of the sheet order the last rows. `beside`: only
    the row next to another, whose cell is the shown values' base."""

    table: str
    columns: tuple[ColumnRef, ...]
    names: tuple[str, ...]
    joins: tuple[Join, ...] = ()
    conditions: tuple[Condition, ...] = ()
    distinct: bool = True
    order: tuple[tuple[ColumnRef, bool], ...] = ()
    limit: int | None = None
    existence: bool = False
    from_end: bool = False
    beside: Beside | None = None
    with_totals: bool = False
    visible_rows_only: bool = False


@dataclass(frozen=True)
class DifferencePlan:
    """Cells that differ between two versions of one document, optionally of one table only, one row a cell:
    key, column, old, new."""

    document: str
    from_version: str
    to_version: str
    table: str | None = None


@dataclass(frozen=True)
class CatalogPlan:
    """Names from the scope as rows: which tables, columns (of `table`) or values (of `column`) there are."""

    subject: Literal["tables", "columns", "values"]
    table: str | None = None
    column: ColumnRef | None = None


@dataclass(frozen=True)
class LikenessPlan:
    """The rows that are most like one row of the same table. `anchor`: the conditions that only this row meets. `compared`: the
    number columns of the comparison, by their `shape` (the course over periods, whatever the level) or as a `profile` (each on
    the scale of its column). `title` and `shown`: what is said of each row. `conditions`: which rows may be named at all."""

    table: str
    anchor: tuple[OneOf | Within, ...]
    compared: tuple[ColumnRef, ...]
    measure: Literal["shape", "profile"]
    title: tuple[ColumnRef, ...]
    shown: tuple[ColumnRef, ...]
    conditions: tuple[Condition, ...] = ()
    most: int = 5


@dataclass(frozen=True)
class SearchPlan:
    """The rows whose texts are near a topic. `topic`: as it was said; `variants`: in other words, the said one first. `named`:
    the tables were asked for, and are not just all there are."""

    tables: tuple[str, ...]
    topic: str
    variants: tuple[str, ...]
    named: bool = False


Plan = AggregatePlan | ListPlan | DifferencePlan | CatalogPlan | LikenessPlan | SearchPlan
