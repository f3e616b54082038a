"""Questions for rows that are alike ("Welche Artikel haben einen ähnlichen Verkaufszyklus wie A-1012?") -> a plan.

Every table is tried: in which one does a word or period name exactly one row, and is every other word of the question explained
by its name, its columns, a value that narrows the rows down, or the language? The table whose name is said, or in which most can
be compared, is meant. A word that nothing explains stops the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Literal

from orchestrator.lexicon import lexicon
from orchestrator.link_names import Names, ValueName, find_table_words, is_measure
from orchestrator.mentions import Mention, find_mentions
from orchestrator.plan import ColumnRef, LikenessPlan, OneOf, Within
from orchestrator.planners.decision import Option, PlannerStop
from orchestrator.question import Question, Token, words_of
from orchestrator.rows.aspects import aspect_fits, aspects_by_synonym, table_runs
from orchestrator.rows.row_request import RowRequest
from orchestrator.rows.row_words import aspect_of, is_row_word
from orchestrator.rows.series import series_columns
from orchestrator.scope import VisibleColumn, VisibleTable
from orchestrator.value_names import Named
from parsers.periods import Period

LEAST_SERIES = 4
"""Periods in the columns of a table from which on their course has a shape."""
MOST_OPTIONS = 5
MOST_SHOWN = 12
"""Compared columns up to which all of them are shown of each row."""
MOST_ROWS = 50
"""Rows that may be asked for."""
_OPEN_KINDS = frozenset({"which", "list", "how_much", "exists", "each", "all", "similar", "top", "maximum", "minimum", "who"})


@dataclass
class _Reading:
    """One table with what the question's words are in it. `repeated`: names that have one row in each period of a column."""

    table: VisibleTable
    anchors: list[tuple[OneOf | Within, ...]] = field(default_factory=list)
    repeated: list[tuple[OneOf, VisibleColumn]] = field(default_factory=list)
    periods: list[Period] = field(default_factory=list)
    within: Within | None = None
    filters: dict[str, list[str | Decimal]] = field(default_factory=dict)
    measures: list[VisibleColumn] = field(default_factory=list)
    aspect: Literal["shape", "profile"] | None = None
    named: bool = False
    subject: bool = False
    choices: list[str] = field(default_factory=list)
    chosen_at: tuple[int, int] = (0, 0)
    used: set[int] = field(default_factory=set)


def asks_for_likeness(question: Question) -> bool:
    """Whether a word asks for likeness, or something is to have a course or profile "like" something else."""
    tokens = question.tokens
    if any(is_row_word("alike", token.folded, question.language) for token in tokens):
        return True
    pairs = pairwise(tokens)
    return any(
        aspect_of(first.text, question.language) is not None and second.folded in ("wie", "jak", "as")
        for first, second in pairs
        if first.text[:1].isupper() or question.language != "de"
    )


def read_likeness(request: RowRequest) -> LikenessPlan | PlannerStop | None:
    """None where the question asks for no likeness."""
    if not asks_for_likeness(request.question):
        return None
    mentions = find_mentions(request.question, request.names, request.scope, request.calendar)
    readings = [_read(request, mentions, table) for table in request.names.tables.values() if table.stored.table.layout != "tidy"]
    complete = [reading for reading in readings if not _open_words(request.question, reading)]
    fitting = [reading for reading in complete if reading.anchors and _compared(reading)]
    if not fitting:
        return _stop(request, readings, complete)
    best = max(_rank(reading) for reading in fitting)
    chosen = [reading for reading in fitting if _rank(reading) == best]
    if len(chosen) > 1:
        return _which_table(request, chosen)
    if len(chosen[0].anchors) > 1:
        return PlannerStop("refused", "not_understood", "alike_to_several")
    return _plan(request.question, request.names, chosen[0])


def _rank(reading: _Reading) -> tuple[bool, bool, int]:
    compared = _compared(reading)
    return reading.named, reading.subject, len(compared[0]) if compared is not None else 0


