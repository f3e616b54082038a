"""The parts of a reading that rules work with: measures, entities, values and periods, each tied to one column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from orchestrator.compounds import entity_name
from orchestrator.lexicon import lexicon
from orchestrator.link_names import ColumnName, ValueName, display_name, is_measure, is_time
from orchestrator.mentions import Mention
from orchestrator.plan import ColumnRef, Operator
from orchestrator.planners.decision import Option, PlannerStop, Stop
from orchestrator.planners.frames import Frame, Reading
from orchestrator.question import words_of
from orchestrator.scope import VisibleColumn
from parsers.fold import fold, plain
from parsers.word_forms import base_form

COMPARATORS: dict[str, Operator] = {"more_than": ">", "at_least": ">=", "less_than": "<", "at_most": "<=", "equal": "="}
_CONTEXT_ONLY = ("from",)
# Words that a period takes with it ("vor dem 01.07."); anywhere else they would mean something that no rule reads.
_OF_PERIODS = frozenset({"before", "after", "until"})
_COMPARE_TWO = (
    "difference", "minus", "change", "increase", "decrease", "share", "divided_by", "changed_values", "has_more", "has_less",
    "how_much_more", "how_much_less", "sum", "which", "who",
)  # fmt: skip
# Concepts that add nothing to the plan wherever they stand.
SOFT = frozenset(
    {
        "or",
        "between",
        "which",
        "list",
        "how_much",
        "all",
        "each",
        "according_to",
        "number_word",
        "plural_ask",
        "version",
        "with_value",
        "unweighted",
        *_CONTEXT_ONLY,
    }
)
LEGAL_FORMS = frozenset(
    {
        "gmbh",
        "ag",
        "kg",
        "ohg",
        "se",
        "co",
        "mbh",
        "ug",
        "ek",
        "e.k",
        "kgaa",
        "sp",
        "z",
        "o.o",
        "s.a",
        "sa",
        "s.r.o",
        "ltd",
        "inc",
        "llc",
        "gbr",
        "ev",
        "e.v",
        "eg",
        "plc",
        "corp",
        "limited",
        "spolka",
        "und",
        "&",
    }
)


@dataclass(frozen=True)
class Slot:
    """A column said at a place of the question: `index` is the mention's in the reading."""

    index: int
    ref: ColumnRef
    column: VisibleColumn

    @property
    def name(self) -> str:
        return display_name(self.column)


@dataclass(frozen=True)
class ValueSlot:
    """Values of one column that one mention says; `alternatives`: other columns that hold the same words."""

    index: int
    slot_columns: tuple[Slot, ...]
    stored: tuple[tuple[object, ...], ...]
    total_only: bool
    negated: bool = False

    @property
    def column(self) -> Slot:
        return self.slot_columns[0]


def settle(reading: Reading) -> Reading:
    """Context decides words with two faces: "über" is a comparison only before an amount, "nach" a grouping only before a
    column; where it does not fit it is the plain function word again, or uncovered."""
    settled: list[Mention] = []
    uncovered = list(reading.uncovered)
    amounts = {(m.first, m.last): m for m in reading.amounts}
    for position, mention in enumerate(reading.mentions):
        following = _next(reading.mentions, position)
        before = settled[-1] if settled else None
        if mention.kind == "values" and (mention.first, mention.last) in amounts and before and before.says(*COMPARATORS, "top"):
            settled.append(amounts[mention.first, mention.last])
            continue
        if mention.kind != "concepts":
            settled.append(mention)
            continue
        kept = tuple(concept for concept in mention.concepts if _fits(concept, following, mention, reading, before))
        words = reading.question.tokens[mention.first : mention.last]
        if kept:
            settled.append(replace(mention, concepts=kept))
        elif all(word.folded in lexicon(reading.question.language).function_words for word in words) or _across(
            mention, following
        ):
            settled.append(Mention(mention.first, mention.last, function_word=True))
        else:
            uncovered.extend(words)
    return replace(reading, mentions=tuple(settled), uncovered=tuple(uncovered))


