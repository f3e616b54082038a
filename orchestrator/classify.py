"""Which way a question goes: to SQL, to the rows that are alike or fit, or to both; decided by words alone, and explained.

A question that asks for likeness or a topic goes to the rows. One of two parts ("… , und welche Artikel sind ähnlich?") of which
only the second does is mixed. How much or how many of such rows is not for the rows alone. What opens like no question for data
is out of scope. Everything else is for SQL; where that understands nothing, the texts of the rows are searched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from orchestrator.lexicon import lexicon
from orchestrator.question import Question, read_question
from orchestrator.rows.read_likeness import asks_for_likeness
from orchestrator.rows.row_words import is_row_word
from orchestrator.search.words import phrase_at, search_words

_JOINING = frozenset({"und", "sowie", "and", "i", "oraz"})
_HOW_MUCH = frozenset({"how_high", "how_many", "how_often", "sum", "average", "median"})
_ASKING = frozenset({"which", "list", "who", "how_many", "how_much", "exists"})


@dataclass(frozen=True)
class Classification:
    """`why`: the rule that decided. `exact` and `context`: the two parts of a mixed question."""

    route: Literal["sql", "rows", "mixed", "out_of_scope"]
    why: str
    exact: str = ""
    context: Question | None = None


def classify(question: Question) -> Classification:
    """The first rule that fits decides."""
    return next(found for rule in RULES if (found := rule(question)) is not None)


def asks_for_rows(question: Question) -> bool:
    """Whether words of likeness, topic or oddity occur."""
    book = lexicon(question.language)
    tokens = question.tokens
    runs = (tokens[first : first + size] for first in range(len(tokens)) for size in (1, 2, 3) if first + size <= len(tokens))
    about = search_words(question.language).about
    if any(phrase_at(tokens, place, about) for place in range(len(tokens))):
        return True
    return asks_for_likeness(question) or any("similar" in book.concepts(tuple(t.folded for t in run)) for run in runs)


def _two_parts(question: Question) -> Classification | None:
    """ "<exact part>, und welche … ähnlich …": the cut is the last joining word before a question word from which on alone
    words of likeness stand."""
    for token in reversed(question.tokens[1:-1]):
        if token.folded not in _JOINING or not _asks_behind(question, token.index):
            continue
        exact = question.text[: token.start].strip().rstrip(",")
        context = read_question(_sentence(question.text[token.end :]))
        context = Question(context.text, question.language, context.tokens)
        before = Question(exact, question.language, read_question(exact).tokens)
        if asks_for_rows(context) and not asks_for_rows(before):
            return Classification("mixed", "two_parts", f"{exact}?", context)
    return None


def _asks_behind(question: Question, place: int) -> bool:
    """A question word or a command follows within three words ("und in welchen Monaten")."""
    book, tokens = lexicon(question.language), question.tokens
    return any(_ASKING.intersection(book.concepts((token.folded,))) for token in tokens[place + 1 : place + 4])


def _sentence(text: str) -> str:
    plain = text.strip()
    return plain[:1].upper() + plain[1:]


def _out_of_scope(question: Question) -> Classification | None:
    """Reasons, advice, texts to be written, commands to change data: no data answer them. They go the way of figures, which says
    so in its own words."""
    book = lexicon(question.language)
    words = question.tokens
    if any(is_row_word("beyond", token.folded, question.language) for token in words[:2]):
        return Classification("out_of_scope", "no_question_for_data")
    command = next((token for token in words[:4] if token.folded not in book.function_words), None)
    writes = command is not None and "unsafe" in book.concepts((command.folded,))
    return Classification("out_of_scope", "changes_data") if writes else None


def _number_of_rows(question: Question) -> Classification | None:
    """ "Wie hoch ist der Umsatz der Artikel, die A ähnlich sind?", "Welche sind ähnlich, und wie viele hat A?": rows alone would
    not answer how much or how many."""
    book = lexicon(question.language)
    runs = (question.tokens[first : first + size] for size in (1, 2, 3) for first in range(len(question.tokens) - size + 1))
    said = {concept for run in runs for concept in book.concepts(tuple(token.folded for token in run))}
    return Classification("sql", "how_much_of_rows") if said & _HOW_MUCH and asks_for_rows(question) else None


def _rows(question: Question) -> Classification | None:
    return Classification("rows", "words_of_likeness") if asks_for_rows(question) else None


def _figures(question: Question) -> Classification:
    return Classification("sql", "nothing_else")


RULES: tuple[Callable[[Question], Classification | None], ...] = (_two_parts, _out_of_scope, _number_of_rows, _rows, _figures)
