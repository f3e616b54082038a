"""Stored values that words of a question name, in whole or in part."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.lexicon import Language, demonyms
from orchestrator.link_names import Names, ValueName
from orchestrator.question import Token, words_of
from orchestrator.scope import VisibleTable
from orchestrator.value_names import Named
from parsers.word_forms import base_form

_MOST_PARTIAL_KEPT = 1_000
"""Runs of words of which the partly named values are remembered."""


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


def find_partial_values(names: Names, tokens: Sequence[Token]) -> tuple[ValueName, ...]:
    """Stored values of which the tokens are whole words but not all ("Warschau" of "Warschau Mitte")."""
    said = tuple(token.folded for token in tokens)
    found = names.partial_values.get(said)
    if found is None:
        found = _partial_values(names, said)
        if len(names.partial_values) >= _MOST_PARTIAL_KEPT:
            names.partial_values.clear()
        names.partial_values[said] = found
    return found


def _partial_values(names: Names, said: tuple[str, ...]) -> tuple[ValueName, ...]:
    found: dict[tuple[str, str, str], ValueName] = {}
    spellings = [said, *(words_of(other) for other in names.synonyms.get(" ".join(said), ()))]
    for sql_name, table in names.tables.items():
        index = names.values.get(sql_name)
        if index is None:
            continue
        for words in spellings:
            for hit in index.containing(words):
                _add_value(found, table, sql_name, hit, partly=True)
    return tuple(found.values())


def _add_value(
    found: dict[tuple[str, str, str], ValueName], table: VisibleTable, sql_name: str, hit: Named, *, partly: bool = False
) -> None:
    column = table.column(hit.column)
    if column is not None:
        found.setdefault((sql_name, hit.column, str(hit.stored)), ValueName(sql_name, column, hit.stored, hit.total_only, partly))
