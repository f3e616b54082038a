"""Which values of a tenant are personal: the cells of columns that the schema map marks so, by their words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from indexer.catalog import Catalog
from indexer.stored import StoredTable
from parsers.address import column_letter
from parsers.fold import fold
from parsers.table import ColumnType
from schema_maps.layout import header_key, maps_for_document
from schema_maps.schema_map import SheetMap
from schema_maps.store import SchemaMapStore

MASK = "[personenbezogen]"

WORD = re.compile(r"\w+")
SHORTEST = 3
"""Letters that a single word of a name needs to be masked by itself ("Müller" of "Müller, Erika")."""
SHORTEST_NUMBER = 7
"""Digits that a number needs to be masked wherever it stands: a tax id, not a year or an amount."""
_PLAIN_WORDS = frozenset(["von", "van", "der", "die", "das", "den", "und", "zur", "zum", "gmbh", "herr", "frau", "and", "the"])

Place = tuple[str, str, str | None, str]
"""Document, version label, sheet, column letters."""


@dataclass(frozen=True)
class PersonalValues:
    """`phrases`: values as folded words, also each word of a name; `longest`: most words of one. `places`: the columns whose
    single values are personal."""

    phrases: frozenset[tuple[str, ...]] = frozenset()
    longest: int = 0
    places: frozenset[Place] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.phrases or self.places)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where personal values stand in a text, from left to right, the longest first at each place."""
        words = [(match.start(), match.end(), fold(match.group())) for match in WORD.finditer(text)]
        place = 0
        while place < len(words):
            taken = 1
            for length in range(min(self.longest, len(words) - place), 0, -1):
                if tuple(word for _, _, word in words[place : place + length]) in self.phrases:
                    yield words[place][0], words[place + length - 1][1]
                    taken = length
                    break
            place += taken


@dataclass
class PersonalColumns:
    """Reads the personal values of a tenant; those of one segment once."""

    catalog: Catalog
    schema_maps: SchemaMapStore
    _read: dict[tuple[str, str], frozenset[tuple[str, ...]]] = field(default_factory=dict)
    _known: dict[str, tuple[int | None, tuple[SheetMap, ...], PersonalValues]] = field(default_factory=dict)

    def of(self, tenant: str) -> PersonalValues:
        """Of every live version. Costs a look at the schema maps where nothing is marked."""
        maps = self.schema_maps.load(tenant).sheets
        if not any(column.personal for sheet in maps for column in sheet.columns):
            return PersonalValues()
        revision = self.catalog.revision(tenant)
        known = self._known.get(tenant)
        if known is None or known[:2] != (revision, maps):
            self._known[tenant] = known = (revision, maps, self._collect(tenant, maps))
        return known[2]

    def _collect(self, tenant: str, maps: Sequence[SheetMap]) -> PersonalValues:
        phrases: set[tuple[str, ...]] = set()
        places: set[Place] = set()
        for stored, sql_names in self._columns(tenant, maps):
            version = stored.version
            for column in stored.table.columns:
                if column.sql_name not in sql_names:
                    continue
                if column.position is not None:
                    places.add((version.document, version.label, stored.table.sheet, column_letter(column.position)))
                if column.type in (ColumnType.TEXT, ColumnType.INTEGER):
                    phrases |= self._values(stored, column.sql_name, column.type is ColumnType.TEXT)
        return PersonalValues(frozenset(phrases), max(map(len, phrases), default=0), frozenset(places))

    def _columns(self, tenant: str, maps: Sequence[SheetMap]) -> Iterator[tuple[StoredTable, frozenset[str]]]:
        by_version: dict[str, list[StoredTable]] = {}
        for stored in self.catalog.tables(tenant):
            by_version.setdefault(stored.version.version_id, []).append(stored)
        for tables in by_version.values():
            headers: dict[str | None, list[str]] = {}
            for stored in tables:
                headers.setdefault(stored.table.sheet, []).extend(column.header for column in stored.table.columns)
            found = maps_for_document(maps, tables[0].version.document, headers)
            for stored in tables:
                sheet_map = found.get(stored.table.sheet)
                said = sheet_map.columns if sheet_map is not None else ()
                marked = {header_key(each.header) for each in said if each.personal and each.status != "rejected"}
                names = frozenset(each.sql_name for each in stored.table.columns if header_key(each.header) in marked)
                if names:
                    yield stored, names

    def _values(self, stored: StoredTable, sql_name: str, text: bool) -> frozenset[tuple[str, ...]]:
        key = (stored.segment_sha256, sql_name)
        if key not in self._read:
            self._read[key] = frozenset(_phrases(distinct_texts(stored, sql_name), text))
        return self._read[key]


def distinct_texts(stored: StoredTable, sql_name: str, most: int | None = None) -> list[str]:
    """The distinct values of a column as text, blanks left out; `most`: a sample of the first rows' values."""
    import pyarrow.compute as pc  # heavy, and only needed where something is personal
    import pyarrow.parquet as pq

    values = pq.read_table(stored.segment, columns=[sql_name])[sql_name].drop_null()
    found = pc.unique(values.slice(0, most) if most is not None else values).to_pylist()
    return [str(value) for value in found]


def _phrases(values: Iterable[str], names: bool) -> Iterator[tuple[str, ...]]:
    for value in values:
        words = tuple(fold(word) for word in WORD.findall(value))
        if len("".join(words)) < (SHORTEST if names else SHORTEST_NUMBER):
            continue
        yield words
        yield ("".join(words),)  # an IBAN written without its blanks
        yield from chain.from_iterable(_alone(word) for word in words) if names else ()


def _alone(word: str) -> Sequence[tuple[str, ...]]:
    return [(word,)] if word.isalpha() and len(word) >= SHORTEST and word not in _PLAIN_WORDS else []
