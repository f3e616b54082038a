"""The row index of one tenant: makes the vectors of a view when it is first searched, and finds candidates among views.

Everything here is derived from segments and schema maps and can be made again. A question searches only the views that its asker
has now; their digests are part of the filter, so what another version, level or map left behind is never found.
"""

from __future__ import annotations

import math
import uuid
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

import numpy as np

from indexer.embed import Dense, Embedder, Sparse, SparseEmbedder
from indexer.index_files import Chunk, IndexedView, Rarity, ViewFile, ViewFiles, chunks_of, digest_of, rarity_of
from indexer.note_text import NoteView
from indexer.vector_cache import VectorCache
from indexer.vectors import Filter, Payload, VectorHit, VectorPoint, VectorStore

Progress = Callable[[int, int], None]

EMBEDDED_AT_ONCE = 400
"""Rows of a view that are embedded while somebody waits; more than that is done by `beleg index build`, and until then the rows
that the words find are embedded alone."""
_HELD_VIEWS = 64
_SAMPLE = 240
_POINTS = uuid.UUID("8b7a1c52-6c0e-5e0b-9d5e-3a4f1b8c2d10")


@dataclass(frozen=True)
class IndexedRow:
    """A candidate: a chunk of a view."""

    view: IndexedView
    chunk: Chunk


@dataclass(frozen=True)
class _Held:
    """A view that is in the index: its chunks by place, and how rare its features are."""

    view: IndexedView
    chunks: tuple[Chunk, ...]
    rarity: Rarity
    dense: bool


class RowIndex:
    """`folder`: for what is kept beside the vectors. `dense` and `cache` None: words only."""

    def __init__(
        self, folder: Path, store: VectorStore, sparse: SparseEmbedder, dense: Embedder | None, cache: VectorCache | None
    ) -> None:
        self.store = store
        self.files = ViewFiles(folder / "views")
        self.dense = dense
        self._sparse = sparse
        self._cache = cache
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._counts: dict[str, int] | None = None
        self._lock = RLock()

    def close(self) -> None:
        self.store.close()
        if self._cache is not None:
            self._cache.close()

    # --- making

    def prepare(
        self,
        views: Sequence[IndexedView],
        *,
        embed_at_most: int | None = EMBEDDED_AT_ONCE,
        progress: Progress = lambda done, of: None,
    ) -> int:
        """Puts views into the index that are not there, and gives their number. Views with more rows than `embed_at_most` get no
        dense vectors (None: all do)."""
        made = 0
        for view in views:
            with self._lock:
                if self._is_there(view, embed_at_most):
                    continue
                self._make(view, embed_at_most, progress)
                made += 1
        if made:
            self.store.optimize()
        return made

    def _is_there(self, view: IndexedView, embed_at_most: int | None) -> bool:
        file = self.files.read(view.key)
        if file is None or file.sparse != self._sparse.name or self._known_counts().get(view.key, 0) != file.rows:
            return False
        wanted = self.dense.name if self.dense is not None and (embed_at_most is None or file.rows <= embed_at_most) else None
        return wanted is None or file.dense == wanted

    def _make(self, view: IndexedView, embed_at_most: int | None, progress: Progress) -> None:
        chunks = chunks_of(view)
        self.files.delete(view.key)
        self._held.pop(view.key, None)
        self.store.delete_views([view.key])
        with_dense = self.dense is not None and (embed_at_most is None or len(chunks) <= embed_at_most)
        dense = self._dense_of(chunks, progress) if with_dense else {}
        self.store.write(self._points(view, chunks, dense))
        model = self.dense.name if self.dense is not None and with_dense else ""
        self.files.write(_view_file(view, chunks, self._sparse.name, model), rarity_of(chunks, self._sparse))
        self._known_counts()[view.key] = len(chunks)

    def _points(self, view: IndexedView, chunks: Sequence[Chunk], dense: dict[str, Dense]) -> Iterator[VectorPoint]:
        for place, chunk in enumerate(chunks):
            (sparse,) = self._sparse.rows([chunk.searched])
            point_id = str(uuid.uuid5(_POINTS, f"{view.key} {place}"))
            yield VectorPoint(point_id, sparse, dense.get(chunk.digest), payload_of(view, chunk, place))

    def _dense_of(self, chunks: Sequence[Chunk], progress: Progress = lambda done, of: None) -> dict[str, Dense]:
        return self._cache.vectors({chunk.digest: chunk.searched for chunk in chunks}, progress) if self._cache else {}

    def _known_counts(self) -> dict[str, int]:
        if self._counts is None:
            self._counts = dict(self.store.counts())
        return self._counts

    def forget(self, views: Collection[str]) -> None:
        """Removes views that nobody sees any more."""
        with self._lock:
            self.store.delete_views(views)
            for view in views:
                self.files.delete(view)
                self._held.pop(view, None)
                self._known_counts().pop(view, None)

    # --- searching

    def candidates(
        self, question: str, views: Sequence[IndexedView], limit: int, *, sparse: bool = True, dense: bool = True
    ) -> list[IndexedRow]:
        """The best rows by words and by meaning among these views, at most `limit` of each, every row once."""
        if not views:
            return []
        held = {view.key: self._hold(view) for view in views}
        where = _filter(views)
        hits: list[VectorHit] = []
        if sparse and (asked := self.weighted(question, views)).indices:
            hits += self.store.search("sparse", asked, where, limit)
        if dense and self.dense is not None and any(one.dense for one in held.values()):
            hits += self.store.search("dense", self.dense.question(question), where, limit)
        places = dict.fromkeys((hit.payload.view, hit.payload.place) for hit in hits)
        return [IndexedRow(held[key].view, held[key].chunks[place]) for key, place in places]

    def rarity(self, views: Sequence[IndexedView]) -> Callable[[int], float]:
        """Feature -> how much it tells among the rows of these views, and no others: the logarithm of how rare it is."""
        parts = [self._hold(view).rarity for view in views]
        rows = sum(part.rows for part in parts)
        known: dict[int, float] = {}

        def weight(feature: int) -> float:
            if feature not in known:
                known[feature] = math.log((rows + 1) / (sum(part.count(feature) for part in parts) + 0.5))
            return known[feature]

        return weight

    def weighted(self, question: str, views: Sequence[IndexedView]) -> Sparse:
        """The question's features, each by how rare it is here, twice: for the question and for the rows."""
        weight = self.rarity(views)
        asked = self._sparse.question(question)
        values = tuple(value * weight(index) ** 2 for index, value in zip(asked.indices, asked.values, strict=True))
        return Sparse(asked.indices, values)

    def word_scores(self, question: str, rows: Sequence[IndexedRow], views: Sequence[IndexedView]) -> list[float]:
        """Cosine of TF-IDF weights, 0 to 1, computed here and not by the engine: the same for the same rows."""
        weight = self.rarity(views)
        asked = _rare(self._sparse.question(question), weight)
        return [_cosine(asked, _rare(self._sparse.rows([row.chunk.searched])[0], weight)) for row in rows]

    def meaning_scores(self, question: str, rows: Sequence[IndexedRow]) -> list[float] | None:
        """Cosine of dense vectors; None where there is no model."""
        if self.dense is None:
            return None
        asked = self.dense.question(question).astype(np.float64)
        vectors = self._dense_of([row.chunk for row in rows])
        return [float(np.dot(asked, vectors[row.chunk.digest].astype(np.float64))) for row in rows]

    def usual_meaning(self, question: str, views: Sequence[IndexedView]) -> tuple[float, float, int] | None:
        """Mean and standard deviation of the cosine over a spread of these views' rows, and how many they were: what a question
        scores with rows that have nothing to do with it. None where there is no model."""
        chunks = [chunk for view in views for chunk in self._hold(view).chunks]
        step = max(1, math.ceil(len(chunks) / _SAMPLE))
        taken = chunks[::step]
        if self.dense is None or not taken:
            return None
        asked = self.dense.question(question).astype(np.float64)
        vectors = self._dense_of(taken)
        scores = [float(np.dot(asked, vectors[chunk.digest].astype(np.float64))) for chunk in taken]
        return float(np.mean(scores)), float(np.std(scores)), len(scores)

    def count(self, views: Sequence[IndexedView]) -> int:
        return sum(self._hold(view).rarity.rows for view in views)

    def chunks(self, view: IndexedView) -> tuple[Chunk, ...]:
        """All rows of a view that is in the index."""
        return self._hold(view).chunks

    def _hold(self, view: IndexedView) -> _Held:
        with self._lock:
            held = self._held.get(view.key)
            if held is None:
                chunks = chunks_of(view)
                file = self.files.read(view.key)
                rarity = self.files.rarity(view.key, len(chunks)) or rarity_of(chunks, self._sparse)
                held = _Held(view, chunks, rarity, bool(file and file.dense))
                self._held[view.key] = held
                while len(self._held) > _HELD_VIEWS:
                    self._held.popitem(last=False)
            self._held.move_to_end(view.key)
            return held


