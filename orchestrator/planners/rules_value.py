"""Rules for single numbers, texts and lists of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orchestrator.compounds import entity_name
from orchestrator.lexicon import lexicon
from orchestrator.link_names import display_name, is_measure
from orchestrator.plan import AggregatePlan, Arithmetic, ColumnRef, Expression, InRows, ListPlan, Output, Ratio, TermValue
from orchestrator.planners.asked import RUNNING, asked_entity, counted, enumerated, same_stem, who
from orchestrator.planners.conditions import AmountUse
from orchestrator.planners.decision import Draft, Option, PlannerStop, Stop
from orchestrator.planners.parts import (
    Parts,
    amount_slot,
    default_aggregation,
    make_term,
    own_measures,
    plans_for,
    qualifies,
    unit_where,
    where,
    with_amounts,
)
from orchestrator.planners.requirements import require_alike, require_fixed, require_named
from orchestrator.planners.rules_count import is_money
from orchestrator.planners.slots import COMPARATORS, Slot, append
from parsers.table import ColumnType

_FUNCTIONS = (("average", "average"), ("median", "median"), ("maximum", "maximum"), ("minimum", "minimum"))


def aggregate(parts: Parts) -> Draft | None:
    """One number, or one a value or period where several are named: sum, average, median, minimum, maximum, look-up."""
    measures = _not_thresholds(parts, own_measures(parts)) or own_measures(parts)
    asks_group = parts.reading.says(
        "group_by", "share", "difference", "increase", "decrease", "attained", "times", "divided_by", "without_rows"
    )
    if not measures or asks_group or (len(measures) > 1 and parts.reading.says("sum")) or _counts_entries(parts, measures[0]):
        return None
    if any(_counts_things(parts, mark) for mark in parts.marks("how_many")):
        return None
    if len(measures) > 1 and _is_verb_behind(parts, measures):
        return None
    entity = asked_entity(parts)
    functions = [(concept, name) for concept, name in _FUNCTIONS if parts.reading.says(concept)]
    if len(functions) > 1 or (entity is not None and functions and functions[0][0] in ("maximum", "minimum")):
        return None
    on_measure = any(_about(parts, use) == measures[0].ref for use in parts.amounts)
    if on_measure and not functions and not parts.reading.says("sum"):
        return None
    if entity is None and functions and functions[0][0] in ("maximum", "minimum") and _asks_which_thing(parts):
        return None
    found_entity = entity is not None and entity.ref not in where(parts).columns
    if found_entity and not functions and not parts.reading.says("sum") and parts.reading.says("which", "list"):
        return None
    if functions and functions[0][0] == "average":
        _check_unit_of_rows(parts, measures[0])
    if (
        functions
        and functions[0][0] in ("maximum", "minimum")
        and not all(qualifies(parts, mark, measures[0]) for mark in parts.marks(functions[0][0]))
    ):
        return None
    over_time = bool(functions) and functions[0][0] in ("maximum", "minimum")
    if over_time and _asks_for_another(parts, functions[0][0]):
        return None
    found = with_amounts(parts, where(parts), None)
    found, convert = unit_where(parts, found, measures[0])
    split, names = _listed(parts)
    require_fixed(parts, found, split, over_time=over_time)
    aggregation = functions[0][1] if functions else None
    if aggregation is None and parts.reading.says("sum"):
        ways = {default_aggregation(parts, measures[0], conditions, split) for conditions in found.alternatives}
        if ways != {"sum"}:
            return None
    plans = plans_for(parts, found, measures, aggregation=aggregation, group_by=split, group_names=names, convert=convert)
    if parts.reading.says("running") and aggregation is None:
        word = RUNNING[parts.reading.question.language]
        plans = tuple(replace(p, outputs=tuple(replace(o, name=f"{o.name} {word}") for o in p.outputs)) for p in plans)
    used = {slot.index for slot in measures} | parts.marks(
        *(concept for concept, _ in functions), "sum", "unweighted", "how_many"
    )
    used |= parts.marks("exists") if parts.reading.says("how_many", "how_much") else set()
    used |= parts.marks("percent") if _asks_percentage(parts, measures) else set()
    used |= {slot.index for slot in parts.measures if slot.ref in found.columns}
    named = require_named(parts, found, split, any_member=bool(functions))
    return Draft(plans, found.used | used | named)


def _not_thresholds(parts: Parts, measures: Sequence[Slot]) -> tuple[Slot, ...]:
    """ "sales of branches with more than 10 employees": a figure said only with an amount chooses rows and is not asked for."""
    chosen = {slot.index for use in parts.amounts if (slot := amount_slot(parts, use)) is not None}
    asked = {slot.ref for slot in parts.measures if slot.index not in chosen}
    filtering = {slot.ref for slot in parts.measures if slot.index in chosen} - asked
    return tuple(measure for measure in measures if measure.ref not in filtering)


def _is_verb_behind(parts: Parts, measures: Sequence[Slot]) -> bool:
    """ "How many points did X lose?": a figure that is not listed with the counted one but said as a verb of its own."""
    if parts.reading.question.language != "en" or not parts.reading.says("how_many"):
        return False
    ordered = sorted(measures, key=lambda slot: parts.place(slot.index))
    return len(enumerated(parts, ordered[0], ordered[1:])) < len(ordered)


def _counts_entries(parts: Parts, measure: Slot) -> bool:
    """ "Zahl der am 30.09. überfälligen offenen Posten": of amounts of money the entries are meant, never their sum; "wie viele
    Euro" asks for the sum. Polish "ile" is both."""
    marks = parts.marks("how_many")
    if not marks or measure.index < 0 or not is_money(measure) or parts.reading.question.language == "pl":
        return False
    following = parts.reading.mentions[min(marks) + 1 :]
    return not (following and following[0].unit is not None)


