"""The one write that makes an ingested version visible."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import date, datetime

from sqlalchemy import Connection, func, select

from indexer import catalog_schema as schema
from indexer.catalog_changes import note_event, take_tenant
from indexer.catalog_errors import LabelTaken, MissingLevel
from indexer.sql_names import sql_name_for
from indexer.stored import Kind, VersionStatus
from indexer.table_json import encode_notes, encode_problems, encode_table
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
    version_id = _new_id()
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
                table_id=_new_id(),
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
    note_event(connection, new.tenant, at, new.by, "ingest", new.document, version_id, {"label": label, "sha256": new.sha256})
    return version_id


def _document_id(connection: Connection, tenant: str, name: str) -> str:
    table = schema.document
    found = connection.execute(select(table.c.document_id).where(table.c.tenant == tenant, table.c.name == name)).scalar()
    if found is not None:
        return str(found)
    document_id = _new_id()
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


def _new_id() -> str:
    return uuid.uuid4().hex
