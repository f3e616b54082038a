"""The names that a person may say: columns, values, documents, versions, of their own scope and nothing else.

Names are indexed by several keys (as written, in dictionary form, by the parts of compounds), so that a look-up is a few
dictionary accesses whatever the number of tables.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any, Literal

from orchestrator.business_terms import column_terms, figure_terms
from orchestrator.compounds import LINKING, entity_name, is_container, parts_key
from orchestrator.lexicon import LANGUAGES, Language, lexicon
from orchestrator.medals import medal_names
from orchestrator.question import Token, tokenize, words_of
from orchestrator.scope import Scope, VisibleColumn, VisibleTable
from orchestrator.spellings import Spellings
from orchestrator.thesaurus import like_deeds
from orchestrator.things.book import comparatives
from orchestrator.value_names import ValueNames
from parsers.fold import fold
from parsers.periods import parse_period
from parsers.scenarios import scenario_class
from parsers.table import ColumnType
from parsers.word_forms import base_form

Strength = Literal["full", "entity", "part"]


@dataclass(frozen=True)
class ColumnName:
    """A column under one of its names. `strength`: full: the name as such; entity: the thing its key names (Kundennr: Kunde);
    part: only one word of a longer name ("Umsatz" of "Nettoumsatz"), which never suffices for an answer."""

    table: str
    column: VisibleColumn
    strength: Strength

    def __hash__(self) -> int:
        return hash((self.table, self.column.sql_name, self.strength))

    @property
    def key(self) -> tuple[str, str]:
        return self.table, self.column.sql_name


@dataclass(frozen=True)
class ValueName:
    """A stored value. `total_only`: it stands only in printed total rows. `partly`: the words are only a part of it."""

    table: str
    column: VisibleColumn
    stored: str | Decimal
    total_only: bool = False
    partly: bool = False

    @property
    def key(self) -> tuple[str, str]:
        return self.table, self.column.sql_name


@dataclass(frozen=True)
class TableName:
    """A word that names a document, sheet, caption or measure of a table; `whole`: it is the whole name of the sheet or file."""

    table: str
    whole: bool = False


@dataclass(frozen=True)
class Names:
    """Index of everything sayable in one scope; `tables`: the representative version of each table by SQL name."""

    tables: Mapping[str, VisibleTable]
    columns: Mapping[str, tuple[ColumnName, ...]]
    values: Mapping[str, ValueNames]
    words: Mapping[str, tuple[TableName, ...]]
    synonyms: Mapping[str, tuple[str, ...]]
    part_columns: Mapping[str, tuple[ColumnName, ...]] = field(default_factory=dict)

    @cached_property
    def spellings(self) -> Spellings:
        """Every stored text value and every synonym of one."""
        return Spellings(self._spelt())

    def _spelt(self) -> Iterable[tuple[str, str]]:
        """Folded words, and what to say."""
        for index in self.values.values():
            for words, hits in index.exact.items():
                if isinstance(hits[0].stored, str):
                    yield words, str(hits[0].stored)
                    for other in self.synonyms.get(words, ()):
                        yield " ".join(words_of(other)), other

    @cached_property
    def said_values(self) -> frozenset[str]:
        """The words of every stored value of every table."""
        return frozenset(words for index in self.values.values() for words in index.exact)

    @cached_property
    def kept(self) -> dict[tuple[str, object], Any]:
        """What is made of these names once: under what it is and what else it depends on."""
        return {}

    @cached_property
    def units(self) -> frozenset[str]:
        """Folded units of all columns."""
        return frozenset(fold(column.unit) for table in self.tables.values() for column in table.columns if column.unit)

    @cached_property
    def measure_words(self) -> Mapping[str, Mapping[int, str]]:
        """Each word of a measure's names -> place and name of the measures that hold it."""
        found: dict[str, dict[int, str]] = defaultdict(dict)
        measures = [column for table in self.tables.values() for column in table.columns if is_measure(column)]
        for place, column in enumerate(measures):
            for word in (word for name in column.names for word in words_of(name)):
                found[word][place] = display_name(column)
        return found

    @cached_property
    def header_words(self) -> frozenset[str]:
        """Each word of every name of a column."""
        names = {name for table in self.tables.values() for column in table.columns for name in column.names}
        return frozenset(word for name in names for word in words_of(name))

    def beginning(self, stem: str) -> frozenset[str]:
        """Tables that a word with this beginning names, or whose columns it names in part or whole."""
        found: set[str] = set()
        for place in range(bisect_left(self._words_in_order, stem), len(self._words_in_order)):
            word = self._words_in_order[place]
            if not word.startswith(stem):
                break
            for names in (self.words.get(word, ()), self.part_columns.get(word, ()), self.columns.get(word, ())):
                found.update(name.table for name in names)
        return frozenset(found)

    @cached_property
    def _words_in_order(self) -> list[str]:
        return sorted({*self.words, *self.part_columns, *self.columns})


