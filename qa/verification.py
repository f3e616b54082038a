"""`beleg verify`: every number of a logged answer once more, from the cells as they stand in the original files now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from indexer.stored import StoredTable
from orchestrator.evidence import CellSet, Scalar
from orchestrator.exact_numbers import finite_decimal
from orchestrator.prove import CellVerdict, verify_values
from orchestrator.recipe import Leaf, NotComputable, Recipe, recipe_from_json, recompute
from orchestrator.segment_reader import SegmentReader
from parsers.file_kind import container_of, kind_of_package
from parsers.limits import DEFAULT_LIMITS
from parsers.second_reader import reread_cells
from parsers.xlsx_package import Package
from qa.problems import BelegError, CheckFailed
from qa.wiring import Workspace

JsonObject = Mapping[str, Any]


@dataclass(frozen=True)
class VerifiedFact:
    """`recomputed`: from the cells as they are now, None where they no longer allow it; `reason` says why, or is empty."""

    row: int
    column: int
    value: str | None
    recomputed: str | None
    equal: bool
    sources: Sequence[JsonObject]
    reason: str = ""


@dataclass(frozen=True)
class ChangedCell:
    """A cited cell that no longer holds what the answer was computed from."""

    file: str
    sheet: str | None
    cell: str
    stored: str
    found: str


@dataclass(frozen=True)
class Verification:
    """`originals`: the files that were read; `changed_files`: those whose content is no longer what was read in."""

    answer_id: str
    originals: tuple[Path, ...]
    facts: tuple[VerifiedFact, ...]
    cells: tuple[ChangedCell, ...]
    changed_files: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return all(fact.equal for fact in self.facts) and not self.cells

    def to_json(self) -> dict[str, Any]:
        """The shape of the contract; `cells` and `changed_files` besides."""
        return {
            "answer_id": self.answer_id,
            "ok": self.ok,
            "original": str(self.originals[0]) if self.originals else None,
            "originals": [str(path) for path in self.originals],
            "facts": [
                {
                    "row": fact.row,
                    "column": fact.column,
                    "value": fact.value,
                    "recomputed": fact.recomputed,
                    "equal": fact.equal,
                    "sources": list(fact.sources),
                }
                for fact in self.facts
            ],
            "cells": [
                {"file": cell.file, "sheet": cell.sheet, "cell": cell.cell, "stored": cell.stored, "found": cell.found}
                for cell in self.cells
            ],
            "changed_files": list(self.changed_files),
        }


def verify(workspace: Workspace, answer_id: str) -> Verification:
    """Raises BelegError if the log holds no such answer, CheckFailed if an original is gone or cannot be read."""
    record = workspace.audit.answer(answer_id)
    if record is None:
        raise BelegError(f"Eine Antwort „{answer_id}“ steht nicht im Protokoll; die Kennung steht am Ende jeder Antwort.")
    if record["status"] != "answered":
        raise BelegError(f"Die Frage „{answer_id}“ wurde nicht beantwortet ({record['status']}); es gibt keine Zahl zu prüfen.")
    tables = _tables(workspace, record)
    recipes = {(each["row"], each["column"]): recipe_from_json(each["recipe"]) for each in record["recipes"].get("facts", ())}
    verdicts = _verdicts(recipes.values(), tables)
    originals = {stored.version.original: stored.version for stored in tables.values()}
    return Verification(
        answer_id=answer_id,
        originals=tuple(originals),
        facts=tuple(_fact(fact, recipes.get((fact["row"], fact["column"])), verdicts) for fact in _facts(record)),
        cells=tuple(_changed(verdict, tables[verdict.table_id]) for verdict in verdicts.values() if not verdict.equal),
        changed_files=tuple(version.document for path, version in originals.items() if _digest(path) != version.sha256),
    )


def _tables(workspace: Workspace, record: JsonObject) -> dict[str, StoredTable]:
    found = {}
    for table_id, reference in record["recipes"].get("tables", {}).items():
        stored = workspace.catalog.table(record["tenant"], table_id)
        if stored is None or not stored.version.original.is_file():
            raise CheckFailed(
                f"Die Originaldatei von {reference['document']} ist nicht mehr da; aus einer Sicherung zurückholen."
            )
        found[table_id] = stored
    return found


def _facts(record: JsonObject) -> Iterator[JsonObject]:
    return (fact for fact in record["facts"] if fact.get("row") is not None)


def _verdicts(recipes: Iterable[Recipe], tables: Mapping[str, StoredTable]) -> dict[tuple[str, str], CellVerdict]:
    """Every cited cell once, read again from the original."""
    cited: dict[str, dict[str, None]] = {}
    for table_id, address in (cell for recipe in recipes for cell in _cells(recipe)):
        cited.setdefault(table_id, {})[address] = None
    sets = [CellSet(table_id, (), tuple(addresses)) for table_id, addresses in cited.items()]
    return {(each.table_id, each.address): each for each in verify_values(sets, tables, SegmentReader(), _reread)}


def _cells(recipe: Recipe) -> Iterator[tuple[str, str]]:
    if not isinstance(recipe, Leaf):
        for part in recipe.parts:
            yield from _cells(part)
        return
    for cells in recipe.cells:
        yield from ((cells.table_id, address) for address in cells.cells)
    for row in recipe.products:
        yield from row


def _reread(stored: StoredTable, addresses: Sequence[str]) -> Mapping[str, str | None]:
    original = stored.version.original
    return reread_cells(original, _kind(original, stored.version.document), stored.table.sheet, addresses)


def _kind(path: Path, file: str) -> str:
    """Which reader the original needs, told from its content. Raises UnreadableFile."""
    container = container_of(path, file)
    if container != "zip":
        return "xls" if container == "ole" else "csv"
    with Package(path, file, DEFAULT_LIMITS) as package:
        return kind_of_package(package)[0]


def _fact(fact: JsonObject, recipe: Recipe | None, verdicts: Mapping[tuple[str, str], CellVerdict]) -> VerifiedFact:
    sources = fact["provenance"]["sources"]
    place = (fact["row"], fact["column"], fact["value"])
    if recipe is None:
        return VerifiedFact(*place, None, False, sources, "Zu diesem Wert ist kein Rechenweg gespeichert.")
    try:
        value = recompute(recipe, lambda table_id, address: verdicts[table_id, address].found)
    except (NotComputable, KeyError) as error:
        return VerifiedFact(*place, None, False, sources, str(error))
    unchanged = all(verdicts[cell].equal for cell in _cells(recipe))
    return VerifiedFact(*place, _text(value), unchanged and _same(fact, value), sources)


def _same(fact: JsonObject, value: Scalar) -> bool:
    """Equal to the last digit: numbers as fractions, everything else as text."""
    if isinstance(value, Fraction | Decimal):
        provenance = fact["provenance"]
        if provenance.get("denominator") is not None:
            return Fraction(Decimal(provenance["numerator"])) / Fraction(Decimal(provenance["denominator"])) == value
        return fact["value"] is not None and Fraction(Decimal(fact["value"])) == value
    return fact["value"] == _text(value)


def _text(value: Scalar) -> str | None:
    if value is None:
        return None
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Fraction) and value.denominator != 1:
        decimal = finite_decimal(value)
        return str(value) if decimal is None else format(decimal, "f")
    return str(value)


def _changed(verdict: CellVerdict, stored: StoredTable) -> ChangedCell:
    found = verdict.text if verdict.text is not None else "leer"
    known = _text(verdict.stored)
    return ChangedCell(
        stored.version.document, stored.table.sheet, verdict.address, known if known is not None else "leer", found
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
