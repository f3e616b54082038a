"""The line from a question to a proved answer, readable top to bottom.

scope → classify → understand → run → settle → compose, or → rows for what is alike or fits, or both. Every stage is timed in the
trace; nothing is shown that was not proved.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any, Protocol

from indexer.stored import StoredTable
from orchestrator.alternatives import Attempt, settle_alternatives
from orchestrator.answer import Answer
from orchestrator.build_answer import AnswerBody, build_answer, planner_stop_body
from orchestrator.classify import classify
from orchestrator.explain import explain
from orchestrator.language_model.second_opinion import (
    Helped,
    beside,
    helped,
    in_prose,
    is_of_model,
    with_what_was_not_tried,
    without_model,
)
from orchestrator.language_model.second_planner import SecondPlanner
from orchestrator.lexicon import Language
from orchestrator.mixed import Part, joined, names_in
from orchestrator.name_store import NameStore
from orchestrator.offered_options import Ending, leading_on
from orchestrator.outcome import Notice, Outcome
from orchestrator.period_mention import Calendar
from orchestrator.plan import ListPlan, Plan
from orchestrator.planners.decision import PlannerStop
from orchestrator.question import Question, read_question
from orchestrator.rows.answer_rows import RowSources, answer_rows
from orchestrator.run_readings import run_model_statement, run_one, run_readings
from orchestrator.scope import Asker, Scope
from orchestrator.tenant_data import TenantData
from orchestrator.trace import StageObserver, Trace
from orchestrator.understand import Turn, Understanding, understand

_MOST_SESSIONS = 10_000


@dataclass(frozen=True)
class LogRecord:
    """What the audit log keeps beside the answer. `reason`: why there was no answer, in truth ("not visible", a stop's kind);
    `recipes`: how every number is computed again; `tables`: every table version read; `plan`: what was run, None for SQL;
    `model`: what was asked of the language model, None if nothing; `by_model`: it wrote the plan or statement that was run;
    `related_plan`: of a mixed question what was run for its second part."""

    duration_ms: float
    queries: tuple[str, ...] = ()
    tables: tuple[StoredTable, ...] = ()
    result_rows: int = 0
    reason: str | None = None
    recipes: Mapping[str, Any] = field(default_factory=dict)
    understood: str = ""
    plan: Plan | None = None
    model: Mapping[str, Any] | None = None
    by_model: bool = False
    related_plan: Plan | None = None


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


@dataclass(frozen=True)
class _Line:
    """What one question is answered from. `second`: the language model, None where none is set or the asker wants none."""

    scope: Scope
    data: TenantData
    calendar: Calendar
    trace: Trace
    second: SecondPlanner | None = None


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

    def ask(
        self,
        question: str,
        asker: Asker,
        *,
        session_id: str | None = None,
        today: date | None = None,
        observers: tuple[StageObserver, ...] = (),
    ) -> AskResult:
        """One question, one answer. Raises KeyError for an unknown tenant; everything else becomes an answer."""
        trace = Trace(observers)
        asked_at = self._clock()
        session = session_id or uuid.uuid4().hex
        data = self._tenant_data(asker.tenant)
        calendar = Calendar(today or asked_at.date(), data.fiscal_year.start, data.fiscal_year.named_by)
        with trace.stage("scope") as detail:
            scope = data.scope(asker)
            detail["tables"] = len(scope.tables)
        turn = self._turns.last(asker, session)
        chosen = turn.chosen(question) if turn is not None else None
        before = turn if turn is not None and turn.text and chosen is None else None
        said, alone = without_model(chosen or question)
        with trace.stage("classify") as detail:
            kind = classify(read_question(said))
            detail |= {"route": kind.route, "why": kind.why}
        line = _Line(scope, data, calendar, trace, None if alone else data.second)
        part = None
        if kind.route == "mixed" and kind.context is not None:
            exact = self._figures(kind.exact, before, line)
            part = joined(exact, self._context(kind.context, exact, line), kind.context.text)
        elif kind.route == "rows":
            part = self._rows(read_question(said), line)
        if part is None:
            part = self._figures(said, before, line)
            stop = part.stop
            if kind.why == "nothing_else" and stop is not None and stop.code != "unsafe_query" and not is_of_model(stop):
                found = self._rows(read_question(said), line)
                part = replace(found, model=part.model) if found is not None else part
        self._remember(asker, session, part)
        body = part.body
        answer = Answer(
            answer_id=uuid.uuid4().hex,
            session_id=session,
            asked_at=asked_at,
            question=question,
            language=part.language,
            status=body.status,
            route=part.route if body.status == "answered" else None,
            text=part.text,
            result=body.result,
            facts=body.facts,
            related=body.related,
            warnings=body.warnings,
            refusal=body.refusal,
            clarification=body.clarification,
            trace=tuple(trace.steps),
        )
        reason = self._reason(part, question, asker, data, calendar)
        return AskResult(answer, _log(trace, part, reason))

    def _figures(self, text: str, before: Turn | None, line: _Line) -> Part:
        """understand → run → settle → compose: the line of a question that SQL answers."""
        scope, data, trace = line.scope, line.data, line.trace
        with trace.stage("understand") as detail:
            understood = understand(text, scope, before, line.calendar, self._names.names)
            detail |= _understood(understood)
        stop, language = understood.decision.stop, understood.question.language
        second, note = line.second, None
        if stop is None:
            with trace.stage("run") as detail:
                attempts = run_readings(understood, scope, data)
                detail["plans"] = len(attempts)
            attempt, stop = settle_alternatives(attempts)
            if second is not None and second.settings.cross_check and stop is None and attempt.outcome.stop is None:
                stop, note = self._compared(attempt, understood, second, line)
            if stop is None:
                return self._composed(attempt, understood, note, line)
        elif second is not None and second.may_help(stop):
            found = self._helped(stop, understood, second, line)
            if found.outcome is not None:
                return self._by_model(found, found.outcome, understood, line)
            stop, note = found.stop or stop, found.note
        assert stop is not None
        with trace.stage("options") as detail:
            stop = leading_on(stop, lambda option: self._ending(option, scope, data, line.calendar))
            detail["options"] = len(stop.options)
        body = with_what_was_not_tried(planner_stop_body(stop, language), note, language)
        return Part(body, language, "sql", body.text, stop, model=note)

    def _composed(self, attempt: Attempt, understood: Understanding, note: Mapping[str, Any] | None, line: _Line) -> Part:
        """The answer of the rules; in a sentence of the model where that is set."""
        scope, outcome, question = line.scope, attempt.outcome, understood.question
        with line.trace.stage("compose"):
            explained = explain(attempt.plan, scope, question.language, _versions_read(outcome))
            body = build_answer(outcome, attempt.plan, scope, question.language, question.text, _notices(understood))
        if line.second is not None and line.second.settings.prose and body.status == "answered":
            with line.trace.stage("prose") as detail:
                body, written = in_prose(body, line.second, attempt.plan, scope, question)
                detail |= written
            note = {**(note or {}), "prose": written}
        table, said = attempt.planned.reading.frame.main, _text(body, understood, explained)
        ran = (outcome,)
        return Part(body, question.language, "sql", said, None, ran, attempt.plan, explained, question.text, table, note)

    def _compared(
        self, attempt: Attempt, understood: Understanding, second: SecondPlanner, line: _Line
    ) -> tuple[PlannerStop | None, Mapping[str, Any]]:
        """A question back where the model understands something that gives other numbers; and what is noted."""
        with line.trace.stage("cross_check") as detail:
            consulted = second.consult(understood, line.scope, line.calendar, self._reader(line))
            run = partial(run_one, understood, line.scope, line.data)
            stop, compared = beside(attempt, consulted, understood.question, line.scope, run)
            detail |= {**consulted.note, "compared": compared}
        return stop, dict(detail)

    def _helped(self, stop: PlannerStop, understood: Understanding, second: SecondPlanner, line: _Line) -> Helped:
        """What the model makes of a question that the rules do not understand."""
        scope, data = line.scope, line.data
        with line.trace.stage("model") as detail:
            consulted = second.consult(understood, scope, line.calendar, self._reader(line))
            run = partial(run_one, understood, scope, data)
            run_statement = partial(run_model_statement, understood, scope, data)
            ends = partial(self._ending, scope=scope, data=data, calendar=line.calendar)
            found = helped(stop, consulted, understood.question, scope, run, run_statement, ends, second.settings)
            detail |= found.note
        return found

    def _by_model(self, found: Helped, outcome: Outcome, understood: Understanding, line: _Line) -> Part:
        """The answer of a plan or a statement of the model, which was held against every word of the question."""
        scope, question, plan = line.scope, understood.question, found.plan
        with line.trace.stage("compose"):
            explained = explain(plan, scope, question.language, _versions_read(outcome)) if plan is not None else found.statement
            notices = (*_notices(understood), Notice("read_by_model"))
            body = build_answer(outcome, plan or ListPlan("", (), ()), scope, question.language, question.text, notices)
        said, ran = _text(body, understood, explained), (outcome,)
        table, in_full = found.table, question.text
        return Part(body, question.language, "sql", said, None, ran, plan, explained, in_full, table, found.note, by_model=True)

    def _reader(self, line: _Line) -> Callable[[str], Understanding]:
        return lambda text: understand(text, line.scope, None, line.calendar, self._names.names)

    def _rows(self, question: Question, line: _Line, exact: Part | None = None, subject: Question | None = None) -> Part | None:
        """The line of a question about rows; None where it is none that is understood."""
        data = line.data
        with line.trace.stage("rows") as detail:
            sources = RowSources(data.select, data.reader, data.require_proof, data.rows)
            names = names_in(exact) if exact is not None else ()
            found = answer_rows(question, line.scope, self._names.names, line.calendar, sources, subject, names)
            detail["kind"] = found.kind if found is not None else None
        if found is None:
            return None
        outcomes = (found.outcome,) if found.outcome is not None else ()
        said = found.body.text
        if found.body.status == "answered":
            said = f"{said}\n{_UNDERSTOOD[question.language]}: {found.explained}."
        return Part(found.body, question.language, "rows", said, found.stop, outcomes, found.plan, found.explained, question.text)

    def _context(self, question: Question, exact: Part, line: _Line) -> Part | None:
        """The second part of a mixed question, about what the first one was about."""
        if exact.body.status != "answered":
            return None
        return self._rows(question, line, exact, read_question(exact.in_full))

    def _remember(self, asker: Asker, session: str, part: Part) -> None:
        """What a follow-up may build on: the last answered question, or the ways out of a question back."""
        if part.body.clarification is not None:
            ways = tuple((option.label, option.question) for option in part.body.clarification.options)
            self._turns.keep(asker, session, Turn("", "", ways))
        elif part.body.status == "answered" and part.table is not None:
            self._turns.keep(asker, session, Turn(part.in_full, part.table))
        else:
            self._turns.drop(asker, session)

    def _ending(self, question: str, scope: Scope, data: TenantData, calendar: Calendar) -> Ending:
        """How a question of its own would end."""
        understood = understand(without_model(question)[0], scope, None, calendar, self._names.names)
        if understood.decision.stop is not None:
            return understood.decision.stop
        attempt, stop = settle_alternatives(run_readings(understood, scope, data))
        return stop or attempt.outcome.stop

    def _reason(self, part: Part, question: str, asker: Asker, data: TenantData, calendar: Calendar) -> str | None:
        """For the log only: a refusal that a person with all levels would not have got says so."""
        stop = part.stop
        stopped = next((outcome.stop for outcome in part.outcomes if outcome.stop is not None), None)
        ended = stop.kind if stop is not None else stopped.kind if stopped is not None else None
        if stop is None or stop.code not in ("not_in_data", "not_understood"):
            return ended
        all_levels = data.all_levels()
        if asker.levels >= all_levels:
            return ended
        everything = data.scope(replace(asker, levels=all_levels))
        if part.route == "rows":
            wider = self._rows(read_question(question), _Line(everything, data, calendar, Trace()))
            return f"not visible ({ended})" if wider is not None and wider.stop is None else ended
        wider_reading = understand(question, everything, None, calendar, self._names.names)
        return f"not visible ({ended})" if wider_reading.decision.planned else ended


def _understood(understood: Understanding) -> dict[str, Any]:
    decision = understood.decision
    detail: dict[str, Any] = {"language": understood.question.language, "rules": [one.rule for one in decision.planned]}
    if decision.stop is not None:
        detail["stop"] = decision.stop.kind
    return detail


def _notices(understood: Understanding) -> Sequence[Notice]:
    if understood.spelling is None:
        return ()
    return (Notice("spelling", "", (understood.spelling.said, understood.spelling.read_as)),)


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


def _log(trace: Trace, part: Part, reason: str | None) -> LogRecord:
    tables = {table_id: table.stored for outcome in part.outcomes for table_id, table in outcome.tables.items()}
    return LogRecord(
        trace.total_ms,
        tuple(query for outcome in part.outcomes for query in outcome.queries),
        tuple(tables.values()),
        sum(outcome.total_rows for outcome in part.outcomes),
        reason,
        part.body.recipes or {},
        part.explained,
        part.plan,
        part.model,
        part.by_model,
        part.related_plan,
    )