def _read(request: RowRequest, mentions: Sequence[Mention], table: VisibleTable) -> _Reading:
    """What the words mean in this table; the longest run of words first, each word once."""
    reading = _Reading(table)
    question = request.question
    in_periods = frozenset(place for each in mentions if each.period is not None for place in range(each.first, each.last))
    for first, last in table_runs(request, table, in_periods):
        reading.used.update(range(first, last))
        reading.named = True
    for token in question.tokens:
        aspect = aspect_of(token.text, question.language)
        if aspect is not None and (token.index in reading.used or aspect_fits(request, table, token.text)):
            reading.aspect = reading.aspect or aspect
            reading.used.add(token.index)
    for first, last, aspect in aspects_by_synonym(request, table):
        reading.aspect = reading.aspect or aspect
        reading.used.update(range(first, last))
    for mention in sorted(mentions, key=lambda each: (each.first - each.last, each.first)):
        if not reading.used.intersection(range(mention.first, mention.last)):
            _take(request, reading, mention)
    for token in question.tokens:
        if token.is_number and table.sql_name in find_table_words(request.names, token, question.language):
            reading.used.add(token.index)
    if not reading.anchors and not reading.repeated and request.subject is not None:
        _take_subject(request, reading)
    _choose_period(request.names, reading)
    return reading


def _choose_period(names: Names, reading: _Reading) -> None:
    """Of a name with one row a period the row of the period that is said; it is compared with the others of that period."""
    if reading.anchors:
        return
    for named, column in reading.repeated:
        index = names.values[reading.table.sql_name]
        for period in reading.periods:
            if any(_same(each, period) for each in index.periods.get(column.sql_name, ())):
                reading.within = Within(ColumnRef(reading.table.sql_name, column.sql_name), period, exact=True)
                reading.anchors.append((named, reading.within))


def _same(one: Period, other: Period) -> bool:
    return (one.start, one.end) == (other.start, other.end)


def _take(request: RowRequest, reading: _Reading, mention: Mention) -> None:
    """Gives a mention its part in the question, where it has one in this table."""
    table = reading.table
    columns, values = mention.in_table(table.sql_name)
    places = range(mention.first, mention.last)
    if values and _take_values(request, reading, values):
        reading.used.update(places)
    elif mention.period is not None and mention.period.period is not None:
        anchor = _row_of_period(request.names, table, mention.period.period)
        if anchor is not None:
            reading.anchors.append((anchor,))
            reading.used.update(places)
        elif _has_period(request.names, table, mention.period.period):
            reading.periods.append(mention.period.period)
            reading.used.update(places)
    elif columns:
        measures = [name.column for name in columns if is_measure(name.column) and name.strength == "full"]
        reading.measures += measures
        reading.subject = reading.subject or not measures
        reading.used.update(places)
    elif mention.concepts and (_OPEN_KINDS.intersection(mention.concepts) or mention.function_word):
        reading.used.update(places)


def _take_values(request: RowRequest, reading: _Reading, values: Sequence[ValueName]) -> bool:
    """A value of one row is what the others are compared with; one of several rows narrows them down."""
    whole = [value for value in values if not value.partly] or list(values)
    rows = {value: _rows(request.names, value) for value in whole}
    single = [value for value, count in rows.items() if count == 1]
    if single:
        keys = {(value.column.sql_name, str(value.stored)) for value in single}
        if len({column for column, _ in keys}) < len(keys):
            reading.choices = list(dict.fromkeys(str(value.stored) for value in single))
            return False
        first = single[0]
        reading.anchors.append((OneOf(ColumnRef(first.table, first.column.sql_name), (first.stored,)),))
        return True
    again = [(value, column) for value in whole if not value.partly for column in _periods_apart(request.names, value)]
    if len(again) == 1:
        value, column = again[0]
        reading.repeated.append((OneOf(ColumnRef(value.table, value.column.sql_name), (value.stored,)), column))
        return True
    shared = [value for value, count in rows.items() if count > 1 and not value.partly]
    if len({value.column.sql_name for value in shared}) != 1:
        return False
    reading.filters.setdefault(shared[0].column.sql_name, []).extend(value.stored for value in shared)
    return True


def _periods_apart(names: Names, value: ValueName) -> list[VisibleColumn]:
    """The period column of a table that has each value of a column once a period."""
    index = names.values.get(value.table)
    table = names.tables[value.table]
    if index is None:
        return []
    columns = [column for column in table.columns if index.periods.get(column.sql_name)]
    return [column for column in columns if index.tell_apart(value.column.sql_name, column.sql_name)]


