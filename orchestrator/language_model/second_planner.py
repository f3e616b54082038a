"""The language model as a second planner: asked where the rules stop, and, where that is switched on, beside them.

Where the rules stop, its rewording of the question becomes a choice for the asker, and a statement of its own waits for a person.
Where the rules answer, its reading is only compared with theirs: agreement is noted, a difference becomes a question back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestrator.language_model.build_plan import WrongPlan, build_plan
from orchestrator.language_model.exchange import ChatModel, Message, ModelFailure, Spending
from orchestrator.language_model.model_settings import ModelSettings
from orchestrator.language_model.prompt import Example, build_prompt, prompt_version, repair_message
from orchestrator.language_model.reply import Reply, UnreadableReply, read_reply, reply_format
from orchestrator.language_model.reply_coverage import check_plan, is_only_reading
from orchestrator.language_model.rewordings import keeps_what_is_said
from orchestrator.language_model.statement_coverage import check_statement
from orchestrator.mentions import Mention, find_mentions
from orchestrator.period_mention import Calendar
from orchestrator.plan import AggregatePlan, ListPlan, Plan
from orchestrator.planners.decision import PlannerStop
from orchestrator.planners.frames import Frame, frames_of
from orchestrator.run_select import check_select
from orchestrator.scope import Scope
from orchestrator.sql_refusals import SqlRefusal
from orchestrator.understand import Understanding

_MOST_REPAIRS = 2
_WHERE_RULES_STOP = frozenset({"no_rule", "not_about_data", "unknown_words", "not_here"})
_LONGEST_ECHO = 2_000

Understand = Callable[[str], Understanding]


@dataclass(frozen=True)
class Sample:
    """One reply of the model as far as it may be used. `alone`: the plan may answer where the rules have none; `problems`: why
    its plan or statement is none of the question's."""

    reworded: Understanding | None = None
    plan: AggregatePlan | ListPlan | None = None
    alone: bool = False
    statement: str | None = None
    problems: tuple[str, ...] = ()

    @property
    def reading(self) -> object:
        """What two samples have to agree on."""
        planned = self.reworded.decision.planned if self.reworded is not None else ()
        return (planned[0].draft.plans if planned else None, self.plan, self.statement)


@dataclass(frozen=True)
class Consulted:
    """What asking the model gave. `note`: for trace and log; `failure`: why there was no reply."""

    note: Mapping[str, Any]
    sample: Sample = field(default_factory=Sample)
    failure: str | None = None


