"""A model's rewording of a question: kept only where it says the same values, periods, numbers and negations, and only as a
choice that the asker makes. What it asks is then understood by the rules alone."""

from __future__ import annotations

from collections.abc import Iterable

import simplemma

from orchestrator.lexicon import lexicon
from orchestrator.link_periods import find_periods
from orchestrator.mentions import Mention
from orchestrator.period_mention import Calendar
from orchestrator.planners.frames import Reading
from orchestrator.question import Question, Token
from orchestrator.understand import Understanding
from parsers.word_forms import base_form

_KEPT = (
    "not", "without", "more_than", "at_least", "less_than", "at_most", "equal", "between", "average", "median", "maximum",
    "minimum", "share", "percent", "difference", "minus", "change", "increase", "decrease", "distinct", "how_many", "before",
    "after", "until", "top", "divided_by", "times", "not_only", "overdue", "running", "visible_only", "forecast",
)  # fmt: skip
"""Concepts that a rewording may not lose."""


def keeps_what_is_said(asked: Question, mentions: Iterable[Mention], reworded: Understanding, calendar: Calendar) -> bool:
    """`mentions`: all readings of the words asked. Whether the rewording names the same values, periods and numbers, loses no
    negation, comparison or operation, and drops no word that may be a name."""
    if not reworded.decision.planned or reworded.spelling is not None or reworded.joined is not None:
        return False
    said = tuple(mentions)
    reading = reworded.decision.planned[0].reading
    return (
        asked.language == reworded.question.language
        and _numbers(asked) == _numbers(reworded.question)
        and _values_kept(said, reading)
        and _periods(asked, calendar) == _periods(reworded.question, calendar)
        and _concepts_kept(asked, reworded.question)
        and not any(_may_be_name(token, asked, reworded.question, _explained(said)) for token in asked.tokens)
    )


def _numbers(question: Question) -> list[str]:
    """Numbers in digits and in words, in order of size of their text."""
    words = lexicon(question.language).numbers
    articles = {"ein", "one", "a"}
    found = [token.folded for token in question.tokens if token.is_number]
    found += [str(words[token.folded]) for token in question.tokens if token.folded in words and token.folded not in articles]
    return sorted(found)


def _values_kept(said: tuple[Mention, ...], reading: Reading) -> bool:
    """Each value of the rewording is said in the question; each value that the question certainly names is in the rewording."""
    asked = {_stored(mention) for mention in said if mention.values}
    kept = {_stored(mention) for mention in reading.mentions if mention.values}
    if not all(any(one & other for other in asked) for one in kept):
        return False
    only_values = _certain(said)
    return all(any(one & other for other in kept) for one in only_values)


def _certain(said: tuple[Mention, ...]) -> list[frozenset[str]]:
    """Values on words that name no column as well, the longest on their place."""
    columns = {index for mention in said if mention.columns for index in range(mention.first, mention.last)}
    found = [m for m in said if m.values and not columns.intersection(range(m.first, m.last))]
    longest = [
        m for m in found if not any(o is not m and o.first <= m.first and m.last <= o.last and _size(o) > _size(m) for o in found)
    ]
    return [_stored(mention) for mention in longest]


def _size(mention: Mention) -> int:
    return mention.last - mention.first


def _stored(mention: Mention) -> frozenset[str]:
    return frozenset(str(value.stored) for value in mention.values)


def _periods(question: Question, calendar: Calendar) -> frozenset[tuple[object, ...]]:
    """Days, or what was named of a period without a year, and the bound; not how it was written."""
    found = find_periods(question, calendar)
    return frozenset(
        (p.period.start, p.period.end, p.bound, p.back)
        if p.period is not None
        else (p.grain, p.number, p.until_number, p.bound, p.back)
        for p in found
    )


def _concepts_kept(asked: Question, reworded: Question) -> bool:
    return _concepts(asked) <= _concepts(reworded)


def _concepts(question: Question) -> set[str]:
    book, words = lexicon(question.language), [token.folded for token in question.tokens]
    found: set[str] = set()
    for first in range(len(words)):
        for last in range(first + 1, min(len(words), first + book.longest) + 1):
            found.update(book.concepts(tuple(words[first:last])))
    return found.intersection(_KEPT)


def _explained(said: Iterable[Mention]) -> frozenset[int]:
    """Words that name something of the asker's tables or of the language."""
    return frozenset(index for m in said if m.kind != "function_word" for index in range(m.first, m.last))


_BEFORE_NAMES = frozenset(
    {"in", "aus", "bei", "von", "fuer", "mit", "nach", "an", "auf", "ueber", "gegen", "durch", "hat", "hatte", "haben", "hatten"}
)


def _may_be_name(token: Token, asked: Question, reworded: Question, explained: frozenset[int]) -> bool:
    """A word that the rewording does not repeat and that may name something that is not in the data: no dictionary has it, it
    stands as names do ("in Madrid", without an article), or, where nouns are written small, it is written large."""
    if token.is_number or len(token.text) < 2 or not any(letter.isalpha() for letter in token.text):
        return False
    if token.quoted or any(letter.isdigit() for letter in token.text):
        return token.folded not in {other.folded for other in reworded.tokens}
    forms = {other.folded for other in reworded.tokens} | {base_form(other.text, asked.language) for other in reworded.tokens}
    if token.folded in forms or base_form(token.text, asked.language) in forms:
        return False
    if token.folded in lexicon(asked.language).function_words or lexicon(asked.language).concepts((token.folded,)):
        return False
    if token.text[0].isupper() and token.index and token.index not in explained:
        before = asked.tokens[token.index - 1].folded
        if asked.language != "de" or before in _BEFORE_NAMES:
            return True
    return not any(simplemma.is_known(word, lang=asked.language) for word in (token.text, token.text.lower()))
