"""Tables without values, written as short texts, for tests of the schema map."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from parsers.table import Column, ColumnType, Table
from parsers.units import split_unit
from schema_maps.known_tables import DocumentTable
from schema_maps.schema_map import ColumnMeaning, SheetMap

AT = datetime(2024, 10, 16, 9, 0, tzinfo=UTC)
_TYPES = {"t": ColumnType.TEXT, "i": ColumnType.INTEGER, "d": ColumnType.DATE, "n": ColumnType.DECIMAL}


def column(text: str, position: int) -> Column:
    """ "Nettoumsatz [PLN]" is a number, "t:Region" a text, "n:Umsatz@TEUR" has its unit from the sheet's title."""
    kind, colon, rest = text.partition(":")
    header, _, title_unit = (rest if colon and kind in _TYPES else text).partition("@")
    name, unit = split_unit(header)
    found = _TYPES[kind] if colon and kind in _TYPES else ColumnType.DECIMAL
    path = tuple(header.split(" / "))
    return Column(header, name, f"c{position}", found, path=path, position=position, unit=unit or title_unit or None)


def table(sheet: str | None, headers: Sequence[str], name: str = "t") -> Table:
    columns = tuple(column(text, i + 1) for i, text in enumerate(headers))
    return Table(name, sheet, "A1:Z9", "list", columns, (1,), 2, 9, 8)


def document(name: str, **sheets: Sequence[str]) -> list[DocumentTable]:
    """Sheet name -> headers; the name `csv` stands for a file without sheets."""
    return [DocumentTable(name, table(None if sheet == "csv" else sheet, headers, sheet)) for sheet, headers in sheets.items()]


def sheet_map(document: str, sheet: str | None, columns: dict[str, dict[str, object]], headers: Sequence[str] = ()) -> SheetMap:
    """Approved meanings: header -> fields of ColumnMeaning; `levels` as a list."""
    meanings = []
    for header, said in columns.items():
        fields = {"name": header, "status": "approved", **said}
        fields["levels"] = {level: {} for level in said.get("levels", [])}  # type: ignore[attr-defined]
        fields["synonyms"] = tuple(said.get("synonyms", ()))  # type: ignore[call-overload]
        meanings.append(ColumnMeaning(header=header, by="anna", at=AT, **fields))  # type: ignore[arg-type]
    return SheetMap("nord", document, sheet, tuple(meanings), tuple(headers))
