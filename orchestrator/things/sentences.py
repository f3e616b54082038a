"""The grammar of whole questions about things. Each pattern yields what the question says and where it ends; only readings that
leave no word over are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from orchestrator.thesaurus import word_forms
from orchestrator.things.modifiers import modifiers
from orchestrator.things.names import Hit
from orchestrator.things.phrases import aggregated, column_list, optional_subject, subjects
from orchestrator.things.sense import Best, Each, HasRelated, Modifier, Overall, Sense, Show, Subject
from orchestrator.things.words import Words

_MOST_READINGS = 200
_THROUGH = frozenset({"durch", "Durch", "über", "Über", "an", "An"})
_GENITIVE = frozenset({"des", "der", "von", "vom"})
Found = Iterator[tuple[Sense, int]]


def read_senses(words: Words) -> tuple[Sense, ...]:
    """Every reading of the question that accounts for all of its words."""
    found: dict[Sense, None] = {}
    for pattern in _PATTERNS:
        for sense, end in pattern(words):
            if words.is_done(end):
                found[sense] = None
            if len(found) >= _MOST_READINGS:
                break
    return tuple(found)


def _opening(words: Words) -> int:
    """Where the question's content begins: behind "zeige", "wie lautet", "bitte"."""
    place = words.skip(0, verbs=False)
    end = words.phrase(place, "opens_list", "opens_what")
    start = max(end, words.phrase(0, "opens_what"), words.phrase(0, "opens_list"))
    if start == 0:
        return place
    return words.skip(start, verbs=False)


def _counts(words: Words) -> Found:
    """ "Wie viele Hunde …", "Finde die Anzahl der Orchester, deren …", "durch wie viele Staaten …"."""
    for place in dict.fromkeys((_opening(words), words.skip(0))):
        end = words.phrase(place, "how_many")
        if end == place:
            continue
        for subject, last in subjects(words, end):
            if subject.things is not None:
                for more, after in _second_sentence(words, last):
                    yield Sense((Show("count"), *more), subject), after
        yield from _counts_of_columns(words, end)


def _counts_of_columns(words: Words, place: int) -> Found:
    """ "die Anzahl der verschiedenen Seriennamen und Inhalte in der Tabelle …"."""
    start = words.skip(place, verbs=False)
    end = words.phrase(start, "distinct")
    if end == start:
        return
    for shows, last in column_list(words, end):
        if all(show.kind == "column" and show.of is None for show in shows):
            counted = tuple(replace(show, kind="count_distinct") for show in shows)
            for subject, after in optional_subject(words, last):
                yield Sense(counted, subject), after


def _aggregates(words: Words) -> Found:
    """ "Wie hoch ist die maximale Beschleunigung …", "das Durchschnittsalter der Hunde, die …"."""
    for shows, end in aggregated(words, _opening(words)):
        for subject, last in optional_subject(words, end):
            yield Sense(shows, subject), last


def _columns_of(words: Words) -> Found:
    """ "Zeige Name, Land und Alter aller Sänger …", "Wie lautet der Name der Rasse mit …"."""
    start = _opening(words)
    for shows, end in column_list(words, start):
        if _shares_an_owner(words, shows) or any(_adds_up(words, show) for show in shows):
            continue
        distinct = words.phrase(start, "distinct") > start
        if shows[-1].of is not None and len({show.of for show in shows if show.of}) == 1:
            things = shows[-1].of
            for rest, last in modifiers(words, end):
                yield Sense(tuple(replace(show, of=None) for show in shows), Subject(things, rest), distinct=distinct), last
        every = words.phrase(words.skip(end, verbs=False), "each")
        starts = (end, every) if every > words.skip(end, verbs=False) else (end,)
        for subject, last in (found for begin in starts for found in optional_subject(words, begin)):
            if subject.things is not None or subject.modifiers or distinct:
                yield Sense(shows, subject, distinct=distinct), last
        if len(shows) == 1 and shows[0].of is None:
            yield from _held_by(words, shows[0], end)


def _shares_an_owner(words: Words, shows: tuple[Show, ...]) -> bool:
    """ "den Namen und das Erscheinungsjahr des Songs": the name of the song, though only the year is a column called so."""
    last = shows[-1].what
    names = [show.what for show in shows[:-1] if isinstance(show.what, Hit) and show.of is None]
    generic = any("name" in word_forms(words.folded(hit.last - 1)) for hit in names)
    return generic and isinstance(last, Hit) and any(words.folded(at) in _GENITIVE for at in range(last.first, last.last))


