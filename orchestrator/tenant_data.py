"""What answering needs of one tenant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from orchestrator.run_context import SelectRunner
from orchestrator.scope import Asker, Scope
from orchestrator.search.tenant_rows import TenantRows
from orchestrator.segment_reader import SegmentReader

if TYPE_CHECKING:
    from orchestrator.language_model.second_planner import SecondPlanner


@dataclass(frozen=True)
class FiscalYear:
    """`start`: (month, day); `named_by`: which calendar year names a fiscal year, None if nobody has said so."""

    start: tuple[int, int] = (1, 1)
    named_by: Literal["start", "end"] | None = None


@dataclass(frozen=True)
class TenantData:
    """What the service needs of a tenant: a scope for an asker, a way to run SELECTs, every level in use (to tell the log why
    something was not found), the fiscal year, and what reads the
    segments outside the engine. `second`: the language model, where one is set."""

    scope: Callable[[Asker], Scope]
    select: SelectRunner
    all_levels: Callable[[], frozenset[str]]
    fiscal_year: FiscalYear = FiscalYear()
    require_proof: bool = True
    reader: SegmentReader = field(default_factory=SegmentReader)
    rows: TenantRows | None = None
    second: SecondPlanner | None = None
