"""The one composition root: from a directory to everything that works on it. Nothing else puts stores and services together."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from indexer.catalog import Catalog
from qa.audit import AuditLog
from qa.audit_store import AuditStore
from qa.settings import Settings, load_settings, month_and_day
from qa.tracing import NoTracing, Tracing
from schema_maps.store import SchemaMapStore

if TYPE_CHECKING:
    from indexer.stored import StoredTable
    from orchestrator.ask import AskService
    from orchestrator.engine import Engine
    from orchestrator.evidence import EvidencedResult
    from orchestrator.language_model.second_planner import SecondPlanner
    from orchestrator.scope import Asker, Scope, VisibleTable
    from orchestrator.segment_reader import SegmentReader
    from orchestrator.tenant_data import TenantData
    from qa.personal_mask import Masker
    from qa.personal_values import PersonalColumns
    from qa.row_indexes import RowIndexes
    from qa.sessions import LoggedTurns
    from schema_maps.relations import RelationMeter
    from schema_maps.schema_map import TenantMap


_MOST_SCOPES = 64


@dataclass(frozen=True)
class _KnownScope:
    """A scope and what it was built from; the stores give the same objects while nothing has changed."""

    tables: tuple[StoredTable, ...]
    maps: TenantMap
    scope: Scope

    def holds(self, tables: tuple[StoredTable, ...], maps: TenantMap) -> bool:
        return self.tables is tables and self.maps is maps


class Workspace:
    """A workspace that is open, safe for several threads. What only questions need is made with the first one. Close it, or use
    it as a context manager: each tenant's engine is a process of its own."""

    def __init__(
        self,
        settings: Settings,
        catalog: Catalog,
        schema_maps: SchemaMapStore,
        store: AuditStore,
        without: frozenset[str] = frozenset(),
    ) -> None:
        self.settings = settings
        self.without = without
        self.tracing: Tracing = NoTracing()
        self._row_indexes: RowIndexes | None = None
        self.catalog = catalog
        self.schema_maps = schema_maps
        self.audit = AuditLog(store, self.masker)
        self._engines: dict[str, Engine] = {}
        self._meters: dict[str, RelationMeter] = {}
        self._readers: dict[str, SegmentReader] = {}
        self._models: dict[str, SecondPlanner] = {}
        self._scopes: dict[tuple[str, frozenset[str]], _KnownScope] = {}
        self._making = threading.RLock()
        self._scoping = threading.Lock()
        self._talks = tuple(threading.Lock() for _ in range(64))

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the engines and lets go of the catalogue and the log."""
        with self._making:
            for engine in self._engines.values():
                engine.close()
            self._engines.clear()
            if self._row_indexes is not None:
                self._row_indexes.close()
                self._row_indexes = None
        self.catalog.close()
        self.audit.close()

    def talk(self, asker: Asker, session_id: str) -> threading.Lock:
        """The questions of one conversation are answered one after the other: each builds on the one before."""
        return self._talks[hash((asker.tenant, asker.user, session_id)) % len(self._talks)]

    @cached_property
    def _personal(self) -> PersonalColumns:
        from qa.personal_values import PersonalColumns

        return PersonalColumns(self.catalog, self.schema_maps)

    def masker(self, tenant: str, levels: frozenset[str]) -> Masker | None:
        """What masks the log records of a person with these levels; None where they may see personal data or there are none."""
        from qa.personal_mask import Masker

        if levels & self.settings.tenant(tenant).personal_levels:
            return None
        values = self._personal.of(tenant)
        return Masker(values, self.settings.audit_key) if values else None

    @property
    def turns(self) -> LoggedTurns:
        with self._making:
            return self._turns

    @cached_property
    def _turns(self) -> LoggedTurns:
        from qa.sessions import LoggedTurns

        return LoggedTurns(self.audit)

    @property
    def service(self) -> AskService:
        with self._making:
            return self._service

    @cached_property
    def _service(self) -> AskService:
        from orchestrator.ask import AskService

        return AskService(self.tenant_data, self.turns)

    @property
    def row_indexes(self) -> RowIndexes:
        from qa.row_indexes import RowIndexes

        with self._making:
            if self._row_indexes is None:
                self._row_indexes = RowIndexes(self.catalog, self.settings.index, self.scope, self.without)
            return self._row_indexes

    def tenant_data(self, tenant: str) -> TenantData:
        """What the line of a question needs of one tenant."""
        from orchestrator.tenant_data import FiscalYear, TenantData

        settings = self.settings.tenant(tenant)
        return TenantData(
            scope=self.scope,
            select=partial(self.select, tenant),
            all_levels=partial(self.all_levels, tenant),
            fiscal_year=FiscalYear(month_and_day(settings.fiscal_year_start), settings.fiscal_year_named_by),
            reader=self._reader(tenant),
            rows=self.row_indexes.rows(tenant),
            second=self._second_planner(tenant),
        )

    def _second_planner(self, tenant: str) -> SecondPlanner | None:
        """The language model of the tenant, made with the first question; None where none is set."""
        settings = self.settings.tenant(tenant).llm
        if settings is None:
            return None
        if tenant not in self._models:
            from orchestrator.language_model.client import OpenAiModel
            from orchestrator.language_model.second_planner import SecondPlanner
            from qa.model_spending import SpendingFile
            from qa.reviewed_examples import examples_for

            model = OpenAiModel(settings, tenant, SpendingFile(self.settings.data / "llm_spending.json"))
            reviewed = partial(examples_for, self.audit, most=settings.examples)
            self._models[tenant] = SecondPlanner(model, settings, reviewed)
        return self._models[tenant]

    def scope(self, asker: Asker) -> Scope:
        """What this person may see now; built anew when a table, a version or a schema map of the tenant has changed."""
        tables, maps = self.catalog.tables(asker.tenant), self.schema_maps.load(asker.tenant)
        known = self._scopes.get((asker.tenant, asker.levels))
        if known is None or not known.holds(tables, maps):
            with self._scoping:  # of several that wait for the same scope, one builds it
                known = self._scopes.get((asker.tenant, asker.levels))
                if known is None or not known.holds(tables, maps):
                    known = self._build_scope(asker, tables, maps)
        return replace(known.scope, asker=asker)

    def _build_scope(self, asker: Asker, tables: tuple[StoredTable, ...], maps: TenantMap) -> _KnownScope:
        from orchestrator.build_scope import build_scope
        from schema_maps.relations import RelationMeter

        meter = self._meters.setdefault(asker.tenant, RelationMeter())
        known = _KnownScope(tables, maps, build_scope(asker, tables, maps, meter=meter))
        if len(self._scopes) >= _MOST_SCOPES:
            self._scopes.clear()
        self._scopes[asker.tenant, asker.levels] = known
        return known

    def all_levels(self, tenant: str) -> frozenset[str]:
        """Every level that opens a file, a sheet, a column or rows of this tenant."""
        tables = self.catalog.tables(tenant)
        maps = self.schema_maps.load(tenant).sheets
        of_files = {level for stored in tables for level in (stored.access_level, stored.version.access_level)}
        of_maps = {
            level for each in maps for levels in (each.levels, *(column.levels for column in each.columns)) for level in levels
        }
        return frozenset(of_files | of_maps)

    def select(
        self,
        tenant: str,
        sql: str,
        tables: Sequence[VisibleTable],
        *,
        with_totals: bool = False,
        visible_rows_only: bool = False,
        prove: bool = True,
        row_limit: int | None = None,
    ) -> EvidencedResult:
        """orchestrator.run_context.SelectRunner on the tenant's own engine, within the limits of the settings."""
        from orchestrator.guard_rules import SqlLimits
        from orchestrator.run_select import ROW_LIMIT, run_select

        named = {table.sql_name: table for table in tables}
        names = frozenset(named)
        return run_select(
            sql,
            named,
            self.engine(tenant),
            limits=SqlLimits(seconds=float(self.settings.limits.query_seconds)),
            with_totals=names if with_totals else frozenset(),
            visible_rows_only=names if visible_rows_only else frozenset(),
            prove=prove,
            row_limit=ROW_LIMIT if row_limit is None else row_limit,
        )

    def _reader(self, tenant: str) -> SegmentReader:
        from orchestrator.segment_reader import SegmentReader

        return self._readers.setdefault(tenant, SegmentReader())

    def engine(self, tenant: str) -> Engine:
        """The tenant's own, started when it is first wanted."""
        from orchestrator.engine import Engine, EngineLimits

        with self._making:
            if tenant not in self._engines:
                limits = EngineLimits(query_bytes=self.settings.limits.query_memory_mb * 1_000_000)
                self._engines[tenant] = Engine(limits, self._reader(tenant))
            return self._engines[tenant]


def open_workspace(
    root: Path, environment: Mapping[str, str] | None = None, without: frozenset[str] = frozenset()
) -> Workspace:
    """Raises SettingsError, and refuses two tenants in one place, also one that only the catalogue knows. `environment`: that of
    the process unless another is given. `without`: features of the search in rows that are left out."""
    settings = load_settings(root, environment)
    places = {name: settings.tenant(name).data_dir for name in settings.sections}
    catalog = Catalog.open(settings.catalog_url, settings.data, places)
    settings.check_places(catalog.tenants())
    store = AuditStore(settings.audit_url, settings.audit_checkpoint, settings.audit_key)
    return Workspace(settings, catalog, SchemaMapStore(settings.data / "schema_maps"), store, without)
