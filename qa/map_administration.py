"""Decisions about what columns mean: each changes the tenant's schema map and leaves its event in the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from indexer.stored import StoredTable
from parsers.problem import Problem
from parsers.table import ColumnType
from qa.personal_values import distinct_texts
from qa.problems import BelegError
from qa.relation_findings import repeated_relations, unusable_relations
from qa.wiring import Workspace
from schema_maps.check import check_sheet
from schema_maps.contract import Contract
from schema_maps.known_tables import DocumentTable, SchemaMapError, find_sheet, known_sheets
from schema_maps.layout import SheetReading, maps_for_document, printed_headers, read_sheet
from schema_maps.personal import detect
from schema_maps.propose import Unread
from schema_maps.schema_map import SheetMap
from schema_maps.store import Decision
from schema_maps.technical import is_technical

SAMPLED_VALUES = 2_000
"""First values of a column that the detectors of personal data look at."""


@dataclass(frozen=True)
class Column:
    """A column as a person names it; `sheet` None: the document's only one."""

    document: str
    sheet: str | None
    header: str


def document_tables(workspace: Workspace, tenant: str) -> tuple[DocumentTable, ...]:
    """Every table of every version that counts. Raises indexer's UnknownTenant."""
    workspace.catalog.place(tenant)
    return tuple(DocumentTable(stored.version.document, stored.table) for stored in workspace.catalog.tables(tenant))


def propose_meanings(workspace: Workspace, tenant: str, document: str | None, by: str) -> tuple[Unread, ...]:
    """Stores a proposal for every technical header without one; gives the headers that cannot be read. Raises SchemaMapError."""
    tables = document_tables(workspace, tenant)
    if document is not None:
        tables = tuple(table for table in tables if table.document == document)
        if not tables:
            find_sheet(known_sheets(document_tables(workspace, tenant)), document, None)  # names the documents there are
    unread = workspace.schema_maps.propose(tenant, tables)
    workspace.schema_maps.propose_personal(tenant, tables, personal_findings(workspace, tenant, document))
    workspace.audit.event("schema_map_propose", tenant, by, {"document": document})
    return unread


def personal_findings(workspace: Workspace, tenant: str, document: str | None) -> dict[tuple[str, str | None, str], str]:
    """(document, sheet, header) -> why the column looks personal, from its header and the first values of its newest version."""
    found: dict[tuple[str, str | None, str], str] = {}
    for stored in workspace.catalog.tables(tenant):
        if stored.table.layout == "tidy" or document not in (None, stored.version.document):
            continue
        for column in stored.table.columns:
            if column.type in (ColumnType.TEXT, ColumnType.INTEGER, ColumnType.DATE):
                values = distinct_texts(stored, column.sql_name, SAMPLED_VALUES)
                if (reason := detect(column.header, values)) is not None:
                    found[stored.version.document, stored.table.sheet, column.header] = reason
    return found


def approve_meaning(workspace: Workspace, tenant: str, column: Column, by: str, decision: Decision) -> tuple[Problem, ...]:
    """Raises SchemaMapError; gives what the checks find."""
    tables = document_tables(workspace, tenant)
    findings = workspace.schema_maps.approve(
        tenant, tables, column.document, column.sheet, column.header, by, datetime.now(UTC), decision
    )
    _note(workspace, "schema_map_approve", tenant, by, column, _said(decision))
    return findings


def approve_proposals(workspace: Workspace, tenant: str, document: str, sheet: str | None, by: str) -> list[Column]:
    """Approves everything that is proposed for a document, or for one sheet of it. Raises BelegError if nothing is."""
    proposed = [
        Column(each.document, each.sheet, column.header)
        for each in workspace.schema_maps.load(tenant).sheets
        if each.document == document and (sheet is None or each.sheet == sheet)
        for column in each.columns
        if column.status == "proposed"
    ]
    if not proposed:
        raise BelegError(f"Für {document} ist nichts vorgeschlagen; 'beleg schema-map propose' macht Vorschläge.")
    for column in proposed:
        approve_meaning(workspace, tenant, column, by, Decision())
    return proposed