def _asks_percentage(parts: Parts, measures: Sequence[Slot]) -> bool:
    """ "Wie viel Prozent betrug die Marge?" of figures that are percentages; "um wie viel Prozent" asks for a change."""
    reading = parts.reading
    changes = any(
        mention.says("how_much") and reading.question.tokens[mention.first].folded in ("um", "by") for mention in reading.mentions
    )
    return not changes and all(measure.column.unit == "%" for measure in measures)


def _asks_which_thing(parts: Parts) -> bool:
    """ "Which vegetable crop had the largest area?": a thing is asked for, even if the words behind "which" name no column."""
    for mark in parts.marks("which"):
        behind = next((m for m in parts.reading.mentions[mark + 1 :] if m.kind != "function_word"), None)
        if behind is not None and behind.kind == "tables":
            return True
    return False


def _counts_things(parts: Parts, mark: int) -> bool:
    """ "How many drivers scored points?" asks for the drivers, not for the points."""
    thing = counted(parts, mark)
    return thing is not None and not is_measure(thing.column) and parts.reading.question.language == "en"


def _asks_for_another(parts: Parts, concept: str) -> bool:
    """ "die Hauptstadt des Staats mit den meisten Einwohnern": what is said before the superlative is asked for."""
    bound = where(parts).columns
    mark = min(parts.place(index) for index in parts.marks(concept))
    return any(slot.ref not in bound and parts.place(slot.index) < mark for slot in parts.entities)


def _about(parts: Parts, use: AmountUse) -> ColumnRef | None:
    slot = amount_slot(parts, use)
    return slot.ref if slot is not None else None


def _check_unit_of_rows(parts: Parts, measure: Slot) -> None:
    """ "durchschnittlicher Auftragswert" over rows that are parts of orders: the rows are not what is averaged. Raises Stop."""
    if measure.column.aggregation != "sum":
        return
    index = parts.reading.names.values[parts.main_name]
    for column in parts.main.columns:
        several_rows = 1 < index.distinct.get(column.sql_name, 0) < index.rows
        if not is_measure(column) and several_rows and entity_name(display_name(column)) and same_stem(column, measure):
            name = (entity_name(display_name(column)) or "").strip()
            label = {"de": f"je {name}", "en": f"per {name}", "pl": f"na {name}"}[parts.reading.question.language]
            option = Option(label, append(parts.reading, label, label, label))
            raise Stop(PlannerStop("clarify", "ambiguous_term", "average_of_what", (measure.name, name), (option,)))


def _listed(parts: Parts) -> tuple[tuple[ColumnRef, ...], tuple[str, ...]]:
    """Several values of one column, or several periods, without a word that adds them up: one row each."""
    if parts.reading.says("sum", "average", "median", "maximum", "minimum"):
        return (), ()
    counts: dict[ColumnRef, Slot] = {}
    doubled = _said_as_sum(parts)
    if doubled and len(parts.values) > 1:  # "total medals of A and B" of a column Total
        if len([slot for slot in parts.measures if slot.ref == doubled.ref]) > 1:
            return (), ()
        raise Stop(PlannerStop("refused", "not_understood", "no_rule"))
    for value in parts.values:
        if len([v for v in parts.values if v.column.ref == value.column.ref and not v.negated]) > 1:
            counts[value.column.ref] = value.column
    if len(parts.periods) > 1:
        slot = parts.periods[0].slot
        if slot is not None:
            counts[slot.ref] = slot
    return tuple(counts), tuple(slot.name for slot in counts.values())


