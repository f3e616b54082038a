"""The changes of the catalogue, each inside a write transaction that the caller opened and each with its event."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, select, update

from indexer import catalog_schema as schema
from indexer.catalog_errors import (
    AmbiguousVersion,
    BadOption,
    TenantPlaceTaken,
    UnknownDocument,
    UnknownSheet,
    UnknownVersion,
)
from indexer.places import place_name
from indexer.stored import Version
from parsers.fold import fold

LONGEST_PERSON = 200
LONGEST_NAME = 255
"""Characters of the name of a file or a sheet: what the catalogue's columns hold."""


def document_name(path_or_name: str) -> str:
    """Base name in NFC: file systems hand out umlauts in either form."""
    return unicodedata.normalize("NFC", path_or_name.replace("\\", "/").rsplit("/", 1)[-1])


# --- choosing


def versions_of(versions: Iterable[Version], tenant: str, document: str) -> tuple[Version, ...]:
    """Raises UnknownDocument."""
    versions = tuple(versions)
    name = document_name(document)
    found = tuple(version for version in versions if version.document == name)
    if not found:
        raise UnknownDocument(tenant, document, {version.document for version in versions})
    return found


def choose_version(versions: Iterable[Version], tenant: str, document: str, asked: str) -> Version:
    """By id, else by exact label, else by label whatever its case and umlauts, else by number. Raises UnknownDocument,
    UnknownVersion, AmbiguousVersion."""
    candidates = versions_of(versions, tenant, document)
    for found in (
        [v for v in candidates if v.version_id == asked],
        [v for v in candidates if v.label == asked],
        [v for v in candidates if fold(v.label) == fold(asked)],
        [v for v in candidates if str(v.number) == asked.strip()],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise AmbiguousVersion(document, asked, [v.version_id for v in found])
    raise UnknownVersion(document, asked, [v.label for v in candidates])


# --- changing


def create_tenant(connection: Connection, tenant: str, by: str) -> None:
    """No-op if it is there. Raises BadTenantName, TenantPlaceTaken."""
    place = place_name(tenant)
    row = connection.execute(select(schema.tenant.c.name).where(schema.tenant.c.place == place)).scalar()
    if row == tenant:
        return
    if row is not None:
        raise TenantPlaceTaken(tenant, row)
    now = datetime.now(UTC)
    connection.execute(schema.tenant.insert().values(name=tenant, place=place, revision=0, created_at=now))
    note_event(connection, tenant, now, by, "create_tenant", None, None, {"place": place})


def authorize(connection: Connection, version: Version, by: str, at: datetime) -> None:
    """Makes a version the binding one of its document, in place of any other."""
    take_tenant(connection, version.tenant)
    table = schema.version
    document_id = select(table.c.document_id).where(table.c.version_id == version.version_id).scalar_subquery()
    before = connection.execute(
        select(table.c.version_id).where(table.c.document_id == document_id, table.c.binding.is_(True))
    ).scalar()
    connection.execute(
        update(table)
        .where(table.c.document_id == document_id, table.c.binding.is_(True))
        .values(binding=False, authorized_by=None, authorized_at=None)
    )
    connection.execute(
        update(table).where(table.c.version_id == version.version_id).values(binding=True, authorized_by=by, authorized_at=at)
    )
    detail = {"label": version.label, "before": before}
    note_event(connection, version.tenant, at, by, "authorize", version.document, version.version_id, detail)


def remove(connection: Connection, versions: Sequence[Version], by: str, at: datetime) -> None:
    """Takes versions out of every answer; their rows stay, marked."""
    for version in versions:
        take_tenant(connection, version.tenant)
        connection.execute(
            update(schema.version)
            .where(schema.version.c.version_id == version.version_id)
            .values(live_sha256=None, removed_at=at, removed_by=by, binding=False, authorized_by=None, authorized_at=None)
        )
        detail = {"label": version.label, "was_binding": version.binding}
        note_event(connection, version.tenant, at, by, "remove", version.document, version.version_id, detail)


def set_level(connection: Connection, versions: Sequence[Version], level: str, sheet: str | None, by: str, at: datetime) -> None:
    """Another level for versions of one document, or for one of their sheets. Raises UnknownSheet, BadOption."""
    level = clean_level(level)
    first = versions[0]
    ids = [version.version_id for version in versions]
    take_tenant(connection, first.tenant)
    if sheet is None:
        connection.execute(update(schema.version).where(schema.version.c.version_id.in_(ids)).values(access_level=level))
    else:
        table = schema.sheet
        names = connection.execute(select(table.c.name).where(table.c.version_id.in_(ids)).order_by(table.c.position)).scalars()
        known = tuple(dict.fromkeys(name for name in names if name is not None))
        if sheet not in known:
            raise UnknownSheet(first.document, [sheet], known)
        connection.execute(update(table).where(table.c.version_id.in_(ids), table.c.name == sheet).values(access_level=level))
    note_event(connection, first.tenant, at, by, "set_level", first.document, None, {"level": level, "sheet": sheet})


def clean_level(level: str) -> str:
    """Raises BadOption on an empty level, which would open a sheet to nobody or, worse, to everybody."""
    cleaned = unicodedata.normalize("NFC", level).strip()
    if not cleaned or "," in cleaned or len(cleaned) > 100:
        raise BadOption("Zugriffsstufe", level, "ein Name mit bis zu 100 Zeichen ohne Komma")
    return cleaned


def clean_person(by: str) -> str:
    """Who did it, as the catalogue keeps it. Raises BadOption."""
    if len(by) > LONGEST_PERSON or "\x00" in by:
        raise BadOption("Name der Person", f"{by[:40]}…", f"ein Name mit bis zu {LONGEST_PERSON} Zeichen")
    return by


def note_known(connection: Connection, version: Version, given_name: str, by: str, at: datetime) -> None:
    """Records that somebody brought content that was there already."""
    detail = {"given_name": given_name, "sha256": version.sha256}
    note_event(connection, version.tenant, at, by, "ingest_known", version.document, version.version_id, detail)


def paths_in_use(connection: Connection, tenant: str, paths: Collection[str]) -> set[str]:
    """Those of the paths (relative to the tenant's place) that a version, live or removed, names."""
    used: set[str] = set()
    for table, column in (
        (schema.version, schema.version.c.original),
        (schema.sheet, schema.sheet.c.cells),
        (schema.table_version, schema.table_version.c.segment),
    ):
        used.update(connection.execute(select(column).where(table.c.tenant == tenant, column.in_(paths))).scalars())
    return used


def take_tenant(connection: Connection, tenant: str) -> None:
    """Counts the tenant's revision up and, with it, holds the tenant's row: writers of one tenant queue here."""
    connection.execute(update(schema.tenant).where(schema.tenant.c.name == tenant).values(revision=schema.tenant.c.revision + 1))


def note_event(
    connection: Connection,
    tenant: str,
    at: datetime,
    by: str,
    action: str,
    document: str | None,
    version_id: str | None,
    detail: Mapping[str, object],
) -> None:
    """Adds to the record of who changed what and when."""
    connection.execute(
        schema.event.insert().values(
            tenant=tenant,
            at=at,
            by=by,
            action=action,
            document=document,
            version_id=version_id,
            detail=json.dumps(detail, ensure_ascii=False),
        )
    )
