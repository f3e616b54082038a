"""Everything that a run of words may stand for, in one scope, before any table is chosen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from orchestrator.compounds import is_container
from orchestrator.lexicon import lexicon
from orchestrator.link_labels import find_labels
from orchestrator.link_names import (
    ColumnName,
    Names,
    ValueName,
    find_columns,
    find_table_words,
)
from orchestrator.link_numbers import Amount, find_amounts, unit_of
from orchestrator.link_periods import find_periods
from orchestrator.link_texts import TextSaid, find_texts
from orchestrator.link_values import find_partial_values, find_values
from orchestrator.link_versions import VersionMention, find_versions
from orchestrator.period_mention import PERIOD_NOUNS, Calendar, PeriodMention
from orchestrator.question import Question, Token
from orchestrator.scope import Scope
from parsers.fold import fold
from parsers.scenarios import scenario_class
from parsers.units import parse_unit

LONGEST_NAME = 8
_SUPERLATIVES = frozenset({"maximum", "minimum"})


@dataclass(frozen=True)
class Mention:
    """One reading of tokens [first, last); exactly one of the fields behind is set. `grouped`: `values` by table, where they have
    been put so before."""

    first: int
    last: int
    columns: tuple[ColumnName, ...] = ()
    values: tuple[ValueName, ...] = ()
    period: PeriodMention | None = None
    amount: Amount | None = None
    unit: str | None = None
    concepts: tuple[str, ...] = ()
    tables: frozenset[str] = frozenset()
    version: VersionMention | None = None
    function_word: bool = False
    text: TextSaid | None = None
    grouped: Mapping[str, tuple[ValueName, ...]] | None = field(default=None, compare=False, repr=False)

    def in_table(self, table: str) -> tuple[tuple[ColumnName, ...], tuple[ValueName, ...]]:
        """Columns and values of one table."""
        return self._by_table.get(table, ((), ()))

    @property
    def names_something(self) -> bool:
        """It names something of certain tables."""
        return bool(self.columns or self.values or self.tables or self.version)

    @cached_property
    def named_tables(self) -> frozenset[str]:
        """The tables of which something is named."""
        return self.tables | self._by_table.keys()

    @cached_property
    def _by_table(self) -> Mapping[str, tuple[tuple[ColumnName, ...], tuple[ValueName, ...]]]:
        if self.grouped is not None:
            return {table: ((), values) for table, values in self.grouped.items()}
        columns: dict[str, list[ColumnName]] = defaultdict(list)
        values: dict[str, list[ValueName]] = defaultdict(list)
        for column in self.columns:
            columns[column.table].append(column)
        for value in self.values:
            values[value.table].append(value)
        return {table: (tuple(columns[table]), tuple(values[table])) for table in {**columns, **values}}

    @cached_property
    def kind(self) -> str:
        for kind in ("columns", "values", "period", "amount", "unit", "concepts", "tables", "version", "text"):
            if getattr(self, kind):
                return kind
        return "function_word"

    def says(self, *concepts: str) -> bool:
        return any(concept in self.concepts for concept in concepts)


def find_mentions(question: Question, names: Names, scope: Scope, calendar: Calendar) -> tuple[Mention, ...]:
    """All mentions; they may overlap, the choice between them is made per table."""
    tokens = question.tokens
    mentions: list[Mention] = []
    periods = find_periods(question, calendar)
    mentions += [Mention(p.first, p.last, period=p) for p in periods]
    mentions += [Mention(v.first, v.last, version=v) for v in find_versions(question, scope, periods)]
    mentions += [Mention(t.first, t.last, text=t) for t in find_texts(question)]
    mentions += _concepts(question)
    mentions += _amounts_and_units(question, names)
    for run in _runs(tokens):
        mentions += _names(question, names, run)
    for token in tokens:
        tables = find_table_words(names, token, question.language)
        if tables and _may_name_a_table(question, names, token):
            mentions.append(Mention(token.index, token.index + 1, tables=tables))
        if token.folded in lexicon(question.language).function_words:
            mentions.append(Mention(token.index, token.index + 1, function_word=True))
    mentions += _partial(question, names, mentions)
    return tuple(_own_rows(mentions))


def _own_rows(mentions: Sequence[Mention]) -> Iterable[Mention]:
    """A label that other rows are indented under means its own row, unless the column of such labels is named before it."""
    headings = {(mention.last, name.key) for mention in mentions for name in mention.columns}
    for mention in mentions:
        over = tuple(value for value in mention.values if value.column.column.role == "parent")
        if not over:
            yield mention
            continue
        named = tuple(value for value in over if (mention.first, value.key) in headings)
        kept = named or tuple(value for value in mention.values if value not in over)
        if kept:
            yield replace(mention, values=kept)


_INTRODUCING = frozenset(
    {"laut", "gemaess", "blatt", "tabelle", "tabellenblatt", "sheet", "table", "file", "datei", "arkusz", "tabeli"}
)


def _may_name_a_table(question: Question, names: Names, token: Token) -> bool:
    """A word that names a column somewhere ("Aufträge") is no mere part of a document's name, unless it is said to be one; it
    would otherwise be passed over where it matters ("Kunden, die Aufträge haben")."""
    before = question.tokens[token.index - 1].folded if token.index else ""
    counted = token.index > 0 and "how_many" in lexicon(question.language).concepts((before,))
    if before in _INTRODUCING or counted or is_container(token.text, question.language):
        return True
    return not find_columns(names, (token,), question.language)


def _runs(tokens: tuple[Token, ...]) -> Iterable[tuple[Token, ...]]:
    for first in range(len(tokens)):
        for last in range(first + 1, min(len(tokens), first + LONGEST_NAME) + 1):
            yield tokens[first:last]


def _names(question: Question, names: Names, run: tuple[Token, ...]) -> Iterable[Mention]:
    first, last = run[0].index, run[-1].index + 1
    superlative = len(run) == 1 and _SUPERLATIVES.intersection(lexicon(question.language).concepts((run[0].folded,)))
    # "größten" is no form of a column "Größe"; only the very word names it.
    columns = names.columns.get(run[0].folded, ()) if superlative else find_columns(names, run, question.language)
    if columns:
        yield Mention(first, last, columns=columns)
    plain = len(run) == 1 and _is_plain_function_word(question, run[0])
    values = () if plain else find_values(names, run, question.language)
    if not plain or run[0].folded not in ("ist", "soll"):  # without a hyphen, in lower case or at the start, they are verbs
        values = (*values, *_scenario_values(question, names, run))
    if not plain:
        values = values or find_labels(names, run, question.language)
    if values:
        yield Mention(first, last, values=tuple(dict.fromkeys(values)))


def _is_plain_function_word(question: Question, token: Token) -> bool:
    """A word such as "in" or "der" is a value only where it is written otherwise (a state code "IN") or quoted."""
    lower = token.text[0].islower() or token.index == 0
    plain = lower and not token.quoted and not _hyphened(question, token)
    return plain and token.folded in lexicon(question.language).function_words


def _hyphened(question: Question, token: Token) -> bool:
    """ "Ist-Umsatz": the first word of a compound is no verb, wherever it stands."""
    behind = question.text[token.end : token.end + 2]
    return behind[:1] == "-" and behind[1:].isalpha()


def _scenario_values(question: Question, names: Names, run: tuple[Token, ...]) -> Iterable[ValueName]:
    """Scenario words reach the stored scenario of a tidied cross-tab whatever its spelling ("geplant" -> Plan)."""
    said = scenario_class(run[0].text) if len(run) == 1 else None
    if said is None or (run[0].text == "ist" and not _hyphened(question, run[0])):  # in lower case it is the verb
        return
    for sql_name, table in names.tables.items():
        for column in table.columns:
            if column.column.role == "scenario" and sql_name in names.values:
                for hit in names.values[sql_name].of_column(column.sql_name):
                    if scenario_class(str(hit.stored)) == said:
                        yield ValueName(sql_name, column, hit.stored)


def _concepts(question: Question) -> Iterable[Mention]:
    book = lexicon(question.language)
    tokens = question.tokens
    for first in range(len(tokens)):
        for last in range(first + 1, min(len(tokens), first + book.longest) + 1):
            concepts = book.concepts(tuple(token.folded for token in tokens[first:last]))
            if concepts and (concepts != ("across",) or _periods_follow(tokens[last:])):
                yield Mention(first, last, concepts=concepts)


def _periods_follow(tokens: Sequence[Token]) -> bool:
    """ "über die 52 Wochen", "über die Monate": only then does "über die" say how long."""
    rest = tokens[1:] if tokens and tokens[0].is_number else tokens
    return bool(rest) and rest[0].folded in PERIOD_NOUNS


def _amounts_and_units(question: Question, names: Names) -> Iterable[Mention]:
    units = names.units
    for amount in find_amounts(question, units):
        yield Mention(amount.first, amount.last, amount=amount)
    for token in question.tokens:
        unit = unit_of(token) or (token.text if token.folded in units or _singular_in(token, units) else None)
        unit = unit or _in_another_language(token, units)
        if unit:
            yield Mention(token.index, token.index + 1, unit=unit)


def _in_another_language(token: Token, units: frozenset[str]) -> str | None:
    """A unit that the columns spell otherwise ("sztuk" of a column in "Stück"); one letter is none."""
    unit = parse_unit(token.text) if len(token.text) > 2 and token.text[0].islower() else None
    return unit if unit is not None and fold(unit) in units else None


def _singular_in(token: Token, units: frozenset[str]) -> bool:
    return token.folded.rstrip("ens") in {unit.rstrip("ens") for unit in units} and len(token.folded) >= 4


def _partial(question: Question, names: Names, mentions: list[Mention]) -> Iterable[Mention]:
    """Values of which only some words are said, where the words mean nothing else (a whole value weighs more)."""
    known = {
        index
        for mention in mentions
        if mention.kind not in ("function_word", "values", "tables")
        for index in range(mention.first, mention.last)
    }
    position = 0
    tokens = question.tokens
    while position < len(tokens):
        step = 1
        if (
            position not in known
            and len(tokens[position].folded) >= 3
            and not _is_plain_function_word(question, tokens[position])
        ):
            for last in range(min(len(tokens), position + LONGEST_NAME), position, -1):
                found = find_partial_values(names, tokens[position:last])
                if found:
                    yield Mention(position, last, values=found.values, grouped=found.by_table)
                    step = last - position
                    break
        position += step