def _next(mentions: Sequence[Mention], position: int) -> Mention | None:
    """The next mention that is more than a function word."""
    return next((mention for mention in mentions[position + 1 :] if mention.kind != "function_word"), None)


def _across(mention: Mention, following: Mention | None) -> bool:
    """ "über die Niederlassungen", "over all branches": over what is gone, no comparison."""
    over = mention.says("more_than") and mention.last - mention.first == 1
    if following is None:
        return False
    with_article = following.first > mention.last and any(not is_measure(name.column) for name in following.columns)
    return over and (following.says("all") or with_article)


def _fits(concept: str, following: Mention | None, mention: Mention, reading: Reading, before: Mention | None) -> bool:
    if concept in _OF_PERIODS:
        return False
    if concept == "or":
        keys = [{value.key for value in side.values} if side is not None else set() for side in (before, following)]
        return bool(keys[0] & keys[1])
    if concept == "passes":
        return False
    if concept in COMPARATORS:
        if mention.says("passes") and before is not None and any(v.column.column.role == "scenario" for v in before.values):
            return True
        bare = mention.last - mention.first == 1 and concept in ("more_than", "less_than")
        if following is None or following.first - mention.last > (0 if bare and not following.values else 2):
            return False
        if (
            following.amount is not None
            or (following.first, following.last) in {(m.first, m.last) for m in reading.amounts}
            or (following.period is not None and concept == "equal")
        ):
            return True
        if concept == "at_most" and mention.last - mention.first == 1:
            return False
        return any(name.column.column.role == "scenario" for name in following.values)
    if concept == "group_by":
        return following is not None and bool(following.columns) and following.first - mention.last <= 2
    if concept == "falls_to":
        return following is not None and bool(following.values) and reading.says("percent", "share")
    if concept == "between":
        if following is not None and following.kind == "values" and not reading.says(*_COMPARE_TWO):
            return False  # "how many years between A and B": what lies between is not what the two have
        return following is not None and following.kind in ("amount", "values", "columns", "version", "period")
    return True


def column_slot(reading: Reading, index: int, columns: Iterable[ColumnName]) -> Slot:
    """The one column a mention names: the frame's own table first, full names before entities. Raises Stop if it is open."""
    frame = reading.frame
    names = list(columns)
    names = [name for name in names if name.table == frame.main] or names
    names = [name for name in names if name.strength == "full"] or names
    closest = min(distance(frame, name.table) for name in names)
    names = [name for name in names if distance(frame, name.table) == closest]
    # The numbers of a tidied cross-tab bear the name of its sheet ("Stationen"); its row labels of that name are what is meant.
    names = [name for name in names if name.column.column.role != "value"] or names
    distinct = {name.key: name for name in names}
    if len(distinct) > 1:
        raise Stop(_ambiguous_column(reading, index, tuple(distinct.values())))
    return _many_side(frame, Slot(index, ColumnRef(names[0].table, names[0].column.sql_name), names[0].column))


def _many_side(frame: Frame, slot: Slot) -> Slot:
    """The key of a joined table is read from the row source itself, where also rows without a partner have it."""
    for join in frame.paths[slot.ref.table]:
        if join.one == slot.ref:
            column = frame.tables[join.many.table].column(join.many.column)
            return Slot(slot.index, join.many, column) if column is not None else slot
    return slot


def distance(frame: Frame, table: str) -> tuple[int, int, int]:
    """How far a table is from the row source: another document, measured joins, number of joins."""
    path = frame.paths[table]
    other_document = frame.tables[table].version.document != frame.main_table.version.document
    return int(other_document), sum(not join.approved for join in path) if other_document else 0, len(path)


def _ambiguous_column(reading: Reading, index: int, names: tuple[ColumnName, ...]) -> PlannerStop:
    said = reading.text_of(reading.mentions[index])
    options = tuple(Option(name.column.column.header, swap(reading, index, name.column.column.header)) for name in names)
    return PlannerStop("clarify", "ambiguous_term", "several_columns", (said,), options)


