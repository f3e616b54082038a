"""The grammar of numbers said about a thing: comparisons with a number, a range, an average."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import cast

from orchestrator.link_numbers import Amount
from orchestrator.plan import Operator
from orchestrator.things.book import word_book
from orchestrator.things.named import said_values, said_year
from orchestrator.things.names import Hit
from orchestrator.things.sense import (
    Function,
    Measured,
    Modifier,
    NumberBesideAggregate,
    NumberBetween,
    NumberIs,
    Subject,
    ValueIs,
)
from orchestrator.things.words import Words

Found = Iterator[tuple[Modifier, int]]
_COMPARATORS: tuple[tuple[str, Operator], ...] = (
    ("more_than", ">"), ("at_least", ">="), ("less_than", "<"), ("at_most", "<="),
)  # fmt: skip
OPPOSITE: dict[Operator, Operator] = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "<>", "<>": "="}
_YEARS = frozenset({"jahre", "jahren", "jahr"})


def _between(words: Words, place: int) -> tuple[Decimal, Decimal, int] | None:
    """ "zwischen 5000 und 10000": the bounds and where they end."""
    end = words.phrase(place, "between")
    low = words.number(end) if end > place else None
    joined = words.phrase(low.last, "and") if low is not None else 0
    high = words.number(joined) if low is not None and joined > low.last else None
    return (low.value, high.value, high.last) if low is not None and high is not None and low.value <= high.value else None


def _one_or_other(words: Words, hit: Hit, first: Amount) -> Found:
    """ "Alter 32 oder 33"."""
    joined = words.phrase(first.last, "or")
    other = words.number(joined) if joined > first.last else None
    if other is not None:
        yield NumberIs(hit, (("=", first.value), ("=", other.value))), other.last


def comparison(words: Words, place: int) -> tuple[Operator, int] | None:
    """A comparison word with its negation ("nicht höher als"): the operator and where it ends."""
    start = words.phrase(place, "not")
    negated = start > place
    start = words.skip(start, verbs=False) if negated else start
    best: tuple[Operator, int] | None = None
    for name, operator in _COMPARATORS:
        end = words.phrase(start, name)
        if end > start and (best is None or end > best[1]):
            best = OPPOSITE[operator] if negated else operator, end
    return best


def number_first(words: Words, place: int) -> Found:
    """ "mehr als 4 Zylinder", "8 Zylindern"."""
    compared = comparison(words, place)
    start = words.skip(compared[1], verbs=False) if compared else place
    amount = words.number(start)
    either = words.phrase(place, "either")
    first = words.number(either)
    joined = words.phrase(first.last, "or") if first is not None and compared is None else 0
    other = words.number(joined) if first is not None and joined > first.last else None
    if first is not None and other is not None:
        yield from _measured_behind(words, other.last, (("=", first.value), ("=", other.value)))
    if amount is None:
        return
    operator: Operator = compared[0] if compared else "="
    options = ((operator, amount.value),)
    yield from _measured_behind(words, amount.last, options)
    years = words.skip(amount.last, verbs=False)
    if compared is not None and words.folded(years) in _YEARS and words.adjective(years + 1, "word") is None:
        yield NumberIs(word_book().adjectives[0], options), years + 1


def _measured_behind(words: Words, place: int, options: tuple[tuple[Operator, Decimal], ...]) -> Found:
    """What the numbers are of: "4 Zylinder", "30 Jahre alt"."""
    after = words.skip(place, verbs=False)
    for hit in (*words.columns(after), *words.number_of(after)):
        if hit.function is None:
            yield NumberIs(hit, options), hit.last
    years = after + 1 if words.folded(after) in _YEARS else after
    adjective = words.adjective(years, "word")
    if adjective is not None:
        yield NumberIs(adjective, options), years + 1


def number_between(words: Words, place: int) -> Found:
    """ "zwischen 20 und 30 Zylindern", "zwischen 20 und 30 Jahre alt"."""
    between = _between(words, place)
    if between is None:
        return
    low, high, end = between
    after = words.skip(end, verbs=False)
    for hit in (*words.columns(after), *words.number_of(after)):
        if hit.function is None:
            yield NumberBetween(hit, low, high), hit.last
    years = after + 1 if words.folded(after) in _YEARS else after
    adjective = words.adjective(years, "word")
    if adjective is not None:
        yield NumberBetween(adjective, low, high), years + 1


def column_first(words: Words, place: int) -> Found:
    """ "deren Mitgliedsstufe höher als 4 ist", "Sprache Englisch", "Jahr 1980", "Alter unter dem Durchschnitt"."""
    for hit in (*words.columns(place), *words.number_of(place)):
        if hit.function is not None:
            continue
        after = words.skip(hit.last)
        yield from _compared(words, after, hit)
        negated = words.phrase(after, "not")
        start = words.skip(negated) if negated > after else after
        amount = words.number(start)
        if amount is not None and negated == after:
            yield NumberIs(hit, (("=", amount.value),)), amount.last
            yield from _one_or_other(words, hit, amount)
        either = words.phrase(after, "either")
        first = words.number(either) if either > after else None
        if first is not None:
            yield from _one_or_other(words, hit, first)
        between = _between(words, after)
        if between is not None:
            yield NumberBetween(hit, between[0], between[1]), between[2]
        for values, end in said_values(words, start):
            yield ValueIs(values, hit, negated > after), end


def _compared(words: Words, place: int, what: Measured) -> Found:
    compared = comparison(words, place)
    if compared is not None:
        start = words.skip(compared[1], verbs=False)
        amount = words.number(start)
        if amount is not None:
            end = amount.last + 1 if words.folded(amount.last) in _YEARS else amount.last
            yield NumberIs(what, ((compared[0], amount.value),)), end
        yield from _beside_aggregate(words, start, what, compared[0])
    for name, operator in (("above", ">"), ("below", "<")):
        end = words.phrase(place, name)
        noun = words.skip(end, verbs=False) if end > place else place
        for hit in words.columns(noun) if end > place else ():
            if hit.function == "average" and isinstance(what, Hit) and hit.columns == what.columns:
                yield NumberBesideAggregate(what, cast(Operator, operator), "average"), hit.last
        if end > place and words.phrase(noun, "average_noun") > noun:
            yield NumberBesideAggregate(what, cast(Operator, operator), "average"), words.phrase(noun, "average_noun")
    for name, operator in (("more", ">"), ("less", "<")):
        end = words.phrase(place, name)
        if end > place:
            than = _behind_than(words, end)
            if than is not None:
                yield from _beside_aggregate(words, than, what, cast(Operator, operator))


def _behind_than(words: Words, place: int) -> int | None:
    """ "größer ist als die …": where what is compared with begins."""
    while place < words.size and words.phrase(place, "than") == place and words.phrase(place, "fillers", "light_verbs") > place:
        place = words.phrase(place, "fillers", "light_verbs")
    end = words.phrase(place, "than")
    return words.skip(end, verbs=False) if end > place else None


def _beside_aggregate(words: Words, place: int, what: Measured, operator: Operator) -> Found:
    """ "als die durchschnittliche Anzahl der Produkte", "als der Durchschnitt", "als das Mindestgewicht aller Hunde aus …"."""
    named: tuple[Function, ...] = ("average", "maximum", "minimum")
    for name in named:
        end = words.phrase(place, name)
        if end == place:
            continue
        start = words.skip(end, verbs=False)
        for hit in (*words.columns(start), *words.number_of(start)):
            yield NumberBesideAggregate(what, operator, name, hit), hit.last
            for subject, last in plain_subject(words, hit.last):
                yield NumberBesideAggregate(what, operator, name, hit, subject), last
    for hit in (*words.columns(place), *words.number_of(place)):
        if hit.function in ("average", "maximum", "minimum"):
            plain, function = replace(hit, function=None), cast(Function, hit.function)
            yield NumberBesideAggregate(what, operator, function, plain), hit.last
            for subject, last in plain_subject(words, hit.last):
                yield NumberBesideAggregate(what, operator, function, plain, subject), last
    noun = words.phrase(place, "average_noun")
    if noun > place:
        yield NumberBesideAggregate(what, operator, "average"), noun


def plain_subject(words: Words, place: int) -> Iterator[tuple[Subject, int]]:
    """Things with years or values only ("aller nach 2010 eröffneten Museen")."""
    place = words.skip(place, verbs=False)
    before: tuple[Modifier, ...] = ()
    for year, end in said_year(words, place):
        before, place = (year,), words.skip(end, verbs=False)
        break
    for hit in words.tables(place):
        yield Subject(hit, before), hit.last


def beside_average(words: Words, place: int) -> Found:
    """ "Sänger über dem Durchschnittsalter"."""
    for name, operator in (("above", ">"), ("below", "<")):
        end = words.phrase(place, name)
        for hit in words.columns(words.skip(end, verbs=False)) if end > place else ():
            if hit.function == "average":
                yield NumberBesideAggregate(replace(hit, function=None), cast(Operator, operator), "average"), hit.last


def more_column_than(words: Words, place: int) -> Found:
    """ "die mehr Personal haben als die Mindestbesetzung …"."""
    for name, operator in (("more", ">"), ("less", "<")):
        end = words.phrase(place, name)
        if end == place:
            continue
        for hit in (*words.columns(words.skip(end)), *words.number_of(words.skip(end))):
            start = _behind_than(words, hit.last)
            if start is not None:
                yield from _beside_aggregate(words, start, hit, cast(Operator, operator))


def adjective_compared(words: Words, place: int) -> Found:
    """ "älter als 30", "größer als 200 sind", "nicht jünger als 20"."""
    negated = words.phrase(place, "not")
    start = words.skip(negated, verbs=False) if negated > place else place
    adjective = words.adjective(start, "comparative")
    than = _behind_than(words, start + 1) if adjective is not None else None
    if adjective is None or than is None:
        return
    operator: Operator = "<=" if negated > place else ">"
    amount = words.number(than)
    if amount is not None:
        end = amount.last + 1 if words.folded(amount.last) in _YEARS else amount.last
        yield NumberIs(adjective, ((operator, amount.value),)), end
    if negated == place:
        yield from _beside_aggregate(words, than, adjective, operator)
