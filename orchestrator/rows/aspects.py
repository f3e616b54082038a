"""What is to be alike, and in which table: the words that name a table's sheet or a course of one of its figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from orchestrator.link_names import find_table_words, is_measure
from orchestrator.question import words_of
from orchestrator.rows.row_request import RowRequest
from orchestrator.rows.row_words import aspect_of, is_row_word
from orchestrator.scope import VisibleTable
from parsers.fold import fold
from parsers.word_forms import base_form, compound_parts

Aspect = Literal["shape", "profile"]


def table_runs(request: RowRequest, table: VisibleTable, apart: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Runs of words that name the table: its sheet, caption or file, in other words or as a part of a compound. `apart`: places
    of words that mean something else."""
    tokens, names, language = request.question.tokens, request.names, request.question.language
    own = _own(request, table)
    for first in range(len(tokens)):
        for last in range(min(len(tokens), first + 3), first, -1):
            run = tokens[first:last]
            if any(token.is_number or token.index in apart for token in run):
                continue
            said = " ".join(token.folded for token in run)
            others = [said, *(" ".join(words_of(other)) for other in names.synonyms.get(said, ()))]
            based = base_form(run[-1].text, language)
            others += [" ".join(words_of(other)) for other in names.synonyms.get(based, ())] if len(run) == 1 else []
            if any(_names_table(other, own, request) for other in others) or (
                len(run) == 1 and table.sql_name in find_table_words(names, run[0], language)
            ):
                yield first, last
                break


def _own(request: RowRequest, table: VisibleTable) -> set[str]:
    meta = table.stored.table
    return {part for text in (meta.sheet, meta.caption) if text for part in _parts(text, request)}


def _parts(text: str, request: RowRequest) -> Iterator[str]:
    """The words of a name, and those of its compounds, in dictionary form."""
    for word in text.replace("_", " ").split():
        yield base_form(word, request.question.language)
        yield base_form(word, "de")
        yield from compound_parts(word, "de")


def _names_table(said: str, own: set[str], request: RowRequest) -> bool:
    """One word: as such, in dictionary form, or with all parts of the compound."""
    if not said or " " in said:
        return False
    forms = {said, base_form(said, request.question.language), base_form(said, "de")}
    return bool(forms & own) or set(compound_parts(said, "de")) <= own


def aspects_by_synonym(request: RowRequest, table: VisibleTable) -> Iterator[tuple[int, int, Aspect]]:
    """Runs of words that are a tenant's own way to say a course or profile of this table ("Saisonbild" for Verkaufszyklus)."""
    tokens, language = request.question.tokens, request.question.language
    for first in range(len(tokens)):
        for last in range(first + 1, min(len(tokens), first + 3) + 1):
            for other in request.names.synonyms.get(" ".join(token.folded for token in tokens[first:last]), ()):
                aspect = aspect_of(words_of(other)[-1] if words_of(other) else "", language) or aspect_of(other, "de")
                if aspect is not None and (
                    aspect_fits(request, table, other) or _names_table(fold(other), _own(request, table), request)
                ):
                    yield first, last, aspect


def aspect_fits(request: RowRequest, table: VisibleTable, word: str) -> bool:
    """The word stands for itself ("Verlauf"), or the rest of the compound names a number column or the table
    ("Umsatzverlauf"); of anything else ("Temperaturverlauf") nothing is known here."""
    *rest, _ = compound_parts(word, request.question.language if " " not in word else "de")
    known = {part for column in table.columns if is_measure(column) for name in column.names for part in _parts(name, request)}
    known |= {part for text in _texts(table) for part in _parts(text, request)}
    return all(part in known or is_row_word("course", part, request.question.language) for part in rest)


def _texts(table: VisibleTable) -> Iterator[str]:
    meta = table.stored.table
    yield from (text for text in (meta.sheet, meta.caption, *meta.measure_names) if text)
    yield table.version.document.rpartition(".")[0].replace("_", " ")
