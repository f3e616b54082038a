"""Parts of texts that a question gives: "beginnt mit Ahorn", "die mit Ahorn anfangen", "containing 'steel'"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from orchestrator.lexicon import lexicon
from orchestrator.question import Question

_KINDS: tuple[tuple[str, Literal["begins", "ends", "contains"]], ...] = (
    ("begins", "begins"),
    ("ends", "ends"),
    ("contains", "contains"),
)


@dataclass(frozen=True)
class TextSaid:
    """On tokens [first, last): the words that ask for it and the text itself."""

    first: int
    last: int
    kind: Literal["begins", "ends", "contains"]
    text: str


def find_texts(question: Question) -> Iterator[TextSaid]:
    """The text is what stands in quotation marks behind the words, or the one word there; "mit X beginnen": the words between."""
    book, tokens = lexicon(question.language), question.tokens
    for first in range(len(tokens)):
        for last in range(first + 1, min(len(tokens), first + book.longest) + 1):
            concepts = book.concepts(tuple(token.folded for token in tokens[first:last]))
            for concept, kind in _KINDS:
                end = _end_of_text(question, last)
                if concept in concepts and end > last:
                    yield TextSaid(first, end, kind, question.text[tokens[last].start : tokens[end - 1].end])
                if f"{concept}_behind" in concepts and (start := _start_of_text(question, first)) is not None:
                    yield TextSaid(start, last, kind, question.text[tokens[start + 1].start : tokens[first - 1].end])


def _end_of_text(question: Question, start: int) -> int:
    tokens = question.tokens
    end = start
    while end < len(tokens) and tokens[end].quoted:
        end += 1
    plain = start < len(tokens) and tokens[start].folded not in lexicon(question.language).function_words
    return end if end > start else start + 1 if plain else start


def _start_of_text(question: Question, verb: int) -> int | None:
    """The "mit" before one word, or before words in quotation marks."""
    tokens = question.tokens
    start = verb - 1
    while start > 0 and tokens[start].quoted and tokens[start - 1].quoted:
        start -= 1
    return start - 1 if start >= 1 and tokens[start - 1].folded in ("mit", "auf", "with") else None