def _adds_up(words: Words, show: Show) -> bool:
    """ "Summe der Posten" where no column is called so: the word asks for one number, not for a column of like meaning."""
    hit = show.what
    return isinstance(hit, Hit) and not hit.exact and words.phrase(hit.first, "sum") > hit.first


def _held_by(words: Words, show: Show, place: int) -> Found:
    """ "die Länder, aus denen Sänger über 20 Jahre stammen", "Orte, die mindestens zwei Trainer haben"."""
    if not words.starts_clause(place):
        return
    for rest, last in modifiers(words, place):
        if len(rest) == 1 and isinstance(rest[0], HasRelated) and not rest[0].negated and not rest[0].verb:
            related = rest[0]
            if related.count is None:
                yield Sense((show,), Subject(related.things, related.conditions), distinct=True), last
            else:
                group = replace(show, kind="column")
                yield Sense((Show("count"),), Subject(related.things, related.conditions), group, having=related.count), last


def _which(words: Words) -> Found:
    """ "Welche Hunde sind …", "Welches Land hat die meisten …", "welches ist die größte Stadt in …", "wer …"."""
    place = words.skip(0, verbs=False)
    end = max(words.phrase(place, "opens_which", "opens_name"), words.phrase(0, "opens_name", "opens_which", "opens_list"))
    if end == 0:
        return
    for subject, last in subjects(words, end):
        if subject.things is not None:
            for more, after in _second_sentence(words, last):
                yield Sense((Show("thing"), *more), subject), after
    asked = max(words.phrase(place, "opens_which", "opens_name"), words.phrase(0, "opens_name", "opens_which"))
    for hit in words.columns(words.skip(end)) if asked == end else ():
        if hit.function is None:
            yield from _held_by(words, Show("column", hit), hit.last)
            for rest, last in modifiers(words, hit.last):
                if any(isinstance(each, HasRelated) for each in rest):
                    continue
                for more, after in _second_sentence(words, last):
                    yield Sense((Show("column", hit), *more), Subject(None, rest), distinct=True), after
    for said, name in ((True, "most_common"), (False, "least_common")):
        start = words.skip(end)
        common = words.phrase(start, name)
        if common > start:
            for hit in words.columns(words.skip(common)):
                for subject, last in optional_subject(words, hit.last):
                    best = Best(said, most_of=subject.things)
                    if subject.things is not None:
                        yield Sense((Show("column", hit),), Subject(None, (best, *subject.modifiers))), last


def _second_sentence(words: Words, place: int) -> Iterator[tuple[tuple[Show, ...], int]]:
    """ "Welche Hunde …? Gib den Vornamen des Besitzers und den Namen des Hundes an." The columns are shown, too."""
    yield (), place
    start = words.skip(place)
    end = words.phrase(start, "opens_list")
    if end == start or not words.starts_clause(start):
        return
    for shows, last in column_list(words, end):
        yield shows, last
        counted = words.phrase(words.skip(last), "how_many")
        if counted > words.skip(last):
            for hit in words.tables(words.skip(counted)):
                yield (*shows, Show("count", hit)), hit.last
            yield (*shows, Show("count")), counted


def _groups(words: Words) -> Found:
    """ "Was sind die Nationalitäten und die Anzahl der Menschen aus jeder Nation?", "die Anzahl der Mitarbeiter je Stadt"."""
    place = _opening(words)
    end = words.phrase(place, "distinct")
    start = words.skip(end, verbs=False)
    for hit in (*words.columns(start), *words.tables(start)):
        owners = words.tables(words.skip(hit.last, verbs=False))
        if not owners:
            yield from _joined_groups(words, hit, hit.last)
        for owner in owners:
            tables = {thing.table for thing in owner.things}
            named = hit.labels or "name" in word_forms(words.folded(hit.last - 1))
            own = replace(hit, columns=tuple(ref for ref in hit.columns if ref.table in tables))
            yield from _joined_groups(words, owner if named else own, owner.last)


def _joined_groups(words: Words, group: Hit, place: int) -> Found:
    joined = words.phrase(place, "and")
    if joined > place and (group.columns or group.things):
        yield from _per_group(words, group, words.skip(joined, verbs=False))


def _per_group(words: Words, hit: Hit, place: int) -> Found:
    """The number or the aggregates that are given for each of what was said first."""
    group = Show("column", hit) if hit.columns else Show("thing", hit)
    behind = words.phrase(place, "how_many")
    if behind > place:
        for subject, last in subjects(words, behind):
            if subject.things is not None:
                yield Sense((Show("count"),), _without_same_group(subject, hit), group), last
    for shows, after in aggregated(words, place):
        for subject, last in optional_subject(words, after):
            yield Sense(shows, _without_same_group(subject, hit), group), last