def payload_of(view: IndexedView, chunk: Chunk, place: int) -> Payload:
    """What stands beside the vector of a chunk."""
    version = view.version
    return Payload(
        tenant=version.tenant,
        level=view.level,
        document=version.document,
        file=version.sha256,
        sheet=view.sheet_name or "",
        row=chunk.row,
        version=version.version_id,
        version_date=version.date.isoformat() if version.date else "",
        kind=version.kind,
        content="notes" if isinstance(view, NoteView) else "totals" if chunk.total else "rows",
        view=view.key,
        place=place,
    )


def _filter(views: Sequence[IndexedView]) -> Filter:
    """Tenant, level, document, version and view, before anything is ranked; printed totals are no rows like the others."""
    versions = [view.version for view in views]
    return {
        "tenant": {version.tenant for version in versions},
        "level": {view.level for view in views},
        "document": {version.document for version in versions},
        "version": {version.version_id for version in versions},
        "kind": {version.kind for version in versions},
        "view": {view.key for view in views},
        "content": {"rows", "notes"},
    }


def _view_file(view: IndexedView, chunks: Sequence[Chunk], sparse: str, dense: str) -> ViewFile:
    version = view.version
    return ViewFile(
        view=view.key,
        document=version.document,
        version_id=version.version_id,
        sheet=view.sheet_name,
        levels=tuple(sorted(view.levels)),
        rows=len(chunks),
        digest=digest_of(chunks),
        sparse=sparse,
        dense=dense,
    )


def _rare(vector: Sparse, weight: Callable[[int], float]) -> dict[int, float]:
    return {index: value * weight(index) for index, value in zip(vector.indices, vector.values, strict=True)}


def _cosine(one: dict[int, float], other: dict[int, float]) -> float:
    product = math.fsum(value * other[index] for index, value in one.items() if index in other)
    lengths = math.sqrt(math.fsum(v * v for v in one.values())) * math.sqrt(math.fsum(v * v for v in other.values()))
    return product / lengths if lengths else 0.0
