"""The topic in the tenant's other words for it: synonyms, both ways. What was said stands first and always stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from indexer.features import word_forms
from orchestrator.question import Token, words_of

MOST_VARIANTS = 6


def variants_of(text: str, tokens: Sequence[Token], synonyms: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The topic as it was said, then with a synonym in place of a word or run of words."""
    found: dict[str, None] = {text: None}
    start = tokens[0].start
    for word, others in synonyms.items():
        group = (word, *others)
        for first, last in _runs(tokens, group):
            before, behind = text[: tokens[first].start - start], text[tokens[last - 1].end - start :]
            said = text[tokens[first].start - start : tokens[last - 1].end - start]
            for other in group:
                if not _same(words_of(other), words_of(said)):
                    found.setdefault(f"{before}{other}{behind}")
    return tuple(found)[:MOST_VARIANTS]


def _runs(tokens: Sequence[Token], group: Iterable[str]) -> Iterable[tuple[int, int]]:
    """Runs of tokens that say one of the group, in whatever form of its words."""
    members = [words_of(one) for one in group]
    for first in range(len(tokens)):
        for last in range(first + 1, min(len(tokens), first + 4) + 1):
            said = tuple(token.folded for token in tokens[first:last])
            if any(_same(said, member) for member in members):
                yield first, last


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(one) == len(other) and all(_same_word(a, b) for a, b in zip(one, other, strict=True))


def _same_word(one: str, other: str) -> bool:
    if one == other:
        return True
    first, second = word_forms(one), word_forms(other)
    return not first.code and not second.code and first.whole == second.whole

