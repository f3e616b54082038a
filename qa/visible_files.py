"""The documents and versions of a tenant as far as a person may see something of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from indexer.catalog_errors import UnknownDocument, UnknownVersion
from indexer.diff import Diff, diff_versions
from indexer.stored import Version
from orchestrator.scope import VisibleTable
from parsers.problem import Problem
from qa.person import Person
from qa.sheet_excerpt import may_see_whole_file
from qa.wiring import Workspace

JsonObject = Mapping[str, Any]


@dataclass(frozen=True)
class VisibleVersion:
    """`tables`: those of the version that the person sees, reduced to it. `whole`: nothing of it is kept from them."""

    version: Version
    tables: tuple[VisibleTable, ...]
    whole: bool


def visible_versions(workspace: Workspace, person: Person, document: str | None = None) -> list[VisibleVersion]:
    """By document and number: every version of which the person sees a table, and those without one whose own level they hold."""
    by_version: dict[str, list[VisibleTable]] = {}
    for table in workspace.scope(person.asker).tables:
        by_version.setdefault(table.version.version_id, []).append(table)
    with_tables = {stored.version.version_id for stored in workspace.catalog.tables(person.tenant)}
    found = []
    for version in workspace.catalog.versions(person.tenant):
        if document is not None and version.document != document:
            continue
        tables = tuple(by_version.get(version.version_id, ()))
        if tables or (version.version_id not in with_tables and version.access_level in person.levels):
            found.append(VisibleVersion(version, tables, may_see_whole_file(workspace, person.asker, version)))
    return found


def visible_document(workspace: Workspace, person: Person, document: str) -> list[VisibleVersion]:
    """The versions of one document. Raises UnknownDocument, the same for one that is not open to the person."""
    found = visible_versions(workspace, person, document)
    if not found:
        raise UnknownDocument(person.tenant, document, ())
    return found


def chosen_version(workspace: Workspace, person: Person, document: str, label: str) -> VisibleVersion:
    """A version by its label or id. Raises UnknownDocument, UnknownVersion."""
    for each in visible_document(workspace, person, document):
        if label in (each.version.label, each.version.version_id):
            return each
    raise UnknownVersion(document, label, ())


def visible_tables(workspace: Workspace, person: Person) -> list[dict[str, Any]]:
    """One entry a table over its versions, as far as the person sees it: described by the binding version, else the newest."""
    groups: dict[tuple[str, str], list[VisibleTable]] = {}
    for table in workspace.scope(person.asker).tables:
        groups.setdefault((table.version.document, table.sql_name), []).append(table)
    return [_table_over_versions(versions) for versions in groups.values()]


def _table_over_versions(versions: Sequence[VisibleTable]) -> dict[str, Any]:
    chosen = max(versions, key=lambda each: (each.version.binding, each.version.number))
    described = {"document": chosen.version.document, **_table(chosen)}
    return {**described, "versions": [each.version.label for each in sorted(versions, key=lambda each: each.version.number)]}


def visible_diff(workspace: Workspace, person: Person, document: str, old: str, new: str) -> Diff:
    """The cells that differ, for those who may see all of both versions. Raises UnknownDocument, UnknownVersion."""
    both = [chosen_version(workspace, person, document, label) for label in (old, new)]
    if not all(each.whole for each in both):
        raise UnknownDocument(person.tenant, document, ())
    ids = [each.version.version_id for each in both]
    return diff_versions(workspace.catalog, person.tenant, document, *ids)


def version_report(workspace: Workspace, seen: VisibleVersion) -> dict[str, Any]:
    """What the reading of a version found. Problems are told only to those who see the whole file: they name cells."""
    tables = [each for each in seen.tables if each.stored.table.layout != "tidy"]
    problems = workspace.catalog.problems(seen.version.tenant, seen.version.version_id) if seen.whole else ()
    return {**version_line(seen), "tables": [_table(each) for each in tables], "problems": problems_json(problems)}


def version_line(seen: VisibleVersion) -> dict[str, Any]:
    """One version in a list."""
    version = seen.version
    return {
        "document": version.document,
        "version": version.label,
        "version_id": version.version_id,
        "number": version.number,
        "date": version.date.isoformat() if version.date is not None else None,
        "status": version.status,
        "kind": version.kind,
        "binding": version.binding,
        "authorized_by": version.authorized_by,
        "authorized_at": version.authorized_at.isoformat() if version.authorized_at is not None else None,
        "ingested_at": version.ingested_at.isoformat(),
        "sha256": version.sha256 if seen.whole else None,
        "original": seen.whole,
    }


def problems_json(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    return [{"code": each.code, "where": each.where, "message": each.message, "hint": each.hint} for each in problems]


def _table(table: VisibleTable) -> dict[str, Any]:
    stored = table.stored.table
    return {
        "table": table.sql_name,
        "sheet": stored.sheet,
        "range": stored.range if not table.row_filter else None,
        "layout": stored.layout,
        "rows": stored.data_rows if not table.row_filter else None,
        "columns": [
            {
                "name": column.names[0],
                "header": column.column.header,
                "sql_name": column.sql_name,
                "unit": column.unit,
                "type": column.column.type.value,
            }
            for column in table.columns
        ],
    }