def swap(reading: Reading, index: int, replacement: str) -> str:
    """The question with one mention said in other words."""
    mention, tokens, text = reading.mentions[index], reading.question.tokens, reading.question.text
    return text[: tokens[mention.first].start] + replacement + text[tokens[mention.last - 1].end :]


def append(reading: Reading, german: str, english: str, polish: str) -> str:
    """The question with words added at its end."""
    words = {"de": german, "en": english, "pl": polish}[reading.question.language]
    text = reading.question.text.rstrip()
    mark = text[-1] if text[-1:] in "?!." else ""
    return f"{text.removesuffix(mark) if mark else text} {words}{mark}"


def column_slots(reading: Reading) -> tuple[Slot, ...]:
    return tuple(
        column_slot(reading, index, mention.columns)
        for index, mention in enumerate(reading.mentions)
        if mention.kind == "columns"
    )


def measures(slots: Iterable[Slot]) -> tuple[Slot, ...]:
    return tuple(slot for slot in slots if is_measure(slot.column))


def entities(slots: Iterable[Slot]) -> tuple[Slot, ...]:
    return tuple(slot for slot in slots if not is_measure(slot.column) and not (is_time(slot.column) and not _is_period(slot)))


def _is_period(slot: Slot) -> bool:
    return slot.column.column.type == "period"


def value_slots(reading: Reading, slots: tuple[Slot, ...]) -> tuple[ValueSlot, ...]:
    """Each value mention with its column: the one named beside it, else every column of the frame that holds it."""
    found: list[ValueSlot] = []
    for index, mention in enumerate(reading.mentions):
        if mention.kind != "values":
            continue
        values = _beside(reading, slots, index, mention.values)
        if all(value.partly for value in values):
            values = _complete(reading, index, values)
        found.append(_value_slot(reading, index, values))
    return tuple(found)


# Of columns with one name ("Branche" here and in another file) the closest is meant.
def _value_slot(reading: Reading, index: int, values: tuple[ValueName, ...]) -> ValueSlot:
    by_column: dict[tuple[str, str], list[ValueName]] = {}
    for value in values:
        by_column.setdefault(value.key, []).append(value)
    own = {key: found for key, found in by_column.items() if not _is_key_copy(reading.frame, key, by_column)}
    ordered = sorted(own.items(), key=lambda item: distance(reading.frame, item[0][0]))
    named: dict[str, tuple[tuple[str, str], list[ValueName]]] = {}
    for key, found in ordered:
        named.setdefault(display_name(found[0].column), (key, found))
    ordered = list(named.values())
    slot_columns = tuple(_many_side(reading.frame, Slot(index, ColumnRef(*key), found[0].column)) for key, found in ordered)
    said = reading.text_of(reading.mentions[index])
    stored = tuple(_as_spelt(said, tuple(dict.fromkeys(value.stored for value in found))) for _, found in ordered)
    total_only = all(value.total_only for value in ordered[0][1])
    return ValueSlot(index, slot_columns, stored, total_only, negated(reading, index))


def _as_spelt(said: str, stored: tuple[str | Decimal, ...]) -> tuple[str | Decimal, ...]:
    """Of "Müller" and "Mueller" in one column only the one that is written as said; accents and case never tell two apart, and
    what a person approved as a synonym stays."""
    texts = [value for value in stored if isinstance(value, str)]
    if not any(plain(value) == plain(said) for value in texts):
        return stored
    other = {value for value in texts if fold(value) == fold(said) and plain(value) != plain(said)}
    return tuple(value for value in stored if value not in other)


def _is_key_copy(frame: Frame, key: tuple[str, str], columns: dict[tuple[str, str], list[ValueName]]) -> bool:
    """True for the one side's key where the many side's column holds the value too: the same thing said once."""
    for path in frame.paths.values():
        for join in path:
            if key == (join.one.table, join.one.column) and (join.many.table, join.many.column) in columns:
                return True
    return False


