"""A plan and chosen versions -> an outcome: proved values with notices, or a stop. Nothing is worded here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from orchestrator.compile_conditions import UncompilableCondition
from orchestrator.outcome import Notice, Outcome, OutcomeKind, Stop, Stopped
from orchestrator.plan import AggregatePlan, CatalogPlan, DifferencePlan, LikenessPlan, ListPlan, Plan, SearchPlan
from orchestrator.rows.run_likeness import run_likeness
from orchestrator.run_aggregate import run_aggregate
from orchestrator.run_catalog import run_catalog
from orchestrator.run_context import RunContext, SelectRunner
from orchestrator.run_difference import run_difference
from orchestrator.run_list import run_list
from orchestrator.run_nested import resolve_nested
from orchestrator.scope import Scope
from orchestrator.search.run_search import run_search
from orchestrator.search.tenant_rows import TenantRows
from orchestrator.segment_reader import SegmentReader
from orchestrator.sql_refusals import LimitExceeded, NoProvenance, SqlRefusal


def run_plan(
    plan: Plan,
    scope: Scope,
    versions: Mapping[str, str],
    select: SelectRunner,
    *,
    require_proof: bool = True,
    agreed_documents: frozenset[str] = frozenset(),
    reader: SegmentReader | None = None,
    rows: TenantRows | None = None,
) -> Outcome:
    """`versions`: document -> version_id to read. `select`: run_select bound to its engine. `agreed_documents`: documents of
    which every version is being tried, so that "not binding" need not be said. `rows`: what is searched by its
    texts. Never raises for what the data or the plan are like: that is the outcome's stop."""
    context = RunContext(scope, versions, select, require_proof, reader or SegmentReader(), rows=rows)
    try:
        outcome = _run(context, plan)
    except Stopped as stopped:
        return _stopped(context, plan, stopped.stop)
    except UncompilableCondition as error:
        return _stopped(context, plan, Stop("refused", "not_understood", "wrong_type", (str(error),)))
    except NoProvenance as error:
        return _stopped(context, plan, Stop("refused", "no_provenance", "no_provenance", (str(error),)))
    except LimitExceeded as error:
        return _stopped(context, plan, Stop("refused", "limit", "engine_limit", (str(error),)))
    except SqlRefusal as error:
        return _stopped(context, plan, Stop("refused", "no_provenance", "no_provenance", (str(error),)))
    binding = _not_binding(context, agreed_documents) if not isinstance(plan, DifferencePlan | CatalogPlan) else ()
    return replace(outcome, notices=(*outcome.notices, *binding))


def _run(context: RunContext, plan: Plan) -> Outcome:
    match plan:
        case AggregatePlan():
            return run_aggregate(context, resolve_nested(context, plan))
        case ListPlan():
            return run_list(context, resolve_nested(context, plan))
        case DifferencePlan():
            return run_difference(context, plan)
        case CatalogPlan():
            return run_catalog(context, plan)
        case LikenessPlan():
            return run_likeness(context, plan)
        case SearchPlan():
            return run_search(context, plan)


_KINDS: Mapping[type, OutcomeKind] = {
    AggregatePlan: "groups", ListPlan: "rows", DifferencePlan: "difference", CatalogPlan: "catalog", LikenessPlan: "related",
    SearchPlan: "related",
}  # fmt: skip


def _stopped(context: RunContext, plan: Plan, stop: Stop) -> Outcome:
    return Outcome(_KINDS[type(plan)], stop=stop, tables=dict(context.reading.tables), queries=tuple(context.reading.queries))


def _not_binding(context: RunContext, agreed: frozenset[str]) -> Iterator[Notice]:
    """Read versions that are not the binding one although their document has others that this person sees."""
    seen: set[str] = set()
    for table in context.reading.tables.values():
        version = table.version
        others = any(
            other.version.document == version.document and other.version.version_id != version.version_id
            for other in context.scope.tables
        )
        if version.binding or not others or version.document in agreed or version.version_id in seen:
            continue
        seen.add(version.version_id)
        date = version.date.isoformat() if version.date is not None else ""
        yield Notice("version_not_binding", "", (f"{version.label} {date}".strip(), version.document))
