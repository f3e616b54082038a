"""Frozen types of the schema map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Aggregation = Literal["sum", "stock", "none"]
"""How a number column may be added up: sum: over everything; stock: not over periods (head count, order backlog, balance);
none: never (prices, rates, percentages, codes)."""


@dataclass(frozen=True)
class ColumnMeaning:
    """What one column means.

    `header`: the key, as in parsers.table.Column.header. `levels`: empty: the sheet's level suffices; else level ->
    row filter, a mapping from a header or business name to the values that this level may see (empty: all rows).
    `status`: only approved meanings are used. `by`, `at`: who decided, None while proposed. `personal`: the values say something
    about a person and are masked in logs; that holds from the proposal on, until a person rejects it.
    """

    header: str
    name: str
    unit: str | None = None
    synonyms: tuple[str, ...] = ()
    levels: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    aggregation: Aggregation | None = None
    status: Literal["proposed", "approved", "rejected"] = "proposed"
    by: str | None = None
    at: datetime | None = None
    reason: str = ""
    personal: bool = False


@dataclass(frozen=True)
class SheetMap:
    """The meanings of one sheet's columns. `document` is the base name of the file it was made for; `sheet` None for CSV.

    `headers`: every header that the sheet had when its map was made or that a person has decided on since; a header outside
    is drift. `levels`: level -> row filter (header or business name -> values): such a level alone opens the sheet, reduced to
    these rows. `inherited_from`: the document whose map this one was taken from, None for a map of its own.
    """

    tenant: str
    document: str
    sheet: str | None
    columns: tuple[ColumnMeaning, ...]
    headers: tuple[str, ...] = ()
    levels: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    inherited_from: str | None = None


@dataclass(frozen=True)
class RelationEnd:
    document: str
    sheet: str | None
    header: str


@dataclass(frozen=True)
class Relation:
    """many side -> one side. `approved` by a person, or measured: unique on the one side and every value found there."""

    many: RelationEnd
    one: RelationEnd
    approved: bool
    by: str | None = None
    at: datetime | None = None


@dataclass(frozen=True)
class TenantMap:
    """Everything a tenant has approved: sheet maps, relations, and synonyms (word -> what also means it)."""

    sheets: tuple[SheetMap, ...] = ()
    relations: tuple[Relation, ...] = ()
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
