"""The embedded planner: reads the question in every frame, lets the rules build plans, and accepts only what explains
every content word (coverage, as in PRECISE, Popescu et al. 2003)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from orchestrator.figure_nouns import names_figure
from orchestrator.lexicon import lexicon
from orchestrator.link_names import Names
from orchestrator.mentions import Mention, find_mentions
from orchestrator.period_mention import Calendar
from orchestrator.plan import AggregatePlan, ColumnRef, Condition, Join, ListPlan, Plan
from orchestrator.planners.across import SIGN_WORDS, across_tables
from orchestrator.planners.crossed import crosses
from orchestrator.planners.decision import Draft, PlannerStop, Stop
from orchestrator.planners.frames import Frame, Reading, frames_of, likeliest_first, may_explain_all, named_frames, read_in
from orchestrator.planners.home import at_home
from orchestrator.planners.parts import Parts, columns_of, take_apart
from orchestrator.planners.rules_age import ageing
from orchestrator.planners.rules_average import divided_by_count, leaves_out_divisor, ratio_per
from orchestrator.planners.rules_catalog import catalog, vague
from orchestrator.planners.rules_compare import (
    change_or_difference,
    share,
    version_difference,
    versions_differ,
)
from orchestrator.planners.rules_conspicuous import how_strongly, out_of_proportion, outliers
from orchestrator.planners.rules_count import count, how_often, share_of_count
from orchestrator.planners.rules_most import having_count, most_often
from orchestrator.planners.rules_nested import nested
from orchestrator.planners.rules_order import first_or_last, listed_at_end, next_to
from orchestrator.planners.rules_pair import how_much_more, which_of_two
from orchestrator.planners.rules_period import by_period
from orchestrator.planners.rules_period_mean import period_mean
from orchestrator.planners.rules_place import rank_of_one, share_of_each
from orchestrator.planners.rules_rank import count_groups, grouped, listing, threshold, top
from orchestrator.planners.rules_scenario import above_other_scenario, attained
from orchestrator.planners.rules_value import aggregate, never, product, text_or_list, together
from orchestrator.planners.slots import SOFT, settle
from orchestrator.planners.universals import leaves_out_every, leaves_out_flag, leaves_out_thing
from orchestrator.printed.plan_printed import plan_printed
from orchestrator.question import Question, Token
from orchestrator.scope import Scope

Rule = Callable[[Parts], Draft | None]

# In this order; the first whose draft explains every word of the reading wins.
RULES: tuple[Rule, ...] = (
    catalog,
    vague,
    ageing,
    period_mean,
    rank_of_one,
    outliers,
    out_of_proportion,
    how_strongly,
    versions_differ,
    version_difference,
    attained,
    above_other_scenario,
    how_much_more,
    which_of_two,
    listed_at_end,
    next_to,
    first_or_last,
    share,
    share_of_each,
    change_or_difference,
    having_count,
    count_groups,
    how_often,
    count,
    threshold,
    ratio_per,
    top,
    product,
    divided_by_count,
    share_of_count,
    by_period,
    most_often,
    nested,
    together,
    grouped,
    listing,
    aggregate,
    text_or_list,
)
LEFT_OUT = (leaves_out_every, leaves_out_flag, leaves_out_thing, leaves_out_divisor)
"""What a plan may not pass over; one that does answers another question."""

_SAME_WEIGHT = 0.75


@dataclass(frozen=True)
class Planned:
    """A draft with the reading it comes from."""

    draft: Draft
    reading: Reading
    rule: str


@dataclass(frozen=True)
class Decision:
    """Either `planned` (all of equal rank; their results must agree) or `stop`. `nearest`: finds what was understood.
    `spare`: reads the question once more by the words of printed labels, for the case that none of the plans finds a row."""

    planned: tuple[Planned, ...]
    stop: PlannerStop | None
    nearest: Callable[[], Reading | None] = lambda: None
    spare: Callable[[], Planned | None] = lambda: None

    @cached_property
    def best(self) -> Reading | None:
        """The reading that explains most; None where the question was not read at all."""
        return self.nearest()


def plan_question(question: Question, scope: Scope, names: Names, calendar: Calendar) -> Decision:
    """Plans of the question, or why there is none."""
    for check in (_unsafe, _similar):
        stop = check(question)
        if stop is not None:
            return Decision((), stop)
    mentions = find_mentions(question, names, scope, calendar)
    frames = frames_of(scope, names)
    whole = None if _puts_together(question, mentions) else _whole_readings(frames, question, names, mentions)
    found_readings = _readings(frames, question, scope, names, mentions) if whole is None else whole
    readings = sorted(found_readings, key=lambda reading: -reading.weight)
    full = [reading for reading in readings if not reading.uncovered]
    planned: list[Planned] = []
    stops: list[tuple[float, PlannerStop]] = []
    for reading in full:
        try:
            found = _apply_rules(reading)
            planned += [found] if found else []
            stops += [] if found else [(reading.weight, PlannerStop("refused", "not_understood", "no_rule"))]
        except Stop as stopped:
            stops.append((reading.weight, stopped.stop))
    if not planned:
        planned += [Planned(draft, reading, "across_tables") for draft, reading in across_tables(readings, RULES_OF_ONE_NUMBER)]
    best = at_home(_best(planned))
    if best and not any(weight > best[0].reading.weight + _SAME_WEIGHT and stop.status == "clarify" for weight, stop in stops):
        first = best[0].reading
        return Decision(tuple(best), None, lambda: first, lambda: _printed(question, names, mentions))
    open_time = any(stop.kind == "stock_at_which_time" for _, stop in stops)
    printed = None if open_time else _printed(question, names, mentions)
    if printed is not None:
        return Decision((printed,), None, lambda: printed.reading)
    if stops:
        clarifying = [stop for _, stop in stops if stop.status == "clarify"]
        return Decision((), (clarifying or [stop for _, stop in stops])[0], lambda: full[0])
    if whole is None:
        return Decision((), None, lambda: readings[0] if readings else None)
    return Decision((), None, lambda: _nearest(named_frames(frames, question, mentions), question, names, mentions))


def _printed(question: Question, names: Names, mentions: Sequence[Mention]) -> Planned | None:
    """Cells of a printed report that the words of its labels and headers name, whether or not a mention names its table."""
    found = plan_printed(question, names.tables)
    if found is None:
        return None
    frame = Frame(found.table, names.tables, {found.table: ()})
    return Planned(Draft((found.plan,), frozenset()), _finish(read_in(frame, question, names, mentions)), "printed")


RULES_OF_ONE_NUMBER: tuple[Rule, ...] = (aggregate,)


def _readings(
    frames: tuple[Frame, ...], question: Question, scope: Scope, names: Names, mentions: tuple[Mention, ...]
) -> Iterable[Reading]:
    """The question in every frame of which it names something, also where words are left over."""
    negative = _is_negative(mentions)
    for frame in frames if negative else named_frames(frames, question, mentions):
        yield _finish(read_in(frame, question, names, mentions))
        if negative:
            for join in _referring(frame, scope, names):
                wider = replace(
                    frame, inner=join.many.table, paths={**frame.paths, join.many.table: frame.paths.get(join.many.table, ())}
                )
                yield replace(_finish(read_in(wider, question, names, mentions)), inner=join)


def _is_negative(mentions: Iterable[Mention]) -> bool:
    return any(mention.says("not", "without") for mention in mentions)


def _puts_together(question: Question, mentions: Iterable[Mention]) -> bool:
    """Also a reading that leaves words over may decide: it is put together with another, or a word is explained in brackets."""
    return "(" in question.text or any(m.version or m.says("not", "without", *SIGN_WORDS) for m in mentions)


def _whole_readings(
    frames: tuple[Frame, ...], question: Question, names: Names, mentions: Sequence[Mention]
) -> tuple[Reading, ...]:
    """Readings in the frames that may explain every word; those in others decide nothing."""
    named = named_frames(frames, question, mentions)
    return tuple(_finish(read_in(frame, question, names, mentions)) for frame in may_explain_all(named, question, mentions))


def _nearest(
    frames: Iterable[Frame], question: Question, names: Names, mentions: Sequence[Mention]
) -> Reading | None:
    """Of the readings that leave words over the one that explains most; of equal ones the first."""
    best: Reading | None = None
    for frame, most in likeliest_first(frames, mentions):
        if best is not None and most < best.weight:
            break
        found = read_in(frame, question, names, mentions)
        if best is None or found.weight > best.weight:
            best = found
    return _finish(best) if best is not None else None


def _finish(reading: Reading) -> Reading:
    settled = settle(reading)
    return replace(settled, uncovered=tuple(token for token in settled.uncovered if not _defined_behind(settled, token)))


def _defined_behind(reading: Reading, word: Token) -> bool:
    """A name of a figure that the question itself explains in brackets: "Wareneinsatz (Menge mal Einkaufspreis)"."""
    rest = reading.question.text[word.end :].lstrip()
    if not rest.startswith("(") or not names_figure(word.text):
        return False
    start = len(reading.question.text) - len(rest)
    close = start + rest.find(")") if ")" in rest else len(reading.question.text)
    tokens = reading.question.tokens
    inside = [m for m in reading.mentions if tokens[m.first].start >= start and tokens[m.last - 1].end <= close]
    return any(mention.says("times", "divided_by", "minus", "plus") for mention in inside)


def _referring(frame: Frame, scope: Scope, names: Names) -> Iterable[Join]:
    """Joins from other tables to a key of the frame's own table."""
    for relation in scope.relations:
        if relation.one_table == frame.main and relation.many_table in names.tables:
            yield Join(
                ColumnRef(relation.many_table, relation.many_column),
                ColumnRef(relation.one_table, relation.one_column),
                relation.approved,
            )


