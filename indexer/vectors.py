"""The store of vectors, as the row index needs it: one small interface for two engines.

`vectors_edge.py` is Qdrant's own engine in this process, one folder a tenant; `vectors_server.py` is a Qdrant server or cluster
by URL, one collection a tenant. Both filter before they rank, and search exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from indexer.embed import Dense, Sparse

VectorName = Literal["dense", "sparse"]

KEYWORDS = ("tenant", "level", "document", "file", "sheet", "version", "version_date", "kind", "content", "view")
"""Fields of the payload that a filter may name; each has an index in the engine."""


class VectorStoreError(Exception):
    """The store cannot be used; one sentence that says what to do."""


class VectorStoreBusy(VectorStoreError):
    """Another process holds the folder."""


@dataclass(frozen=True)
class Payload:
    """What stands beside a vector. `content` is "rows", "totals" or "notes"; `view` the digest of the view it belongs to; no cell
    text is kept here."""

    tenant: str
    level: str
    document: str
    file: str
    sheet: str
    row: int
    version: str
    version_date: str
    kind: str
    content: str
    view: str
    place: int


@dataclass(frozen=True)
class VectorPoint:
    """`point_id`: a UUID made from view and row, so that writing twice changes nothing."""

    point_id: str
    sparse: Sparse
    dense: Dense | None
    payload: Payload


@dataclass(frozen=True)
class VectorHit:
    """`score`: cosine of dense vectors, product of sparse ones."""

    point_id: str
    score: float
    payload: Payload


Filter = Mapping[str, Collection[str]]
"""Field of the payload -> values of which one must be there; all fields must hold."""


class VectorStore(Protocol):
    """Vectors of one tenant. Raises VectorStoreError where the engine cannot be reached."""

    def write(self, points: Iterable[VectorPoint]) -> None:
        """Adds points, or writes those of the same id again; on the disk when this returns."""
        ...

    def search(self, name: VectorName, vector: Dense | Sparse, where: Filter, limit: int) -> list[VectorHit]:
        """The best points that the filter lets through, best first, by exact search; ties by document, sheet and row. A sparse
        search gives only points that share something with the question."""
        ...

    def counts(self) -> Mapping[str, int]:
        """View -> points of it."""
        ...

    def delete_views(self, views: Collection[str]) -> None: ...

    def optimize(self) -> None:
        """Puts what was written into its final form; searching works before, too."""
        ...

    def close(self) -> None: ...


def in_order(hits: Iterable[VectorHit]) -> list[VectorHit]:
    """Best first; equal scores by position, never by id."""
    return sorted(hits, key=lambda hit: (-round(hit.score, 6), *position(hit.payload)))


def position(payload: Payload) -> tuple[str, str, str, int, str]:
    """Where a row stands: document, version, sheet, row."""
    return (payload.document, payload.version, payload.sheet, payload.row, payload.view)


def cut_is_open(scores: list[float], limit: int) -> bool:
    """Whether the last score that was fetched equals the last one that is wanted, so that more of them may follow."""
    return len(scores) > limit and round(scores[-1], 6) >= round(scores[limit - 1], 6)
