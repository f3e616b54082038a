"""What a question about things says, before it is tied to tables: shown columns, a subject with its conditions, groups."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from orchestrator.plan import Operator
from orchestrator.things.book import Adjective
from orchestrator.things.names import Hit
from orchestrator.things.words import ValueHit

Function = Literal["average", "minimum", "maximum", "sum"]
Measured = Hit | Adjective
"""A column that is named, or an adjective that stands for one ("älter")."""


@dataclass(frozen=True)
class NumberIs:
    """The number meets one of the comparisons."""

    what: Measured
    options: tuple[tuple[Operator, Decimal], ...]


@dataclass(frozen=True)
class NumberBetween:
    """ "zwischen 5000 und 10000", both included."""

    what: Measured
    low: Decimal
    high: Decimal


@dataclass(frozen=True)
class YearIs:
    """The year of the thing meets one of the comparisons. `column`: as named; `verb`: of the event ("eröffnet"), "" if none."""

    options: tuple[tuple[Operator, int], ...]
    column: Hit | None = None
    verb: str = ""


@dataclass(frozen=True)
class ValueIs:
    """One of the values, in the column named, or wherever the values stand. `verb`: a column named behind them."""

    values: tuple[ValueHit, ...]
    column: Hit | None = None
    negated: bool = False


@dataclass(frozen=True)
class NumberBesideAggregate:
    """ "unter dem Durchschnitt", "größer als die durchschnittliche Anzahl": `of` None: of the same column."""

    what: Measured
    operator: Operator
    function: Function
    of: Hit | None = None
    subject: Subject | None = None


@dataclass(frozen=True)
class HasRelated:
    """The thing has others ("Sänger, die Songs mit … haben", "ohne Hund"). `count`: how many of them; `verb`: said by a verb
    alone ("behandelt" of a table of treatments)."""

    things: Hit
    conditions: tuple[Modifier, ...] = ()
    negated: bool = False
    count: tuple[Operator, int] | None = None
    verb: bool = False


@dataclass(frozen=True)
class Best:
    """The one with the most or least: of a column, an adjective, or of related things (`most_of`). `single`: of one row alone."""

    descending: bool
    what: Measured | None = None
    most_of: Hit | None = None
    limit: int = 1
    single: bool = False
    conditions: tuple[Modifier, ...] = ()


@dataclass(frozen=True)
class Sorted:
    """`what` None: by the thing's own name; "count": by the number of things in a group."""

    what: Measured | Literal["count"] | None
    descending: bool


@dataclass(frozen=True)
class Each:
    """ "je Stadt", "in jedem Land": one row for each value or thing."""

    what: Hit


@dataclass(frozen=True)
class Overall:
    """A function said behind what it is about: "wie viele Mitarbeiter … im Durchschnitt haben"."""

    function: Function


Condition = NumberIs | NumberBetween | YearIs | ValueIs | NumberBesideAggregate | HasRelated
Modifier = Condition | Best | Sorted | Each | Overall


@dataclass(frozen=True)
class Subject:
    """The things asked about, None where only their conditions are said ("die Fläche von Alaska")."""

    things: Hit | None
    modifiers: tuple[Modifier, ...] = ()
    distinct: bool = False


@dataclass(frozen=True)
class Show:
    """One shown column. `of`: the thing it belongs to ("den Namen des Hundes"); kinds "thing": what a thing is called; "place",
    "time": the columns that say where or when."""

    kind: Literal["column", "aggregate", "count", "count_distinct", "count_filled", "thing", "adjective", "place", "time"]
    what: Measured | None = None
    function: Function | None = None
    of: Hit | None = None
    verb: str = ""


@dataclass(frozen=True)
class Sense:
    """One reading of the whole question. `group`: a first column that the rest is given for; `having`: how many a group has."""

    shows: tuple[Show, ...]
    subject: Subject
    group: Show | None = None
    distinct: bool = False
    having: tuple[Operator, int] | None = None