def _said_as_sum(parts: Parts) -> Slot | None:
    """A figure whose name is a word that adds up."""
    book, tokens = lexicon(parts.reading.question.language), parts.reading.question.tokens
    for slot in parts.measures:
        mention = parts.reading.mentions[slot.index]
        if "sum" in book.concepts(tuple(token.folded for token in tokens[mention.first : mention.last])):
            return slot
    return None


def product(parts: Parts) -> Draft | None:
    """ "Menge mal Einkaufspreis": row by row, then summed; the second column may come from a joined table."""
    times = parts.marks("times")
    numbers = [slot for slot in parts.slots if is_measure(slot.column)]
    if len(times) != 1 or len(numbers) != 2 or numbers[0].ref == numbers[1].ref:
        return None
    place = parts.place(min(times))
    if not parts.place(numbers[0].index) < place < parts.place(numbers[1].index):
        return None
    if parts.main_name not in {slot.ref.table for slot in numbers}:
        return None
    found = with_amounts(parts, where(parts), None)
    require_fixed(parts, found, ())
    name = " × ".join(slot.name for slot in numbers)
    refs = [slot.ref for slot in numbers]
    plans = tuple(
        AggregatePlan((make_term(parts, "sum", refs, found, conditions),), (Output(name, TermValue(0)),))
        for conditions in found.alternatives
    )
    used = {slot.index for slot in numbers} | times | parts.marks("sum")
    return Draft(plans, found.used | used | require_named(parts, found, ()))


def together(parts: Parts) -> Draft | None:
    """Two or more measures of one table added ("Material- und Personalaufwand zusammen"), or divided."""
    measures = _not_thresholds(parts, own_measures(parts))
    divided = parts.reading.says("divided_by")
    if len(measures) < 2 or not (parts.reading.says("sum", "plus") or (divided and len(measures) == 2)):
        return None
    if not divided:
        require_alike(measures)
    found, convert = unit_where(parts, with_amounts(parts, where(parts), None), measures[0])
    require_fixed(parts, found, ())
    plans = []
    for conditions in found.alternatives:
        terms = tuple(make_term(parts, default_aggregation(parts, m, conditions), [m.ref], found, conditions) for m in measures)
        expression: Expression = TermValue(0)
        if divided:
            expression = Ratio(TermValue(0), TermValue(1), percent=parts.reading.says("percent"))
        else:
            for position in range(1, len(measures)):
                expression = Arithmetic("+", expression, TermValue(position))
        name = (" / " if divided else " + ").join(measure.name for measure in measures)
        plans.append(AggregatePlan(terms, (Output(name, expression, convert_to=convert),)))
    used = {slot.index for slot in (*measures, *parts.measures)} | parts.marks("sum", "plus", "divided_by", "percent")
    return Draft(tuple(plans), found.used | used | require_named(parts, found, ()))


def text_or_list(parts: Parts) -> Draft | None:
    """ "In welchem Ort sitzt der Kunde 0001042?", "Nenne die Firmen in Polen": columns of the rows that fit."""
    if parts.reading.says(
        "how_many", "maximum", "minimum", "average", "median", "sum", "share", "difference", "group_by", "times"
    ):
        return None
    if parts.marks("not", "without") - parts.blank_marks:
        return None
    if any(_adds_up(parts, use) for use in parts.amounts):
        return None
    found = with_amounts(parts, where(parts), None)
    targets = _targets(parts, found.columns - {slot.ref for _, slot, _ in parts.texts})
    if not targets or any(slot.ref.table not in parts.reading.frame.paths for slot in targets):
        return None
    if not found.columns and not parts.reading.says("list", "which"):
        return None
    if parts.reading.says("how_high") and all(slot.column.column.type is ColumnType.TEXT for slot in targets):
        return None  # "Wie hoch war der Absatz von A?": no name answers it
    used = {slot.index for slot in targets} | parts.marks("exists", "who")
    named = require_named(parts, found, tuple(slot.ref for slot in targets))
    plans = []
    for conditions in found.alternatives:
        refs = [slot.ref for slot in targets]
        term = make_term(parts, "count", refs, found, conditions)
        plans.append(
            ListPlan(
                parts.main_name,
                tuple(refs),
                tuple(slot.name for slot in targets),
                term.joins,
                conditions,
                existence=parts.reading.says("exists") and not parts.reading.says("which", "list"),
                with_totals=found.totals,
                visible_rows_only=term.visible_rows_only,
            )
        )
    used |= {slot.index for slot in parts.slots if slot.ref in found.columns}
    return Draft(tuple(plans), found.used | used | named)


