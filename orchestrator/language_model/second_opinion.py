"""What the model's reading changes for the asker: a choice, a question back, a note; never a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.alternatives import Attempt, same_result
from orchestrator.build_answer import AnswerBody
from orchestrator.clarify import sentence
from orchestrator.explain import explain
from orchestrator.language_model.exchange import Spending
from orchestrator.language_model.model_settings import ModelSettings
from orchestrator.language_model.prose import named_in_words, prose_version, slots_of, write_sentence
from orchestrator.language_model.second_planner import Consulted, SecondPlanner, plan_of
from orchestrator.lexicon import Language
from orchestrator.offered_options import Ending
from orchestrator.outcome import Outcome
from orchestrator.plan import AggregatePlan, ListPlan, Plan
from orchestrator.planners.decision import Option, PlannerStop
from orchestrator.question import Question
from orchestrator.scope import Scope

_ALONE: Mapping[Language, str] = {
    "de": "Ohne Sprachmodell: ",
    "en": "Without a language model: ",
    "pl": "Bez modelu językowego: ",
}


def without_model(text: str) -> tuple[str, bool]:
    """The question without the words that ask for the rules alone ("Ohne Sprachmodell: …"), and whether they were there."""
    for words in _ALONE.values():
        if text.casefold().startswith(words.strip().casefold()):
            return text[len(words.strip()) :].strip(), True
    return text, False


@dataclass(frozen=True)
class Helped:
    """What came of the model where the rules stop: either `outcome`, of its `plan` or its `statement`; or `stop`. `note`: for
    trace and log."""

    note: Mapping[str, Any]
    stop: PlannerStop | None = None
    outcome: Outcome | None = None
    plan: AggregatePlan | ListPlan | None = None
    statement: str = ""

    @property
    def table(self) -> str | None:
        """What a follow-up goes on from."""
        if isinstance(self.plan, AggregatePlan):
            return self.plan.terms[0].table
        return self.plan.table if self.plan is not None else None


def helped(
    stop: PlannerStop,
    consulted: Consulted,
    question: Question,
    scope: Scope,
    run: Callable[[Plan], Outcome],
    run_statement: Callable[[str], Outcome | None],
    ending: Callable[[str], Ending],
    settings: ModelSettings,
) -> Helped:
    """Where the rules stop: what the model's plan gives, if it accounts for every word of the question; else its statement, which
    then waits for a person; else its rewording as a choice; else the stop of the rules."""
    sample = consulted.sample
    if sample.plan is not None and sample.alone:
        outcome = run(sample.plan)
        if outcome.stop is None:
            return Helped({**consulted.note, "used": "plan"}, outcome=outcome, plan=sample.plan)
    if sample.statement is not None:
        found = run_statement(sample.statement)
        if found is not None:
            return Helped({**consulted.note, "used": "statement"}, outcome=found, statement=sample.statement)
    return Helped(consulted.note, instead(stop, consulted, question, scope, ending, settings.cross_check))


def instead(
    stop: PlannerStop, consulted: Consulted, question: Question, scope: Scope, ending: Callable[[str], Ending], marked: bool
) -> PlannerStop:
    """Where the rules stop: the rewording as a choice, if it is answered; where there was no reply and the rules understood
    nothing, that; else their own stop. `ending`: how a question of its own ends; `marked`: the choice is asked of the
    rules alone."""
    reworded = consulted.sample.reworded
    if reworded is not None and reworded.decision.planned and ending(reworded.question.text) is None:
        label = explain(reworded.decision.planned[0].draft.plans[0], scope, question.language)
        options = (Option(label, (_ALONE[question.language] if marked else "") + reworded.question.text),)
        return PlannerStop("clarify", "ambiguous_term", "model_reading", (), options)
    if consulted.failure is not None and stop.code == "not_understood":
        return PlannerStop("refused", "llm_unavailable", "llm_unavailable", (str(consulted.note["outcome"]),))
    return stop


def is_of_model(stop: PlannerStop) -> bool:
    """A question back that the model's reading gave; rows that fit the words are no answer to it."""
    return stop.kind in ("model_reading", "two_readings")


def with_what_was_not_tried(body: AnswerBody, note: Mapping[str, Any] | None, language: Language) -> AnswerBody:
    """A refusal of the rules says so where the model could not be asked as well."""
    outcome = (note or {}).get("outcome", "read")
    if body.refusal is None or body.refusal.code == "llm_unavailable" or outcome in ("read", "samples_differ"):
        return body
    said = sentence(PlannerStop("refused", "llm_unavailable", "model_not_asked", (str(outcome),)), language)
    text = f"{body.text} {said}"
    return replace(body, text=text, refusal=replace(body.refusal, message=text))


def beside(
    attempt: Attempt, consulted: Consulted, question: Question, scope: Scope, run: Callable[[Plan], Outcome]
) -> tuple[PlannerStop | None, str]:
    """Where the rules answer: a question back where the model understands something that gives other numbers; and the note."""
    plan = plan_of(consulted.sample)
    if plan is None:
        return None, "not_compared"
    if plan == attempt.plan:
        return None, "agreed"
    outcome = run(plan)
    if outcome.stop is not None:
        return None, "not_compared"
    if same_result(outcome, attempt.outcome):
        return None, "agreed"
    return _two_readings(attempt, plan, consulted, question, scope), "differs"


def in_prose(
    body: AnswerBody, second: SecondPlanner, plan: Plan, scope: Scope, question: Question
) -> tuple[AnswerBody, dict[str, Any]]:
    """The answer with a sentence of the model before its own; as it is where the data cover only a part of what was asked, where
    there are several rows, and where the model wrote nothing that may be shown. Second: what came of it."""
    result = body.result
    if result is None or len(result.rows) != 1 or any(warning.code == "partial_period" for warning in body.warnings):
        return body, {"outcome": "not_asked"}
    columns = [column.name for column in result.columns]
    slots = slots_of(body.facts, columns, plan, scope, question.language)
    names = named_in_words(plan, columns, scope, question.language)
    if not slots:
        return body, {"outcome": "not_asked"}
    spent = Spending()
    written, outcome = write_sentence(second.model, slots, names, question.text, question.language, spent)
    note = {
        "model": second.settings.model, "seed": second.settings.seed, "prompt": prose_version(), "outcome": outcome,
        "prompt_tokens": spent.prompt_tokens, "reply_tokens": spent.reply_tokens, "calls": spent.calls,
    }  # fmt: skip
    return (replace(body, text=f"{written}\n{body.text}") if written is not None else body), note


def _two_readings(attempt: Attempt, plan: Plan, consulted: Consulted, question: Question, scope: Scope) -> PlannerStop:
    """Both understandings in words; each that can be asked is an option, asked of the rules alone."""
    language = question.language
    own, other = (explain(each, scope, language) for each in (attempt.plan, plan))
    options = [Option(own, _ALONE[language] + question.text)]
    reworded = consulted.sample.reworded
    if reworded is not None and plan in reworded.decision.planned[0].draft.plans:
        options.append(Option(other, _ALONE[language] + reworded.question.text))
    return PlannerStop("clarify", "ambiguous_term", "two_readings", (own, other), tuple(options))
