"""Words that nothing explains: parts of names, misspelt names and misspelt words of the language.

A misspelt value is never answered, only asked back; a misspelt word of a header or of the language, one edit away from exactly
one candidate, may be read as that word and the answer says so (contract, section "clarification")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import simplemma
from rapidfuzz.distance import DamerauLevenshtein

from orchestrator.compounds import mean_said_apart, said_apart
from orchestrator.lexicon import Language, lexicon
from orchestrator.link_names import Names, display_name, find_columns, find_table_words, is_measure, is_time
from orchestrator.link_values import find_values
from orchestrator.planners.decision import Option, PlannerStop
from orchestrator.planners.frames import Reading
from orchestrator.question import Question, Token, read_question, tokenize
from parsers.word_forms import base_form

_SHORTEST_TERM = 5
_SHORTEST_VALUE = 4
_MOST_OPTIONS = 6


@dataclass(frozen=True)
class Spelling:
    """A word read as another: the corrected question and both words."""

    question: str
    said: str
    read_as: str


def explain_unknown(reading: Reading | None, names: Names) -> PlannerStop:
    """The stop for words that nothing in the asker's scope explains."""
    if reading is None or not _is_about_data(reading):
        return PlannerStop("refused", "not_understood", "not_about_data")
    for run in _runs(tuple(token for token in reading.uncovered if not _is_known(token, reading, names))):
        stop = _part_of_name(reading, names, run) or _near_value(reading, names, run)
        if stop is not None:
            return stop
    unknown = tuple(token for token in reading.uncovered if not _is_known(token, reading, names))
    for token in reading.uncovered:
        if token not in unknown and find_values(names, (token,), reading.question.language):
            return PlannerStop("refused", "not_in_data", "not_here", (token.text,))
    if not unknown:
        return PlannerStop("refused", "not_understood", "no_rule")
    return PlannerStop("refused", "not_in_data", "unknown_words", tuple(_text(reading, run) for run in _runs(unknown)))


def _is_known(token: Token, reading: Reading, names: Names) -> bool:
    """The word names something in another table of the asker's; saying that it does not occur would be untrue."""
    language = reading.question.language
    return bool(
        find_columns(names, (token,), language)
        or find_values(names, (token,), language)
        or find_table_words(names, token, language)
    )


def _is_about_data(reading: Reading) -> bool:
    """It names something in the data, or asks for a figure in so many words."""
    asks = reading.says("how_much", "how_many", "sum", "average", "maximum", "minimum", "list", "which", "exists")
    return asks or any(mention.kind in ("columns", "values", "tables") for mention in reading.mentions)


def explain_no_rule(reading: Reading, names: Names) -> PlannerStop | None:
    """A word that was taken for a part of a document's name may be meant as a part of a column's name."""
    for mention in reading.mentions:
        if mention.kind == "tables":
            stop = _part_of_name(reading, names, reading.question.tokens[mention.first : mention.last])
            if stop is not None:
                return stop
    return None


def _runs(tokens: tuple[Token, ...]) -> tuple[tuple[Token, ...], ...]:
    """Neighbouring words together ("Markt Budowlany")."""
    runs: list[list[Token]] = []
    for token in sorted(tokens, key=lambda token: token.index):
        if runs and runs[-1][-1].index + 1 == token.index:
            runs[-1].append(token)
        else:
            runs.append([token])
    return tuple(tuple(run) for run in runs)


def _text(reading: Reading, run: tuple[Token, ...]) -> str:
    return reading.question.text[run[0].start : run[-1].end]


def _part_of_name(reading: Reading, names: Names, run: tuple[Token, ...]) -> PlannerStop | None:
    """ "Umsatz" where there are "Nettoumsatz" and "Bruttoumsatz": the columns whose name holds the word."""
    if len(run) != 1 or not run[0].text[:1].isupper():
        return None
    token = run[0]
    ending = _with_ending(names, token.folded)
    keys = {base_form(token.text, reading.question.language), base_form(token.text, "de"), token.folded}
    alike = [key for key in keys if key[:4] == token.folded[:4]]
    found = [name for key in alike for name in names.part_columns.get(key, ())]
    found = [name for name in found if not is_time(name.column)]
    measures = [name for name in found if is_measure(name.column)]
    labels = list(dict.fromkeys([display_name(name.column) for name in measures or found] + ending))[:_MOST_OPTIONS]
    if not labels:
        return None
    options = tuple(Option(label, replaced(reading.question, run, label)) for label in labels)
    return PlannerStop("clarify", "ambiguous_term", "part_of_name", (token.text,), options)


