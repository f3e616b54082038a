"""What an asker may see and what only hidden parts hold, worked out from the goldset's rules and the cells of the second reader,
without the scope that is tested."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from goldsets.goldset import Goldset
from indexer.cell_cache import load_columns
from indexer.stored import StoredTable, Version
from orchestrator.scope import Asker
from parsers.fold import fold
from qa.wiring import Workspace
from schema_maps.contract import ContractSheet

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d(?:[\d.,'’\u00a0\u202f ]*\d)?")
_DATE = re.compile(r"\d{1,2}[./ ](\d{1,2}[./ ])?\d{4}")
_YEARS = frozenset(str(year) for year in range(1980, 2041))
_PACKAGES = ("qa", "goldsets", "orchestrator", "indexer", "schema_maps", "parsers")
_ROOT = Path(__file__).resolve().parents[2]

Phrase = tuple[str, ...]


@dataclass
class Words:
    """Texts as phrases of folded words (at least four letters) and numbers by their digits (at least four significant ones)."""

    phrases: set[Phrase] = field(default_factory=set)
    numbers: set[str] = field(default_factory=set)

    def add(self, text: str) -> None:
        phrase = phrase_of(text)
        if sum(map(len, phrase)) >= 4:
            self.phrases.add(phrase)
        self.numbers |= numbers_in(text)

    @property
    def longest(self) -> int:
        return max(map(len, self.phrases), default=0)


def phrase_of(text: str) -> Phrase:
    return tuple(_WORD.findall(fold(text)))


def numbers_in(text: str) -> set[str]:
    """Significant digits of every number in the text, whatever its separators and scale; years, months and days are none."""
    found = set()
    for match in _NUMBER.findall(text):
        for part in (match, *re.split(r"[ \u00a0\u202f]", match)):
            digits = re.sub(r"\D", "", part)
            key = digits.strip("0")
            if len(key) >= 4 and digits not in _YEARS and not _DATE.fullmatch(part):
                found.add(key)
    return found


def occurring(hidden: Words, text: str, allowed: str) -> set[str]:
    """Hidden phrases and numbers that occur in `text` and not in `allowed` (what the asker said)."""
    words, said = phrase_of(text), _grams(phrase_of(allowed), hidden.longest)
    phrases = (_grams(words, hidden.longest) & hidden.phrases) - said
    numbers = (numbers_in(text) & hidden.numbers) - numbers_in(allowed)
    return {" ".join(phrase) for phrase in phrases} | numbers


def _grams(words: Phrase, longest: int) -> set[Phrase]:
    return {words[start : start + size] for size in range(1, longest + 1) for start in range(len(words) - size + 1)}


# --- what is hidden from one asker


@dataclass(frozen=True)
class Hidden:
    """`columns`: (header or business name, a text that stands in it) of hidden columns, for questions that probe them;
    `sheets`: names of sheets of which nothing is visible."""

    words: Words
    columns: tuple[tuple[str, str], ...]
    sheets: tuple[str, ...]


def hidden_from(asker: Asker, workspace: Workspace, goldset: Goldset) -> Hidden:
    """Everything that is stored, of every tenant, less what the asker may see anywhere and what the program itself says."""
    seen, rest = Words(), Words()
    columns: list[tuple[str, str]] = []
    sheets: list[str] = []
    for tenant in workspace.catalog.tenants():
        contract = goldset.contract.for_tenant(tenant)
        maps = {(each.document, each.sheet): each for each in contract.schema_map}
        tables = workspace.catalog.tables(tenant)
        for version in workspace.catalog.versions(tenant):
            of_version = [table for table in tables if table.version.version_id == version.version_id]
            visible_sheets = 0
            for sheet in workspace.catalog.sheets(tenant, version.version_id):
                mine = [table for table in of_version if table.table.sheet == sheet.name and table.table.layout != "tidy"]
                sheet_map = maps.get((version.document, sheet.name))
                cells = _cells(sheet.cells, version)
                opened = tenant == asker.tenant and sheet.access_level in asker.levels
                rows = _opened_rows(asker, tenant, sheet_map, mine, cells)
                guarded = _guarded(asker, sheet_map, mine)
                shown = opened or bool(rows)
                visible_sheets += shown
                for (row, column), text in cells.items():
                    is_seen = shown and column not in guarded.get(row, ()) and (opened or row in rows)
                    (seen if is_seen else rest).add(text)
                for name, letter, table in _names(sheet_map, mine):
                    hidden = not shown or letter in guarded.get(table.table.first_data_row or 0, ())
                    (rest if hidden else seen).add(name)
                    if hidden and tenant == asker.tenant:
                        columns.append(
                            (name, next((cells[at] for at in sorted(cells) if at[1] == letter and phrase_of(cells[at])), ""))
                        )
                (seen if shown else rest).add(sheet.name or "")
                if not shown and sheet.name and tenant == asker.tenant:
                    sheets.append(sheet.name)
            (seen if visible_sheets else rest).add(version.document)
            for text in (version.label, tenant) if visible_sheets else ():
                seen.add(text)
        if tenant == asker.tenant:
            for word, others in contract.synonyms.get(tenant, {}).items():
                for text in (word, *others):
                    seen.add(text)
    said = {word for phrase in seen.phrases for word in phrase} | _program_words()
    words = Words({phrase for phrase in rest.phrases - seen.phrases if not set(phrase) <= said}, rest.numbers - seen.numbers)
    return Hidden(words, tuple(dict.fromkeys(columns)), tuple(dict.fromkeys(sheets)))


def _cells(path: Path, version: Version) -> Mapping[tuple[int, int], str]:
    """(row, column) -> text of every cell of a sheet, as the second reader stored it."""
    columns = load_columns(path, dict.fromkeys(range(1, 400)), original_sha256=version.sha256)
    return {
        (row, column): text
        for column, found in columns.items()
        for row, text in zip(found.rows.tolist(), found.texts.to_pylist(), strict=True)
    }


def _span(table: StoredTable) -> range:
    rows = [*table.table.header_rows, table.table.first_data_row or 1, table.table.last_data_row or 1, *table.table.total_rows]
    return range(min(rows), max(rows) + 1)


def _guarded(asker: Asker, sheet_map: ContractSheet | None, tables: Iterable[StoredTable]) -> dict[int, set[int]]:
    """Row -> sheet columns that the asker's levels do not open."""
    found: dict[int, set[int]] = {}
    for table in tables:
        for column in table.table.columns:
            meaning = sheet_map.columns.get(column.header) if sheet_map is not None else None
            if meaning is not None and meaning.levels and not asker.levels & meaning.levels.keys() and column.position:
                for row in _span(table):
                    found.setdefault(row, set()).add(column.position)
    return found


