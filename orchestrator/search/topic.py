"""What a question looks for in the texts of rows: its topic, and the tables and columns in which.

A question is a search only where its frame says so as a whole: something that is asked for (a column, a sheet, a file), words
that say that a topic follows, and nothing else around the topic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orchestrator.link_names import Names, find_columns, find_table_words
from orchestrator.question import Question, Token
from orchestrator.search.words import SearchWords, phrase_at, phrase_before, search_words

LONGEST_TARGET = 5
_MOST_WORDS = 25


@dataclass(frozen=True)
class Topic:
    """`words`: the tokens of the topic, `text`: as it was said. `tables`: SQL names of those that the question asks for, best
    first; `columns`: those of their columns that it names (table, column)."""

    words: tuple[Token, ...]
    text: str
    tables: tuple[str, ...]
    columns: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class _Target:
    """What is asked for: tokens [first, last). `texts`: it is a column of texts."""

    first: int
    last: int
    tables: tuple[str, ...]
    columns: frozenset[tuple[str, str]]
    texts: bool


IsText = Callable[[str, str], bool]
"""Table and column -> whether the column holds texts of several words."""


def read_topic(question: Question, names: Names, is_text: IsText, aside: Sequence[tuple[int, int]] = ()) -> Topic | None:
    """None where the question is no search. `aside`: runs of tokens that say something else, such as a version."""
    book = search_words(question.language)
    tokens = tuple(t for t in question.tokens if not any(first <= t.index < last for first, last in aside))
    if len(tokens) > _MOST_WORDS or book.asks_for_likeness(tokens):
        return None
    for target in _targets(tokens, names, question, is_text):
        found = _topic_of(tokens, target, book)
        if found:
            text = question.text[found[0].start : found[-1].end]
            return Topic(found, text, target.tables, target.columns)
    return None


def _topic_of(tokens: Sequence[Token], target: _Target, book: SearchWords) -> tuple[Token, ...]:
    """The tokens of the topic, () where the words around the target do not frame one."""
    about = book.about | book.about_text if target.texts else book.about
    opened, searched = _frame(tokens[: target.first], book)
    if opened is None:
        return ()
    rest = list(tokens[target.last :])
    start, end = 0, len(rest)
    said = False
    while start < end:  # "… passen zum", "…, die zum", "… zu einem"
        length = phrase_at(rest, start, about)
        step = length or max(phrase_at(rest, start, words) for words in (book.filler, book.towards, book.open))
        if not step:
            break
        said |= bool(length)
        start += step
    while end > start and (length := phrase_before(rest, end, about)):  # "… , die zum Räumen von Schnee passt"
        said, end = True, end - length
    if not (said or (searched and (target.texts or _towards(rest, book)))):
        return ()
    return tuple(rest[start:end])


def _frame(before: Sequence[Token], book: SearchWords) -> tuple[bool | None, bool]:
    """Whether the words before the target are a frame (None: there is something else), and whether they search."""
    place = 0
    searched = False
    while place < len(before):
        length = phrase_at(before, place, book.find)
        searched |= bool(length)
        step = length or phrase_at(before, place, book.open) or phrase_at(before, place, book.filler)
        if not step:
            return None, False
        place += step
    return True, searched


def _towards(rest: Sequence[Token], book: SearchWords) -> bool:
    return bool(phrase_at(rest, 0, book.towards))


def _targets(tokens: Sequence[Token], names: Names, question: Question, is_text: IsText) -> list[_Target]:
    """Runs that name columns or tables, columns of texts first, then the longest, then the first."""
    found: list[_Target] = []
    for first in range(len(tokens)):
        for last in range(first + 1, min(len(tokens), first + LONGEST_TARGET) + 1):
            run = tuple(tokens[first:last])
            if run[-1].index - run[0].index != len(run) - 1:
                continue
            columns = [one for one in find_columns(names, run, question.language) if one.strength != "part"]
            texts = [one for one in columns if is_text(*one.key)]
            chosen = texts or columns
            if chosen:
                tables = tuple(dict.fromkeys(one.table for one in chosen))
                found.append(_Target(first, last, tables, frozenset(one.key for one in texts), bool(texts)))
            elif len(run) == 1 and (named := find_table_words(names, run[0], question.language)):
                found.append(_Target(first, last, tuple(sorted(named)), frozenset(), False))
    return sorted(found, key=lambda target: (not target.texts, target.first - target.last, target.first))
