"""The groups of an aggregate result and how they stand."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from orchestrator.buckets import bucket_order
from orchestrator.outcome import TracedValue
from orchestrator.plan import AggregatePlan


@dataclass(frozen=True)
class Group:
    """One group: its key columns with their cells, and every output (shown or not) in plan order."""

    keys: tuple[TracedValue, ...]
    outputs: tuple[TracedValue, ...]

    @property
    def label(self) -> str:
        return " / ".join(str(key.evidence.value) for key in self.keys if key.evidence.value is not None)


def in_order(plan: AggregatePlan, groups: list[Group]) -> list[Group]:
    """Calendar periods by time, ages from the youngest; then as the keys first stand in the sheet, those without a name last."""
    return sorted(groups, key=lambda group: (*_bucket_order(plan, group), *_sheet_order(group)))


def _bucket_order(plan: AggregatePlan, group: Group) -> tuple[int, ...]:
    values = [key.evidence.value for key in group.keys]
    pairs = zip(plan.buckets, values, strict=False)
    return tuple(
        bucket_order(bucket, value) if isinstance(value, str) else sys.maxsize for bucket, value in pairs if bucket is not None
    )


def _sheet_order(group: Group) -> tuple[bool, int, str]:
    rows = [cells.rows[0] for key in group.keys for cells in key.evidence.cells if cells.rows]
    return (any(key.absent is not None for key in group.keys), min(rows, default=0), group.label)
