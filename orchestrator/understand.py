"""Question and scope -> a decision: what is asked, of which versions, or why that is not clear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from orchestrator.follow_up import Joined, is_follow_up, join_follow_up
from orchestrator.lexicon import lexicon
from orchestrator.link_names import Names
from orchestrator.link_periods import find_periods
from orchestrator.link_versions import VersionMention, find_versions
from orchestrator.name_store import NamesOf
from orchestrator.near import Spelling, correct_term, explain_no_rule, explain_unknown, replaced, take_compounds_apart
from orchestrator.period_mention import Calendar
from orchestrator.planners.decision import Option, PlannerStop
from orchestrator.planners.frames import Frame, Reading, frames_of
from orchestrator.planners.grammar import Decision, plan_question
from orchestrator.planners.slots import append
from orchestrator.question import Question, read_question
from orchestrator.scope import Scope
from orchestrator.things.planner import plan_things, shows_too_little
from orchestrator.versions import VersionChoice, choose_versions, representative_tables
from parsers.fold import fold


@dataclass(frozen=True)
class Turn:
    """What a session remembers of its last question: if it was answered, the whole text and the table it was about; if Beleg
    asked back, `options`: label and question of each way out."""

    text: str
    table: str
    options: tuple[tuple[str, str], ...] = ()

    def chosen(self, said: str) -> str | None:
        """The question of the option whose label this is ("Danzig"); None for anything else."""
        wanted = fold(said).strip(" ?.!\"„“”'")
        return next((question for label, question in self.options if fold(label).strip() == wanted), None)


@dataclass(frozen=True)
class Understanding:
    """`question`: as finally read, with a follow-up joined and a misspelt term corrected."""

    question: Question
    decision: Decision
    names: Names
    versions: VersionChoice
    joined: Joined | None = None
    spelling: Spelling | None = None


def understand(text: str, scope: Scope, turn: Turn | None, calendar: Calendar, names_of: NamesOf) -> Understanding:
    """Reads the question on its own; where it points back (or says nothing on its own), joined to the last one."""
    question = read_question(text)
    alone = _understand(question, scope, calendar, names_of)
    if turn is not None and is_follow_up(question):
        joined = _joined(question, turn, scope, alone.names, calendar)
        if isinstance(joined, PlannerStop):
            return replace(alone, decision=Decision((), joined))
        if joined is None and alone.decision.planned:
            return replace(alone, decision=Decision((), PlannerStop("refused", "not_understood", "follow_up")))
        if joined is not None:
            return replace(_understand(read_question(joined.text), scope, calendar, names_of), joined=joined)
    return alone


def _joined(question: Question, turn: Turn, scope: Scope, names: Names, calendar: Calendar) -> Joined | PlannerStop | None:
    if turn.table not in names.tables:
        return None
    frame = next((frame for frame in _frames(scope, names) if frame.main == turn.table), None)
    return join_follow_up(question, turn.text, frame, scope, names, calendar) if frame else None


def _frames(scope: Scope, names: Names) -> tuple[Frame, ...]:
    return frames_of(scope, names)


def _understand(question: Question, scope: Scope, calendar: Calendar, names_of: NamesOf) -> Understanding:
    versions = find_versions(question, scope, find_periods(question, calendar))
    choice = choose_versions(scope, versions)
    tables = representative_tables(scope, choice)
    names = names_of(scope, tables, question.language)
    stop = _open_version(question, versions)
    if stop is not None:
        return Understanding(question, Decision((), stop), names, choice)
    decision = plan_question(question, scope, names, calendar)
    if shows_too_little(decision, names) or (not decision.planned and _leaves_room(decision.stop)):
        about_things = plan_things(question, scope, names)
        if about_things is not None:
            return Understanding(question, about_things, names, choice)
    if not decision.planned:
        plan = partial(_plan_text, scope=scope, names=names, calendar=calendar)
        as_of = _as_of_today(question, decision, calendar, plan)
        if as_of is not None:
            return Understanding(question, Decision((), as_of), names, choice)
    if decision.stop is not None and decision.stop.kind == "no_rule" and decision.best is not None:
        decision = replace(decision, stop=explain_no_rule(decision.best, names) or decision.stop)
    if decision.planned or decision.stop:
        return Understanding(question, decision, names, choice)
    uncovered = decision.best.uncovered if decision.best else ()
    apart = take_compounds_apart(question, uncovered, names)
    if apart is not None:
        again = plan_question(apart, scope, names, calendar)
        if again.planned:
            return Understanding(apart, again, names, choice)
    spelling = correct_term(question, uncovered, names)
    if spelling is not None:
        corrected = read_question(spelling.question)
        again = plan_question(corrected, scope, names, calendar)
        if again.planned:
            return Understanding(corrected, again, names, choice, spelling=spelling)
    unknown = explain_unknown(decision.best, names)
    if unknown.options:
        unknown = _with_options_that_lead_on(
            unknown, decision.best, lambda text: plan_question(read_question(text), scope, names, calendar)
        )
    return Understanding(question, replace(decision, stop=unknown), names, choice)


def _plan_text(text: str, *, scope: Scope, names: Names, calendar: Calendar) -> Decision:
    return plan_question(read_question(text), scope, names, calendar)


def _as_of_today(
    question: Question, decision: Decision, calendar: Calendar, plan: Callable[[str], Decision]
) -> PlannerStop | None:
    """ "Welche Rechnungen sind überfällig?" names no day: that of asking is offered, where the question then has an answer."""
    concepts = lexicon(question.language).concepts
    if not any("overdue" in concepts((token.folded,)) for token in question.tokens):
        return None
    best = decision.best
    if best is None or best.uncovered or not best.says("overdue") or any(m.period is not None for m in best.mentions):
        return None
    day = calendar.today
    language = best.question.language
    said = {"de": f"am {day:%d.%m.%Y}", "en": f"as of {day.isoformat()}", "pl": f"na dzień {day:%d.%m.%Y}"}[language]
    asked = append(best, said, said, said)
    if not plan(asked).planned:
        return None
    return PlannerStop("clarify", "ambiguous_period", "as_of_which_day", (), (Option(said, asked),))


_OTHER_READING = frozenset(
    {"no_rule", "several_values", "which_one", "value_of_other_column", "which_measure", "no_period_column"}
)


def _leaves_room(stop: PlannerStop | None) -> bool:
    """Whether the rules of figures did not understand the question, so that it may be one about things."""
    return stop is None or stop.kind in _OTHER_READING


def _with_options_that_lead_on(stop: PlannerStop, best: Reading | None, plan: Callable[[str], Decision]) -> PlannerStop:
    """Only options whose question is understood or asked back further; without any, the words are unknown."""
    kept = []
    for option in stop.options:
        decision = plan(option.question)
        if decision.planned or (decision.stop is not None and decision.stop.status == "clarify"):
            kept.append(option)
    if kept:
        return replace(stop, options=tuple(kept))
    words = tuple(token.text for token in best.uncovered) if best is not None else stop.words
    return PlannerStop("refused", "not_in_data", "unknown_words", words)


def _open_version(question: Question, mentions: tuple[VersionMention, ...]) -> PlannerStop | None:
    """A version that does not exist (label right, date wrong), or words that fit several versions of one document."""
    for mention in mentions:
        run = question.tokens[mention.first : mention.last]
        said = question.text[run[0].start : run[-1].end]
        if not mention.versions:
            return PlannerStop("refused", "not_in_data", "no_such_version", (said,))
        documents = [version.document for version in mention.versions]
        if len(mentions) == 1 and len(set(documents)) < len(documents):
            options = tuple(
                Option(f"{version.label} {version.date or ''}".strip(), replaced(question, run, version.label))
                for version in mention.versions
            )
            if len({version.label for version in mention.versions}) == len(mention.versions):
                return PlannerStop("clarify", "ambiguous_version", "several_versions", (said,), options)
    return None