def _opened_rows(
    asker: Asker,
    tenant: str,
    sheet_map: ContractSheet | None,
    tables: Iterable[StoredTable],
    cells: Mapping[tuple[int, int], str],
) -> set[int]:
    """Rows that a level with a row filter opens, header rows included."""
    if sheet_map is None or tenant != asker.tenant:
        return set()
    found: set[int] = set()
    for level in asker.levels & sheet_map.levels.keys():
        for table in tables:
            letters = {column.header: column.position for column in table.table.columns}
            wanted = [
                (letters.get(header), {fold(value) for value in values}) for header, values in sheet_map.levels[level].items()
            ]
            for row in _span(table):
                if all(letter and fold(cells.get((row, letter), "")) in values for letter, values in wanted):
                    found.add(row)
            found |= set(table.table.header_rows)
    return found


def _names(sheet_map: ContractSheet | None, tables: Iterable[StoredTable]) -> Iterator[tuple[str, int, StoredTable]]:
    for table in tables:
        for column in table.table.columns:
            meaning = sheet_map.columns.get(column.header) if sheet_map is not None else None
            names = (column.header, column.name, *((meaning.name or "", *meaning.synonyms) if meaning is not None else ()))
            for name in dict.fromkeys(filter(None, names)):
                if column.position is not None:
                    yield name, column.position, table


@cache
def _program_words() -> frozenset[str]:
    """Every word that stands in the program's own text: its messages, lexicons and names."""
    paths = [
        path for package in _PACKAGES for path in (_ROOT / package).rglob("*") if path.suffix in (".py", ".yaml", ".tsv", ".txt")
    ]
    own = [path for path in paths if "demo" not in path.parts]
    return frozenset(word for path in own for word in _WORD.findall(fold(path.read_text(encoding="utf-8"))))


# --- what is said to an asker

_IDENTIFIERS = frozenset({"answer_id", "session_id", "asked_at", "at", "hash", "previous", "sha256", "table_id", "version_id",
                          "ms", "seq", "duration_ms", "origin"})  # fmt: skip

_HASHES = re.compile(r"\b[0-9a-f]{16,}\b")


def texts_in(value: Any) -> Iterator[str]:
    """Every text and number of JSON data, keys included, but for identifiers and times."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key not in _IDENTIFIERS:
                yield _HASHES.sub("", str(key))
                yield from texts_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_in(each)
    elif value is not None and not isinstance(value, bool):
        yield _HASHES.sub("", str(value))
