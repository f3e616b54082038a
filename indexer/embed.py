"""One small interface for what turns texts into vectors; the implementation without a model, which is always there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from indexer.features import FORMS, features

Dense = Any
"""A numpy array of float32 of unit length."""


@dataclass(frozen=True)
class Sparse:
    """A sparse vector: sorted indices and their values."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


class Embedder(Protocol):
    """Texts -> vectors. `name` tells models apart and is part of what a vector is kept under; `size` is 0 for a sparse one.
    The same text always gives the same vector, whatever other texts come with it."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> Literal["sparse", "dense"]: ...

    @property
    def size(self) -> int: ...

    def rows(self, texts: Sequence[str]) -> list[Any]:
        """One vector a text that is searched: Sparse or Dense."""
        ...

    def question(self, text: str) -> Any:
        """The vector of what is looked for."""
        ...


class SparseEmbedder:
    """Words, parts of compounds, stems, codes and character n-grams (see indexer.features). Rows hold the weight of each by its
    count; how rare it is enters with the question, counted over what the asker may see. `without`: of indexer.features.FORMS."""

    kind: Literal["sparse"] = "sparse"
    size = 0

    def __init__(self, without: frozenset[str] = frozenset()) -> None:
        self._without = without & FORMS
        self.name = "words-1" + "".join(f" without {form}" for form in sorted(self._without))

    def rows(self, texts: Sequence[str]) -> list[Sparse]:
        return [_sparse(features(text, self._without)) for text in texts]

    def question(self, text: str) -> Sparse:
        return _sparse(features(text, self._without))


def _sparse(weights: dict[int, float]) -> Sparse:
    return Sparse(tuple(weights), tuple(weights.values()))