def index_names(scope: Scope, tables: Mapping[str, VisibleTable], values: Mapping[str, ValueNames], language: Language) -> Names:
    """Builds the index; `tables`: one version of each table. `language`: of the question; names are taken to be in it or in
    German, so that no dictionary is loaded that is not needed."""
    languages: tuple[Language, ...] = tuple(dict.fromkeys((language, "de")))
    own = synonym_groups(scope.synonyms)
    synonyms = {**figure_terms(), **{key: (*others, *figure_terms().get(key, ())) for key, others in own.items()}}
    columns: dict[str, dict[ColumnName, None]] = defaultdict(dict)
    parts: dict[str, dict[ColumnName, None]] = defaultdict(dict)
    words: dict[str, dict[TableName, None]] = defaultdict(dict)
    for sql_name, table in tables.items():
        for column in table.columns:
            if not _is_sayable(table, column):
                continue
            for key, strength in _column_keys(column, synonyms, languages):
                columns[key][ColumnName(sql_name, column, strength)] = None
            for name in medal_names(table, column):
                for key in name_keys(name, languages):
                    columns[key][ColumnName(sql_name, column, "full")] = None
            for part in _part_words(column, languages):
                parts[part][ColumnName(sql_name, column, "part")] = None
            for key in _grain_words(column, values.get(sql_name), languages):
                columns[key][ColumnName(sql_name, column, "entity")] = None
        for word in _table_words(table, languages):
            words[word][TableName(sql_name)] = None
        for word in name_keys(table.stored.table.sheet or table.version.document.rpartition(".")[0], languages):
            words[word][TableName(sql_name, whole=True)] = None
    return Names(
        tables,
        {key: _strongest(found) for key, found in columns.items()},
        values,
        {key: tuple(found) for key, found in words.items()},
        synonyms,
        {key: tuple(found) for key, found in parts.items()},
    )