def _has_period(names: Names, table: VisibleTable, period: Period) -> bool:
    index = names.values.get(table.sql_name)
    return index is not None and any(_same(each, period) for periods in index.periods.values() for each in periods)


def _rows(names: Names, value: ValueName) -> int:
    index = names.values.get(value.table)
    hits: Iterable[Named] = index.exact.get(" ".join(words_of(str(value.stored))), ()) if index is not None else ()
    return sum(hit.rows for hit in hits if hit.column == value.column.sql_name and hit.stored == value.stored)


def _row_of_period(names: Names, table: VisibleTable, period: Period) -> Within | None:
    """The row of a table with one row a period."""
    index = names.values.get(table.sql_name)
    if index is None:
        return None
    for column in table.columns:
        periods = index.periods.get(column.sql_name, ())
        if len(periods) == index.rows and any(_same(each, period) for each in periods):
            return Within(ColumnRef(table.sql_name, column.sql_name), period, exact=True)
    return None


def _take_subject(request: RowRequest, reading: _Reading) -> None:
    """The row that the other part of the question, or its answer, is about."""
    assert request.subject is not None
    table = reading.table
    named = [hit for text in request.subject_values for hit in _exact(request.names, table, text)]
    if named:
        reading.anchors.append((OneOf(ColumnRef(table.sql_name, named[0].column), (named[0].stored,)),))
        return
    probe = _Reading(table)
    mentions = find_mentions(request.subject, request.names, request.scope, request.calendar)
    for mention in sorted(mentions, key=lambda each: (each.first - each.last, each.first)):
        if not probe.used.intersection(range(mention.first, mention.last)):
            _take(request, probe, mention)
    reading.anchors += dict.fromkeys(probe.anchors)
    reading.repeated += probe.repeated
    reading.periods += probe.periods


def _exact(names: Names, table: VisibleTable, text: str) -> list[Named]:
    index = names.values.get(table.sql_name)
    return [hit for hit in index.exact.get(" ".join(words_of(text)), ()) if hit.rows == 1] if index is not None else []


def _open_words(question: Question, reading: _Reading) -> list[Token]:
    """Words that mean nothing here."""
    book, language = lexicon(question.language), question.language
    return [
        token
        for token in question.tokens
        if token.index not in reading.used
        and token.folded not in book.function_words
        and token.folded not in book.numbers
        and not (token.text.isdigit() and 0 < int(token.text) <= MOST_ROWS and _asks_how_many(question, token))
        and not any(is_row_word(kind, token.folded, language) for kind in ("alike", "as", "joining", "this"))
        and not _OPEN_KINDS.intersection(book.concepts((token.folded,)))
    ]


def _asks_how_many(question: Question, token: Token) -> bool:
    """A number before the word of likeness or the thing asked for ("die 3 ähnlichsten Kunden", "top 5")."""
    behind = question.tokens[token.index + 1 : token.index + 3]
    before = question.tokens[token.index - 1].folded if token.index else ""
    return before == "top" or any(is_row_word("alike", each.folded, question.language) for each in behind)


def _compared(reading: _Reading) -> tuple[tuple[VisibleColumn, ...], Literal["shape", "profile"]] | None:
    """What is compared in this table, and how; None where there is nothing of the kind."""
    table = reading.table
    series = series_columns(table)
    if reading.measures:
        return tuple(dict.fromkeys(reading.measures)), "profile"
    if reading.aspect != "profile" and len(series) >= LEAST_SERIES:
        return series, "shape"
    if reading.aspect == "shape":
        return None
    numbers = tuple(
        column
        for column in table.columns
        if is_measure(column) and column not in series and column.column.role != "total" and column.column.blocked is None
    )
    if numbers:
        return numbers, "profile"
    return (series, "shape") if len(series) >= LEAST_SERIES else None


