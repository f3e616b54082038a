"""Frames: one table as the row source and what can be joined to it on the one side, with the mentions chosen for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from orchestrator.link_names import Names, is_measure
from orchestrator.mentions import Mention
from orchestrator.plan import ColumnRef, Join
from orchestrator.question import Question, Token
from orchestrator.scope import Scope, VisibleRelation, VisibleTable

_DEEPEST_JOIN = 2
# Weight of a mention of one token, by kind; a longer mention weighs more than its words apart.
_WEIGHT = {
    "version": 16.5,
    "text": 16.2,
    "period": 16.0,
    "amount": 13.5,
    "columns": 13.0,
    "values": 12.5,
    "concepts": 11.6,
    "unit": 11.0,
    "tables": 10.4,
    "function_word": 8.0,
}
_AGGREGATES = frozenset({"sum", "average", "maximum", "minimum", "median", "share", "difference", "percent"})


@dataclass(frozen=True)
class Frame:
    """`main`: SQL name of the row source; `paths`: joined table -> the joins that lead to it, nearest first; `inner`: the
    table that must not hold the row ("Kunden ohne Auftrag"), "" if none."""

    main: str
    tables: Mapping[str, VisibleTable]
    paths: Mapping[str, tuple[Join, ...]]
    inner: str = ""

    @property
    def main_table(self) -> VisibleTable:
        return self.tables[self.main]

    def joins(self, columns: Iterable[ColumnRef]) -> tuple[Join, ...]:
        """The joins that these columns need, in order, each once."""
        needed = (join for column in columns for join in self.paths.get(column.table, ()))
        return tuple(dict.fromkeys(needed))


@dataclass(frozen=True)
class Reading:
    """A frame with the mentions chosen for it, in the order of the question; `uncovered`: content words nothing explains.
    `amounts`: every number said. `inner`: for "Kunden ohne Auftrag", the join from the table that must not hold the row."""

    question: Question
    frame: Frame
    names: Names
    mentions: tuple[Mention, ...]
    uncovered: tuple[Token, ...]
    weight: float
    amounts: tuple[Mention, ...] = ()
    inner: Join | None = None

    def find(self, kind: str) -> tuple[Mention, ...]:
        return tuple(mention for mention in self.mentions if mention.kind == kind)

    def concepts(self, *concepts: str) -> tuple[Mention, ...]:
        return tuple(mention for mention in self.mentions if mention.says(*concepts))

    def says(self, *concepts: str) -> bool:
        return bool(self.concepts(*concepts))

    def text_of(self, mention: Mention) -> str:
        tokens = self.question.tokens
        return self.question.text[tokens[mention.first].start : tokens[mention.last - 1].end]


def frames_of(scope: Scope, names: Names) -> tuple[Frame, ...]:
    """One frame a visible table; made once and kept with the names."""
    kept: tuple[Frame, ...] | None = names.kept.get(("frames", scope.relations))
    if kept is None:
        kept = names.kept["frames", scope.relations] = _frames(scope, names)
    return kept


def _frames(scope: Scope, names: Names) -> tuple[Frame, ...]:
    leading: dict[str, list[tuple[int, VisibleRelation]]] = {}
    for rank, relation in enumerate(sorted(scope.relations, key=lambda relation: not relation.approved)):
        leading.setdefault(relation.many_table, []).append((rank, relation))
    return tuple(Frame(name, names.tables, _paths(name, leading, names)) for name in names.tables)


def _paths(main: str, leading: Mapping[str, Sequence[tuple[int, VisibleRelation]]], names: Names) -> dict[str, tuple[Join, ...]]:
    """Joins from the many side to the one side, breadth first, at most two steps; a table is reached in one way only."""
    paths: dict[str, tuple[Join, ...]] = {main: ()}
    border = [main]
    for _ in range(_DEEPEST_JOIN):
        reached: list[str] = []
        found = sorted((ranked for here in border for ranked in leading.get(here, ())), key=lambda ranked: ranked[0])
        # Home team and visiting team: where two approved relations lead to one table, neither is meant more than the other.
        ends = [(each.many_table, each.one_table) for _, each in found if each.approved]
        for _, relation in found:
            here, there = relation.many_table, relation.one_table
            if there in paths or there not in names.tables or ends.count((here, there)) > 1:
                continue
            join = Join(ColumnRef(here, relation.many_column), ColumnRef(there, relation.one_column), relation.approved)
            paths[there] = (*paths[here], join)
            reached.append(there)
        border = reached
    return paths


def named_frames(frames: tuple[Frame, ...], question: Question, mentions: Sequence[Mention]) -> tuple[Frame, ...]:
    """Those of which the question names something. A frame without any explains no word more than they do, so where words of the
    question are left that only names explain, it need not be read."""
    general = _places(mention for mention in mentions if not mention.names_something)
    if len(general) == len(question.tokens) or any(mention.version for mention in mentions):
        return frames
    named = {table for mention in mentions for table in mention.named_tables}
    return tuple(frame for frame in frames if not named.isdisjoint(frame.paths)) or frames[:1]


def may_explain_all(frames: Iterable[Frame], question: Question, mentions: Sequence[Mention]) -> Iterator[Frame]:
    """Frames in which some mention stands on every word."""
    general = _places(mention for mention in mentions if not mention.names_something)
    named = [(mention.named_tables, range(mention.first, mention.last)) for mention in mentions if mention.names_something]
    for frame in frames:
        places = general.union(*(places for tables, places in named if not tables.isdisjoint(frame.paths)))
        if len(places) == len(question.tokens):
            yield frame


_MOST_ADDED = 4.5
"""What a mention may weigh beyond its kind and length, see _weight."""


def likeliest_first(frames: Iterable[Frame], mentions: Sequence[Mention]) -> list[tuple[Frame, float]]:
    """The frames with the most that a reading in each can weigh: of every word the heaviest mention that stands on it there.
    Those of one bound stay in their order."""
    general: dict[int, float] = {}
    named: dict[str, list[Mention]] = {}
    for mention in mentions:
        if mention.names_something and not mention.version:
            for table in mention.named_tables:
                named.setdefault(table, []).append(mention)
        else:
            _heaviest(general, mention)
    found = []
    for frame in frames:
        here = dict(general)
        for table in frame.paths.keys() | {frame.inner}:
            for mention in named.get(table, ()):
                _heaviest(here, mention)
        found.append((frame, sum(here.values())))
    return sorted(found, key=lambda each: -each[1])


def _heaviest(bound: dict[int, float], mention: Mention) -> None:
    length = mention.last - mention.first
    each = (_WEIGHT[mention.kind] + (length - 1) * 14.2 + _MOST_ADDED) / length
    for place in range(mention.first, mention.last):
        bound[place] = max(bound.get(place, 0.0), each)


def _places(mentions: Iterable[Mention]) -> set[int]:
    return {index for mention in mentions for index in range(mention.first, mention.last)}


def read_in(frame: Frame, question: Question, names: Names, mentions: Iterable[Mention]) -> Reading:
    """Chooses, without overlaps, the mentions that explain most of the question in this frame."""
    usable = [reduced for mention in mentions if (reduced := _within(frame, mention)) is not None]
    concept_spans = {(m.first, m.last) for m in usable if _AGGREGATES.intersection(m.concepts)}
    before_figures = _before_columns(question, usable)
    by_end: dict[int, list[Mention]] = {}
    for mention in usable:
        by_end.setdefault(mention.last, []).append(mention)
    size = len(question.tokens)
    best: list[tuple[float, tuple[Mention, ...]]] = [(0.0, ())]
    for end in range(1, size + 1):
        choice = best[end - 1]
        for mention in by_end.get(end, ()):
            before = best[mention.first]
            weight = before[0] + _weight(mention, frame, question, (mention.first, mention.last) in concept_spans)
            if (mention.first, mention.last) in before_figures:
                weight += 1.0 if mention.amount and question.language == "en" else 0
                weight -= 0.2 if mention.kind == "columns" and (mention.first, mention.last) in concept_spans else 0
            if weight > choice[0]:
                choice = (weight, (*before[1], mention))
        best.append(choice)
    weight, chosen = best[size]
    covered = {index for mention in chosen for index in range(mention.first, mention.last)}
    uncovered = tuple(token for token in question.tokens if token.index not in covered)
    return Reading(question, frame, names, chosen, uncovered, weight, tuple(mention for mention in usable if mention.amount))


def _before_columns(question: Question, mentions: Iterable[Mention]) -> set[tuple[int, int]]:
    """Runs of words with a column right behind them ("total medals", "total number of goals"): there "total" adds up, also where
    a column is called so."""
    starts = {m.first for m in mentions if m.columns and all(is_measure(name.column) for name in m.columns)}
    found = set()
    for token in question.tokens:
        behind = token.index + 1
        while behind < len(question.tokens) and question.tokens[behind].folded in _PASSED:
            behind += 1
        if behind in starts:
            found.add((token.index, token.index + 1))
    return found


_PASSED = frozenset({"number", "amount", "of", "the", "count"})


def _within(frame: Frame, mention: Mention) -> Mention | None:
    """The mention reduced to the tables of the frame; None if nothing of it remains."""
    if (mention.columns or mention.values) and len(frame.paths) == 1:
        columns, values = mention.in_table(frame.main)
        return Mention(mention.first, mention.last, columns, values) if columns or values else None
    if mention.columns:
        columns = tuple(name for name in mention.columns if name.table in frame.paths)
        return Mention(mention.first, mention.last, columns) if columns else None
    if mention.values:
        values = tuple(name for name in mention.values if name.table in frame.paths)
        return Mention(mention.first, mention.last, values=values) if values else None
    if mention.tables:
        return mention if mention.tables & {frame.main, frame.inner} else None
    if mention.version:
        documents = {frame.tables[name].version.document for name in frame.paths}
        versions = tuple(version for version in mention.version.versions if version.document in documents)
        return replace(mention, version=replace(mention.version, versions=versions)) if versions else None
    return mention


def _weight(mention: Mention, frame: Frame, question: Question, is_aggregate_word: bool) -> float:
    length = mention.last - mention.first
    weight = _WEIGHT[mention.kind] + (length - 1) * (11.7 if mention.kind in ("concepts", "tables") else 14.2)
    if mention.kind == "columns":
        own = any(name.table == frame.main for name in mention.columns)
        full = any(name.strength == "full" for name in mention.columns)
        weight += (0.4 if own else 0) + (0.3 if full else 0)
        if is_aggregate_word:
            weight -= 2.0
    elif mention.kind == "values":
        if all(name.partly for name in mention.values):
            weight -= 1.8
        elif all(name.total_only for name in mention.values):
            weight -= 1.5 if is_aggregate_word else 0.2
        if any(name.column.column.role == "scenario" for name in mention.values):
            weight += 4.0
    elif mention.amount is not None:
        weight -= 0 if mention.amount.unit or length > 1 else 1.5
    elif mention.kind == "concepts":
        words = question.tokens[mention.first : mention.last]
        weight += 0.2 if len(words) > 1 else 0
        weight -= 2.5 if words[0].folded in ("und", "sowie", "and") else 0
        weight += 3.0 if any(concept.startswith("place_") for concept in mention.concepts) else 0
    elif mention.kind == "tables":
        weight += 0.1 if frame.main in mention.tables else 0
    return weight