def synonym_groups(synonyms: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Folded phrase -> everything that means the same (both directions), the phrase itself left out."""
    groups: dict[str, tuple[str, ...]] = {}
    for word, others in synonyms.items():
        members = (word, *others)
        for member in members:
            key = " ".join(words_of(member))
            rest = tuple(other for other in members if other != member)
            groups[key] = (*groups.get(key, ()), *rest)
    return groups


def _is_sayable(table: VisibleTable, column: VisibleColumn) -> bool:
    """Value columns of a printed cross-tab are said through its tidy form, by period and scenario."""
    if table.stored.table.layout != "crosstab" or not is_number(column) or column.column.role == "total":
        return True
    path = column.column.path or (column.column.header,)
    return column.column.role != "value" and not any(parse_period(part) or scenario_class(part) for part in path)


def _column_keys(
    column: VisibleColumn, synonyms: Mapping[str, tuple[str, ...]], languages: Sequence[Language]
) -> Iterable[tuple[str, Strength]]:
    names = list(dict.fromkeys((*column.names, column.column.header)))
    names += [bare for name in names if (bare := without_unit(name)) is not None]
    names += [other for name in tuple(names) for other in SAME_THING.get(fold(name), ())]
    for name in tuple(names):
        key = " ".join(words_of(name))
        names.extend((*synonyms.get(key, ()), *column_terms().get(key, ())))
    for name in names:
        for key in name_keys(name, languages):
            yield key, "full"
        entity = entity_name(name)
        if entity:
            for key in name_keys(entity, languages):
                yield key, "entity"


SAME_THING: dict[str, tuple[str, ...]] = {"nation": ("country",), "country": ("nation",)}
"""Headers that mean the very same in every table."""

_IN_BRACKETS = re.compile(r"(.*\S)\s*[\[(](.*)[\])]\s*\Z", re.DOTALL)
_UNIT_WORDS = frozenset({
    "us", "usd", "eur", "gbp", "chf", "pln", "$", "€", "£", "%", "000", "000s", "thousand", "thousands", "million",
    "millions", "billion", "billions", "m", "mm", "cm", "km", "mi", "ft", "in", "inch", "inches", "kg", "g", "t", "lb",
    "lbs", "s", "sec", "min", "h", "ha", "l", "kwh", "mwh", "stk", "pcs", "stueck", "tsd", "mio", "mrd",
})  # fmt: skip


def without_unit(name: str) -> str | None:
    """A header without a unit or the abbreviation of itself in brackets behind it ("Toy sales (US $ Billions)", "Threads per inch
    (TPI)"); None where there is none. Anything else in brackets ("Umsatz (netto)", "Deaths (age <15)") says which one it is."""
    match = _IN_BRACKETS.match(name)
    if match is None:
        return None
    words = [word for word in re.split(r"[\s()\[\],./]+", fold(match[2]).replace("$", " $ ")) if word]
    initials = "".join(word[0] for word in words_of(match[1]))
    return match[1] if words and (all(word in _UNIT_WORDS for word in words) or words == [initials]) else None


def _part_words(column: VisibleColumn, languages: Sequence[Language]) -> Iterable[str]:
    for name in column.names:
        for language in languages:
            parts = parts_key(tuple(token.text for token in tokenize(name)), language)
            if len(parts) > 1:
                yield from parts


_GRAIN_WORDS = {
    "month": ("Monat", "Monate", "month", "miesiąc", "miesiące"),
    "quarter": ("Quartal", "Quartale", "quarter", "kwartał", "kwartały"),
    "week": ("Woche", "Kalenderwoche", "week", "tydzień", "KW"), "year": ("Jahr", "Jahre", "year", "rok"),
    "half_year": ("Halbjahr", "half-year", "półrocze"),
}  # fmt: skip


def _grain_words(column: VisibleColumn, values: ValueNames | None, languages: Sequence[Language]) -> Iterable[str]:
    """A period column that holds months only may be called by that word ("je Monat", "in welchen Quartalen")."""
    grains = {period.grain for period in values.periods.get(column.sql_name, ())} if values else set()
    if len(grains) == 1:
        for word in _GRAIN_WORDS.get(grains.pop(), ()):
            yield from name_keys(word, languages)


def _table_words(table: VisibleTable, languages: Sequence[Language]) -> Iterable[str]:
    """Words of the file name, sheet, caption and measure names, also in dictionary form."""
    meta = table.stored.table
    stem = table.version.document.rpartition(".")[0].replace("_", " ").replace("-", " ")
    texts = [stem, meta.sheet or "", meta.caption or ""]
    texts += [*meta.measure_names]
    for text in texts:
        for token in tokenize(text):
            if _is_function_word(token):
                continue
            yield token.folded
            for language in languages:
                yield base_form(token.text, language)


def name_keys(name: str, languages: Sequence[Language]) -> tuple[str, ...]:
    """All keys under which a name is indexed; joining words at its ends may be left out ("Fällig am": fällig)."""
    tokens = tokenize(name)
    first, last = 0, len(tokens)
    while first < last and tokens[first].folded in LINKING:
        first += 1
    while last > first and tokens[last - 1].folded in LINKING:
        last -= 1
    inner = word_keys(tokens[first:last], languages) if first < last and last - first < len(tokens) else ()
    return (*word_keys(tokens, languages), *inner) if tokens else ()


def _is_function_word(token: Token) -> bool:
    return any(token.folded in lexicon(language).function_words for language in LANGUAGES)


def word_keys(tokens: Sequence[Token], languages: Sequence[Language]) -> tuple[str, ...]:
    """Keys of a run of tokens: as written, in the dictionary form of each language, and by parts ("=netto umsatz")."""
    return _keys(tuple((token.text, token.folded) for token in tokens), tuple(languages))


@lru_cache(maxsize=16_384)
def _keys(words: tuple[tuple[str, str], ...], languages: tuple[Language, ...]) -> tuple[str, ...]:
    """`words`: text and folded form of each."""
    keys = dict.fromkeys((" ".join(folded for _, folded in words),))
    for language in languages:
        keys[" ".join(base_form(text, language) for text, _ in words)] = None
    if any(text.islower() for text, _ in words):  # nouns in lower case: "betrag" is no form of "betragen"
        keys[" ".join(base_form(text.capitalize(), "de") for text, _ in words)] = None
    edges = (words[0][1], words[-1][1])
    for language in languages:
        if any(folded in LINKING or folded in lexicon(language).function_words for folded in edges):
            continue
        parts = parts_key(tuple(text for text, _ in words), language)
        if parts:
            keys["=" + " ".join(parts)] = None
    return tuple(key for key in keys if key.strip("= "))


def _strongest(found: Iterable[ColumnName]) -> tuple[ColumnName, ...]:
    """Of one column only its strongest way of being named."""
    best: dict[tuple[str, str], ColumnName] = {}
    for name in found:
        known = best.get(name.key)
        if known is None or (known.strength != "full" and name.strength == "full"):
            best[name.key] = name
    return tuple(best.values())


def find_columns(names: Names, tokens: Sequence[Token], language: Language) -> tuple[ColumnName, ...]:
    """Columns that a run of tokens names in full (or by the entity of their key); "älter" compares and does not name the age."""
    if len(tokens) == 1 and language == "de" and tokens[0].folded in comparatives():
        return ()
    found: dict[tuple[str, str], ColumnName] = {}
    for key in word_keys(tokens, tuple(dict.fromkeys((language, "de")))):
        for name in names.columns.get(key, ()):
            if name.key not in found or name.strength == "full":
                found[name.key] = name
    return tuple(found.values())


def find_table_nouns(names: Names, token: Token, language: Language) -> frozenset[str]:
    """Tables whose sheet (of a CSV: whose file) is called just so: "Kunden", "Autos"."""
    keys = {token.folded, base_form(token.text, language), base_form(token.text, "de")}
    return frozenset(name.table for key in keys for name in names.words.get(key, ()) if name.whole)


def find_table_words(names: Names, token: Token, language: Language) -> frozenset[str]:
    """Tables of which the word is a part of the name; of a container word (Auftragsliste) its other parts count."""
    keys = {token.folded, base_form(token.text, language), base_form(token.text, "de")}
    tables = {name.table for key in keys for name in names.words.get(key, ())}
    if not tables and token.text[0].islower():
        stem = verb_stem(token.folded)
        if stem:
            tables = set(names.beginning(stem))
        if not tables and language != "de":
            tables = set().union(*(names.beginning(other) for other in like_deeds(token.folded)))
    if not tables and is_container(token.text, language):
        parts = [part for part in parts_key((token.text,), language) if not is_container(part, language)]
        if parts:
            tables = set.intersection(*({name.table for name in names.words.get(part, ())} for part in parts))
    return frozenset(tables)


_PARTICIPLE = re.compile(r"(?:ge)?(\w{5,}?)(?:e?ten|e?te|e?t|en)\Z")


def verb_stem(word: str) -> str | None:
    """Stem of a German verb form of at least five letters ("verkauft" -> verkauf, "bestellten" -> bestell), else None."""
    match = _PARTICIPLE.match(word)
    return match[1] if match and len(match[1]) >= 5 else None


def is_identifier(column: VisibleColumn) -> bool:
    """A number column that names things (cost centre, document number, dunning level): compared, never added up."""
    return column.column.type is ColumnType.INTEGER and column.aggregation == "none" and column.unit is None


def is_number(column: VisibleColumn) -> bool:
    return column.column.type in (ColumnType.DECIMAL, ColumnType.INTEGER)


def is_time(column: VisibleColumn) -> bool:
    return column.column.type in (ColumnType.DATE, ColumnType.TIMESTAMP, ColumnType.PERIOD)


def is_measure(column: VisibleColumn) -> bool:
    return is_number(column) and not is_identifier(column)


def display_name(column: VisibleColumn) -> str:
    return column.names[0] if column.names else fold(column.column.header)
