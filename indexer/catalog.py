"""The catalogue: which documents, versions and tables there are, who may see them, which version is binding.

Reading never waits for an ingest, and what an ingest writes appears in one transaction or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, select
from sqlalchemy.exc import IntegrityError

from indexer import catalog_changes, catalog_engine
from indexer import catalog_schema as schema
from indexer.catalog_errors import UnknownTenant
from indexer.places import TenantPlace
from indexer.stored import AdminEvent, StoredSheet, StoredTable, Version
from indexer.table_json import decode_notes, decode_problems, decode_table
from parsers.problem import Problem
from parsers.table import Table


@dataclass
class Catalog:
    """Use `Catalog.open`. Safe to use from several threads and processes at once."""

    engine: Engine
    root: Path
    _seen: dict[str, tuple[int, tuple[StoredTable, ...]]] = field(default_factory=dict)
    _decoded: dict[str, Table] = field(default_factory=dict)
    _places: dict[str, TenantPlace] = field(default_factory=dict)
    _given_places: Mapping[str, TenantPlace] = field(default_factory=dict)

    @classmethod
    def open(cls, url: str, root: Path, places: Mapping[str, Path] | None = None) -> Catalog:
        """`url` as SQLAlchemy writes it; `root` is the data directory, under which each tenant has `tenants/<its place>` unless
        `places` names another directory for it. Raises CatalogTooNew; sqlalchemy.exc.OperationalError if the database cannot be
        reached."""
        given = {tenant: TenantPlace(place) for tenant, place in (places or {}).items()}
        return cls(catalog_engine.open_engine(url, root), root, _given_places=given)

    def close(self) -> None:
        self.engine.dispose()

    # --- tenants

    def create_tenant(self, tenant: str, by: str = "") -> None:
        """No-op if it is there. Raises BadTenantName, TenantPlaceTaken, BadOption."""
        catalog_changes.clean_person(by)
        try:
            with self.change() as connection:
                catalog_changes.create_tenant(connection, tenant, by)
        except IntegrityError:  # another process was faster: now the tenant, or another at its place, is there
            with self.change() as connection:
                catalog_changes.create_tenant(connection, tenant, by)
        self.place(tenant).create()

    def tenants(self) -> tuple[str, ...]:
        with self.engine.connect() as connection:
            return tuple(connection.execute(select(schema.tenant.c.name).order_by(schema.tenant.c.name)).scalars())

    def revision(self, tenant: str) -> int | None:
        """A number that grows with every change of the tenant; None if there is no such tenant."""
        with self.engine.connect() as connection:
            return _revision(connection, tenant)

    def place(self, tenant: str) -> TenantPlace:
        """Raises UnknownTenant."""
        if tenant not in self._places:  # a tenant's place never changes
            with self.engine.connect() as connection:
                place = connection.execute(select(schema.tenant.c.place).where(schema.tenant.c.name == tenant)).scalar()
            if place is None:
                raise UnknownTenant(tenant, self.tenants())
            self._places[tenant] = self._given_places.get(tenant) or TenantPlace(self.root / "tenants" / place)
        return self._places[tenant]

    # --- reading

    def versions(self, tenant: str, include_removed: bool = False) -> tuple[Version, ...]:
        """By document and number; empty for an unknown tenant."""
        query = _version_query(tenant)
        if not include_removed:
            query = query.where(schema.version.c.removed_at.is_(None))
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
        return tuple(self._versions(tenant, rows).values())

    def version(self, tenant: str, document: str, version: str) -> Version:
        """A live version by label, id or number. Raises UnknownDocument, UnknownVersion, AmbiguousVersion."""
        return catalog_changes.choose_version(self.versions(tenant), tenant, document, version)

    def version_by_content(self, tenant: str, sha256: str) -> Version | None:
        """The live version with this content, whatever its name."""
        return next((version for version in self.versions(tenant) if version.sha256 == sha256), None)

    def tables(self, tenant: str) -> tuple[StoredTable, ...]:
        """All tables of all live versions, by document, version number and place in the file. Read from memory while
        nothing has changed."""
        with self.engine.connect() as connection:
            revision = _revision(connection, tenant)
            if revision is None:
                return ()
            seen = self._seen.get(tenant)
            if seen is not None and seen[0] == revision:
                return seen[1]
            tables = self._read_tables(connection, tenant, schema.version.c.removed_at.is_(None))
        self._seen[tenant] = (revision, tables)
        return tables

    def table(self, tenant: str, table_id: str) -> StoredTable | None:
        """One table version, also of a removed version (old answers are verified against it)."""
        live = next((table for table in self.tables(tenant) if table.table_id == table_id), None)
        if live is not None:
            return live
        with self.engine.connect() as connection:
            found = self._read_tables(connection, tenant, schema.table_version.c.table_id == table_id)
        return found[0] if found else None

    def tables_of_version(self, tenant: str, version_id: str) -> tuple[StoredTable, ...]:
        """All tables of one version, also of a removed one: what the meaning of its columns was read from. () if unknown."""
        with self.engine.connect() as connection:
            return self._read_tables(connection, tenant, schema.table_version.c.version_id == version_id)

    def sheets(self, tenant: str, version_id: str) -> tuple[StoredSheet, ...]:
        with self.engine.connect() as connection:
            versions = self._versions(tenant, connection.execute(_version_query(tenant)).all())
            rows = connection.execute(
                select(schema.sheet)
                .where(schema.sheet.c.tenant == tenant, schema.sheet.c.version_id == version_id)
                .order_by(schema.sheet.c.position)
            ).all()
        root = self.place(tenant).root if rows else self.root
        return tuple(
            StoredSheet(
                version=versions[row.version_id],
                name=row.name,
                hidden=row.hidden,
                access_level=versions[row.version_id].access_level if row.access_level is None else row.access_level,
                notes=decode_notes(row.notes),
                cells=root / row.cells,
            )
            for row in rows
        )

    def problems(self, tenant: str, version_id: str) -> tuple[Problem, ...]:
        """What the ingest of this version reported."""
        query = select(schema.version.c.problems).where(
            schema.version.c.tenant == tenant, schema.version.c.version_id == version_id
        )
        with self.engine.connect() as connection:
            text = connection.execute(query).scalar()
        return () if text is None else decode_problems(text)

    def events(self, tenant: str) -> tuple[AdminEvent, ...]:
        """Oldest first."""
        query = select(schema.event).where(schema.event.c.tenant == tenant).order_by(schema.event.c.event_id)
        with self.engine.connect() as connection:
            rows = connection.execute(query).mappings().all()
        return tuple(AdminEvent(**{**row, "detail": json.loads(row["detail"])}) for row in rows)

    def paths_in_use(self, tenant: str, paths: Collection[str]) -> set[str]:
        """Those of the paths, relative to the tenant's place, that a version names, live or removed."""
        with self.engine.connect() as connection:
            return catalog_changes.paths_in_use(connection, tenant, paths)

    # --- changing

    @contextmanager
    def change(self) -> Iterator[Connection]:
        """One write transaction."""
        with catalog_engine.writing(self.engine).begin() as connection:
            yield connection

    def authorize(self, tenant: str, document: str, version: str, by: str) -> Version:
        """Makes one version (label, id or number) the binding one of its document. Raises UnknownTenant, UnknownDocument,
        UnknownVersion, AmbiguousVersion, BadOption."""
        self.place(tenant)
        chosen = self.version(tenant, document, version)
        with self.change() as connection:
            catalog_changes.authorize(connection, chosen, catalog_changes.clean_person(by), datetime.now(UTC))
        return self.version(tenant, document, chosen.version_id)

    def remove(self, tenant: str, document: str, version: str | None = None, *, by: str) -> tuple[Version, ...]:
        """Takes a version, or all versions of a document, out of every answer; the files stay for the proof of old answers.
        Gives what was removed. Raises as `authorize` does."""
        self.place(tenant)
        gone = (
            (self.version(tenant, document, version),)
            if version is not None
            else catalog_changes.versions_of(self.versions(tenant), tenant, document)
        )
        with self.change() as connection:
            catalog_changes.remove(connection, gone, catalog_changes.clean_person(by), datetime.now(UTC))
        return gone

    def set_level(self, tenant: str, document: str, level: str, sheet: str | None = None, *, by: str) -> None:
        """Gives a document (all its live versions), or one sheet of it, another access level. A document's new level leaves
        the sheets' own as they are. Raises UnknownTenant, UnknownDocument, UnknownSheet, BadOption."""
        self.place(tenant)
        versions = catalog_changes.versions_of(self.versions(tenant), tenant, document)
        with self.change() as connection:
            catalog_changes.set_level(connection, versions, level, sheet, catalog_changes.clean_person(by), datetime.now(UTC))

    # --- rows to types

    def _versions(self, tenant: str, rows: Iterable[Row[Any]]) -> dict[str, Version]:
        rows = list(rows)
        root = self.place(tenant).root if rows else self.root
        return {row.version_id: _version(row, root) for row in rows}

    def _read_tables(self, connection: Connection, tenant: str, condition: Any) -> tuple[StoredTable, ...]:
        table_version, version, sheet = schema.table_version, schema.version, schema.sheet
        rows = connection.execute(
            select(
                table_version.c.table_id,
                table_version.c.version_id,
                table_version.c.sql_name,
                table_version.c.segment,
                table_version.c.segment_sha256,
                sheet.c.access_level,
                sheet.c.cells,
            )
            .join(version, version.c.version_id == table_version.c.version_id)
            .join(schema.document, schema.document.c.document_id == version.c.document_id)
            .join(
                sheet,
                (sheet.c.version_id == table_version.c.version_id) & (sheet.c.position == table_version.c.sheet_position),
            )
            .where(table_version.c.tenant == tenant, condition)
            .order_by(schema.document.c.name, version.c.number, table_version.c.position)
        ).all()
        if not rows:
            return ()
        versions = self._versions(tenant, connection.execute(_version_query(tenant)).all())
        metadata = self._metadata(connection, [row.table_id for row in rows])
        root = self.place(tenant).root
        return tuple(
            StoredTable(
                table_id=row.table_id,
                sql_name=row.sql_name,
                version=versions[row.version_id],
                table=metadata[row.table_id],
                access_level=versions[row.version_id].access_level if row.access_level is None else row.access_level,
                segment=root / row.segment,
                segment_sha256=row.segment_sha256,
                cells=root / row.cells,
            )
            for row in rows
        )

    def _metadata(self, connection: Connection, table_ids: list[str]) -> dict[str, Table]:
        """Table metadata never changes, so each is decoded once."""
        unknown = [table_id for table_id in table_ids if table_id not in self._decoded]
        table_version = schema.table_version
        for start in range(0, len(unknown), 500):
            query = select(table_version.c.table_id, table_version.c.metadata).where(
                table_version.c.table_id.in_(unknown[start : start + 500])
            )
            for table_id, text in connection.execute(query):
                self._decoded[table_id] = decode_table(text)
        return {table_id: self._decoded[table_id] for table_id in table_ids}


def _revision(connection: Connection, tenant: str) -> int | None:
    return connection.execute(select(schema.tenant.c.revision).where(schema.tenant.c.name == tenant)).scalar()


def _version_query(tenant: str) -> Select[Any]:
    return (
        select(schema.version, schema.document.c.name.label("document"))
        .join(schema.document, schema.document.c.document_id == schema.version.c.document_id)
        .where(schema.version.c.tenant == tenant)
        .order_by(schema.document.c.name, schema.version.c.number)
    )


def _version(row: Row[Any], root: Path) -> Version:
    return Version(
        tenant=row.tenant,
        document=row.document,
        version_id=row.version_id,
        number=row.number,
        label=row.label,
        date=row.date,
        status=row.status,
        binding=row.binding,
        authorized_by=row.authorized_by,
        authorized_at=row.authorized_at,
        ingested_at=row.ingested_at,
        sha256=row.sha256,
        original=root / row.original,
        access_level=row.access_level,
        kind=row.kind,
        locale=row.locale,
        removed_at=row.removed_at,
        removed_by=row.removed_by,
    )
