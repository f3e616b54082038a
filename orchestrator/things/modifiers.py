"""The grammar of what is said about a thing: conditions, superlatives, groups, order. Each rule yields what it reads and where
it ends; all readings are kept, and only those that leave no word over count."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from orchestrator.plan import Operator
from orchestrator.things.comparisons import (
    adjective_compared,
    beside_average,
    column_first,
    comparison,
    more_column_than,
    number_between,
    number_first,
)
from orchestrator.things.named import said_value, said_year
from orchestrator.things.sense import (
    Best,
    Each,
    Function,
    HasRelated,
    Measured,
    Modifier,
    NumberBetween,
    NumberIs,
    Overall,
    Sorted,
    ValueIs,
    YearIs,
)
from orchestrator.things.words import Words

Found = Iterator[tuple[Modifier, int]]
_ARTICLES = frozenset({"der", "die", "das", "den", "dem", "des"})
_FUNCTIONS: tuple[Function, ...] = ("average", "maximum", "minimum", "sum")
_LONGEST_LIST = 8


def modifiers(words: Words, place: int, depth: int = 0) -> Iterator[tuple[tuple[Modifier, ...], int]]:
    """Every way to read what follows as things said about the same subject; the longest first."""
    place = words.skip(place)
    if depth < _LONGEST_LIST and place < words.size:
        for modifier, end in _one(words, place, depth):
            for rest, last in modifiers(words, end, depth + 1):
                yield (modifier, *rest), last
    yield (), place


def _one(words: Words, place: int, depth: int) -> Found:
    for rule in _RULES:
        yield from rule(words, place)
    yield from _related(words, place, depth)
    yield from _most(words, place, depth)


def superlative(words: Words, place: int) -> Iterator[tuple[bool, int, bool]]:
    """ "höchste", "kleinsten", with "einmalige" behind: (descending, end, of one row alone)."""
    for names, descending in ((("maximum", "most_of"), True), (("minimum", "fewest_of"), False)):
        end = words.phrase(place, *names)
        if end > place:
            single = words.phrase(words.skip(end, verbs=False), "single")
            yield descending, max(end, single), single > words.skip(end, verbs=False)


def _best_column(words: Words, place: int) -> Found:
    """ "mit der höchsten Beschleunigung", "die die meisten Tickets auf einmal gekauft hat"."""
    for descending, end, single in superlative(words, place):
        start = words.skip(end, verbs=False)
        for hit in (*words.columns(start), *words.number_of(start)):
            if hit.function is None:
                behind = words.phrase(words.skip(hit.last), "single")
                alone = behind > words.skip(hit.last)
                yield Best(descending, hit, single=single or alone), behind if alone else hit.last


def _best_adjective(words: Words, place: int) -> Found:
    """ "welcher Staat ist am kleinsten"; before the thing it is read with the thing itself."""
    if place and words.folded(place - 1) == "am":
        adjective = words.adjective(place, "superlative")
        if adjective is not None:
            yield Best(True, adjective), place + 1


def _most(words: Words, place: int, depth: int) -> Found:
    """ "mit den meisten Hunden": by the number of related things."""
    for descending, name in ((True, "most_of"), (False, "fewest_of")):
        end = words.phrase(place, name)
        if end == place:
            continue
        for hit in words.tables(words.skip(end, verbs=False)):
            for inner, last in modifiers(words, hit.last, depth + 2):
                if all(not isinstance(each, Best | Each | Overall) for each in inner):
                    kept = tuple(each for each in inner if not isinstance(each, Sorted))
                    if len(kept) == len(inner):
                        yield Best(descending, most_of=hit, conditions=inner), last


def _related(words: Words, place: int, depth: int) -> Found:
    """ "die keine Hunde haben", "die mehr als einen Song haben", "die Songs mit … haben"."""
    if _is_listed(words, place):
        return
    negated = words.phrase(place, "none_of")
    compared = comparison(words, place) if negated == place else None
    start = words.skip(negated if negated > place else compared[1] if compared else place, verbs=False)
    count: tuple[Operator, int] | None = None
    if compared is not None:
        number = words.whole_number(compared[1])
        if number is None:
            return
        count, start = (compared[0], number[0]), words.skip(number[1], verbs=False)
    for hit in words.tables(start):
        for inner, last in modifiers(words, hit.last, depth + 2):
            if all(isinstance(each, NumberIs | NumberBetween | YearIs | ValueIs | HasRelated) for each in inner):
                yield HasRelated(hit, inner, negated > place, count), last


def _is_listed(words: Words, place: int) -> bool:
    """ "die Namen der Lehrer und die Kurse, …": asked for, too, and no condition."""
    before = place - 1
    while before > 0 and words.folded(before) in _ARTICLES:
        before -= 1
    return before >= 0 and words.phrase(before, "and") > before


def _verb(words: Words, place: int) -> Found:
    """ "die behandelt wurden", "nicht behandelt": a participle of what a table records."""
    negated = words.phrase(place, "not")
    start = words.skip(negated) if negated > place else place
    token = words.question.tokens[start] if start < words.size else None
    if token is not None and token.text.islower() and not token.quoted:
        for hit in words.things.by_verb(token.text):
            yield HasRelated(hit.at(start, start + 1), negated=negated > place, verb=True), start + 1


def _each(words: Words, place: int) -> Found:
    """ "je Stadt", "in jedem Land"; "für die verschiedenen Zylinder" gives one row each, too."""
    end = words.phrase(place, "each", "distinct")
    if end > place:
        start = words.skip(end, verbs=False)
        for hit in (*words.columns(start), *words.tables(start)):
            yield Each(hit), hit.last


def _sorted(words: Words, place: int) -> Found:
    """ "absteigend nach Alter sortiert", "sortiere sie nach ihrem Alter von alt nach jung"."""
    end = words.phrase(place, "alphabetical")
    if end > place:
        yield Sorted(None, False), end
    before, place = _direction(words, place)
    end = words.phrase(place, "sorted_by")
    if end == place and before is None:
        return
    start = words.skip(end, verbs=False)
    hits: list[tuple[Measured, int]] = [(hit, hit.last) for hit in (*words.columns(start), *words.number_of(start))]
    hits = hits or [(hit, hit.last) for hit in words.earlier(start)]
    for hit, last in hits:
        said, behind = _direction(words, words.skip(last))
        by_age = words.phrase(words.skip(last), "old_first", "young_first") > words.skip(last)
        if (before is not None and said is not None) or (by_age and words.folded(last - 1) != "alter"):
            continue
        tail = words.phrase(behind, "sorted")
        yield Sorted(hit, bool(said if said is not None else before)), max(tail, behind if said is not None else last)


def _direction(words: Words, place: int) -> tuple[bool | None, int]:
    """Whether "absteigend", "von hoch bis niedrig" or the opposite stands here, and where it ends."""
    for name, descending in (("descending", True), ("old_first", True), ("ascending", False), ("young_first", False)):
        end = words.phrase(place, name)
        if end > place:
            return descending, end
    return None, place


def _overall(words: Words, place: int) -> Found:
    """ "im Durchschnitt", "insgesamt" behind what it is about."""
    for name in _FUNCTIONS:
        end = words.phrase(place, name)
        alone = name == "sum" or words.folded(place) in ("maximal", "minimal")
        if end > place and (end - place > 1 or alone):
            yield Overall(name), end


_RULES: tuple[Callable[[Words, int], Found], ...] = (
    number_first,
    column_first,
    number_between,
    beside_average,
    more_column_than,
    adjective_compared,
    said_year,
    said_value,
    _best_column,
    _best_adjective,
    _verb,
    _each,
    _sorted,
    _overall,
)