def reject_meaning(workspace: Workspace, tenant: str, column: Column, by: str, reason: str) -> None:
    """The column keeps its literal name and is not proposed again. Raises SchemaMapError."""
    tables = document_tables(workspace, tenant)
    workspace.schema_maps.reject(tenant, tables, column.document, column.sheet, column.header, by, datetime.now(UTC), reason)
    _note(workspace, "schema_map_reject", tenant, by, column, {"reason": reason})


def apply_contract(workspace: Workspace, tenant: str, contract: Contract, by: str, source: str) -> tuple[Problem, ...]:
    """Approves a YAML of meanings, relations and synonyms, all of it or nothing. Raises SchemaMapError."""
    tables = document_tables(workspace, tenant)
    mine = contract.for_tenant(tenant)
    if not (mine.schema_map or mine.relations or mine.synonyms):
        raise BelegError(f"{source} sagt nichts über den Mandanten „{tenant}“; den Mandanten oder die Datei prüfen.")
    stored = workspace.catalog.tables(tenant)
    if unusable := unusable_relations(stored, mine):
        raise SchemaMapError(*dict.fromkeys(problem for _, problem in unusable))
    levels = known_levels(stored)
    findings = workspace.schema_maps.apply(tenant, contract, tables, by, datetime.now(UTC), levels)
    workspace.audit.event("schema_map_apply", tenant, by, {"source": source})
    return findings


def known_levels(tables: Sequence[StoredTable]) -> frozenset[str]:
    """Every access level that a file or sheet of these tables has."""
    return frozenset(level for stored in tables for level in (stored.access_level, stored.version.access_level))


def map_findings(workspace: Workspace, tables: Sequence[StoredTable]) -> tuple[list[SheetMap], list[Problem]]:
    """For the tables of one fresh version: the maps it inherits from another document, and what does not fit (header drift)."""
    if not tables:
        return [], []
    version = tables[0].version
    sheets = dict.fromkeys(stored.table.sheet for stored in tables)
    headers = {sheet: printed_headers(stored.table for stored in tables if stored.table.sheet == sheet) for sheet in sheets}
    found = maps_for_document(workspace.schema_maps.load(version.tenant).sheets, version.document, headers)
    levels = known_levels(workspace.catalog.tables(version.tenant))
    problems = [
        problem
        for sheet, sheet_map in found.items()
        for problem in check_sheet(sheet_map, [stored.table for stored in tables if stored.table.sheet == sheet], levels)
    ]
    problems += repeated_relations(tables, workspace.schema_maps.load(version.tenant).relations)
    return [sheet_map for sheet_map in found.values() if sheet_map.inherited_from is not None], problems


def undecided(workspace: Workspace, tables: Sequence[StoredTable]) -> list[str]:
    """The technical headers of one version about which no person has decided; each once, in order."""
    headers: list[str] = []
    for sheet, reading in sheet_readings(workspace, tables).items():
        decided = {column.header for column in reading.source.columns if column.status != "proposed"} if reading.source else set()
        of_sheet = (c.header for stored in tables if stored.table.sheet == sheet for c in stored.table.columns)
        headers += [header for header in of_sheet if is_technical(header) and header not in decided]
    return list(dict.fromkeys(headers))


def sheet_readings(workspace: Workspace, tables: Sequence[StoredTable]) -> dict[str | None, SheetReading]:
    """The schema map as it applies to each sheet of one version; `tables` are all of that version."""
    version = tables[0].version
    headers = _headers(tables)
    maps = maps_for_document(workspace.schema_maps.load(version.tenant).sheets, version.document, headers)
    return {sheet: read_sheet(maps.get(sheet), found) for sheet, found in headers.items()}


def _headers(tables: Sequence[StoredTable]) -> dict[str | None, list[str]]:
    headers: dict[str | None, list[str]] = {}
    for stored in tables:
        headers.setdefault(stored.table.sheet, []).extend(column.header for column in stored.table.columns)
    return headers


def _said(decision: Decision) -> dict[str, str | None]:
    personal = None if decision.personal is None else "ja" if decision.personal else "nein"
    return {"name": decision.name, "unit": decision.unit, "personal": personal}


def _note(workspace: Workspace, event: str, tenant: str, by: str, column: Column, said: dict[str, str | None]) -> None:
    where = {"document": column.document, "sheet": column.sheet, "header": column.header}
    workspace.audit.event(event, tenant, by, where | {key: value for key, value in said.items() if value})