def _plan(question: Question, names: Names, reading: _Reading) -> LikenessPlan:
    table = reading.table
    found = _compared(reading)
    assert found is not None
    compared, measure = found
    texts = [column for column in table.columns if not is_measure(column) and column not in compared]
    title = _title(names, reading, texts)
    totals = [column for column in table.columns if column.column.role == "total" and is_measure(column)]
    others = [column for column in texts if column not in title]
    shown = [*others[:3], *(compared if len(compared) <= MOST_SHOWN else totals[:1])]

    def ref(column: VisibleColumn) -> ColumnRef:
        return ColumnRef(table.sql_name, column.sql_name)

    return LikenessPlan(
        table.sql_name,
        reading.anchors[0],
        tuple(map(ref, compared)),
        measure,
        tuple(map(ref, title)),
        tuple(map(ref, shown)),
        (
            *((reading.within,) if reading.within is not None else ()),
            *(OneOf(ColumnRef(table.sql_name, name), tuple(values)) for name, values in reading.filters.items()),
        ),
        _how_many(question),
    )


def _title(names: Names, reading: _Reading, texts: Sequence[VisibleColumn]) -> tuple[VisibleColumn, ...]:
    """What a row is called: the columns that tell all rows apart (number and name), else the one that was named."""
    index = names.values[reading.table.sql_name]
    telling = [column for column in texts if index.distinct.get(column.sql_name) == index.rows]
    named = [column for column in texts if column.sql_name == reading.anchors[0][0].column.column]
    return tuple(dict.fromkeys((*telling[:2], *(named if not telling else ()))))


def _how_many(question: Question) -> int:
    numbers = lexicon(question.language).numbers
    for token in question.tokens:
        said = int(token.text) if token.text.isdigit() and len(token.text) <= 2 else int(numbers.get(token.folded, 0))
        if 1 < said <= MOST_ROWS and _asks_how_many(question, token):
            return said
    return 5


def _which_table(request: RowRequest, readings: Sequence[_Reading]) -> PlannerStop:
    named = [reading.table.stored.table.sheet or reading.table.version.document for reading in readings[:MOST_OPTIONS]]
    plain = request.question.text.strip().rstrip("?.! ")
    joined = {"de": "laut", "en": "according to", "pl": "według"}[request.question.language]
    options = tuple(Option(name, f"{plain} {joined} {name}?") for name in dict.fromkeys(named))
    return PlannerStop("clarify", "ambiguous_term", "alike_in_which_table", (), options)


def _stop(request: RowRequest, readings: Sequence[_Reading], complete: Sequence[_Reading]) -> PlannerStop:
    """Why no row was found to compare with: several names that fit, an unknown one, none at all, nothing to compare."""
    question = request.question
    for reading in readings:
        if reading.choices:
            options = tuple(Option(name, f"{question.text.rstrip('?.! ')}: {name}?") for name in reading.choices[:MOST_OPTIONS])
            return PlannerStop("clarify", "ambiguous_value", "alike_to_which", (), options)
    if any(reading.anchors for reading in complete):
        return PlannerStop("refused", "not_in_data", "nothing_alike")
    for reading in complete:
        if reading.repeated:
            return _which_period(request, reading)
    if complete:
        return PlannerStop("refused", "not_understood", "alike_to_what")
    fewest = min((_open_words(question, reading) for reading in readings), key=len, default=list(question.tokens))
    near = [name for token in fewest for _, name in request.names.spellings.near(token.folded, 2) if _is_spelt(token)]
    if near:
        words = " ".join(token.text for token in fewest)
        options = tuple(Option(name, _with(question, fewest, name)) for name in dict.fromkeys(near[:MOST_OPTIONS]))
        return PlannerStop("clarify", "ambiguous_value", "similar_names", (words,), options)
    return PlannerStop("refused", "not_in_data", "unknown_words", tuple(token.text for token in fewest))


def _which_period(request: RowRequest, reading: _Reading) -> PlannerStop:
    """One row a period, and none is said: the latest ones to choose from."""
    column = reading.repeated[0][1]
    periods = request.names.values[reading.table.sql_name].periods[column.sql_name][-MOST_OPTIONS:]
    plain = request.question.text.strip().rstrip("?.! ")
    options = tuple(Option(period.label, f"{plain} {period.label}?") for period in reversed(periods))
    return PlannerStop("clarify", "ambiguous_period", "alike_in_which_period", (), options)


def _is_spelt(token: Token) -> bool:
    """A code is another code, never a misspelt one."""
    return len(token.folded) > 4 and not any(letter.isdigit() for letter in token.folded)


def _with(question: Question, tokens: Sequence[Token], name: str) -> str:
    return question.text[: tokens[0].start] + name + question.text[tokens[-1].end :]
