"""How a changed original would be read today: cells whose text is the same as at ingest, but whose number is another one."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from indexer.stored import StoredTable
from parsers.address import cell_address
from parsers.parse import parse_file
from parsers.problem import UnreadableFile
from parsers.table import ColumnType, ParsedFile, ParsedTable

NumbersNow = Mapping[tuple[str, str], tuple[Decimal, str | None]]
"""(cell address, sql_name) -> (number as the column would hold it now, its unit)."""


def read_again(table: StoredTable) -> ParsedFile | None:
    """The original of this table as the reading line reads it now; None if it no longer can."""
    version = table.version
    try:
        return parse_file(version.original, file_name=version.document, locale=version.locale)
    except (UnreadableFile, OSError):
        return None


def numbers_now(table: StoredTable, parsed: ParsedFile | None) -> NumbersNow:
    """The numbers of the same table in the file as it is now; {} where it has no such table any more."""
    if parsed is None:
        return {}
    own = table.table
    found = [each for sheet in parsed.sheets if sheet.name == own.sheet for each in sheet.tables]
    same = next((each for each in found if (each.table.name, each.table.layout) == (own.name, own.layout)), None)
    return {} if same is None else _numbers(same)


def _numbers(parsed: ParsedTable) -> dict[tuple[str, str], tuple[Decimal, str | None]]:
    found: dict[tuple[str, str], tuple[Decimal, str | None]] = {}
    for column in parsed.table.columns:
        if column.type not in (ColumnType.DECIMAL, ColumnType.INTEGER):
            continue
        addresses = parsed.data.cells.get(column.sql_name)
        if addresses is None:
            if column.position is None:
                continue
            addresses = [cell_address(row, column.position) for row in parsed.data.rows]
        for address, value in zip(addresses, parsed.data.values[column.sql_name], strict=True):
            if isinstance(value, Decimal):
                found[address, column.sql_name] = value, column.unit
    return found
