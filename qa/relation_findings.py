"""Relations that cannot join: the one side holds a value in more than one row, so that every sum over them would be too high."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexer.stored import StoredTable
from orchestrator.key_values import repeated_key
from parsers.fold import fold
from parsers.problem import Problem
from schema_maps.contract import Contract, ContractRelation
from schema_maps.known_tables import DocumentTable, SchemaMapError, find_sheet, known_sheets
from schema_maps.layout import header_key
from schema_maps.schema_map import Relation, RelationEnd


def unusable_relations(tables: Sequence[StoredTable], contract: Contract) -> tuple[tuple[ContractRelation, Problem], ...]:
    """Those of a contract whose one side repeats a value in a version that questions read: the binding one, or any where none is.
    Ends that do not exist are left to the schema map's own checks."""
    sheets = known_sheets([DocumentTable(stored.version.document, stored.table) for stored in tables])
    found: list[tuple[ContractRelation, Problem]] = []
    for relation in contract.relations:
        try:
            known = find_sheet(sheets, relation.one.document, relation.one.sheet)
            end = RelationEnd(known.document, known.sheet, known.column(relation.one.column).header)
        except SchemaMapError:
            continue
        found += [(relation, problem) for problem in repeats(in_use(tables), end)][:1]
    return tuple(found)


def repeated_relations(tables: Sequence[StoredTable], relations: Sequence[Relation]) -> list[Problem]:
    """What these tables, of one fresh version, no longer allow of the approved relations."""
    ends = dict.fromkeys(relation.one for relation in relations if relation.approved)
    return [problem for end in ends for problem in repeats(tables, end)]


def in_use(tables: Sequence[StoredTable]) -> list[StoredTable]:
    """Of each document the binding version, or all where none is binding."""
    bound = {stored.version.document for stored in tables if stored.version.binding}
    return [stored for stored in tables if stored.version.binding or stored.version.document not in bound]


def repeats(tables: Sequence[StoredTable], end: RelationEnd) -> Iterator[Problem]:
    """One finding for each table in which the column holds a value in more than one row."""
    for stored in tables:
        table = stored.table
        if stored.version.document != end.document or not _same_sheet(table.sheet, end.sheet) or table.layout == "tidy":
            continue
        for column in table.columns:
            if header_key(column.header) != header_key(end.header):
                continue
            repeated = repeated_key(stored, (column.sql_name,))
            if repeated is not None:
                sheet = "" if table.sheet is None else f", Blatt „{table.sheet}“"
                values = "ein Wert kommt" if repeated.repeated == 1 else f"{repeated.repeated} Werte kommen"
                yield Problem(
                    "relation_not_unique",
                    f"{end.document}{sheet}, Version „{stored.version.label}“",
                    f"„{column.header}“ kann nicht die Eins-Seite einer Beziehung sein: {values} mehrfach vor "
                    f"(bis zu {repeated.most}-mal), jede Summe darüber würde vervielfacht.",
                    "Eine Spalte nennen, in der jeder Wert einmal vorkommt, oder die doppelten Zeilen in der Datei bereinigen.",
                )


def _same_sheet(one: str | None, other: str | None) -> bool:
    return one == other or (one is not None and other is not None and fold(one) == fold(other))