def _apply_rules(reading: Reading) -> Planned | None:
    """Raises Stop if no rule fits and one of them had to ask or refuse."""
    parts = take_apart(reading)
    if crosses(parts):
        return None
    stopped: Stop | None = None
    for rule in (never,) if reading.inner else RULES:
        try:
            draft = rule(parts)
        except Stop as stop:
            stopped = stopped or stop
            continue
        if draft is None or not draft.plans or not explains(parts, draft):
            continue
        if not any(leaves_out(parts, draft) for leaves_out in LEFT_OUT):
            return Planned(draft, reading, rule.__name__)
    if stopped is not None:
        raise stopped
    return None


def explains(parts: Parts, draft: Draft) -> bool:
    """Coverage: every mention is used by the plan, soft, or a choice of one version; a column, also if the plan reads it."""
    versions = [index for index, mention in enumerate(parts.reading.mentions) if mention.version]
    in_plans = set.intersection(*(set(refs_of(plan)) for plan in draft.plans))
    said_and_used = {slot.index for slot in parts.slots if slot.ref in in_plans}
    for index, mention in enumerate(parts.reading.mentions):
        if index in draft.used or index in parts.free or index in said_and_used:
            continue
        if mention.version is not None and len(versions) == 1:
            continue
        if mention.concepts and set(mention.concepts) & SOFT:
            continue
        return False
    return True


