"""Which cells a measure takes, row by row: what orchestrator.fan_out looks at for cells that enter twice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from orchestrator.exact_vectors import Array


@dataclass(frozen=True, eq=False)
class Claim:
    """Cells that a measure takes: `ids` of one table column (-1: none), the i-th of them for row `rows[i]` of the frame.
    `key` tells apart what may share cells (two columns, two readings of one table); `name`: the column, or the table."""

    key: tuple[str | int, ...]
    name: str
    rows: Array
    ids: Array

    def where(self, mask: Array) -> Claim:
        """Without the cells of rows where the mask is False."""
        return self if mask.all() else replace(self, ids=np.where(mask[self.rows], self.ids, -1))
