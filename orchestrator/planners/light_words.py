"""English words that restrict nothing where they stand: verbs of having whose object is a figure, "where" behind a noun, "the
team" where the table is about one team and knows no other."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.link_names import find_columns, is_measure
from orchestrator.link_values import find_partial_values, find_values
from orchestrator.planners.frames import Reading
from orchestrator.planners.ordinals import PLACE_NAMES
from orchestrator.planners.slots import Slot
from orchestrator.question import words_of

_BETWEEN = (
    "maximum", "minimum", "sum", "how_many", "more_than", "less_than", "at_least", "at_most", "equal", "top", "average",
    "has_more", "has_less", "how_much_more", "how_much_less",
)  # fmt: skip


def light_words(reading: Reading, slots: Iterable[Slot]) -> set[int]:
    """Mentions that any rule may pass over."""
    figures = {slot.index for slot in slots if is_measure(slot.column) or PLACE_NAMES & set(words_of(slot.column.column.header))}
    columns = {slot.index for slot in slots}
    found = set()
    for index, mention in enumerate(reading.mentions):
        if mention.says("has_figure") and any(test(reading, index, figures) for test in _TESTS):
            found.add(index)
        if mention.says("plays") and _opponent_follows(reading, index):
            found.add(index)
        if mention.says("of_page") and not _is_said_of_data(reading, mention.last - 1):
            found.add(index)
        if mention.says("where_clause") and index - 1 in columns:
            found.add(index)
        if mention.says("how_many") and index and reading.mentions[index - 1].says("maximum", "minimum"):
            found.add(index)
    return found


def _is_said_of_data(reading: Reading, token: int) -> bool:
    """The table has a column, or a name in a cell, of that very word: then it chooses among the rows."""
    noun = reading.question.tokens[token : token + 1]
    names, language = reading.names, reading.question.language
    return bool(find_columns(names, noun, language) or find_values(names, noun, language) or find_partial_values(names, noun))


def _opponent_follows(reading: Reading, index: int) -> bool:
    """ "played Gent": the name behind the verb is an opponent's."""
    behind = next((m for m in reading.mentions[index + 1 :] if m.kind != "function_word"), None)
    return behind is not None and bool(behind.values) and all(
        set(words_of(value.column.column.header)) & {"opponent", "opponents", "gegner"} for value in behind.values
    )


def _figure_follows(reading: Reading, index: int, figures: set[int]) -> bool:
    """ "scored the most points", "scored at least 1000 points", "won two gold medals"."""
    for behind in range(index + 1, len(reading.mentions)):
        mention = reading.mentions[behind]
        if behind in figures:
            return True
        if mention.kind not in ("function_word", "amount") and not mention.says(*_BETWEEN):
            return False
    return False


def _figure_before(reading: Reading, index: int, figures: set[int]) -> bool:
    """ "points scored by …", "medals were won by …": with nothing but function words between."""
    before = next((i for i in range(index - 1, -1, -1) if reading.mentions[i].kind != "function_word"), None)
    return before in figures


def _ends_after_did(reading: Reading, index: int, figures: set[int]) -> bool:
    """ "how many points did X receive": the figure stands before "did", the verb behind the one who has it."""
    tokens = reading.question.tokens
    opening = ("did", "does", "do", "that", "which")
    did = next((i for i, mention in enumerate(reading.mentions) if i and tokens[mention.first].folded in opening), None)
    if did is None or did > index or not any(figure < did for figure in figures):
        return False
    between = reading.mentions[did + 1 : index]
    behind = reading.mentions[index + 1 :]
    named = sum(mention.kind == "values" for mention in between)
    plain = all(mention.kind in ("values", "function_word", "columns") for mention in between)
    compared = bool(behind) and behind[0].says("than") and all(m.kind in ("values", "function_word") for m in behind[1:])
    ended = all(mention.kind in ("function_word", "period") or mention.says("of_page") for mention in behind)
    return named >= 1 and plain and (compared or ended)


_TESTS = (_figure_follows, _figure_before, _ends_after_did)
