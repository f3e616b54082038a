"""A topic -> the rows that are near it, best first; one straight line.

candidates by words and by meaning → scores → one weighted score → what is not near is out → codes first → a cap for each table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from indexer.index_files import IndexedView
from indexer.row_index import IndexedRow, RowIndex
from orchestrator.search.nearness import Nearness, SaidWords, row_words

DENSE_WEIGHT = 0.6
"""Part of the meaning in the score; the rest is that of the words. Measured, see docs/benchmarks.md."""
CODE_BOOST = 1.0
"""Added where a row holds every code that was said (article number, norm)."""
CANDIDATES = 40
MOST_ROWS = 5
MOST_OF_A_TABLE = 5
"""Rows of one table where several were asked for by name; each of these keeps at least one."""
_STEP = 1e-6
_BELOW_BEST = 0.55
"""A row with less than this part of the best one's score is not shown beside it."""

FEATURES = ("dense", "bm25", "compounds", "stems", "ngrams", "synonyms", "routing", "codes")
"""What can be left out to see what it gains: vectors of meaning; the score by words, in it parts of compounds, stems and n-grams$
of letters; the tenant's synonyms; searching only the tables that were asked for; the boost of codes."""


@dataclass(frozen=True)
class FoundRow:
    """`score`: what it was ranked by; `similarity`: 0 to 1, for people."""

    row: IndexedRow
    score: float
    nearness: Nearness

    @property
    def similarity(self) -> float:
        return round(min(1.0, max(self.nearness.covered, self.nearness.cosine)), 2)


@dataclass(frozen=True)
class SearchRequest:
    """`variants`: the topic as it was said, then in other words. `views`: what is searched, in order of names. `named`: their
    tables were asked for by name. `without`: features that are left out."""

    variants: tuple[str, ...]
    views: tuple[IndexedView, ...]
    named: bool = False
    without: frozenset[str] = field(default_factory=frozenset)


def search_rows(index: RowIndex, request: SearchRequest) -> tuple[FoundRow, ...]:
    """The rows that are near the topic, at most MOST_ROWS, none where nothing is near."""
    best: dict[tuple[str, int], FoundRow] = {}
    for variant in request.variants:
        for found in _scored(index, variant, request):
            key = (found.row.view.key, found.row.chunk.row_id)
            if key not in best or found.score > best[key].score + _STEP:
                best[key] = found
    ranked = sorted((found for found in best.values() if found.nearness.near), key=_order)
    return _capped(ranked, request)


def ranked_rows(index: RowIndex, request: SearchRequest) -> tuple[FoundRow, ...]:
    """Every candidate in order, near or not: what recall is measured on."""
    best: dict[tuple[str, int], FoundRow] = {}
    for variant in request.variants:
        for found in _scored(index, variant, request):
            key = (found.row.view.key, found.row.chunk.row_id)
            if key not in best or found.score > best[key].score + _STEP:
                best[key] = found
    return tuple(sorted(best.values(), key=_order))


def _scored(index: RowIndex, variant: str, request: SearchRequest) -> list[FoundRow]:
    """The candidates of one wording with their scores."""
    views, without = request.views, request.without
    dense = "dense" not in without
    rows = _candidates(index, variant, request)
    if not rows:
        return []
    words = index.word_scores(variant, rows, views) if "bm25" not in without else [0.0] * len(rows)
    meanings = index.meaning_scores(variant, rows) if dense else None
    usual = index.usual_meaning(variant, views) if dense else None
    said = SaidWords(variant, index.rarity(views), without)
    found = []
    for place, row in enumerate(rows):
        own = row_words(row.chunk.searched, without)
        nearness = Nearness(said.covered(own))
        score = words[place]
        if meanings is not None and usual is not None:
            nearness = _with_meaning(nearness, meanings[place], usual)
            score = DENSE_WEIGHT * _as_part(meanings[place], usual) + (1 - DENSE_WEIGHT) * score
        codes = said.codes
        if codes and "codes" not in without and codes <= {word.whole for word in own if word.code}:
            score += CODE_BOOST
        found.append(FoundRow(row, score, nearness))
    return found


def _candidates(index: RowIndex, variant: str, request: SearchRequest) -> list[IndexedRow]:
    """From all views together; where tables were named, from each of them."""
    flags = {"sparse": "bm25" not in request.without, "dense": "dense" not in request.without}
    groups: Sequence[tuple[IndexedView, ...]] = [request.views]
    if request.named:
        groups = [(view,) for view in request.views]
    return [row for views in groups for row in index.candidates(variant, views, CANDIDATES, **flags)]


_LEAST_DEVIATION = 0.004
_FAR = 6.0


def _with_meaning(nearness: Nearness, cosine: float, usual: tuple[float, float, int]) -> Nearness:
    from orchestrator.search.nearness import ENOUGH_ROWS

    mean, deviation, rows = usual
    above = (cosine - mean) / max(deviation, _LEAST_DEVIATION) if rows >= ENOUGH_ROWS else 0.0
    return Nearness(nearness.covered, above, cosine)


def _as_part(cosine: float, usual: tuple[float, float, int]) -> float:
    """A cosine as a part of 1: how far above the usual it is, so that it can be weighed against the words' score."""
    mean, deviation, _ = usual
    return min(1.0, max(0.0, (cosine - mean) / (_FAR * max(deviation, _LEAST_DEVIATION))))


def _order(found: FoundRow) -> tuple[float, str, int, str, int]:
    """Best first; equal scores by position: document, newest version, sheet, row."""
    version = found.row.view.version
    return (-round(found.score, 6), version.document, -version.number, found.row.view.sheet_name or "", found.row.chunk.row)


def _capped(ranked: Sequence[FoundRow], request: SearchRequest) -> tuple[FoundRow, ...]:
    """At most MOST_ROWS; of several named tables each keeps its best row."""
    if not ranked:
        return ()
    near = [found for found in ranked if found.score >= _BELOW_BEST * ranked[0].score]
    kept: list[FoundRow] = []
    if request.named and len(request.views) > 1:
        first: Mapping[str, FoundRow] = {found.row.view.key: found for found in reversed(ranked)}
        kept = list(first.values())[:MOST_ROWS]
    for found in near:
        if len(kept) < MOST_ROWS and found not in kept:
            kept.append(found)
    return tuple(sorted(kept, key=_order))
