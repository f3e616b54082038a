"""A goldset as frozen types: files, what people have approved about them, and questions with the one right answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Literal

from indexer.stored import Kind, VersionStatus
from schema_maps.contract import Contract

Locale = Literal["de", "en", "pl", "ch"]
Status = Literal["answered", "refused", "clarify", "pending_review"]
Mode = Literal["sql", "rows", "mixed"]


class GoldsetError(Exception):
    """The goldset cannot be used; one sentence that names file, place and what to do."""


@dataclass(frozen=True)
class CorpusFile:
    """One file to read. `path` is absolute; `access_level` None: every sheet has one in `sheet_levels`."""

    path: Path
    tenant: str
    access_level: str | None
    kind: Kind
    version_label: str | None = None
    version_date: date | None = None
    version_status: VersionStatus | None = None
    sheet_levels: Mapping[str, str] = field(default_factory=dict)
    locale: Locale | None = None

    @property
    def label(self) -> str:
        return self.version_label if self.version_label is not None else "1"


@dataclass(frozen=True)
class Binding:
    path: Path
    version: str


@dataclass(frozen=True)
class Source:
    """Expected evidence: `file` is a base name, `sheet` None for CSV, `cells` addresses or ranges; `version` None: any."""

    file: str
    sheet: str | None
    cells: tuple[str, ...]
    version: str | None = None


@dataclass(frozen=True)
class TopRow:
    file: str
    sheet: str | None
    row: int


@dataclass(frozen=True)
class Expectation:
    """`rows` None: no values are compared. A value is text as in the file: a decimal, "num/den", "~6.25", a date, a text."""

    statuses: tuple[Status, ...]
    rows: tuple[tuple[str, ...], ...] | None = None
    ordered: bool = False
    unit: str | None = None
    sources: tuple[Source, ...] | None = None
    code: str | None = None
    top: tuple[TopRow, ...] = ()


@dataclass(frozen=True)
class Case:
    case_id: str
    question: str
    tenant: str
    levels: frozenset[str]
    expect: Expectation
    mode: Mode = "sql"
    after: str | None = None
    asked_on: date | None = None


@dataclass(frozen=True)
class GoldsetSettings:
    fiscal_year_start: str | None = None
    fiscal_year_named_by: Literal["start", "end"] | None = None
    review: str = "log"


@dataclass(frozen=True)
class Goldset:
    """`contract`: the `schema_map`, `relations` and `synonyms` of all tenants."""

    name: str
    path: Path
    corpus: tuple[CorpusFile, ...]
    cases: tuple[Case, ...]
    binding: tuple[Binding, ...] = ()
    contract: Contract = field(default_factory=Contract)
    settings: GoldsetSettings = GoldsetSettings()

    @property
    def tenants(self) -> tuple[str, ...]:
        """In order of first appearance, those of the cases included."""
        return tuple(dict.fromkeys((*(file.tenant for file in self.corpus), *(case.tenant for case in self.cases))))

    def locale_of(self, tenant: str, file: str) -> str:
        """The locale that decides how text of this file reads as a number; "de" where the corpus does not say."""
        return next(
            (entry.locale for entry in self.corpus if entry.locale and (entry.tenant, entry.path.name) == (tenant, file)), "de"
        )

    def chain(self, case: Case) -> tuple[Case, ...]:
        """The cases of one session up to and including this one, in order."""
        known = {each.case_id: each for each in self.cases}
        chain = [case]
        while chain[0].after is not None:
            chain.insert(0, known[chain[0].after])
        return tuple(chain)