def _adds_up(parts: Parts, use: AmountUse) -> bool:
    """A threshold on numbers that belong together over several rows is no condition on one row, unless a row is the thing."""
    slot = amount_slot(parts, use)
    index = parts.reading.names.values[parts.main_name]
    unique = any(index.distinct.get(column.sql_name) == index.rows for column in parts.main.columns if not is_measure(column))
    return (slot is None or slot.column.aggregation == "sum") and not unique


def _targets(parts: Parts, bound: frozenset[ColumnRef]) -> tuple[Slot, ...]:
    """The columns asked for: those said and not used by a condition; of an entity and its own name column both."""
    asked = [slot for slot in parts.slots if slot.ref not in bound and not is_measure(slot.column)]
    entity = asked_entity(parts) or who(parts)
    if entity is not None:
        named = (slot for slot in asked if _is_companion(parts, slot))
        return tuple(dict.fromkeys([*enumerated(parts, entity, asked), *named]))
    first = [slot for slot in asked if not _is_mere_subject(parts, slot)]
    return tuple(first[:1]) if first else tuple(asked[:1])


def _is_companion(parts: Parts, slot: Slot) -> bool:
    """In brackets, or asked for by a sentence of its own ("Bitte die Bezeichnung nennen")."""
    tokens, text = parts.reading.question.tokens, parts.reading.question.text
    mention = parts.reading.mentions[slot.index]
    before, behind = text[: tokens[mention.first].start], text[tokens[mention.last - 1].end :]
    return before.rstrip().endswith("(") or behind.strip().lower().startswith(("nennen", "angeben", "ausgeben", "anzeigen"))


def _is_mere_subject(parts: Parts, slot: Slot) -> bool:
    """ "der Kunde mit der Kundennummer …": the subject of a condition that follows."""
    return any(
        condition.ref.table == slot.ref.table and condition.ref == slot.ref for condition in parts.slots if condition is not slot
    )


def never(parts: Parts) -> Draft | None:
    """ "Kunden, die keinen Auftrag haben", "Artikel, die nie bestellt wurden": the key stands nowhere in the other table.

    A time or an amount may be about the rows that are not there ("keinen Auftrag im Jahr 2024"): then there is no answer."""
    marks = parts.marks("not", "without") - parts.blank_marks
    inner = parts.reading.inner
    if not marks or inner is None or any(value.negated for value in parts.values):
        return None
    if not all(_denies(parts, mark, inner.many.table) for mark in marks) or any(_compares(parts, mark) for mark in marks):
        return None
    said = {slot.ref for slot in parts.slots}
    if any(use.slot is None or use.slot.ref not in said for use in parts.periods) or any(
        use.index > min(marks) for use in parts.amounts
    ):
        return None
    join = inner
    found = with_amounts(parts, where(parts), None)
    targets = _own_targets(parts)
    if not targets or is_measure(targets[0].column) or not _is_each_row(parts, min(marks)):
        return None
    condition = InRows(join.one, join.many, negated=True)
    found = found.plus([condition], marks)
    plans = tuple(
        ListPlan(
            parts.main_name,
            tuple(slot.ref for slot in targets),
            tuple(slot.name for slot in targets),
            make_term(parts, "count", [slot.ref for slot in targets], found, conditions).joins,
            conditions,
        )
        for conditions in found.alternatives
    )
    return Draft(plans, found.used | {slot.index for slot in parts.slots})


def _denies(parts: Parts, mark: int, table: str) -> bool:
    """What is said right behind the negation names the other table, or a column that only it has."""
    behind = next((m for m in parts.reading.mentions[mark + 1 :] if m.kind != "function_word"), None)
    if behind is None:
        return False
    own = any(name.table == parts.main_name for name in behind.columns)
    return table in behind.tables or (not own and any(name.table == table for name in behind.columns))


def _is_each_row(parts: Parts, mark: int) -> bool:
    """What is said to have none is what each row is about: a region may have customers without orders and still have orders."""
    own = [slot for slot in parts.entities if slot.ref.table == parts.main_name]
    said = [slot for slot in own if slot.index < mark][-1:] or own[:1]
    index = parts.reading.names.values[parts.main_name]
    return bool(said) and index.distinct.get(said[0].ref.column, 0) >= index.rows


def _compares(parts: Parts, mark: int) -> bool:
    """ "nicht höher als 80" is about the number, not about rows of another table."""
    following = next((m for m in parts.reading.mentions[mark + 1 :] if m.kind != "function_word"), None)
    return following is not None and (following.amount is not None or following.says(*COMPARATORS))


def _own_targets(parts: Parts) -> tuple[Slot, ...]:
    own = [slot for slot in parts.slots if slot.ref.table == parts.main_name]
    named = [slot for slot in own if _is_companion(parts, slot)]
    first = own[:1]
    return tuple(dict.fromkeys([*first, *named]))
