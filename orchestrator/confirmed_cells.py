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
        self._lock = threading.Lock()

    def open_among(self, key: tuple[str, str, str], ids: Array) -> Array:
        """Those of the ids that are not confirmed yet, sorted and unique; negative ids are none."""
        with self._lock:
            mask = self._masks.get(key)
        if mask is None:
            return unique_ids([ids])
        beyond = ids >= len(mask)
        if beyond.any():
            known = ids[~beyond & (ids >= 0)]
            return unique_ids([known[~mask[known]], ids[beyond]])
        open_ids = ids[(ids >= 0) & ~mask[ids]]
        return unique_ids([open_ids]) if len(open_ids) else open_ids

    def confirm(self, key: tuple[str, str, str], ids: Array) -> None:
        if len(ids) == 0:
            return
        size = int(ids.max()) + 1
        with self._lock:
            mask = self._masks.get(key)
            if mask is None or len(mask) < size:
                grown = np.zeros(max(size, 2 * (0 if mask is None else len(mask))), dtype=bool)
                if mask is not None:
                    grown[: len(mask)] = mask
                self._masks[key] = mask = grown
            mask[ids] = True
