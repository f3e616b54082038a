"""The tables of a tenant's documents as the schema map needs them: which sheets and headers there are, found by their keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parsers.fold import fold
from parsers.problem import Problem
from parsers.table import Column, Table
from schema_maps.layout import header_key, near_matches


class SchemaMapError(Exception):
    """A schema map or a decision about it cannot be used. `problems` name file, sheet and header, and what to do."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(f"{p.where}: {p.message} {p.hint}".strip() for p in problems))
        self.problems = problems


@dataclass(frozen=True)
class DocumentTable:
    """A table and the document (base name) it belongs to."""

    document: str
    table: Table


@dataclass(frozen=True)
class KnownSheet:
    """One sheet over all versions and tables; `columns` are unique by header."""

    document: str
    sheet: str | None
    columns: tuple[Column, ...]

    @property
    def headers(self) -> tuple[str, ...]:
        return tuple(column.header for column in self.columns)

    @property
    def where(self) -> str:
        return self.document if self.sheet is None else f"{self.document}, Blatt „{self.sheet}“"

    def find_column(self, key: str) -> Column | None:
        """By header text or by the path of its header rows joined by " / "; case, blanks and umlaut spelling do not count."""
        folded = header_key(key)
        exact = next((column for column in self.columns if column.header == key), None)
        return exact or next((c for c in self.columns if folded in (header_key(c.header), header_key(" / ".join(c.path)))), None)

    def column(self, key: str) -> Column:
        """Raises SchemaMapError that names the near headers."""
        found = self.find_column(key)
        if found is not None:
            return found
        raise SchemaMapError(
            Problem(
                "unknown_header", self.where, f"Eine Spalte „{key}“ gibt es dort nicht.", _nearest(key, self.headers, "Spalten")
            )
        )


def known_sheets(tables: Sequence[DocumentTable]) -> tuple[KnownSheet, ...]:
    """All sheets of all documents, in the order of their first table, with the columns that the file prints."""
    columns: dict[tuple[str, str | None], dict[str, Column]] = {}
    for item in tables:
        sheet = columns.setdefault((item.document, item.table.sheet), {})
        for column in item.table.columns if item.table.layout != "tidy" else ():
            sheet.setdefault(column.header, column)
    return tuple(KnownSheet(document, sheet, tuple(found.values())) for (document, sheet), found in columns.items())


def find_sheet(sheets: Sequence[KnownSheet], document: str, sheet: str | None) -> KnownSheet:
    """Raises SchemaMapError that names the near documents or sheets. Without a sheet name a document's only sheet is meant."""
    of_document = [known for known in sheets if known.document == document]
    if not of_document:
        names = list(dict.fromkeys(known.document for known in sheets))
        hint = _nearest(document, names, "Dateien")
        raise SchemaMapError(Problem("unknown_document", document, "Eine Datei dieses Namens ist nicht eingelesen.", hint))
    if sheet is None and len(of_document) == 1:
        return of_document[0]
    for known in of_document:
        if known.sheet == sheet or (known.sheet is not None and sheet is not None and fold(known.sheet) == fold(sheet)):
            return known
    names = [known.sheet for known in of_document if known.sheet is not None]
    if sheet is None:
        message, hint = "Das Tabellenblatt ist nicht angegeben.", f"Eines davon angeben: {_listed(names)}."
    elif not names:
        message, hint = f"Ein Blatt „{sheet}“ gibt es dort nicht.", "Bei CSV-Dateien „sheet“ weglassen."
    else:
        message, hint = f"Ein Blatt mit Tabelle „{sheet}“ gibt es dort nicht.", _nearest(sheet, names, "Blätter")
    raise SchemaMapError(Problem("unknown_sheet", document, message, hint))


def _nearest(word: str, names: Sequence[str], what: str) -> str:
    near = near_matches(word, names)
    if near:
        return f"Ähnlich: {_listed(near)}."
    return f"Vorhandene {what}: {_listed(names[:12])}." if names else f"Es gibt dort noch keine {what}; zuerst einlesen."


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"„{name}“" for name in names)
