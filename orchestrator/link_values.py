"""Stored values that words of a question name, in whole or in part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.lexicon import Language, demonyms
from orchestrator.link_names import Names, ValueName
from orchestrator.question import Token, words_of
from orchestrator.scope import VisibleTable
from orchestrator.value_names import Named
from parsers.word_forms import base_form

_MOST_PARTIAL_KEPT = 1_000
"""Runs of words of which the partly named values are remembered."""

_MOST_PARTIAL_IN_ALL = 1_000
"""From more values than this on, only two of each column are looked at."""


def find_values(names: Names, tokens: Sequence[Token], language: Language) -> tuple[ValueName, ...]:
    """Stored values that a run of tokens names exactly, after folding, through synonyms too."""
    phrase = " ".join(token.folded for token in tokens)
    spellings = [phrase, *(" ".join(words_of(other)) for other in names.synonyms.get(phrase, ()))]
    base = base_form(tokens[0].text, language)
    if len(tokens) == 1 and not tokens[0].is_number and abs(len(base) - len(phrase)) <= _MOST_ENDING:
        spellings += [base]
        spellings += [" ".join(words_of(other)) for other in names.synonyms.get(spellings[-1], ())]
    if tokens[-1].text.endswith(("'s", "’s")):  # "EMEA's share"
        spellings += [phrase.removesuffix("s")]
        spellings += [" ".join(words_of(other)) for other in names.synonyms.get(spellings[-1], ())]
    if language == "en":
        spellings += [" ".join(words_of(country)) for country in demonyms().get(phrase, ())]
    found: dict[tuple[str, str, str], ValueName] = {}
    known = [spelling for spelling in dict.fromkeys(spellings) if spelling in names.said_values]
    for sql_name, table in names.tables.items() if known else ():
        index = names.values.get(sql_name)
        if index is None:
            continue
        for spelling in known:
            for hit in index.exact.get(spelling, ()):
                _add_value(found, table, sql_name, hit)
    return tuple(found.values())


_MOST_ENDING = 3
"""Letters that an inflected word may differ from its base form by and still name a value ("fakturierten": fakturiert)."""


@dataclass(frozen=True)
class PartlyNamed:
    """Values that hold the words and more, of all tables and by table."""

    values: tuple[ValueName, ...] = ()
    by_table: Mapping[str, tuple[ValueName, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.values)


def find_partial_values(names: Names, tokens: Sequence[Token]) -> PartlyNamed:
    """Stored values of which the tokens are whole words but not all ("Warschau" of "Warschau Mitte"); what was found is
    remembered, since a question is read again with each of its options."""
    said = tuple(token.folded for token in tokens)
    kept: dict[tuple[str, ...], PartlyNamed] = names.kept.setdefault(("partial values", None), {})
    found = kept.get(said)
    if found is None:
        found = _partial_values(names, said)
        if not found:
            return found
        if len(kept) >= _MOST_PARTIAL_KEPT:
            kept.clear()
        kept[said] = found
    return found


def _partial_values(names: Names, said: tuple[str, ...]) -> PartlyNamed:
    spellings = [said, *(words_of(other) for other in names.synonyms.get(" ".join(said), ()))]
    hits: dict[str, list[Named]] = {}
    holding = {words: _tables_holding(names, words) for words in spellings}
    for sql_name in dict.fromkeys(name for tables in holding.values() for name in tables):
        index = names.values[sql_name]
        held = [words for words, tables in holding.items() if sql_name in tables]
        if held and sql_name in names.tables:
            found = (hit for words in held for hit in index.containing(words))
            hits[sql_name] = list(found if len(held) == 1 else dict.fromkeys(found))
    if sum(map(len, hits.values())) > _MOST_PARTIAL_IN_ALL:
        hits = {sql_name: list(_first_of_each_column(all_found)) for sql_name, all_found in hits.items()}
    by_table = {}
    for sql_name, kept in hits.items():
        columns = {hit.column: names.tables[sql_name].column(hit.column) for hit in kept}
        seen = ((sql_name, columns[hit.column], hit) for hit in kept)
        values = tuple(ValueName(t, column, hit.stored, hit.total_only, True) for t, column, hit in seen if column is not None)
        if values:
            by_table[sql_name] = values
    return PartlyNamed(tuple(value for values in by_table.values() for value in values), by_table)


def _tables_holding(names: Names, words: tuple[str, ...]) -> Mapping[str, None]:
    """Tables of which every word is one of some value, in their order."""
    kept: dict[str, Mapping[str, None]] = names.kept.setdefault(("tables of a word", None), {})
    found: Mapping[str, None] | None = None
    for word in words:
        tables = kept.get(word)
        if tables is None:
            if len(kept) >= _MOST_PARTIAL_KEPT:
                kept.clear()
            tables = kept[word] = dict.fromkeys(name for name, index in names.values.items() if word in index.by_word)
        found = tables if found is None else {name: None for name in found if name in tables}
    return found or {}


def _first_of_each_column(hits: Iterable[Named]) -> Iterator[Named]:
    """Two values of each column show as well as ten that a word does not name one."""
    seen: Counter[str] = Counter()
    for hit in hits:
        seen[hit.column] += 1
        if seen[hit.column] <= 2:
            yield hit


def _add_value(found: dict[tuple[str, str, str], ValueName], table: VisibleTable, sql_name: str, hit: Named) -> None:
    column = table.column(hit.column)
    if column is not None:
        found.setdefault((sql_name, hit.column, str(hit.stored)), ValueName(sql_name, column, hit.stored, hit.total_only))
