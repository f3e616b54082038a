"""Follow-ups: "Und im Q2?", "Und in Krakau?", "Und wie hoch war dort die Marge?".

A follow-up is the question before with some of its words exchanged for those of the same kind; the joined question then goes
the ordinary way, and the answer says it in full."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from orchestrator.link_names import Names, is_measure
from orchestrator.mentions import Mention, find_mentions
from orchestrator.period_mention import Calendar, PeriodMention
from orchestrator.planners.decision import Option, PlannerStop
from orchestrator.planners.frames import Frame, Reading, read_in
from orchestrator.planners.slots import settle
from orchestrator.question import Question, Token, read_question
from orchestrator.scope import Scope
from parsers.scenarios import scenario_class

_OPENERS = frozenset({"und", "and", "oraz", "a", "i", "nur", "only", "aber", "sowie", "what"})
_BACKWARD = frozenset({"dort", "dafuer", "davon", "there", "dabei", "da", "tam", "darin", "denn"})
_LONGEST = 12


@dataclass(frozen=True)
class Joined:
    """`text`: the whole question. `kept`: what was carried over from before."""

    text: str
    kept: str


def is_follow_up(question: Question) -> bool:
    """Opens with "und", "nur" or points back with "dort"; never longer than a dozen words."""
    words = [token.folded for token in question.tokens]
    return bool(words) and len(words) <= _LONGEST and (words[0] in _OPENERS or any(word in _BACKWARD for word in words))


def join_follow_up(
    question: Question, before: str, frame: Frame, scope: Scope, names: Names, calendar: Calendar
) -> Joined | PlannerStop | None:
    """The question before with the words of the follow-up in it; a stop where it can be meant in two ways; None if a word of
    the follow-up has no counterpart."""
    old_question = read_question(before)
    old = settle(read_in(frame, old_question, names, find_mentions(old_question, names, scope, calendar)))
    spoken = Question(question.text, old_question.language, question.tokens)
    new = settle(read_in(frame, spoken, names, find_mentions(spoken, names, scope, calendar)))
    if any(token.folded not in _OPENERS | _BACKWARD for token in new.uncovered):
        return None
    year = _other_year(new, old, before)
    if year is not None:
        return year
    exchanges: list[tuple[int, int, str]] = []
    grouped = _grouping(new)
    if grouped is not None:
        place = _place_of_grouping(old)
        if place is None:
            return None
        exchanges.append((*place, (" " if place[0] == place[1] else "") + _between(new, *grouped)))
    for index, mention in enumerate(new.mentions):
        if grouped is not None and index in grouped:
            continue
        if mention.kind in ("function_word", "tables") or _says_nothing(mention):
            continue
        if mention.kind == "columns" and _names_next_value(new, index):
            continue
        place = _counterpart(mention, old, exchanges)
        if place is None:
            return None
        exchanges.append((*place, _words(mention, new, old)))
    if not exchanges:
        return None
    return Joined(_exchange(old_question, exchanges), before)


def _other_year(new: Reading, old: Reading, before: str) -> PlannerStop | None:
    """ "Und 2023?" after a month or quarter: the same one of that year, or the whole year."""
    said = [m.period.period for m in new.mentions if m.period is not None and m.period.period is not None]
    was = [(m, m.period.period) for m in old.mentions if m.period is not None and m.period.period is not None]
    if len(said) != 1 or len(was) != 1 or said[0].grain != "year":
        return None
    mention, period = was[0]
    if period.grain not in ("month", "quarter", "week", "half_year"):
        return None
    tokens = old.question.tokens
    year, words = str(said[0].start.year), old.text_of(mention)
    same = words.replace(str(period.start.year), year)
    start, end = tokens[mention.first].start, tokens[mention.last - 1].end
    options = tuple(Option(text, before[:start] + text + before[end:]) for text in dict.fromkeys((same, year)))
    return PlannerStop("clarify", "ambiguous_period", "follow_up_year", (year,), options)


def _grouping(reading: Reading) -> tuple[int, int] | None:
    """ "je Kunde": places of the two mentions; None where there is none."""
    for index, mention in enumerate(reading.mentions[:-1]):
        if mention.says("group_by") and reading.mentions[index + 1].columns:
            return index, index + 1
    return None


def _place_of_grouping(old: Reading) -> tuple[int, int] | None:
    """Where the old question groups, else its end; None where it ranks or counts things, which another grouping would change."""
    found = _grouping(old)
    tokens = old.question.tokens
    if found is not None:
        return tokens[old.mentions[found[0]].first].start, tokens[old.mentions[found[1]].last - 1].end
    if old.says("maximum", "minimum", "top", "which", "how_many", "list", "share"):
        return None
    end = len(old.question.text.rstrip(" ?!."))
    return end, end


def _between(reading: Reading, first: int, last: int) -> str:
    """The words from one mention to the end of another."""
    tokens = reading.question.tokens
    start, end = tokens[reading.mentions[first].first].start, tokens[reading.mentions[last].last - 1].end
    return reading.question.text[start:end]


def _says_nothing(mention: Mention) -> bool:
    return mention.says("how_much", "which", "list", "how_many", "all", "each", "with_value", "plural_ask")


def _names_next_value(reading: Reading, index: int) -> bool:
    """ "in der Region Süd": the column goes with its value."""
    following = next((m for m in reading.mentions[index + 1 :] if m.kind != "function_word"), None)
    keys = {name.key for name in reading.mentions[index].columns}
    return following is not None and any(value.key in keys for value in following.values)


def _counterpart(mention: Mention, old: Reading, taken: list[tuple[int, int, str]]) -> tuple[int, int] | None:
    """Character span of the old question that the mention replaces; an empty span at the end where something is added."""
    tokens = old.question.tokens
    for candidate in old.mentions:
        span = tokens[candidate.first].start, tokens[candidate.last - 1].end
        if span not in [(start, end) for start, end, _ in taken] and _same_kind(mention, candidate):
            return span
    if mention.values or mention.period:
        end = len(old.question.text.rstrip(" ?!."))
        return (end, end)
    return None


def _same_kind(new: Mention, old: Mention) -> bool:
    if new.values and old.values:
        return bool({value.key for value in new.values} & {value.key for value in old.values})
    if new.period and old.period:
        return True
    if new.columns and old.columns:
        both = (*new.columns, *old.columns)
        return all(is_measure(name.column) for name in both)
    if new.unit and (old.unit or (old.values and any(_is_unit_value(old, value.stored) for value in old.values))):
        return True
    if (
        new.values
        and old.unit
        and any(str(value.stored).casefold() != "" and len(str(value.stored)) == 3 for value in new.values)
    ):
        return True
    if new.version and old.version:
        return True
    return bool(new.amount and old.amount)


def _is_unit_value(mention: Mention, stored: object) -> bool:
    return isinstance(stored, str) and len(stored) == 3 and stored.isupper() and scenario_class(stored) is None


def _words(mention: Mention, new: Reading, old: Reading) -> str:
    """The follow-up's words; a period without a year takes the year of the one it replaces."""
    words = new.text_of(mention)
    if mention.period is not None and mention.period.period is None:
        year = next((_year(m.period) for m in old.mentions if m.period and m.period.period), None)
        words = f"{words} {year}" if year else words
    end = any(_same_kind(mention, candidate) for candidate in old.mentions)
    return words if end else f" {_preposition(mention, new)}{words}"


def _preposition(mention: Mention, new: Reading) -> str:
    tokens = new.question.tokens
    before: Token | None = tokens[mention.first - 1] if mention.first else None
    return f"{before.text} " if before is not None and before.folded not in _OPENERS else ""


def _year(period: PeriodMention) -> int | None:
    return period.period.end.year if period.period else None


def _exchange(question: Question, exchanges: Iterable[tuple[int, int, str]]) -> str:
    text = question.text
    for start, end, words in sorted(exchanges, reverse=True):
        text = text[:start] + words + text[end:]
    return text
