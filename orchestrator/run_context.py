"""What a run reads with: the scope, the chosen versions, the function that runs a SELECT. Tables by name and version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from orchestrator.evidence import EvidencedResult
from orchestrator.outcome import Stop, Stopped
from orchestrator.plan import ColumnRef
from orchestrator.scope import Scope, VisibleColumn, VisibleTable
from orchestrator.search.tenant_rows import TenantRows
from orchestrator.segment_reader import SegmentReader
from parsers.table import Column

ROW_LIMIT = 100_000
"""Most rows that one statement may give to be finished outside the engine."""


class SelectRunner(Protocol):
    """Runs one admitted SELECT over these table versions and gives every value with its cells."""

    def __call__(
        self,
        sql: str,
        tables: Sequence[VisibleTable],
        *,
        with_totals: bool = False,
        visible_rows_only: bool = False,
        prove: bool = True,
        row_limit: int = ROW_LIMIT,
    ) -> EvidencedResult: ...


@dataclass
class Reading:
    """What was read so far in one run: statements in order and table versions by table_id."""

    queries: list[str] = field(default_factory=list)
    tables: dict[str, VisibleTable] = field(default_factory=dict)


@dataclass(frozen=True)
class RunContext:
    """`versions`: document -> version_id to read. `require_proof`: a value that could not be proved stops the answer.
    `reader`: reads the segments outside the engine; `rows`: what is searched by its texts."""

    scope: Scope
    versions: Mapping[str, str]
    select: SelectRunner
    require_proof: bool = True
    reader: SegmentReader = field(default_factory=SegmentReader)
    reading: Reading = field(default_factory=Reading)
    rows: TenantRows | None = None

    def table(self, sql_name: str, version_id: str | None = None, version_of: str | None = None) -> VisibleTable:
        """The chosen version of a table; `version_id` replaces the choice for the document of table `version_of`.
        Stops with not_in_data if this person cannot see it."""
        candidates = [table for table in self.scope.tables if table.sql_name == sql_name]
        for table in candidates:
            document = table.version.document
            wanted = self.versions.get(document)
            if version_id is not None and document == self._document_of(version_of or sql_name):
                wanted = version_id
            if table.version.version_id == wanted or (wanted is None and len(candidates) == 1):
                self.reading.tables[table.stored.table_id] = table
                return table
        raise Stopped(Stop("refused", "not_in_data", "no_table", (sql_name,)))

    def _document_of(self, sql_name: str) -> str | None:
        return next((table.version.document for table in self.scope.tables if table.sql_name == sql_name), None)

    def run(
        self,
        sql: str,
        tables: Sequence[VisibleTable],
        *,
        with_totals: bool = False,
        visible_rows_only: bool = False,
        prove: bool = True,
        row_limit: int = ROW_LIMIT,
    ) -> EvidencedResult:
        """Runs and notes the statement; its result carries the statement as written here, not as the guard spelled it out."""
        result = self.select(
            sql, tables, with_totals=with_totals, visible_rows_only=visible_rows_only, prove=prove, row_limit=row_limit
        )
        self.reading.queries.append(sql)
        return replace(result, sql=sql)

    def run_all(
        self,
        sql: str,
        tables: Sequence[VisibleTable],
        *,
        with_totals: bool = False,
        visible_rows_only: bool = False,
        prove: bool = True,
    ) -> EvidencedResult:
        """Like run, but every row is needed: stops with `limit` when there are more than ROW_LIMIT."""
        result = self.run(
            sql, tables, with_totals=with_totals, visible_rows_only=visible_rows_only, prove=prove, row_limit=ROW_LIMIT
        )
        if result.truncated:
            raise Stopped(Stop("refused", "limit", "too_many_rows", counts=(ROW_LIMIT,)))
        return result


@dataclass(frozen=True)
class TableSet:
    """The table versions that one statement reads, by SQL name."""

    tables: Mapping[str, VisibleTable]

    def visible(self, ref: ColumnRef) -> VisibleColumn:
        """Stops with not_in_data if the column does not exist in this version or for this person."""
        table = self.tables.get(ref.table)
        column = table.column(ref.column) if table is not None else None
        if column is None:
            raise Stopped(Stop("refused", "not_in_data", "no_column", (ref.column,)))
        return column

    def column(self, ref: ColumnRef) -> Column:
        return self.visible(ref).column

    def unit_column(self, ref: ColumnRef) -> ColumnRef | None:
        """The visible column that gives the unit of this one row by row."""
        name = self.column(ref).unit_column
        return ColumnRef(ref.table, name) if name is not None and self.tables[ref.table].column(name) is not None else None

    def all(self) -> tuple[VisibleTable, ...]:
        return tuple(self.tables.values())


def tables_of(context: RunContext, names: Sequence[str], version_id: str | None = None) -> TableSet:
    """The chosen versions of these tables; `version_id` holds for every table of the first one's document."""
    return TableSet({name: context.table(name, version_id, names[0]) for name in dict.fromkeys(names)})