def _beside(reading: Reading, slots: tuple[Slot, ...], index: int, values: tuple[ValueName, ...]) -> tuple[ValueName, ...]:
    """Values of the column that stands right before or behind ("Region Nord", "Wroclaw branch"), if it holds them."""
    here = reading.mentions[index]
    for neighbour in (_previous(reading, index), _following(reading, index)):
        if neighbour is None or reading.mentions[neighbour].kind != "columns":
            continue
        gap = (
            here.first - reading.mentions[neighbour].last if neighbour < index else reading.mentions[neighbour].first - here.last
        )
        keys = {name.key for name in reading.mentions[neighbour].columns}
        fitting = tuple(value for value in values if value.key in keys)
        if fitting and gap <= (3 if neighbour < index else 0):
            own = tuple(value for value in fitting if value.table == reading.frame.main)
            return own or fitting
    return values


def _previous(reading: Reading, index: int) -> int | None:
    return next((i for i in range(index - 1, -1, -1) if reading.mentions[i].kind != "function_word"), None)


def _following(reading: Reading, index: int) -> int | None:
    return next((i for i in range(index + 1, len(reading.mentions)) if reading.mentions[i].kind != "function_word"), None)


def _complete(reading: Reading, index: int, values: tuple[ValueName, ...]) -> tuple[ValueName, ...]:
    """A name without its legal form is that name; any other part of a name is asked back. Raises Stop."""
    mention = reading.mentions[index]
    said = {token.folded for token in reading.question.tokens[mention.first : mention.last]}
    distinct = {str(value.stored) for value in values}
    if len(distinct) == 1 and all(word in said or word in LEGAL_FORMS for word in words_of(next(iter(distinct)))):
        return values
    names = sorted(distinct)[:8]
    options = tuple(Option(name, swap(reading, index, name)) for name in names)
    raise Stop(PlannerStop("clarify", "ambiguous_value", "several_values", (reading.text_of(mention),), options))


def negated(reading: Reading, index: int) -> bool:
    """ "ohne Danzig", "nicht in Danzig", "außer A, B und C": the word stands before, with nothing but columns between; a list
    of values of one column is negated as a whole."""
    return negation_index(reading, index) is not None


def negation_index(reading: Reading, index: int) -> int | None:
    """The mention that negates a value mention; None if nothing does."""
    keys = {value.key for value in reading.mentions[index].values}
    position = index - 1
    while position >= 0:
        mention = reading.mentions[position]
        same_list = mention.kind == "values" and bool(keys & {value.key for value in mention.values})
        if mention.kind == "columns" and not _leads_to(reading, mention, keys):
            break
        if mention.kind not in ("function_word", "columns") and not same_list and not mention.says("or"):
            break
        position -= 1
    return position if position >= 0 and reading.mentions[position].says("without", "not") else None


def _leads_to(reading: Reading, mention: Mention, keys: set[tuple[str, str]]) -> bool:
    """A column between "ohne" and the value: the value's own ("ohne die Filiale Danzig") or a key of the things it describes
    ("ohne Kunden aus Polen"); any other is itself what is missing ("ohne Mahnstufe in EUR")."""
    if keys & {name.key for name in mention.columns}:
        return True
    ends = {(end.table, end.column) for path in reading.frame.paths.values() for join in path for end in (join.many, join.one)}
    return any(name.key in ends or entity_name(name.column.column.header) for name in mention.columns) and not any(
        column.column.unit_column == key[1] for key in keys for column in reading.frame.tables[key[0]].columns
    )


def is_singular(reading: Reading, slot: Slot) -> bool:
    """A definite singular ("der Niederlassung"): one thing is meant, so its name must be said."""
    mention, tokens = reading.mentions[slot.index], reading.question.tokens
    word = tokens[mention.last - 1]
    article = tokens[mention.first - 1].folded if mention.first else ""
    if article in ("des", "dem", "das", "im", "zum", "beim", "this"):
        return True
    return article in ("der", "die", "den", "zur", "the") and base_form(word.text, reading.question.language) == word.folded
