"""Who or what a question asks for: the entity behind "welche", the groups behind "je", the number behind "Top"."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.compounds import entity_name
from orchestrator.link_names import is_measure, is_time, verb_stem
from orchestrator.plan import ColumnRef
from orchestrator.planners.decision import PlannerStop, Stop
from orchestrator.planners.parts import Parts, Where
from orchestrator.planners.slots import Slot
from orchestrator.question import tokenize, words_of
from orchestrator.scope import VisibleColumn
from orchestrator.value_names import Named
from parsers.fold import fold
from parsers.table import ColumnType

_ARTICLES = frozenset({"der", "die", "das", "den", "dem", "the", "ihre", "ihren", "their", "deren"})
AND = frozenset({"und", "and", "oraz", "i", "sowie"})

RUNNING = {"de": "kumuliert", "en": "cumulative", "pl": "narastająco"}
"""Behind the name of a total that was asked for as the one up to the end of the period."""


def asked_entity(parts: Parts) -> Slot | None:
    """The entity behind "welche", "nenne", "top 5": the first column after it that is no measure; else an entity that opens
    the question ("Kunden mit …")."""
    marks = sorted(parts.marks("which", "list", "top"))
    for mark in marks:
        place = parts.place(mark)
        after = [slot for slot in parts.slots if parts.place(slot.index) > place and not is_measure(slot.column)]
        if after:
            nearest = min(after, key=lambda slot: parts.place(slot.index))
            between = [m for m in parts.reading.mentions if place < m.first < parts.place(nearest.index)]
            if all(m.kind in ("function_word", "amount", "concepts", "period", "unit") for m in between):
                return nearest
    if (named := _row_of_table(parts, marks)) is not None:
        return named
    first = next((m for m in parts.reading.mentions if m.kind not in ("function_word", "amount")), None)
    lead = next((slot for slot in parts.slots if first is not None and parts.place(slot.index) == first.first), None)
    return lead if lead is not None and not is_measure(lead.column) else None


def _row_of_table(parts: Parts, marks: Iterable[int]) -> Slot | None:
    """ "Welche Maschine" of a sheet "Maschinen": the names of its rows, once each or once in each period; a name in words before
    a code."""
    mentions = parts.reading.mentions
    behind = [next((m for m in mentions[mark + 1 :] if m.kind not in ("function_word", "amount")), None) for mark in marks]
    if not any(mention is not None and mention.kind == "tables" for mention in behind):
        return None
    index = parts.reading.names.values[parts.main_name]
    times = max((index.distinct.get(c.sql_name, 1) for c in parts.main.columns if c.column.type is ColumnType.PERIOD), default=1)
    names = [
        column for column in parts.main.columns
        if column.column.type is ColumnType.TEXT and index.distinct.get(column.sql_name, 0) * times >= index.rows > 0
    ]  # fmt: skip
    ranked = sorted(names, key=lambda column: _in_words(index.of_column(column.sql_name)), reverse=True)
    return Slot(-1, ColumnRef(parts.main_name, ranked[0].sql_name), ranked[0]) if ranked else None


def _in_words(values: Iterable[Named]) -> bool:
    """Most of the values begin with a word, not with a code."""
    said = [value.words[0] for value in values if value.words]
    return 2 * sum(word.isalpha() and len(word) > 2 for word in said) > len(said)


def who(parts: Parts) -> Slot | None:
    """Whom "who" asks for where no column is said."""
    if not parts.reading.says("who") or parts.reading.question.language != "en":
        return None
    name = leading_name(parts)
    return name if name is not None and _WHO & set(words_of(name.column.column.header)) else None


_WHO = frozenset({
    "nation", "country", "team", "club", "player", "athlete", "person", "driver", "rider", "runner", "rower", "swimmer",
    "contestant", "candidate", "artist", "singer", "actor", "actress", "golfer", "cyclist", "skier", "boxer", "wrestler",
    "jockey", "racer", "competitor", "scorer", "pilot", "skater", "gymnast", "shooter", "member", "employee",
})  # fmt: skip
"""Headers of columns whose names one asks for by "who"; a column of codes or things is never meant."""


def leading_name(parts: Parts) -> Slot | None:
    """What the rows are about: the first column of texts, if no name comes twice in it."""
    index = parts.reading.names.values[parts.main_name]
    texts = [c for c in parts.main.columns if c.column.type is ColumnType.TEXT]
    if not texts or index.distinct.get(texts[0].sql_name, 0) < index.rows:
        return None
    return Slot(-1, ColumnRef(parts.main_name, texts[0].sql_name), texts[0])


def with_companions(parts: Parts, target: Slot) -> tuple[Slot, ...]:
    """The entity and the columns said right behind it in brackets ("Kunden (Firma)"): all of them are shown."""
    text, tokens = parts.reading.question.text, parts.reading.question.tokens
    groups = [target]
    for slot in parts.slots:
        mention = parts.reading.mentions[slot.index]
        opened = text[: tokens[mention.first].start].rstrip().endswith("(")
        if slot is not target and opened and not is_measure(slot.column) and slot.ref not in {g.ref for g in groups}:
            groups.append(slot)
    return tuple(groups)


def enumerated(parts: Parts, first: Slot, others: Iterable[Slot]) -> tuple[Slot, ...]:
    """A column and those listed with it ("Firma, Ort und Land der Kunden"), in their order."""
    found = [first]
    text, tokens = parts.reading.question.text, parts.reading.question.tokens
    for slot in sorted(others, key=lambda slot: parts.place(slot.index)):
        start, end = parts.reading.mentions[found[-1].index].last, parts.place(slot.index)
        between = [token.folded for token in tokens[start:end]]
        comma = start <= end and "," in text[tokens[start - 1].end : tokens[end].start]
        joined = start <= end and all(word in AND or word in _ARTICLES for word in between)
        if joined and (comma or any(word in AND for word in between)) and slot.ref not in {each.ref for each in found}:
            found.append(slot)
    return tuple(found)


def limit_said(parts: Parts, target: Slot) -> tuple[int, frozenset[int]]:
    """The number said before the entity ("fünf Kunden", "Top 3"), else 1 for a singular question. Raises Stop on zero."""
    for index, mention in enumerate(parts.reading.mentions):
        amount = mention.amount
        if (
            amount is None
            or amount.unit is not None
            or parts.place(index) > parts.place(target.index)
            or index in {u.index for u in parts.amounts}
        ):
            continue
        if amount.value == amount.value.to_integral_value() and 1 <= amount.value <= 1000:
            return int(amount.value), frozenset({index})
        raise Stop(PlannerStop("refused", "not_understood", "odd_number", (amount.code,)))
    return 1, frozenset()


def ranked_by(parts: Parts, measure: Slot) -> set[int]:
    """ "Top 5 Kunden nach Umsatz": the word before the measure ranks, it does not group."""
    if measure.index < 0:
        return set()
    return {i for i in parts.marks("group_by") if 0 <= parts.place(measure.index) - parts.reading.mentions[i].last <= 1}


_PER = frozenset({
    "je", "pro", "jeder", "jede", "jedes", "fuer jeden", "fuer jede", "fuer jedes", "per", "each", "every", "for each",
    "for every", "na",
})  # fmt: skip


def divisor(parts: Parts) -> tuple[int, Slot] | None:
    """ "Personalkosten je Mitarbeiter": the mark and the figure right behind it, of which each is meant. A word that also names a
    thing of the rows is no figure here."""
    for mark in sorted(parts.marks("group_by")):
        mention = parts.reading.mentions[mark]
        words = " ".join(token.folded for token in parts.reading.question.tokens[mention.first : mention.last])
        if words not in _PER:
            continue
        behind = [slot for slot in parts.slots if 0 <= parts.place(slot.index) - mention.last <= 1 and slot.index > mark]
        if behind and is_measure(behind[0].column):
            return mark, behind[0]
    return None


def counted(parts: Parts, asked: int) -> Slot | None:
    """The column right behind "wie viele", with "verschiedene" or an attribute between ("Zahl der am 30.09. überfälligen Posten",
    "der 2024 eingetretenen Mitarbeiter")."""
    mentions = parts.reading.mentions
    for index in range(asked + 1, len(mentions)):
        mention = mentions[index]
        if mention.kind == "columns":
            noun = _noun_behind(parts, index)
            if noun is None:
                return next((slot for slot in parts.slots if slot.index == index), None)
            if not all(is_time(name.column) for name in mention.columns):
                return None
            continue
        if mention.kind not in ("function_word", "period", "values") and not mention.says("distinct", "all", "sum", "overdue"):
            return None
    return None


def _noun_behind(parts: Parts, index: int) -> int | None:
    """The column behind a participle that names another one ("eingetretenen Mitarbeiter", "bestellten verschiedenen Artikel")."""
    mentions = parts.reading.mentions
    word = parts.reading.question.tokens[mentions[index].last - 1]
    if not word.text[0].islower() or verb_stem(word.folded) is None:
        return None
    behind = next((i for i in range(index + 1, len(mentions)) if not mentions[i].says("distinct", "all")), None)
    return behind if behind is not None and mentions[behind].kind == "columns" else None


def says_only(parts: Parts, found: Where, *slots: Slot | None) -> bool:
    """Every column said is one of these or filters: no other is passed over."""
    allowed = found.columns | {slot.ref for slot in slots if slot is not None}
    return all(slot.ref in allowed for slot in parts.slots)


def groups_said(parts: Parts) -> tuple[Slot, ...]:
    """Columns behind "je", "pro", "nach", and those joined to them by "und"."""
    groups: list[Slot] = []
    for mark in sorted(parts.marks("group_by")):
        position = parts.reading.mentions[mark].last
        for slot in sorted(parts.slots, key=lambda slot: parts.place(slot.index)):
            mention = parts.reading.mentions[slot.index]
            between = [token.folded for token in parts.reading.question.tokens[position : mention.first]]
            near = len(between) <= 2 and (not groups or any(word in AND for word in between))
            joined = near and not is_measure(slot.column)
            if mention.first >= position and joined and slot.ref not in {g.ref for g in groups}:
                groups.append(slot)
                position = mention.last
    return tuple(groups)


def only_additive(parts: Parts) -> tuple[Slot, ...]:
    """The only number column that may be added up ("Top 5 Kunden" of a list with one amount)."""
    additive = [c for c in parts.main.columns if is_measure(c) and c.aggregation == "sum" and c.column.role != "total"]
    return tuple(Slot(-1, ColumnRef(parts.main_name, c.sql_name), c) for c in additive) if len(additive) == 1 else ()


def same_stem(entity: VisibleColumn, measure: Slot) -> bool:
    """A name of the measure begins like the entity's ("Auftragswert" of "Auftrag", "Bestellwert" of "Bestellung")."""
    things = [entity_name(name) or name for name in entity.names]
    stems = {fold(token.text) for thing in things for token in tokenize(thing)}
    heads = {fold(token.text) for name in measure.column.names for token in tokenize(name)}
    return any(_begin_alike(head, stem) for head in heads for stem in stems if len(stem) >= _SHORTEST_STEM)


_SHORTEST_STEM = 5


def _begin_alike(word: str, stem: str) -> bool:
    shared = next((i for i, (a, b) in enumerate(zip(word, stem, strict=False)) if a != b), min(len(word), len(stem)))
    return shared >= max(_SHORTEST_STEM, len(stem) - 3) and len(word) > shared
