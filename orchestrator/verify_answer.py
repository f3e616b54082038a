"""Re-reads the cells of an answer from the original files and recomputes every fact from them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from indexer.stored import StoredTable
from orchestrator.cell_ranges import expand_cells
from orchestrator.evidence import Scalar
from orchestrator.exact_numbers import finite_decimal, plain_text, round_half_even
from orchestrator.original_cells import CellDifference, OriginalCells, changed_cells
from orchestrator.reading_now import numbers_now, read_again
from orchestrator.recipe import Leaf, NotComputable, Recipe, recipe_from_json, recompute
from orchestrator.show_value import yes_no
from parsers.table import ParsedFile

Checked = Literal["recomputed", "rerun", "cells", "nothing"]
"""recomputed: the value was computed again from the cells in the original file. rerun: the statement was run again on the same
versions and gave the value, and its cells are unchanged in the original file. cells: only that the cited cells are unchanged.
nothing: the fact cites no cell."""

_FactPlace = int | tuple[int, int]

StoredTableOf = Callable[[str], StoredTable | None]
"""table_id -> the stored table, also of a removed version; None if the catalogue no longer knows it."""


@dataclass(frozen=True)
class VerifiedFact:
    """`recomputed`: machine form of the value from the cells as they are now; None if it cannot be computed. `why`: one German
    sentence where it is not equal. `sources`: as in the answer. `checked`: what "equal" rests on, see Checked."""

    row: int | None
    column: int | None
    value: str | None
    recomputed: str | None
    equal: bool
    sources: Sequence[Mapping[str, Any]]
    why: str = ""
    checked: Checked = "recomputed"


@dataclass(frozen=True)
class Verification:
    """`original`: path of the first original file, the first changed one if any. `differences`: cells whose content is no
    longer what it was at ingest, in the cited cells and, where a file was changed at all, anywhere in the sheets read."""

    answer_id: str
    ok: bool
    original: str | None
    facts: tuple[VerifiedFact, ...]
    differences: tuple[CellDifference, ...] = ()
    messages: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The contract's shape; with the differing cells where there are any."""
        found: dict[str, Any] = {"answer_id": self.answer_id, "ok": self.ok, "original": self.original}
        found["facts"] = [
            {
                "row": fact.row,
                "column": fact.column,
                "value": fact.value,
                "recomputed": fact.recomputed,
                "equal": fact.equal,
                "checked": fact.checked,
                "sources": list(fact.sources),
            }
            for fact in self.facts
        ]
        if self.differences:
            found["differences"] = [difference.to_json() for difference in self.differences]
        return found | ({"messages": list(self.messages)} if self.messages else {})


@dataclass
class _Files:
    """Originals by path, checked once; cells of each table read once."""

    table_of: StoredTableOf
    cells: dict[str, OriginalCells] = field(default_factory=dict)
    altered: dict[Path, bool] = field(default_factory=dict)
    parsed: dict[Path, ParsedFile | None] = field(default_factory=dict)

    def of(self, table_id: str) -> OriginalCells:
        if table_id not in self.cells:
            table = self.table_of(table_id)
            if table is None:
                raise NotComputable("Die Tabelle ist im Katalog nicht mehr verzeichnet.")
            path = table.version.original
            if path not in self.altered:
                self.altered[path] = not path.exists() or _digest(path) != table.version.sha256
                self.parsed[path] = read_again(table) if self.altered[path] else None
            self.cells[table_id] = OriginalCells(table, numbers_now(table, self.parsed[path]))
        return self.cells[table_id]

    def cited(self, source: Mapping[str, Any]) -> OriginalCells:
        """The cells of the table version that a source of the answer names. Raises NotComputable."""
        wanted = (source["file"], source["sheet"], source["version"]["label"])
        for cells in self.cells.values():
            if (cells.table.version.document, cells.table.table.sheet, cells.table.version.label) == wanted:
                return cells
        raise NotComputable(f"{source['file']}: Die Tabelle ist im Katalog nicht mehr verzeichnet.")


def verify_answer(answer: Mapping[str, Any], recipes: Mapping[str, Any], table_of: StoredTableOf) -> Verification:
    """`answer`: the stored answer object (contract JSON); `recipes`: what the audit record keeps beside it. An answer without
    facts (refused, clarify) is verified trivially."""
    files = _Files(table_of)
    by_place = {_place(fact): recipe_from_json(fact["recipe"]) for fact in recipes.get("facts", ())}
    for table_id in recipes.get("tables", {}):
        try:
            files.of(table_id)
        except NotComputable:
            continue
    for recipe in by_place.values():
        _announce(recipe, files)
    language = answer.get("language", "de")
    facts = tuple(_verify(fact, place, by_place, files, language) for place, fact in enumerate(answer.get("facts", ())))
    differences: list[CellDifference] = []
    messages: list[str] = [fact.why for fact in facts if fact.why]
    for path, altered in files.altered.items():
        if not altered:
            continue
        read = [cells for cells in files.cells.values() if cells.table.version.original == path]
        messages.append(_altered_message(path, read[0].table))
        cited = dict.fromkeys(found for cells in read for found in (*cells.differences(), *cells.other_readings()))
        differences += dict.fromkeys((*cited, *changed_cells([cells.table for cells in read])))
    ok = all(fact.equal for fact in facts) and not any(files.altered.values())
    paths = [*(path for path, altered in files.altered.items() if altered), *files.altered]
    original = str(paths[0]) if paths else None
    return Verification(str(answer.get("answer_id", "")), ok, original, facts, tuple(differences), tuple(dict.fromkeys(messages)))


