"""A question about rows from its words to the answer's body: the kinds of such questions, tried in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from orchestrator.build_answer import AnswerBody, planner_stop_body
from orchestrator.explain import explain
from orchestrator.lexicon import Language
from orchestrator.link_periods import find_periods
from orchestrator.link_versions import find_versions
from orchestrator.name_store import NamesOf
from orchestrator.outcome import Outcome
from orchestrator.period_mention import Calendar
from orchestrator.plan import LikenessPlan, Plan, SearchPlan
from orchestrator.planners.decision import PlannerStop
from orchestrator.question import Question
from orchestrator.rows.read_likeness import read_likeness
from orchestrator.rows.related_body import related_body
from orchestrator.rows.row_request import RowRequest
from orchestrator.run_context import SelectRunner
from orchestrator.run_versions import run_over_versions
from orchestrator.scope import Scope
from orchestrator.search.found_body import found_body
from orchestrator.search.read_search import read_search
from orchestrator.search.tenant_rows import TenantRows
from orchestrator.search.views import holds_texts
from orchestrator.segment_reader import SegmentReader
from orchestrator.versions import VersionChoice, choose_versions, representative_tables


@dataclass(frozen=True)
class RowAnswer:
    """`body`: what is said; `outcome` and `plan`: what was run, None for a stop before that."""

    body: AnswerBody
    kind: str
    stop: PlannerStop | None = None
    outcome: Outcome | None = None
    plan: Plan | None = None
    explained: str = ""


@dataclass(frozen=True)
class RowSources:
    """What questions about rows are answered from."""

    select: SelectRunner
    reader: SegmentReader
    require_proof: bool = True
    rows: TenantRows | None = None


@dataclass(frozen=True)
class RowLine:
    """A request with the versions it reads and its sources."""

    request: RowRequest
    versions: VersionChoice
    sources: RowSources


def answer_rows(
    question: Question,
    scope: Scope,
    names_of: NamesOf,
    calendar: Calendar,
    sources: RowSources,
    subject: Question | None = None,
    subject_values: tuple[str, ...] = (),
) -> RowAnswer | None:
    """The answer of the first kind that understands the question; None where none does. `subject`, `subject_values`: the exact
    part of a mixed question, and the names in its answer."""
    choice = choose_versions(scope, find_versions(question, scope, find_periods(question, calendar)))
    names = names_of(scope, representative_tables(scope, choice), question.language)
    line = RowLine(RowRequest(question, scope, names, calendar, subject, subject_values), choice, sources)
    return next((found for kind in KINDS if (found := kind(line)) is not None), None)


def _likeness(line: RowLine) -> RowAnswer | None:
    request = line.request
    plan = read_likeness(request)
    if plan is None:
        return None
    language = request.question.language
    if isinstance(plan, PlannerStop):
        return RowAnswer(planner_stop_body(plan, language), "likeness", stop=plan)
    outcome = run_over_versions(
        plan,
        request.scope,
        line.versions.candidates,
        line.sources.select,
        require_proof=line.sources.require_proof,
        reader=line.sources.reader,
    )
    versions = {table.version.document: table.version.version_id for table in outcome.tables.values()}
    explained = explain(plan, request.scope, language, versions)
    body = related_body(outcome, plan, language, request.question.text)
    return RowAnswer(body, "likeness", outcome=outcome, plan=plan, explained=explained)


def _topic(line: RowLine) -> RowAnswer | None:
    request, sources = line.request, line.sources
    language = request.question.language
    plan = read_search(request.question, request.scope, request.names, sources.reader) if sources.rows is not None else None
    if plan is None or sources.rows is None:
        return None
    if "synonyms" in sources.rows.without:
        plan = replace(plan, variants=plan.variants[:1])
    if "routing" in sources.rows.without:
        every = tuple(sorted(name for name, table in request.names.tables.items() if holds_texts(table)))
        plan = replace(plan, tables=every, named=False)
    outcome = run_over_versions(
        plan, request.scope, line.versions.candidates, sources.select, reader=sources.reader, rows=sources.rows
    )
    versions = {table.version.document: table.version.version_id for table in outcome.tables.values()}
    explained = explain(plan, request.scope, language, versions)
    body = row_body(outcome, plan, language, request.question.text)
    return RowAnswer(body, "topic", outcome=outcome, plan=plan, explained=explained)


def row_body(outcome: Outcome, plan: LikenessPlan | SearchPlan, language: Language, question: str) -> AnswerBody:
    """The answer of a plan for rows, as it is said."""
    if isinstance(plan, SearchPlan):
        return found_body(outcome, plan, language, question)
    return related_body(outcome, plan, language, question)


KINDS: tuple[Callable[[RowLine], RowAnswer | None], ...] = (_likeness, _topic)
"""Each reads the question its own way: None where it is none of its kind."""
