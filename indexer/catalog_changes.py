"""The changes of the catalogue, each inside a write transaction that the caller opened and each with its event."""

from __future__ import annotations

import json
import unicodedata
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from sqlalchemy import Connection, func, select, update

from indexer import catalog_schema as schema
from indexer.catalog_errors import (
    AmbiguousVersion,
    BadOption,
    LabelTaken,
    MissingLevel,
    TenantPlaceTaken,
    UnknownDocument,
    UnknownSheet,
    UnknownVersion,
)
from indexer.places import place_name
from indexer.sql_names import sql_name_for
from indexer.stored import Kind, Version, VersionStatus
from indexer.table_json import encode_notes, encode_problems, encode_table
from parsers.fold import fold
from parsers.problem import Problem
from parsers.table import Table


@dataclass(frozen=True)
class NewSheet:
    """`access_level` None: the file's. `cells`: path of its cell cache, relative to the tenant's place."""

    name: str | None
    hidden: bool
    access_level: str | None
    notes: tuple[str, ...]
    cells: str


@dataclass(frozen=True)
class NewTable:
    """`sheet`: index into NewVersion.sheets (from 0). `segment`: path relative to the tenant's place."""

    table: Table
    sheet: int
    segment: str
    segment_sha256: str


@dataclass(frozen=True)
class NewVersion:
    """What one ingest hands to the catalogue. `label` None: the next free number."""

    tenant: str
    document: str
    sha256: str
    original: str
    access_level: str
    kind: Kind
    locale: str
    label: str | None
    date: date | None
    status: VersionStatus | None
    sheets: tuple[NewSheet, ...]
    tables: tuple[NewTable, ...]
    problems: tuple[Problem, ...]
    by: str


def new_id() -> str:
    return uuid.uuid4().hex


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
    place = place_name(tenant)
    row = connection.execute(select(schema.tenant.c.name).where(schema.tenant.c.place == place)).scalar()
    if row == tenant:
        return
    if row is not None:
        raise TenantPlaceTaken(tenant, row)
    now = datetime.now(UTC)
    connection.execute(schema.tenant.insert().values(name=tenant, place=place, revision=0, created_at=now))
    _note(connection, tenant, now, by, "create_tenant", None, None, {"place": place})


def authorize(connection: Connection, version: Version, by: str, at: datetime) -> None:
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
    _note(connection, version.tenant, at, by, "authorize", version.document, version.version_id, detail)


def remove(connection: Connection, versions: Sequence[Version], by: str, at: datetime) -> None:
    for version in versions:
        take_tenant(connection, version.tenant)
        connection.execute(
            update(schema.version)
            .where(schema.version.c.version_id == version.version_id)
            .values(live_sha256=None, removed_at=at, removed_by=by, binding=False, authorized_by=None, authorized_at=None)
        )
        detail = {"label": version.label, "was_binding": version.binding}
        _note(connection, version.tenant, at, by, "remove", version.document, version.version_id, detail)


def set_level(connection: Connection, versions: Sequence[Version], level: str, sheet: str | None, by: str, at: datetime) -> None:
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
    _note(connection, first.tenant, at, by, "set_level", first.document, None, {"level": level, "sheet": sheet})


def clean_level(level: str) -> str:
    """Raises BadOption on an empty level, which would open a sheet to nobody or, worse, to everybody."""
    cleaned = unicodedata.normalize("NFC", level).strip()
    if not cleaned or "," in cleaned or len(cleaned) > 100:
        raise BadOption("Zugriffsstufe", level, "ein Name mit bis zu 100 Zeichen ohne Komma")
    return cleaned


def add_version(connection: Connection, new: NewVersion, at: datetime) -> str:
    """Makes a version visible and gives its id; if its content is live already (another process was faster), that one's.

    A sheet without a declared level keeps the own level that it had in the document's latest live version: a new upload must
    not open what a person closed. Raises LabelTaken, MissingLevel."""
    take_tenant(connection, new.tenant)
    version = schema.version
    known = connection.execute(
        select(version.c.version_id).where(version.c.tenant == new.tenant, version.c.live_sha256 == new.sha256)
    ).scalar()
    if known is not None:
        return str(known)
    document_id = _document_id(connection, new.tenant, new.document)
    sheets, inherited = _with_inherited_levels(connection, new, document_id)
    number, label = _number_and_label(connection, document_id, new)
    version_id = new_id()
    connection.execute(
        version.insert().values(
            version_id=version_id,
            tenant=new.tenant,
            document_id=document_id,
            number=number,
            label=label,
            date=new.date,
            status=new.status,
            binding=False,
            ingested_at=at,
            ingested_by=new.by,
            ingested_as=new.document,
            sha256=new.sha256,
            live_sha256=new.sha256,
            original=new.original,
            access_level=new.access_level,
            kind=new.kind,
            locale=new.locale,
            problems=encode_problems(new.problems + inherited),
        )
    )
    for position, sheet in enumerate(sheets):
        connection.execute(
            schema.sheet.insert().values(
                version_id=version_id,
                position=position,
                tenant=new.tenant,
                name=sheet.name,
                hidden=sheet.hidden,
                access_level=sheet.access_level,
                notes=encode_notes(sheet.notes),
                cells=sheet.cells,
            )
        )
    names = _sql_names(connection, new, document_id)
    for position, table in enumerate(new.tables):
        connection.execute(
            schema.table_version.insert().values(
                table_id=new_id(),
                tenant=new.tenant,
                version_id=version_id,
                position=position,
                sheet_position=table.sheet,
                sql_name=names[table.table.name],
                metadata=encode_table(table.table),
                segment=table.segment,
                segment_sha256=table.segment_sha256,
            )
        )
    _note(connection, new.tenant, at, new.by, "ingest", new.document, version_id, {"label": label, "sha256": new.sha256})
    return version_id


