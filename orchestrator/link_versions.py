"""Versions that a question names: "laut Entwurf vom 12.10.2024", "in der korrigierten Fassung", "Version 2"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from indexer.stored import Version
from orchestrator.period_mention import PeriodMention
from orchestrator.question import Question, words_of
from orchestrator.scope import Scope
from parsers.word_forms import base_form

_STATUS_WORDS = {
    "draft": ("entwurf", "draft", "vorlaeufig", "projekt", "szkic"),
    "corrected": (
        "korrektur",
        "korrigiert",
        "korrigieren",
        "berichtigt",
        "berichtigen",
        "corrected",
        "correct",
        "korekta",
        "skorygowany",
    ),
    "final": ("final", "endgueltig", "endfassung"),
}
_INTRODUCING = frozenset({"version", "fassung", "v", "stand", "wersja", "wersji", "versionen"})


@dataclass(frozen=True)
class VersionMention:
    """Version words on tokens [first, last); `versions`: the visible versions that fit, of any document."""

    first: int
    last: int
    versions: tuple[Version, ...]


def find_versions(question: Question, scope: Scope, periods: Iterable[PeriodMention]) -> tuple[VersionMention, ...]:
    """Versions named by label, status or number, each with the date behind it where it is the version's."""
    versions = scope.versions
    labels: dict[tuple[str, ...], list[Version]] = {}
    for version in versions:
        labels.setdefault(_label_words(version.label), []).append(version)
    longest = max(map(len, labels), default=0)
    days = {mention.first: mention for mention in periods if mention.period is not None and mention.period.grain == "day"}
    found: list[VersionMention] = []
    position = 0
    while position < len(question.tokens):
        mention = _at(question, position, versions, labels, longest, days)
        if mention is None:
            position += 1
        else:
            found.append(mention)
            position = mention.last
    return tuple(found)


def _at(
    question: Question,
    position: int,
    versions: tuple[Version, ...],
    labels: Mapping[tuple[str, ...], Sequence[Version]],
    longest: int,
    days: Mapping[int, PeriodMention],
) -> VersionMention | None:
    tokens = question.tokens
    introduced = position > 0 and tokens[position - 1].folded in _INTRODUCING
    best: tuple[int, tuple[Version, ...]] | None = None
    for length in range(min(longest, len(tokens) - position), 0, -1):
        said = labels.get(tuple(token.folded for token in tokens[position : position + length]), ())
        named = tuple(version for version in said if introduced or not version.label.strip().isdigit())
        if named:
            best = (length, named)
            break
    if best is None:
        word = base_form(tokens[position].text, question.language)
        fitting = tuple(
            version
            for version in versions
            if version.status
            and (word in _STATUS_WORDS[version.status] or tokens[position].folded in _STATUS_WORDS[version.status])
        )
        best = (1, fitting) if fitting else None
    if best is None:
        return None
    first, last, named = position - (1 if introduced else 0), position + best[0], best[1]
    while last < len(tokens) and tokens[last].folded in _INTRODUCING:
        last += 1
    return _with_date(question, VersionMention(first, last, named), days)


@lru_cache(maxsize=4096)
def _label_words(label: str) -> tuple[str, ...]:
    return words_of(label)


def _with_date(question: Question, mention: VersionMention, days: Mapping[int, PeriodMention]) -> VersionMention:
    """A day right behind ("Entwurf vom 12.10.2024") chooses among the versions and belongs to the mention."""
    for skip in (0, 1):
        day = days.get(mention.last + skip)
        if day is None or day.period is None:
            continue
        if skip and question.tokens[mention.last].folded not in ("vom", "von", "of", "from", "dated", "z"):
            continue
        dated = tuple(version for version in mention.versions if _same_day(version, day.period.start))
        return VersionMention(mention.first, day.last, dated)
    return mention


def _same_day(version: Version, day: date) -> bool:
    return version.date == day
