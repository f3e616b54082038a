"""What the row index holds of one table version: only the columns and rows that some set of levels may see, under their names.

A view is known by a digest of everything that goes into it. The same digest means the same rows, the same names and the same
vectors; another version, level, column level, row filter or business name gives another one. So nothing stale can be found.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from indexer.stored import StoredTable, Version

FORMAT = 2
"""Raised when texts, features or the rules of selection change: every view is then made again."""


@dataclass(frozen=True)
class ShownColumn:
    """A visible column under the name that people know. `measure`: its numbers are amounts, which are looked up and compared
    but not searched; other numbers name something, such as an article."""

    sql_name: str
    label: str
    unit: str | None
    measure: bool = False

    @property
    def heading(self) -> str:
        return f"{self.label} [{self.unit}]" if self.unit and f"[{self.unit}]" not in self.label else self.label


@dataclass(frozen=True)
class RowView:
    """`stored.table` is reduced to what may be seen; `row_filter` as in indexer.row_filter. `levels`: of a person who sees just
    this; they are no part of the digest, since several sets of levels may see the same. `limit`: tables with more rows than
    this are indexed in part (see indexer.select_rows)."""

    stored: StoredTable
    columns: tuple[ShownColumn, ...]
    row_filter: Mapping[str, tuple[str, ...]]
    levels: frozenset[str]
    limit: int = 500

    @property
    def version(self) -> Version:
        return self.stored.version

    @property
    def level(self) -> str:
        return self.stored.access_level

    @property
    def sheet_name(self) -> str | None:
        return self.stored.table.sheet

    @cached_property
    def key(self) -> str:
        version = self.stored.version
        content = {
            "format": FORMAT,
            "tenant": version.tenant,
            "document": version.document,
            "version": [version.version_id, version.label, version.date.isoformat() if version.date else None],
            "kind": version.kind,
            "level": self.stored.access_level,
            "table": self.stored.table_id,
            "segment": self.stored.segment_sha256,
            "columns": [[column.sql_name, column.label, column.unit, column.measure] for column in self.columns],
            "filter": {name: sorted(values) for name, values in sorted(self.row_filter.items())},
            "limit": self.limit,
        }
        text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]
