"""Qdrant's own engine inside this process (`qdrant-edge-py`): a folder of files, held by one process at a time."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import Any

import portalocker
import qdrant_edge as engine

from indexer.embed import Dense, Sparse
from indexer.vectors import KEYWORDS, Filter, Payload, VectorHit, VectorName, VectorPoint, VectorStoreBusy, VectorStoreError
from indexer.vectors import cut_is_open as _cut_is_open
from indexer.vectors import in_order as _in_order

_BATCH = 1_000
_MOST_VIEWS = 100_000


class EdgeStore:
    """Opens or makes the store in `folder`. Raises VectorStoreBusy where another process holds it. `dense_size` None: no dense
    vectors; a folder made for another size is made anew, since everything in it can be."""

    def __init__(self, folder: Path, dense_size: int | None, *, wait: float = 0.0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = RLock()
        self._held = portalocker.Lock(
            folder / "lock", timeout=wait, check_interval=0.1, flags=portalocker.LOCK_EX | portalocker.LOCK_NB
        )
        try:
            self._held.acquire()
        except portalocker.LockException:
            raise VectorStoreBusy(
                f"{folder}: Ein anderer Vorgang von Beleg hält den Zeilenindex; warten, bis er endet, oder die Frage über den "
                "laufenden Dienst stellen."
            ) from None
        try:
            self._shard = _open(folder / "shard", dense_size)
        except Exception as error:
            self._held.release()
            raise VectorStoreError(
                f"{folder}: Der Zeilenindex lässt sich nicht öffnen ({error}); mit beleg index rebuild neu anlegen."
            ) from error

    def write(self, points: Iterable[VectorPoint]) -> None:
        left = iter(points)
        with self._lock:
            while batch := list(islice(left, _BATCH)):
                self._shard.update(engine.UpdateOperation.upsert_points([_point(each) for each in batch]))
            self._shard.flush()

    def search(self, name: VectorName, vector: Dense | Sparse, where: Filter, limit: int) -> list[VectorHit]:
        wanted = engine.Query.Nearest(_vector(vector), using=name)
        fetched = limit + 1
        while True:
            request = engine.SearchRequest(
                wanted, limit=fetched, filter=_filter(where), params=engine.SearchParams(exact=True), with_payload=True
            )
            with self._lock:
                found = self._shard.search(request)
            if len(found) < fetched or not _cut_is_open([point.score for point in found], limit):
                break
            fetched *= 4
        hits = [VectorHit(str(point.id), point.score, Payload(**(point.payload or {}))) for point in found]
        return _in_order(hits)[:limit]

    def counts(self) -> Mapping[str, int]:
        with self._lock:
            found = self._shard.facet(engine.FacetRequest("view", limit=_MOST_VIEWS, exact=True))
        return {str(hit.value): hit.count for hit in found.hits if hit.count}

    def delete_views(self, views: Collection[str]) -> None:
        if not views:
            return
        with self._lock:
            self._shard.update(engine.UpdateOperation.delete_points_by_filter(_filter({"view": views})))
            self._shard.flush()

    def optimize(self) -> None:
        with self._lock:
            self._shard.optimize()

    def close(self) -> None:
        with self._lock:
            self._shard.close()
            self._held.release()


def _open(folder: Path, dense_size: int | None) -> engine.EdgeShard:
    if (folder / "segments").exists():
        shard = engine.EdgeShard.load(str(folder))
        if _size_of(folder) == (dense_size or 0):
            return shard
        shard.close()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    vectors = {"dense": engine.EdgeVectorParams(size=dense_size, distance=engine.Distance.Cosine)} if dense_size else None
    config = engine.EdgeConfig(vectors=vectors, sparse_vectors={"sparse": engine.EdgeSparseVectorParams()})
    shard = engine.EdgeShard.create(str(folder), config)
    for name in KEYWORDS:
        shard.update(engine.UpdateOperation.create_field_index(name, engine.PayloadSchemaType.Keyword))
    shard.update(engine.UpdateOperation.create_field_index("row", engine.PayloadSchemaType.Integer))
    (folder.parent / "dense_size").write_text(str(dense_size or 0), encoding="ascii")
    return shard


def _size_of(folder: Path) -> int | None:
    noted = folder.parent / "dense_size"
    return int(noted.read_text(encoding="ascii") or 0) if noted.exists() else None


def _point(point: VectorPoint) -> engine.Point:
    vectors: dict[str, Any] = {"sparse": _vector(point.sparse)}
    if point.dense is not None:
        vectors["dense"] = _vector(point.dense)
    return engine.Point(point.point_id, vectors, asdict(point.payload))


def _vector(vector: Dense | Sparse) -> Any:
    return engine.SparseVector(list(vector.indices), list(vector.values)) if isinstance(vector, Sparse) else vector.tolist()


def _filter(where: Filter) -> engine.Filter:
    return engine.Filter(must=[engine.FieldCondition(name, match=engine.MatchAny(sorted(one))) for name, one in where.items()])