def note_known(connection: Connection, version: Version, given_name: str, by: str, at: datetime) -> None:
    """Records that somebody brought content that was there already."""
    detail = {"given_name": given_name, "sha256": version.sha256}
    _note(connection, version.tenant, at, by, "ingest_known", version.document, version.version_id, detail)


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


def _document_id(connection: Connection, tenant: str, name: str) -> str:
    table = schema.document
    found = connection.execute(select(table.c.document_id).where(table.c.tenant == tenant, table.c.name == name)).scalar()
    if found is not None:
        return str(found)
    document_id = new_id()
    connection.execute(table.insert().values(document_id=document_id, tenant=tenant, name=name))
    return document_id


def _with_inherited_levels(
    connection: Connection, new: NewVersion, document_id: str
) -> tuple[tuple[NewSheet, ...], tuple[Problem, ...]]:
    version, table = schema.version, schema.sheet
    latest = select(func.max(version.c.number)).where(version.c.document_id == document_id, version.c.removed_at.is_(None))
    rows = connection.execute(
        select(table.c.name, table.c.access_level)
        .join(version, version.c.version_id == table.c.version_id)
        .where(version.c.document_id == document_id, version.c.number == latest.scalar_subquery())
    ).all()
    before = {row.name: row.access_level for row in rows if row.access_level is not None}
    sheets: list[NewSheet] = []
    problems: list[Problem] = []
    for index, sheet in enumerate(new.sheets):
        if sheet.access_level is None and sheet.name in before:
            sheet = replace(sheet, access_level=before[sheet.name])
            problems.append(
                Problem(
                    code="sheet_level_inherited",
                    where=f"{new.document}, Tabellenblatt „{sheet.name}“",
                    message=f"Die Zugriffsstufe „{sheet.access_level}“ wurde von der vorigen Version übernommen.",
                    hint="Mit --sheet-level geben Sie dem Tabellenblatt eine andere.",
                )
            )
        if sheet.access_level is None and not new.access_level and any(t.sheet == index for t in new.tables):
            raise MissingLevel(new.document, "die Datei" if sheet.name is None else f"das Tabellenblatt „{sheet.name}“")
        sheets.append(sheet)
    return tuple(sheets), tuple(problems)


def _number_and_label(connection: Connection, document_id: str, new: NewVersion) -> tuple[int, str]:
    version = schema.version
    mine = version.c.document_id == document_id
    number = (connection.execute(select(func.max(version.c.number)).where(mine)).scalar() or 0) + 1
    labels = set(connection.execute(select(version.c.label).where(mine, version.c.removed_at.is_(None))).scalars())
    if new.label is not None:
        if new.label in labels:
            raise LabelTaken(new.document, new.label)
        return number, new.label
    free = number
    while str(free) in labels:
        free += 1
    return number, str(free)


def _sql_names(connection: Connection, new: NewVersion, document_id: str) -> dict[str, str]:
    """sql_name by Table.name; names of earlier versions are kept, new ones are registered."""
    table = schema.table_name
    rows = connection.execute(
        select(table.c.sql_name, table.c.name_in_file, table.c.document_id).where(table.c.tenant == new.tenant)
    ).all()
    taken = {row.sql_name for row in rows}
    names = {row.name_in_file: row.sql_name for row in rows if row.document_id == document_id}
    for added in new.tables:
        if added.table.name in names:
            continue
        name = sql_name_for(new.document, added.table.name, taken)
        connection.execute(
            table.insert().values(tenant=new.tenant, sql_name=name, document_id=document_id, name_in_file=added.table.name)
        )
        taken.add(name)
        names[added.table.name] = name
    return names


def _note(
    connection: Connection,
    tenant: str,
    at: datetime,
    by: str,
    action: str,
    document: str | None,
    version_id: str | None,
    detail: Mapping[str, object],
) -> None:
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
