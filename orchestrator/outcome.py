"""What running a plan gives: a table of values that know their cells, notices, or a stop. No wording here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from orchestrator.evidence import CellSet, EvidencedValue
from orchestrator.recipe import Recipe
from orchestrator.scope import VisibleTable

AbsentReason = Literal["missing", "not_computable"]
ResultType = Literal["decimal", "integer", "text", "date", "timestamp", "period", "boolean"]
WarningCode = Literal[
    "version_not_binding", "several_versions_agree", "hidden_included", "missing_skipped", "total_differs", "measured_relation",
    "ties_listed", "same_by_two_readings", "read_by_model", "spelling", "rounded", "computed_cell", "not_proved",
    "partial_period", "plain_mean_of_ratios", "mixed_part_missing",
]  # fmt: skip


@dataclass(frozen=True)
class ResultColumn:
    """`unit`: where all rows agree on one. `digits_are_code`: a number that is a name (cost centre 4320): shown without
    separators. `places`: decimal places that the question asks for. `percentage_points`: a difference of percentages."""

    name: str
    type: ResultType
    unit: str | None = None
    digits_are_code: bool = False
    places: int | None = None
    percentage_points: bool = False


@dataclass(frozen=True)
class TracedValue:
    """One value with its evidence, the statements it comes from and how to compute it again from the cells.

    `absent`: None, or why there is no value: "missing" (blank, k. A.), "not_computable" (base of a change or a denominator
    that is zero or, for a change, negative)."""

    evidence: EvidencedValue
    recipe: Recipe | None = None
    queries: tuple[str, ...] = ()
    absent: AbsentReason | None = None

    @property
    def number(self) -> Fraction | None:
        """The value as a fraction; None if it is absent or not a number."""
        value = self.evidence.value
        if isinstance(value, Decimal | Fraction):
            return Fraction(value)
        return None


@dataclass(frozen=True)
class Notice:
    """A warning before it is worded. `kind` picks the sentence where a code has several; `names` are cells, columns, files
    or labels; `counts` numbers of rows; `values` numbers to show, each with its unit."""

    code: WarningCode
    kind: str = ""
    names: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    values: tuple[tuple[Fraction, str | None], ...] = ()


@dataclass(frozen=True)
class StopOption:
    """One way out: a version, unit or value by its label, with the number it would give where there is one."""

    label: str
    value: tuple[Fraction, str | None] | None = None
    text: str | None = None
    kind: Literal["version", "unit", "value"] = "value"


@dataclass(frozen=True)
class Stop:
    """Why there is no answer. `kind` picks the sentence; `names`, `counts`, `values` as in Notice."""

    status: Literal["refused", "clarify"]
    code: str
    kind: str
    names: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    values: tuple[tuple[Fraction, str | None], ...] = ()
    options: tuple[StopOption, ...] = ()


class Stopped(Exception):
    """Raised inside a run to end it; run_plan turns it into an Outcome."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(f"{stop.code}: {stop.kind}")
        self.stop = stop


OutcomeKind = Literal["value", "groups", "group_count", "rows", "existence", "difference", "catalog", "related"]


@dataclass(frozen=True)
class RelatedRow:
    """A row that is like another or fits a text. `values`: what is shown of it, by name; `cells`: all that was compared;
    `similarity`: from -1 or 0 (nothing in common) to 1 (the same), exact or as the measure gives it."""

    title: str
    values: tuple[tuple[ResultColumn, TracedValue], ...]
    cells: tuple[CellSet, ...]
    similarity: Fraction


@dataclass(frozen=True)
class Outcome:
    """Result of a plan. `rows` are those to show, `total_rows` how many there are. `tables`: every table version read, by
    table_id. `stop` is set instead of rows when there is no answer. `queries`: the statements that were run for it.
    `related`: the rows of a question about rows, best first; `compared`: the names of the columns that decided."""

    kind: OutcomeKind
    columns: tuple[ResultColumn, ...] = ()
    rows: tuple[tuple[TracedValue, ...], ...] = ()
    total_rows: int = 0
    truncated: bool = False
    notices: tuple[Notice, ...] = ()
    stop: Stop | None = None
    tables: Mapping[str, VisibleTable] = field(default_factory=dict)
    queries: tuple[str, ...] = ()
    related: tuple[RelatedRow, ...] = ()
    compared: tuple[str, ...] = ()
