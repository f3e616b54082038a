"""Which cells of the immutable segments the second reader has confirmed already, so that no cell is compared twice."""

from __future__ import annotations

import threading

import numpy as np

from orchestrator.evidence_parts import unique_ids
from orchestrator.exact_vectors import Array


class ConfirmedCells:
    """One bit a row for every (segment digest, column, digest of the original) asked about. Safe for several threads."""

    def __init__(self) -> None:
        self._masks: dict[tuple[str, str, str], Array] = {}
        self._whole: set[tuple[str, str, str]] = set()
        self._lock = threading.Lock()

    def open_among(self, key: tuple[str, str, str], ids: Array) -> Array:
        """Those of the ids that are not confirmed yet, sorted and unique; negative ids are none."""
        with self._lock:
            mask = self._masks.get(key)
            if key in self._whole:
                return np.zeros(0, dtype=np.int64)
        if mask is None:
            return unique_ids([ids])
        open_ids = ids[(ids >= 0) & ~mask[ids]]
        return unique_ids([open_ids]) if len(open_ids) else open_ids

    def confirm(self, key: tuple[str, str, str], ids: Array, size: int) -> None:
        """`size`: rows of the segment."""
        if len(ids) == 0:
            return
        if len(ids) == size:  # unique ones, so all
            with self._lock:
                self._whole.add(key)
                self._masks.pop(key, None)
            return
        with self._lock:
            if key in self._whole:
                return
            mask = self._masks.setdefault(key, np.zeros(size, dtype=bool))
            mask[ids] = True
            if mask.all():
                self._whole.add(key)
                del self._masks[key]
