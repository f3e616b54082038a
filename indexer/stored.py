"""What the catalogue knows, as frozen types.

Segment format (Parquet, one file per table version, never changed after it was written). Columns, in this order:

- one per table column, named by its `sql_name`: DECIMAL -> decimal128(38, scale); INTEGER -> int64, or decimal128(38, 0) where a
  value does not fit; TEXT -> string; DATE -> date32; TIMESTAMP -> timestamp[us]; BOOLEAN -> bool; PERIOD -> string (the label as
  printed) followed by `_from_<sql_name>` and `_to_<sql_name>` (date32, both ends included);
- `_row` int64: the source row (1-based; CSV: physical line);
- `_cell_<sql_name>` string, only where Column.has_cells: the A1 address of each value;
- `_state_<sql_name>` uint8, only where Column.has_unreadable or has_settled: 0 value, 1 missing, 2 unreadable, 3 value of a
  formula without the noise of the stored double;
- `_total` bool, only where Table.has_totals; `_hidden` bool, only where Table.has_hidden_rows.

A missing or unreadable value is NULL in its column.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal

from parsers.table import Table

VersionStatus = Literal["draft", "corrected", "final"]
Kind = Literal["financial", "sales", "hr", "other"]


@dataclass(frozen=True)
class Version:
    """One version of a document. `document` is the file's base name, unique in the tenant; `number` counts from 1.

    `access_level` is "" where every sheet was given its own. `removed_at`, `removed_by`: None while it is live."""

    tenant: str
    document: str
    version_id: str
    number: int
    label: str
    date: date | None
    status: VersionStatus | None
    binding: bool
    authorized_by: str | None
    authorized_at: datetime | None
    ingested_at: datetime
    sha256: str
    original: Path
    access_level: str
    kind: Kind
    locale: str
    removed_at: datetime | None = None
    removed_by: str | None = None


@dataclass(frozen=True)
class StoredTable:
    """One table of one version. `sql_name` is unique in the tenant over documents and the same in all versions of one
    document. `access_level` is the sheet's own level, else the file's. `segment` is the Parquet file, `segment_sha256` its
    digest; `cells` the cell cache of the second reader (see indexer.cell_cache)."""

    table_id: str
    sql_name: str
    version: Version
    table: Table
    access_level: str
    segment: Path
    segment_sha256: str
    cells: Path


@dataclass(frozen=True)
class StoredSheet:
    """One sheet of a version; `name` None for CSV. `access_level` is its own or the file's. `notes`: text in no table."""

    version: Version
    name: str | None
    hidden: bool
    access_level: str
    notes: tuple[str, ...]
    cells: Path


@dataclass(frozen=True)
class AdminEvent:
    """Who changed what and when: action is create_tenant, ingest, ingest_known, authorize, remove or set_level."""

    event_id: int
    tenant: str
    at: datetime
    by: str
    action: str
    document: str | None
    version_id: str | None
    detail: dict[str, Any]
