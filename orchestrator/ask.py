"""The line from a question to a proved answer, readable top to bottom.

scope → understand → run → settle → compose. Every stage is timed in the trace; nothing is shown that was not proved.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, Literal, Protocol

from indexer.stored import StoredTable
from orchestrator.alternatives import Attempt, settle_alternatives
from orchestrator.answer import Answer, Clarification, ClarificationOption, Refusal
from orchestrator.build_answer import AnswerBody, build_answer
from orchestrator.clarify import sentence
from orchestrator.explain import explain
from orchestrator.lexicon import Language
from orchestrator.name_store import NameStore
from orchestrator.offered_options import Ending, leading_on
from orchestrator.outcome import Notice, Outcome
from orchestrator.period_mention import Calendar
from orchestrator.plan import Plan
from orchestrator.planners.decision import PlannerStop
from orchestrator.run_context import SelectRunner
from orchestrator.run_versions import run_over_versions
from orchestrator.scope import Asker, Scope
from orchestrator.segment_reader import SegmentReader
from orchestrator.trace import Trace
from orchestrator.understand import Turn, Understanding, understand

MOST_PLANS = 6
"""Plans of one question that are run and compared; more readings than this are asked back."""

_MOST_SESSIONS = 10_000


@dataclass(frozen=True)
class FiscalYear:
    """`start`: (month, day); `named_by`: which calendar year names a fiscal year, None if nobody has said so."""

    start: tuple[int, int] = (1, 1)
    named_by: Literal["start", "end"] | None = None


@dataclass(frozen=True)
class TenantData:
    """What the service needs of a tenant: a scope for an asker, a way to run SELECTs, every level in use (to tell the log why
    something was not found), the fiscal year, and what reads the
    segments outside the engine."""

    scope: Callable[[Asker], Scope]
    select: SelectRunner
    all_levels: Callable[[], frozenset[str]]
    fiscal_year: FiscalYear = FiscalYear()
    require_proof: bool = True
    reader: SegmentReader = field(default_factory=SegmentReader)


@dataclass(frozen=True)
class LogRecord:
    """What the audit log keeps beside the answer. `reason`: why there was no answer, in truth ("not visible", a stop's kind);
    `recipes`: how every number is computed again; `tables`: every table version read; `plan`: what was run, None for SQL."""

    duration_ms: float
    queries: tuple[str, ...] = ()
    tables: tuple[StoredTable, ...] = ()
    result_rows: int = 0
    reason: str | None = None
    recipes: Mapping[str, Any] = field(default_factory=dict)
    understood: str = ""
    plan: Plan | None = None


@dataclass(frozen=True)
class AskResult:
    answer: Answer
    log: LogRecord


class Turns(Protocol):
    """Remembers the last question of a session if it was answered or asked back; a session belongs to one user of one tenant.
    After one that was refused, a follow-up has nothing to build on."""

    def last(self, asker: Asker, session_id: str) -> Turn | None: ...

    def keep(self, asker: Asker, session_id: str, turn: Turn) -> None: ...

    def drop(self, asker: Asker, session_id: str) -> None: ...


class TurnsInMemory:
    """For one process; forgets everything when there are more than 10,000 sessions."""

    def __init__(self) -> None:
        self._turns: dict[tuple[str, str, str], Turn] = {}

    def last(self, asker: Asker, session_id: str) -> Turn | None:
        return self._turns.get((asker.tenant, asker.user, session_id))

    def keep(self, asker: Asker, session_id: str, turn: Turn) -> None:
        if len(self._turns) >= _MOST_SESSIONS:
            self._turns.clear()
        self._turns[asker.tenant, asker.user, session_id] = turn

    def drop(self, asker: Asker, session_id: str) -> None:
        self._turns.pop((asker.tenant, asker.user, session_id), None)


class AskService:
    """Answers questions for the tenants it is given; holds the names of scopes.

    `tenant_data`: tenant -> its data; raises KeyError for an unknown one. `turns`: where sessions are remembered."""

    def __init__(
        self,
        tenant_data: Callable[[str], TenantData],
        turns: Turns | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self._tenant_data = tenant_data
        self._turns = turns or TurnsInMemory()
        self._clock = clock or (lambda: datetime.now(UTC))
        self._names = NameStore()

    def ask(self, question: str, asker: Asker, *, session_id: str | None = None, today: date | None = None) -> AskResult:
        """One question, one answer. Raises KeyError for an unknown tenant; everything else becomes an answer."""
        trace = Trace()
        asked_at = self._clock()
        session = session_id or uuid.uuid4().hex
        data = self._tenant_data(asker.tenant)
        calendar = Calendar(today or asked_at.date(), data.fiscal_year.start, data.fiscal_year.named_by)
        with trace.stage("scope") as detail:
            scope = data.scope(asker)
            detail["tables"] = len(scope.tables)
        with trace.stage("understand") as detail:
            turn = self._turns.last(asker, session)
            chosen = turn.chosen(question) if turn is not None else None
            before = turn if turn is not None and turn.text and chosen is None else None
            understood = understand(chosen or question, scope, before, calendar, self._names.names)
            detail |= _understood(understood)
        stop = understood.decision.stop
        outcome: Outcome | None = None
        body: AnswerBody | None = None
        explained = ""
        plan: Plan | None = None
        if stop is None:
            with trace.stage("run") as detail:
                attempts = _run(understood, scope, data)
                detail["plans"] = len(attempts)
            attempt, stop = settle_alternatives(attempts)
            outcome = attempt.outcome
            if stop is None:
                plan = attempt.plan
                with trace.stage("compose"):
                    language = understood.question.language
                    explained = explain(attempt.plan, scope, language, _versions_read(outcome))
                    body = build_answer(outcome, attempt.plan, scope, language, understood.question.text, _notices(understood))
                if body.status == "answered":
                    self._turns.keep(asker, session, Turn(understood.question.text, attempt.planned.reading.frame.main))
        if stop is not None:
            with trace.stage("options") as detail:
                stop = leading_on(stop, lambda text: self._ending(text, scope, data, calendar))
                detail["options"] = len(stop.options)
            body = _stop_body(stop, understood.question.language)
        assert body is not None
        if body.clarification is not None:
            ways = tuple((option.label, option.question) for option in body.clarification.options)
            self._turns.keep(asker, session, Turn("", "", ways))
        elif body.status != "answered":
            self._turns.drop(asker, session)
        answer = Answer(
            answer_id=uuid.uuid4().hex,
            session_id=session,
            asked_at=asked_at,
            question=question,
            language=understood.question.language,
            status=body.status,
            route="sql" if body.status == "answered" else None,
            text=_text(body, understood, explained),
            result=body.result,
            facts=body.facts,
            warnings=body.warnings,
            refusal=body.refusal,
            clarification=body.clarification,
            trace=tuple(trace.steps),
        )
        reason = self._reason(stop, outcome, question, asker, data, calendar)
        return AskResult(answer, replace(_log(trace, outcome, body, reason, explained), plan=plan))

    def _ending(self, question: str, scope: Scope, data: TenantData, calendar: Calendar) -> Ending:
        """How a question of its own would end."""
        understood = understand(question, scope, None, calendar, self._names.names)
        if understood.decision.stop is not None:
            return understood.decision.stop
        attempt, stop = settle_alternatives(_run(understood, scope, data))
        return stop or attempt.outcome.stop

    def _reason(
        self, stop: PlannerStop | None, outcome: Outcome | None, question: str, asker: Asker, data: TenantData, calendar: Calendar
    ) -> str | None:
        """For the log only: a refusal that a person with all levels would not have got says so."""
        ended = stop.kind if stop is not None else outcome.stop.kind if outcome is not None and outcome.stop is not None else None
        if stop is None or stop.code not in ("not_in_data", "not_understood"):
            return ended
        all_levels = data.all_levels()
        if asker.levels >= all_levels:
            return ended
        everything = data.scope(replace(asker, levels=all_levels))
        wider = understand(question, everything, None, calendar, self._names.names)
        return f"not visible ({ended})" if wider.decision.planned else ended


def _understood(understood: Understanding) -> dict[str, Any]:
    decision = understood.decision
    detail: dict[str, Any] = {"language": understood.question.language, "rules": [one.rule for one in decision.planned]}
    if decision.stop is not None:
        detail["stop"] = decision.stop.kind
    return detail


def _run(understood: Understanding, scope: Scope, data: TenantData) -> list[Attempt]:
    """Every plan of the decision, each once; too many readings run only the first ones (they then have to be asked back)."""
    attempts: list[Attempt] = []
    seen: set[object] = set()
    for planned in understood.decision.planned:
        for plan in planned.draft.plans:
            if plan in seen or len(attempts) >= MOST_PLANS:
                continue
            seen.add(plan)
            outcome = run_over_versions(
                plan, scope, understood.versions.candidates, data.select, require_proof=data.require_proof, reader=data.reader
            )
            attempts.append(Attempt(planned, plan, outcome))
    if all(attempt.outcome.stop is not None and attempt.outcome.stop.code == "not_in_data" for attempt in attempts):
        attempts += _run_spare(understood, scope, data)
    return attempts


def _run_spare(understood: Understanding, scope: Scope, data: TenantData) -> list[Attempt]:
    """Where no plan found a row: the reading by the words of printed labels, if there is one."""
    spare = understood.decision.spare()
    if spare is None:
        return []
    plan = spare.draft.plans[0]
    outcome = run_over_versions(plan, scope, understood.versions.candidates, data.select, require_proof=data.require_proof)
    return [Attempt(spare, plan, outcome)]


def _notices(understood: Understanding) -> Sequence[Notice]:
    if understood.spelling is None:
        return ()
    return (Notice("spelling", "", (understood.spelling.said, understood.spelling.read_as)),)


def _stop_body(stop: PlannerStop, language: Language) -> AnswerBody:
    text = sentence(stop, language)
    if stop.status == "clarify":
        options = tuple(ClarificationOption(option.label, option.question) for option in stop.options)
        return AnswerBody("clarify", text, clarification=Clarification(stop.code, text, options))
    return AnswerBody("refused", text, refusal=Refusal(stop.code, text, tuple(option.question for option in stop.options)))


def _versions_read(outcome: Outcome) -> dict[str, str]:
    """Document -> version of the tables that the answer read."""
    return {table.version.document: table.version.version_id for table in outcome.tables.values()}


_UNDERSTOOD: Mapping[Language, str] = {"de": "Verstanden als", "en": "Understood as", "pl": "Zrozumiano jako"}


def _text(body: AnswerBody, understood: Understanding, explained: str) -> str:
    """The sentence, and how the question was understood; a follow-up is said in full."""
    if body.status != "answered":
        return body.text
    joined = f" „{understood.question.text}“" if understood.joined else ""
    return f"{body.text}\n{_UNDERSTOOD[understood.question.language]}{joined}: {explained}."


def _log(trace: Trace, outcome: Outcome | None, body: AnswerBody, reason: str | None, explained: str) -> LogRecord:
    return LogRecord(
        trace.total_ms,
        outcome.queries if outcome else (),
        tuple(table.stored for table in outcome.tables.values()) if outcome else (),
        outcome.total_rows if outcome else 0,
        reason,
        body.recipes or {},
        explained,
    )