def _without_same_group(subject: Subject, group: Hit) -> Subject:
    """ "… und die Anzahl der Menschen aus jeder Nation": the group that was said first."""
    return replace(subject, modifiers=tuple(each for each in subject.modifiers if not _is_same_group(each, group)))


def _is_same_group(each: Modifier, group: Hit) -> bool:
    if not isinstance(each, Each):
        return False
    named = {ref for thing in each.what.things for ref in (*thing.labels, thing.key)}
    columns = set(group.columns)
    return bool(columns & {*each.what.columns, *named}) or (bool(group.things) and each.what.things == group.things)


def _where_when(words: Words) -> Found:
    """ "wo liegt San Diego", "Wann wird die Serie … ausgestrahlt?"."""
    for name, kind in (("opens_where", "place"), ("opens_when", "time")):
        end = words.phrase(0, name)
        if end == 0:
            continue
        for subject, last in subjects(words, end):
            after = words.skip(last)
            verb = words.phrase(after, "event_verbs")
            if kind == "time" and verb > after:
                yield Sense((Show("time", verb=words.folded(after)),), subject), verb
            yield Sense((Show("place" if kind == "place" else "time"),), subject), last


def _how_adjective(words: Words) -> Found:
    """ "Wie alt ist der älteste Hund?", "wie gross ist Alaska"."""
    adjective = words.adjective(1, "word") if words.folded(0) == "wie" else None
    if adjective is not None:
        for subject, last in subjects(words, 2):
            yield Sense((Show("adjective", adjective),), subject), last


def _how_much(words: Words) -> Found:
    """ "Wie viel PS hat das Auto mit …", "wie viele Einwohner hat Oregon"; with a function behind: "im Durchschnitt"."""
    for place in dict.fromkeys((0, _opening(words))):
        end = words.phrase(place, "how_much")
        if end == place:
            continue
        start = words.skip(end, verbs=False)
        for hit in (*words.columns(start), *words.number_of(start)):
            if hit.function is not None:
                continue
            for subject, last in subjects(words, hit.last):
                overall = next((each for each in subject.modifiers if isinstance(each, Overall)), None)
                rest = replace(subject, modifiers=tuple(each for each in subject.modifiers if each is not overall))
                if overall is not None:
                    yield Sense((Show("aggregate", hit, overall.function),), rest), last
                else:
                    yield Sense((Show("column", hit),), subject), last


def _through(words: Words) -> Found:
    """ "durch wie viele Staaten fließt der Fluss Colorado", "durch welche Staaten …": a column called "fließt durch"."""
    preposition = words.question.tokens[0].text
    counted, asked = words.phrase(1, "how_many"), words.phrase(1, "opens_which")
    if max(counted, asked) <= 1:
        return
    for noun in words.tables(words.skip(max(counted, asked))):
        verb = noun.last
        hits = words.things.columns((words.question.tokens[verb].text, preposition)) if verb < words.size else ()
        for hit in hits if preposition in _THROUGH else ():
            for subject, last in subjects(words, verb + 1):
                if subject.things is not None:
                    if counted == 1:
                        yield Sense((Show("column", hit),), subject, distinct=True), last
                    else:  # where a row stands twice the two counts differ, and the asker has to choose
                        yield Sense((Show("count_distinct", hit),), subject), last
                        yield Sense((Show("count_filled", hit),), subject), last


def _what_costs(words: Words) -> Found:
    """ "Wie viel kostet die teuerste Gebührenart?", "Wie viel hat die letzte Behandlung gekostet?"."""
    end = words.phrase(0, "how_much") or (1 if words.folded(0) == "was" else 0)
    place = words.skip(end)
    verb = words.phrase(place, "costs")
    if end == 0:
        return
    for subject, last in subjects(words, max(place, verb)):
        behind = words.phrase(words.skip(last), "costs")
        if (verb > place) == (behind > words.skip(last)):
            continue
        for word in ("Kosten", "Preis", "Betrag"):
            for hit in words.things.columns((word,)):
                yield Sense((Show("column", hit),), subject), max(last, behind)


_PATTERNS: tuple[Callable[[Words], Found], ...] = (
    _counts,
    _aggregates,
    _columns_of,
    _which,
    _groups,
    _where_when,
    _how_adjective,
    _how_much,
    _what_costs,
    _through,
)
"""All patterns are tried; a question that several of them read must come to the same result in each."""