def _announce(recipe: Recipe, files: _Files) -> None:
    """Tells each table all the cells that will be read, so that its file is opened once."""
    if not isinstance(recipe, Leaf):
        for part in recipe.parts:
            _announce(part, files)
        return
    wanted = [(cells.table_id, cells.cells) for cells in recipe.cells]
    wanted += [(table_id, (address,)) for row in recipe.products for table_id, address in row]
    for table_id, addresses in wanted:
        try:
            files.of(table_id).announce(addresses)
        except NotComputable:
            continue


def _place(recipe: Mapping[str, Any]) -> _FactPlace:
    """Of a shown value of the result its row and column, of one of a related row its place among the facts."""
    return recipe["fact"] if "fact" in recipe else (recipe["row"], recipe["column"])


def _verify(
    fact: Mapping[str, Any], number: int, recipes: Mapping[_FactPlace, Recipe], files: _Files, language: str
) -> VerifiedFact:
    provenance = fact["provenance"]
    row, column = fact.get("row"), fact.get("column")
    recipe = recipes.get((row, column)) if row is not None and column is not None else recipes.get(number)
    place = (row, column, fact["value"])
    sources = provenance["sources"]
    if recipe is None:
        return _cells_only(fact, place, files)
    try:
        value = recompute(recipe, lambda table_id, address, columns: files.of(table_id).value(address, columns))
    except NotComputable as error:
        return VerifiedFact(*place, None, False, sources, str(error))
    shown = _machine_form(value, language, fact["value"])
    equal = _is_equal(value, shown, fact)
    why = "" if equal else f"Gezeigt wurde {fact['value']}, die Zellen ergeben jetzt {shown}."
    return VerifiedFact(*place, fact["value"] if equal else shown, equal, sources, why)


def _cells_only(fact: Mapping[str, Any], place: tuple[int | None, int | None, str | None], files: _Files) -> VerifiedFact:
    """A value that the log cannot compute again: whether its cells are still what they were."""
    provenance = fact["provenance"]
    sources = provenance["sources"]
    cited = (*sources, *provenance.get("base_sources", ()))
    try:
        changed = [name for source in cited for name in files.cited(source).changed(expand_cells(source["cells"]))]
    except NotComputable as error:
        return VerifiedFact(*place, None, False, sources, str(error), "cells")
    if changed:
        why = f"{changed[0]}: Die zitierte Zelle ist nicht mehr die eingelesene."
        return VerifiedFact(*place, None, False, sources, why, "cells")
    return VerifiedFact(*place, fact["value"], True, sources, checked="cells" if cited else "nothing")


def _is_equal(value: Scalar, shown: str | None, fact: Mapping[str, Any]) -> bool:
    numerator, denominator = fact["provenance"].get("numerator"), fact["provenance"].get("denominator")
    if isinstance(value, Fraction):
        stated = Fraction(numerator) / Fraction(denominator) if numerator is not None else Fraction(fact["value"])
        return bool(value == stated)
    return bool(shown == fact["value"])


def _machine_form(value: Scalar, language: str, stated: str | None) -> str | None:
    """As the answer writes it: a number without finite decimal form rounded to the places of `stated`, or as "n/d" where
    rounding would hide the difference."""
    if isinstance(value, bool):
        return yes_no(value, language)  # type: ignore[arg-type]
    if isinstance(value, Fraction | Decimal):
        decimal = finite_decimal(Fraction(value))
        if decimal is not None:
            return plain_text(decimal)
        rounded = plain_text(round_half_even(Fraction(value), max(2, len((stated or "").partition(".")[2]))))
        return rounded if rounded != stated else str(value)
    return value.isoformat() if value is not None and not isinstance(value, str) else value


def _altered_message(path: Path, table: StoredTable) -> str:
    if not path.exists():
        return f"{table.version.document}: Die Originaldatei fehlt ({path}); stellen Sie sie aus der Sicherung wieder her."
    return (
        f"{table.version.document}: Die Originaldatei ist nicht mehr die eingelesene "
        f"(Prüfsumme {table.version.sha256[:12]}… erwartet); stellen Sie sie aus der Sicherung wieder her."
    )


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