class SecondPlanner:
    """Asks the model of one tenant. `examples`: reviewed questions like the one asked, which this asker may see."""

    def __init__(
        self,
        model: ChatModel,
        settings: ModelSettings,
        examples: Callable[[str, Scope], Sequence[Example]] = lambda question, scope: (),
    ) -> None:
        self.model, self.settings, self._examples = model, settings, examples

    def may_help(self, stop: PlannerStop | None) -> bool:
        """Only with what the rules do not understand; what they refuse for its content or ask back stays."""
        return stop is not None and stop.status == "refused" and stop.kind in _WHERE_RULES_STOP

    def consult(self, understood: Understanding, scope: Scope, calendar: Calendar, understand: Understand) -> Consulted:
        """What the model makes of the question, held against its words. Never raises for what the model does."""
        spent = Spending()
        question, names = understood.question, understood.names
        mentions = find_mentions(question, names, scope, calendar)
        frames = {frame.main: frame for frame in frames_of(scope, names)}
        messages = build_prompt(
            question, names, mentions,
            budget=self.settings.prompt_tokens, free_sql=self.settings.free_sql, examples=self._examples(question.text, scope),
        )  # fmt: skip
        failure: ModelFailure | None = None
        samples: list[Sample] = []
        for number in range(self.settings.samples):
            try:
                reply, plan = self._reply(messages, spent, number, frames, understood)
            except ModelFailure as failed:
                failure = failed
                break
            samples.append(self._sample(reply, plan, understood, mentions, frames, calendar, understand))
        agreed = _majority(samples, self.settings.samples)
        outcome = failure.kind if failure is not None else "read" if agreed is not None else "samples_differ"
        note: dict[str, Any] = {
            "model": self.settings.model, "prompt": prompt_version(self.settings.free_sql), "seed": self.settings.seed,
            "prompt_tokens": spent.prompt_tokens, "reply_tokens": spent.reply_tokens, "calls": spent.calls, "outcome": outcome,
        }  # fmt: skip
        if agreed is not None and agreed.problems:
            note["problems"] = list(agreed.problems)
        return Consulted(note, agreed or Sample(), str(failure) if failure is not None else None)

    def _reply(
        self, messages: Sequence[Message], spent: Spending, number: int, frames: Mapping[str, Frame], understood: Understanding
    ) -> tuple[Reply, AggregatePlan | ListPlan | None]:
        """A reply of the right shape, and its plan if that names what is there; asked for again at most twice. Raises
        ModelFailure."""
        talk = list(messages)
        wanted = reply_format(self.settings.free_sql)
        problem, usable = "", None
        for _ in range(1 + _MOST_REPAIRS):
            try:
                completion = self.model.complete(talk, wanted, spent, number)
            except ModelFailure:
                if usable is None:
                    raise
                break
            try:
                reply = read_reply(completion.text)
                usable = reply
                return reply, self._plan(reply, frames, understood)
            except (UnreadableReply, WrongPlan) as wrong:
                problem = str(wrong)
            talk += [Message("assistant", completion.text[:_LONGEST_ECHO]), Message("user", repair_message(problem))]
        if usable is not None:
            return usable, None
        raise ModelFailure("unreadable", problem)

    def _plan(self, reply: Reply, frames: Mapping[str, Frame], understood: Understanding) -> AggregatePlan | ListPlan | None:
        if reply.plan is None:
            return None
        frame = frames.get(reply.plan.table)
        if frame is None:
            raise WrongPlan("a table that is not listed")
        return build_plan(reply.plan, frame, understood.names)

    def _sample(
        self,
        reply: Reply,
        plan: AggregatePlan | ListPlan | None,
        understood: Understanding,
        mentions: Sequence[Mention],
        frames: Mapping[str, Frame],
        calendar: Calendar,
        understand: Understand,
    ) -> Sample:
        question, names = understood.question, understood.names
        problems: tuple[str, ...] = ()
        alone = False
        if plan is not None:
            table = plan.table if isinstance(plan, ListPlan) else plan.terms[0].table
            problems = check_plan(plan, question, frames[table], names, mentions)
            plan = None if problems else plan
            alone = plan is not None and is_only_reading(plan, question, frames.values(), names, mentions)
            problems = problems if alone or plan is None else ("another table explains the question, too",)
        statement = reply.sql if self.settings.free_sql and reply.sql else None
        if statement is not None:
            try:
                check_select(statement, names.tables)
                wrong = check_statement(statement, question, tuple(frames.values()), names, mentions)
            except SqlRefusal:
                wrong = ("a statement that may not run",)
            problems, statement = (*problems, *wrong), None if wrong else statement
        reworded = understand(reply.rewording) if reply.rewording is not None and reply.rewording.strip() else None
        if reworded is not None and not keeps_what_is_said(question, mentions, reworded, calendar):
            problems, reworded = (*problems, "the rewording says something else"), None
        return Sample(reworded, plan, alone, statement, problems)


def _majority(samples: Sequence[Sample], wanted: int) -> Sample | None:
    """The reading of more than half of the samples wanted; None if there is none."""
    counts = Counter(sample.reading for sample in samples)
    if not counts:
        return None
    reading, count = counts.most_common(1)[0]
    return next(sample for sample in samples if sample.reading == reading) if count * 2 > wanted else None


def plan_of(sample: Sample) -> Plan | None:
    """What the model understands: its own plan where that is covered, else what the rules make of its rewording."""
    if sample.plan is not None:
        return sample.plan
    planned = sample.reworded.decision.planned if sample.reworded is not None else ()
    return planned[0].draft.plans[0] if planned else None