def _best(planned: Sequence[Planned]) -> list[Planned]:
    """Those that need the fewest joins; of equal ones all stay, and their results have to agree."""
    if not planned:
        return []
    rank = {
        id(one): (_foreign_inner(one), len({join for plan in one.draft.plans for join in joins_of(plan)}), _lookup_table(one))
        for one in planned
    }
    least = min(rank.values())
    return [one for one in planned if rank[id(one)] == least]


def _foreign_inner(one: Planned) -> bool:
    """ "Kunden ohne Auftrag": the list of customers in the orders' own file before lists in other files."""
    inner = one.reading.inner
    if inner is None:
        return False
    tables = one.reading.frame.tables
    return tables[inner.many.table].version.document != tables[inner.one.table].version.document


def _lookup_table(one: Planned) -> int:
    """Counting things prefers the table that lists them once (the one side) to the tables that mention them."""
    main = one.reading.frame.main
    return (
        0
        if one.rule not in ("count", "text_or_list", "never")
        else -sum(
            1
            for path in (p for name, p in _all_paths(one.reading).items() if name != main)
            for join in path
            if join.one.table == main
        )
    )


def _all_paths(reading: Reading) -> dict[str, tuple[Join, ...]]:
    return dict(reading.frame.paths)


def joins_of(plan: Plan) -> tuple[Join, ...]:
    if isinstance(plan, AggregatePlan):
        return tuple(join for term in plan.terms for join in term.joins)
    return plan.joins if isinstance(plan, ListPlan) else ()


def refs_of(plan: Plan) -> tuple[ColumnRef, ...]:
    """Every column that the plan measures, groups by, shows or filters on."""
    if isinstance(plan, AggregatePlan):
        refs = [ref for term in plan.terms for ref in (*term.columns, *_condition_refs(term.conditions))]
        return (*plan.group_by, *refs)
    if isinstance(plan, ListPlan):
        return (*plan.columns, *_condition_refs(plan.conditions))
    return ()


def _condition_refs(conditions: Iterable[Condition]) -> Iterable[ColumnRef]:
    return (ref for condition in conditions for ref in columns_of(condition))


def _unsafe(question: Question) -> PlannerStop | None:
    """A command that would change data: the verb opens the sentence (after a polite word or an "und dann")."""
    book = lexicon(question.language)
    for token in question.tokens[:4]:
        phrase = (token.folded,)
        pair = (token.folded, question.tokens[token.index + 1].folded) if token.index + 1 < len(question.tokens) else phrase
        if "unsafe" in book.concepts(phrase) or "unsafe" in book.concepts(pair):
            return PlannerStop("refused", "unsafe_query", "writes", (token.text,))
        if token.folded not in book.function_words:
            return None
    return None


def _similar(question: Question) -> PlannerStop | None:
    """Questions of likeness and topic are answered by row retrieval, which this planner does not do."""
    book = lexicon(question.language)
    for token in question.tokens:
        if "similar" in book.concepts((token.folded,)):
            return PlannerStop("refused", "not_understood", "similarity", (token.text,))
    return None
