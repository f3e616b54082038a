"""A Qdrant server or cluster by URL through `qdrant-client` (extra `qdrant`): one collection a tenant.

The collection's name carries the size of its dense vectors; an alias of the tenant's name points to the one in use, so that
another model is indexed beside the old one and then takes its place in one step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any

from indexer.embed import Dense, Sparse
from indexer.vectors import KEYWORDS, Filter, Payload, VectorHit, VectorName, VectorPoint, VectorStoreError
from indexer.vectors import cut_is_open as _cut_is_open
from indexer.vectors import in_order as _in_order

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

_BATCH = 500
_MOST_VIEWS = 100_000


class ServerStore:
    """`url`: of the server, or ":memory:" for an engine that forgets everything (tests). `tenant`: folded name, a part of the
    collection's. `quantised`: numbers of one byte in memory, the full ones on disk to rank by."""

    def __init__(
        self, url: str, tenant: str, dense_size: int | None, *, api_key: str | None = None, quantised: bool = False
    ) -> None:
        self._client = _connect(url, api_key)
        self._name = f"beleg-{tenant}-{dense_size or 0}"
        self._alias = f"beleg-{tenant}"
        try:
            self._make(dense_size, quantised)
        except Exception as error:
            raise VectorStoreError(
                f"{url}: Der Zeilenindex ist nicht erreichbar ({error}); Adresse in index.url und den Server prüfen."
            ) from error

    def write(self, points: Iterable[VectorPoint]) -> None:
        from qdrant_client import models

        left = iter(points)
        while batch := list(islice(left, _BATCH)):
            structs = [models.PointStruct(id=one.point_id, vector=_vectors(one), payload=asdict(one.payload)) for one in batch]
            self._client.upsert(self._name, points=structs, wait=True)

    def search(self, name: VectorName, vector: Dense | Sparse, where: Filter, limit: int) -> list[VectorHit]:
        from qdrant_client import models

        fetched = limit + 1
        while True:
            found = self._client.query_points(
                self._name,
                query=_vector(vector),
                using=name,
                query_filter=_filter(where),
                limit=fetched,
                with_payload=True,
                search_params=models.SearchParams(exact=True),
            ).points
            if len(found) < fetched or not _cut_is_open([point.score for point in found], limit):
                break
            fetched *= 4
        hits = [VectorHit(str(point.id), point.score, Payload(**(point.payload or {}))) for point in found]
        return _in_order(hit for hit in hits if name == "dense" or hit.score > 0)[:limit]

    def counts(self) -> Mapping[str, int]:
        found = self._client.facet(self._name, key="view", limit=_MOST_VIEWS, exact=True)
        return {str(hit.value): hit.count for hit in found.hits}

    def delete_views(self, views: Collection[str]) -> None:
        from qdrant_client import models

        if views:
            self._client.delete(self._name, models.FilterSelector(filter=_filter({"view": views})), wait=True)

    def optimize(self) -> None:
        """The server does so by itself."""

    def close(self) -> None:
        self._client.close()

    def _make(self, dense_size: int | None, quantised: bool) -> None:
        from qdrant_client import models

        if self._client.collection_exists(self._name):
            return
        cosine = models.Distance.COSINE
        small = models.ScalarQuantization(scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True))
        self._client.create_collection(
            self._name,
            vectors_config={"dense": models.VectorParams(size=dense_size, distance=cosine)} if dense_size else {},
            sparse_vectors_config={"sparse": models.SparseVectorParams()},
            quantization_config=small if quantised else None,
        )
        for name in KEYWORDS:
            self._client.create_payload_index(self._name, name, models.PayloadSchemaType.KEYWORD)
        changes: list[Any] = [
            models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias.alias_name))
            for alias in self._client.get_aliases().aliases
            if alias.alias_name == self._alias
        ]
        create = models.CreateAlias(collection_name=self._name, alias_name=self._alias)
        self._client.update_collection_aliases([*changes, models.CreateAliasOperation(create_alias=create)])


def _connect(url: str, api_key: str | None) -> QdrantClient:
    if find_spec("qdrant_client") is None:
        raise VectorStoreError(
            f"Der Zeilenindex unter {url} verlangt qdrant-client; mit pip install 'beleg[qdrant]' einrichten oder index.url leer "
            "lassen."
        )
    from qdrant_client import QdrantClient

    return QdrantClient(":memory:") if url == ":memory:" else QdrantClient(url=url, api_key=api_key)


def _vectors(point: VectorPoint) -> dict[str, Any]:
    found = {"sparse": _vector(point.sparse)}
    return found if point.dense is None else found | {"dense": _vector(point.dense)}


def _vector(vector: Dense | Sparse) -> Any:
    from qdrant_client import models

    if isinstance(vector, Sparse):
        return models.SparseVector(indices=list(vector.indices), values=list(vector.values))
    return vector.tolist()


def _filter(where: Filter) -> Any:
    from qdrant_client import models

    return models.Filter(
        must=[models.FieldCondition(key=name, match=models.MatchAny(any=sorted(one))) for name, one in where.items()]
    )
