"""Under which names, with which unit and how summable a column is for the person who asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from orchestrator.scope import VisibleColumn
from orchestrator.tidy_sources import Sources
from parsers.fold import fold
from parsers.table import Column, ColumnType, Table
from schema_maps.aggregation import aggregation_of, measure_aggregation, strictest
from schema_maps.layout import SheetReading
from schema_maps.lexicon import read_code
from schema_maps.schema_map import Aggregation, ColumnMeaning
from schema_maps.technical import business_name, is_technical
from schema_maps.units import contradicts, unit_key

NUMBER_TYPES = (ColumnType.DECIMAL, ColumnType.INTEGER)


def named_column(table: Table, column: Column, reading: SheetReading, sources: Sources | None) -> VisibleColumn:
    """An approved meaning first: its name, the header's, the synonyms. Without one a business name stands for itself, a
    technical header only for its literal text, and the values of a tidied cross-tab for the table's measure names."""
    meaning = _meaning(column, reading, sources)
    names = _names(table, column, meaning)
    unit = _unit(column, meaning, reading, sources)
    if unit is not None and contradicts(unit, column.unit, _prints_unit(column)):
        reason = f"Die Einheit ist laut Schema-Map {unit}, laut Datei {column.unit}; erst muss eine Person das klären"
        column = replace(column, blocked=column.blocked or reason)
    if column.unit_column is not None:
        unit = None  # each row has its own
    return VisibleColumn(column, names, unit, _aggregation(column, meaning, names, unit))


def _meaning(column: Column, reading: SheetReading, sources: Sources | None) -> ColumnMeaning | None:
    own = reading.meanings.get(column.header)
    label = sources.labels.get(column.sql_name) if sources is not None else None
    return own or (reading.meanings.get(label.header) if label is not None else None)


def _names(table: Table, column: Column, meaning: ColumnMeaning | None) -> tuple[str, ...]:
    header_name = _literal(column) if is_technical(column.header) else column.name.strip() or column.header
    if meaning is not None:
        return _distinct((meaning.name, header_name, *meaning.synonyms))
    if column.role == "value" and table.measure_names:
        return _distinct(table.measure_names)
    if is_technical(column.header):
        return (header_name,)
    return _distinct((business_name(column.header, header_name), header_name))


def _literal(column: Column) -> str:
    """The technical header as it stands, without a bracketed unit: "NETWR [EUR]" -> "NETWR", "NETWR_EUR" stays."""
    return column.name if column.name and column.header[len(column.name) :].lstrip()[:1] in ("[", "(") else column.header


def _unit(column: Column, meaning: ColumnMeaning | None, reading: SheetReading, sources: Sources | None) -> str | None:
    if meaning is not None and meaning.unit:
        return meaning.unit
    if sources is not None and column.role == "value":
        approved = [reading.meanings[s.header].unit if s.header in reading.meanings else None for s in sources.values]
        units = {unit_key(unit): unit for unit in approved if unit}
        if len(units) == 1 and all(approved):
            return next(iter(units.values()))
    return column.unit


def _prints_unit(column: Column) -> bool:
    return column.role != "value" and column.name.strip() != column.header.strip()


def _aggregation(column: Column, meaning: ColumnMeaning | None, names: tuple[str, ...], unit: str | None) -> Aggregation:
    if column.type not in NUMBER_TYPES:
        return "none"
    if meaning is not None and meaning.aggregation is not None:
        return meaning.aggregation
    if column.role == "value":
        return measure_aggregation(names, unit)
    spoken = [names[0], column.name or column.header]
    if meaning is None and is_technical(column.header) and (code := read_code(column.header).name) is not None:
        spoken.append(code)
    return strictest([aggregation_of(name, unit) for name in spoken])


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in names:
        if name.strip():
            found.setdefault(fold(name), name.strip())
    return tuple(found.values())
