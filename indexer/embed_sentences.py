"""Any model of `sentence-transformers` by name or path (extra `sentence-transformers`): for GPUs and larger models."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from indexer.embed import Dense
from indexer.row_text import clean


class MissingModel(Exception):
    """The library or the model is not there; the sentence says what to do."""


class SentenceEmbedder:
    """`model`: a folder, or the name of a model that is already on this machine; nothing is downloaded at run time.

    Models of the E5 family want to be told what is a question and what is a passage; they are known by their name."""

    kind: Literal["dense"] = "dense"

    def __init__(self, model: str) -> None:
        if find_spec("sentence_transformers") is None:
            raise MissingModel(
                f"Das Modell „{model}“ verlangt sentence-transformers; mit pip install 'beleg[sentence-transformers]' einrichten "
                "oder index.model in beleg.toml leer lassen."
            )
        self._path = model
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return f"sentence-transformers-{self._path}"

    @property
    def size(self) -> int:
        return int(self._model.get_sentence_embedding_dimension())

    def rows(self, texts: Sequence[str]) -> list[Dense]:
        """One by one: in a batch the other texts would change the last bits."""
        return [self._encode("passage: ", text) for text in texts]

    def question(self, text: str) -> Dense:
        return self._encode("query: ", text)

    def _encode(self, prefix: str, text: str) -> Dense:
        said = prefix if "e5" in self._path.lower().rsplit("/", 1)[-1] else ""
        with self._lock:
            return np.asarray(self._model.encode(said + clean(text), normalize_embeddings=True), dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self._path, local_files_only=True)
        except (OSError, ValueError) as error:
            raise MissingModel(
                f"Das Modell „{self._path}“ liegt nicht auf diesem Rechner ({error}); in index.model einen Ordner nennen, der es "
                "enthält."
            ) from error