def _with_ending(names: Names, word: str) -> list[str]:
    """Measures one word of whose name ends with the word ("Kosten": Sachkosten)."""
    if len(word) < _SHORTEST_TERM:
        return []
    longer = [held for other, held in names.measure_words.items() if other != word and other.endswith(word)]
    return [name for _, name in sorted({place: name for held in longer for place, name in held.items()}.items())]


def _near_value(reading: Reading, names: Names, run: tuple[Token, ...]) -> PlannerStop | None:
    """Names in the data at most two letters away (one below eight letters), nearest first."""
    for size in range(len(run), 0, -1):
        for first in range(len(run) - size + 1):
            part = run[first : first + size]
            said = " ".join(token.folded for token in part)
            near = _near(said, names)
            if near:
                labels = tuple(dict.fromkeys(stored for _, stored in near))[:_MOST_OPTIONS]
                options = tuple(Option(label, replaced(reading.question, part, label)) for label in labels)
                return PlannerStop("clarify", "ambiguous_value", "similar_names", (_text(reading, part),), options)
    return None


def _near(said: str, names: Names) -> list[tuple[int, str]]:
    if len(said) < _SHORTEST_VALUE or any(letter.isdigit() for letter in said):
        return []
    return names.spellings.near(said, 1 if len(said) < 8 else 2)


def replaced(question: Question, run: tuple[Token, ...], words: str) -> str:
    return question.text[: run[0].start] + words + question.text[run[-1].end :]


def correct_term(question: Question, uncovered: tuple[Token, ...], names: Names) -> Spelling | None:
    """The question with its one unknown word read as the only header word or question word one edit away; else None."""
    if len(uncovered) != 1 or len(uncovered[0].folded) < _SHORTEST_TERM or uncovered[0].is_number:
        return None
    token = uncovered[0]
    if simplemma.is_known(token.text, lang=question.language) or simplemma.is_known(token.text.lower(), lang=question.language):
        return None
    if _near(token.folded, names):
        return None
    terms = {word: word for word in _terms(names, question.language)}
    near = sorted(
        {
            term
            for term in terms
            if DamerauLevenshtein.distance(token.folded, term, score_cutoff=1) == 1 and len(term) >= _SHORTEST_TERM
        }
    )
    if len({base_form(term, question.language) for term in near}) != 1:
        return None
    return Spelling(replaced(question, (token,), near[0]), token.text, near[0])


def take_compounds_apart(question: Question, uncovered: tuple[Token, ...], names: Names) -> Question | None:
    """The question with each unknown compound in two words ("Durchschnittsgehalt": "durchschnittlich Gehalt"), of which one names
    something; None if an unknown word does not come apart so."""
    text = question.text
    if question.language != "de" or not uncovered:
        return None
    book = lexicon(question.language)
    average = any("average" in book.concepts((token.folded,)) for token in question.tokens)
    for token in sorted(uncovered, key=lambda token: -token.start):
        ways = (*said_apart(token.text), *(mean_said_apart(token.text) if average else ()))
        apart = next((both for rest, both in ways if _names_something(rest, names)), None)
        if apart is None:
            return None
        text = text[: token.start] + apart + text[token.end :]
    return read_question(text)


def _names_something(word: str, names: Names) -> bool:
    tokens = tokenize(word)
    return bool(find_columns(names, tokens, "de") or find_values(names, tokens, "de"))


def _terms(names: Names, language: Language) -> Iterable[str]:
    book = lexicon(language)
    yield from (words[0] for words in book.phrases if len(words) == 1)
    yield from names.header_words
