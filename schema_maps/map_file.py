"""The stored form of schema maps: one YAML file a document, one file for a tenant's relations and synonyms."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from schema_maps.schema_map import Aggregation, ColumnMeaning, Relation, RelationEnd, SheetMap


def _levels(value: object) -> object:
    """`[hr, vorstand]` stands for levels without a row filter; a single word for a list of one."""
    if isinstance(value, str):
        value = [value] if value else []
    if isinstance(value, list):
        return {level: {} for level in value}
    return value


def _texts(value: object) -> object:
    return ([value] if value else []) if isinstance(value, str) else value


def empty_is_none(value: object) -> object:
    return None if value in ("", "null", "~") else value


def _whole_filter(value: object) -> object:
    """A level without a filter may be written `hr:`."""
    if isinstance(value, dict):
        return {level: {} if rows in ("", None) else rows for level, rows in value.items()}
    return value


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_texts)]
OptionalText = Annotated[Text | None, BeforeValidator(empty_is_none)]
RowFilter = dict[Text, Texts]
LevelsField = Annotated[dict[Text, RowFilter], BeforeValidator(_whole_filter), BeforeValidator(_levels)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ColumnEntry(Strict):
    name: Text
    unit: OptionalText = None
    synonyms: Texts = ()
    levels: LevelsField = Field(default_factory=dict)
    aggregation: Annotated[Aggregation | None, BeforeValidator(empty_is_none)] = None
    status: Literal["proposed", "approved", "rejected"]
    by: OptionalText = None
    at: Annotated[datetime | None, BeforeValidator(empty_is_none)] = None
    reason: str = ""
    personal: bool = False


class SheetEntry(Strict):
    sheet: OptionalText = None
    headers: tuple[str, ...] = ()
    levels: LevelsField = Field(default_factory=dict)
    columns: dict[str, ColumnEntry] = Field(default_factory=dict)


class DocumentFile(Strict):
    tenant: Text
    document: Text
    sheets: tuple[SheetEntry, ...]


class EndEntry(Strict):
    document: Text
    sheet: OptionalText = None
    column: Text


class RelationEntry(Strict):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    many: EndEntry
    one: EndEntry
    by: OptionalText = None
    at: Annotated[datetime | None, BeforeValidator(empty_is_none)] = None


class SynonymEntry(Strict):
    also: Texts
    by: OptionalText = None
    at: Annotated[datetime | None, BeforeValidator(empty_is_none)] = None


class TenantFile(Strict):
    tenant: Text
    relations: tuple[RelationEntry, ...] = ()
    synonyms: dict[Text, SynonymEntry] = Field(default_factory=dict)


# --- file -> types


def sheet_maps(file: DocumentFile) -> tuple[SheetMap, ...]:
    """The maps of one document's file, sheet by sheet."""
    return tuple(
        SheetMap(
            tenant=file.tenant,
            document=file.document,
            sheet=entry.sheet,
            columns=tuple(
                ColumnMeaning(header=header, **{name: getattr(column, name) for name in ColumnEntry.model_fields})
                for header, column in entry.columns.items()
            ),
            headers=entry.headers,
            levels=entry.levels,
        )
        for entry in file.sheets
    )


def relation(entry: RelationEntry) -> Relation:
    many, one = (RelationEnd(end.document, end.sheet, end.column) for end in (entry.many, entry.one))
    return Relation(many, one, approved=True, by=entry.by, at=entry.at)


# --- types -> file


def document_data(tenant: str, document: str, maps: tuple[SheetMap, ...]) -> dict[str, Any]:
    return {"tenant": tenant, "document": document, "sheets": [_sheet_data(sheet_map) for sheet_map in maps]}


def _sheet_data(sheet_map: SheetMap) -> dict[str, Any]:
    return _without_empty(
        {
            "sheet": sheet_map.sheet,
            "headers": list(sheet_map.headers),
            "levels": _level_data(sheet_map.levels),
            "columns": {column.header: _column_data(column) for column in sheet_map.columns},
        }
    )


def _column_data(column: ColumnMeaning) -> dict[str, Any]:
    return _without_empty(
        {
            "name": column.name,
            "unit": column.unit,
            "synonyms": list(column.synonyms),
            "levels": _level_data(column.levels),
            "aggregation": column.aggregation,
            "status": column.status,
            "by": column.by,
            "at": column.at.isoformat() if column.at else None,
            "reason": column.reason,
            "personal": column.personal or None,
        }
    )


def relation_data(item: Relation) -> dict[str, Any]:
    ends = {
        side: _without_empty({"document": end.document, "sheet": end.sheet, "column": end.header})
        for side, end in (("many", item.many), ("one", item.one))
    }
    return _without_empty({**ends, "by": item.by, "at": item.at.isoformat() if item.at else None})


def _level_data(levels: Any) -> Any:
    if all(not rows for rows in levels.values()):
        return list(levels)
    return {level: {column: list(values) for column, values in rows.items()} for level, rows in levels.items()}


def _without_empty(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value not in (None, "", [], {})}
