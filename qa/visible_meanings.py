"""The schema map as far as a person sees the columns it speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from orchestrator.scope import VisibleTable
from qa.audit import moment_text
from qa.map_administration import sheet_readings
from qa.person import Person
from qa.wiring import Workspace
from schema_maps.layout import SheetReading, header_key
from schema_maps.schema_map import ColumnMeaning

Place = tuple[str, str | None, str]
"""Document, sheet, header."""


def visible_columns(workspace: Workspace, person: Person) -> dict[Place, VisibleTable]:
    """The printed columns that a person sees, each with a table that holds it; of several versions the binding or newest one."""
    found: dict[Place, VisibleTable] = {}
    tables = [each for each in workspace.scope(person.asker).tables if each.stored.table.layout != "tidy"]
    for table in sorted(tables, key=lambda each: (each.version.binding, each.version.number)):
        for column in table.columns:
            found[table.version.document, table.stored.table.sheet, column.column.header] = table
    return found


def meanings(workspace: Workspace, person: Person, document: str | None = None) -> Iterator[dict[str, Any]]:
    """Every visible column with what is proposed or approved for it."""
    readings: dict[str, dict[str | None, SheetReading]] = {}
    stored = workspace.catalog.tables(person.tenant)
    for (of_document, sheet, header), table in visible_columns(workspace, person).items():
        if document is not None and of_document != document:
            continue
        version_id = table.version.version_id
        if version_id not in readings:
            readings[version_id] = sheet_readings(workspace, [each for each in stored if each.version.version_id == version_id])
        reading = readings[version_id][sheet]
        known = {header_key(column.header): column for column in reading.source.columns} if reading.source is not None else {}
        yield {
            "document": of_document,
            "sheet": sheet,
            "header": header,
            **_meaning(table, header, known.get(header_key(header))),
        }


def _meaning(table: VisibleTable, header: str, known: ColumnMeaning | None) -> dict[str, Any]:
    column = next(each for each in table.columns if each.column.header == header)
    if known is None:
        return {
            "name": column.names[0], "unit": column.unit, "synonyms": [], "aggregation": column.aggregation, "levels": [],
            "personal": False, "status": "literal", "by": None, "at": None, "reason": "",
        }  # fmt: skip
    return {
        "name": known.name,
        "unit": known.unit,
        "synonyms": list(known.synonyms),
        "aggregation": known.aggregation,
        "levels": sorted(known.levels),
        "personal": known.personal,
        "status": known.status,
        "by": known.by,
        "at": moment_text(known.at) if known.at is not None else None,
        "reason": known.reason,
    }
