"""What `beleg tables` shows: every table with its columns as people and SQL may name them, whoever may see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from indexer.stored import StoredTable
from parsers.table import Column
from qa.cli_output import write, write_table
from qa.german_text import TYPE_WORDS, counted
from qa.map_administration import sheet_readings
from qa.wiring import Workspace
from schema_maps.layout import SheetReading
from schema_maps.technical import business_name

JsonObject = Mapping[str, Any]


def list_tables(workspace: Workspace, tenant: str) -> list[dict[str, Any]]:
    """The shape of the contract, one entry a table over its versions: described by the binding version, else the newest.
    Raises indexer's UnknownTenant."""
    workspace.catalog.place(tenant)
    stored = workspace.catalog.tables(tenant)
    groups: dict[tuple[str, str], list[StoredTable]] = {}
    for table in stored:
        groups.setdefault((table.version.document, table.sql_name), []).append(table)
    readings: dict[str, dict[str | None, SheetReading]] = {}
    listed = []
    for versions in groups.values():
        chosen = max(versions, key=lambda each: (each.version.binding, each.version.number))
        version_id = chosen.version.version_id
        if version_id not in readings:
            readings[version_id] = sheet_readings(workspace, [each for each in stored if each.version.version_id == version_id])
        listed.append(_table(chosen, versions, readings[version_id][chosen.table.sheet]))
    return listed


def write_tables(tables: list[dict[str, Any]]) -> None:
    """For people: a heading a table, then its columns."""
    for table in tables:
        place = " ".join(part for part in (table["document"], table["sheet"], table["range"]) if part)
        rows = counted(table["rows"], "Zeile", "Zeilen")
        write(f"{table['table']}: {place}, {rows}, Version {', '.join(table['versions'])}", bold=True)
        write_table(
            ("Name", "Kopf", "in SQL", "Einheit", "Typ", "nur Stufen"),
            [
                (
                    each["name"],
                    each["header"],
                    each["sql_name"],
                    each["unit"] or "",
                    TYPE_WORDS[each["type"]],
                    ", ".join(each["levels"]),
                )
                for each in table["columns"]
            ],
        )
        write()


def _table(chosen: StoredTable, versions: list[StoredTable], reading: SheetReading) -> dict[str, Any]:
    table = chosen.table
    return {
        "tenant": chosen.version.tenant,
        "table": chosen.sql_name,
        "document": chosen.version.document,
        "sheet": table.sheet,
        "range": table.range,
        "rows": table.data_rows,
        "columns": [_column(column, reading) for column in table.columns],
        "versions": [each.version.label for each in versions],
    }


def _column(column: Column, reading: SheetReading) -> dict[str, Any]:
    meaning = reading.meanings.get(column.header)
    return {
        "name": meaning.name if meaning is not None else business_name(column.header, column.name),
        "header": column.header,
        "sql_name": column.sql_name,
        "unit": (meaning.unit if meaning is not None else None) or column.unit,
        "type": column.type.value,
        "levels": sorted({level for levels in reading.guards.get(column.header, ()) for level in levels}),
    }
