"""Rules for groups: counts, top-n, the highest and lowest, thresholds, groupings."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.compounds import entity_name, parts_key
from orchestrator.link_names import is_measure, is_number
from orchestrator.plan import AggregatePlan, ColumnRef, Condition, Having, Missing, Order, Output, Ratio, TermValue
from orchestrator.planners.conditions import AmountUse, amount_in
from orchestrator.planners.decision import Draft, Option, PlannerStop, Stop
from orchestrator.planners.parts import (
    Parts,
    Where,
    amount_slot,
    make_term,
    own_measures,
    plans_for,
    require_fixed,
    require_named,
    unit_where,
    where,
    with_amounts,
)
from orchestrator.planners.slots import Slot
from orchestrator.question import tokenize
from orchestrator.scope import VisibleColumn
from orchestrator.units import is_currency
from parsers.table import ColumnType


def count(parts: Parts) -> Draft | None:
    """ "Wie viele X …": distinct X of an entity column, rows where X numbers the lines of something else."""
    asked = sorted(_indexes(parts, "how_many"))
    if not asked:
        return None
    target = _counted(parts, asked[0])
    if target is None:
        return None
    if is_measure(target.column) and not _is_money(target):
        return None
    groups = _groups(parts)
    refs = tuple(slot.ref for slot in groups)
    measures = [slot for slot in own_measures(parts) if slot.index >= 0]
    found = with_amounts(parts, where(parts), None)
    used = {asked[0], target.index} | {slot.index for slot in groups} | _indexes(parts, "distinct", "group_by", "sum", "exists")
    used |= {slot.index for slot in measures if slot.ref in found.columns}
    if target.ref.table != parts.main_name:
        return None
    require_fixed(parts, found, (*refs, target.ref), over_time=True)
    numbers_lines = _numbers_lines(parts, target)
    plans = []
    for conditions in found.alternatives:
        if is_measure(target.column):
            term = make_term(parts, "count", [target.ref], found, conditions, refs)
        elif numbers_lines and not parts.reading.says("distinct"):
            term = make_term(parts, "count", [], found, conditions, refs)
        else:
            term = make_term(parts, "count_distinct", [target.ref], found, conditions, refs)
        plans.append(AggregatePlan((term,), (Output(_count_name(parts, target), TermValue(0)),), refs, tuple(s.name for s in groups)))
    named = require_named(parts, found, (*refs, target.ref))
    return Draft(tuple(plans), found.used | used | named)


def count_groups(parts: Parts) -> Draft | None:
    """ "Wie viele Kunden haben mehr als drei Aufträge / mehr als 1000 EUR Umsatz?": groups that meet a threshold on a sum."""
    asked = sorted(_indexes(parts, "how_many"))
    measures = own_measures(parts)
    if not asked or len(measures) != 1 or len(parts.amounts) != 1:
        return None
    target = _counted(parts, asked[0])
    if target is None or is_measure(target.column):
        return None
    draft = _threshold(parts, target, measures[0], parts.amounts[0])
    if draft is None:
        return None
    plans = tuple(replace(plan, count_groups=True) for plan in draft.plans if isinstance(plan, AggregatePlan))
    return replace(draft, plans=plans, used=draft.used | {asked[0]} | _indexes(parts, "distinct"))


def threshold(parts: Parts) -> Draft | None:
    """ "Welche Niederlassungen hatten mehr als 2 Mio. PLN Nettoumsatz?"."""
    measures = own_measures(parts)
    target = asked_entity(parts)
    if target is None or len(measures) != 1 or len(parts.amounts) != 1 or parts.reading.says("maximum", "minimum", "how_many"):
        return None
    return _threshold(parts, target, measures[0], parts.amounts[0])


def _threshold(parts: Parts, target: Slot, measure: Slot, use: AmountUse) -> Draft | None:
    about = amount_slot(parts, use)
    if about is None or about.ref != measure.ref:
        return None
    value, unit_condition = amount_in(parts.reading, measure, use.amount)
    found, convert = unit_where(parts, where(parts), measure)
    found = found.plus([unit_condition] if unit_condition else [])
    require_fixed(parts, found, (target.ref,), over_time=False)
    plans = []
    for plan in plans_for(parts, found, [measure], group_by=[target.ref], group_names=[target.name], convert=convert):
        plans.append(replace(plan, having=(Having(0, use.operator, value),)))
    used = {target.index, measure.index, use.index} | ({use.operator_index} if use.operator_index is not None else set())
    used |= _indexes(parts, "sum")
    return Draft(tuple(plans), found.used | used | require_named(parts, found, (target.ref,)))


def top(parts: Parts) -> Draft | None:
    """ "Welche Filiale hat den höchsten Umsatz?", "Top 5 Kunden", "die drei Kostenstellen mit den höchsten Kosten"."""
    target = asked_entity(parts)
    highest, lowest = _indexes(parts, "maximum", "top"), _indexes(parts, "minimum")
    if target is None or bool(highest) == bool(lowest):
        if not (highest and parts.reading.says("top") and not lowest):
            return None
    if target is None:
        return None
    measures = own_measures(parts)
    if len(measures) != 1:
        if not measures and parts.reading.says("top"):
            measures = _only_additive(parts)
        if len(measures) != 1:
            return None
    measure = measures[0]
    found, convert = unit_where(parts, with_amounts(parts, where(parts), measure), measure)
    groups = _with_companions(parts, target)
    refs = tuple(slot.ref for slot in groups)
    require_fixed(parts, found, refs)
    limit, limit_used = _limit(parts, target)
    aggregation = "average" if parts.reading.says("average") else None
    plans = []
    for plan in plans_for(
        parts, found, [measure], aggregation=aggregation, group_by=refs, group_names=[slot.name for slot in groups], convert=convert
    ):
        plans.append(replace(plan, order=Order(0, descending=bool(highest), limit=limit)))
    used = _ranked_by(parts, measure) | {measure.index, *limit_used, *highest, *lowest, *(slot.index for slot in groups)} | _indexes(parts, "sum", "average", "unweighted")
    return Draft(tuple(plans), found.used | used | require_named(parts, found, refs))


def grouped(parts: Parts) -> Draft | None:
    """ "Umsatz je Region", "durchschnittliche Marge je Region", also of several measures."""
    groups = _groups(parts)
    measures = own_measures(parts)
    if not groups or not measures or parts.reading.says("maximum", "minimum", "share") and not parts.reading.says("each"):
        return None
    refs = tuple(slot.ref for slot in groups)
    averaged = parts.reading.says("average")
    if averaged and len(measures) == 1 and len(groups) == 1:
        entity_average = _average_per_entity(parts, measures[0], groups[0])
        if entity_average is not None:
            return entity_average
    if averaged and any(m.column.aggregation == "sum" and _is_key(parts, group) for m in measures for group in groups):
        raise Stop(_per_entity_stop(parts, measures[0], groups[0]))
    found = with_amounts(parts, where(parts), None)
    found, convert = unit_where(parts, found, measures[0])
    require_fixed(parts, found, refs, over_time=averaged)
    aggregation = "average" if averaged else "median" if parts.reading.says("median") else None
    plans = plans_for(parts, found, measures, aggregation=aggregation, group_by=refs, group_names=[s.name for s in groups], convert=convert)
    used = {slot.index for slot in (*groups, *measures)} | _indexes(parts, "group_by", "sum", "average", "median", "unweighted")
    if parts.reading.says("sort_down", "sort_up"):
        used |= _indexes(parts, "sort_down", "sort_up")
        plans = tuple(replace(plan, order=Order(0, descending=parts.reading.says("sort_down"))) for plan in plans)
    return Draft(plans, found.used | used | require_named(parts, found, refs))


def _average_per_entity(parts: Parts, measure: Slot, entity: Slot) -> Draft | None:
    """ "durchschnittlicher Auftragswert je Auftrag": the sum over the number of distinct entities.

    That is meant where the entity is what the rows are about: it names the measure itself, or hardly any two rows share it
    within what is asked. Otherwise "je" groups."""
    if measure.column.aggregation != "sum":
        return None
    names_measure = same_stem(entity.column, measure)
    found, convert = unit_where(parts, with_amounts(parts, where(parts), measure), measure)
    leading = entity.ref.table == parts.main_name and _is_leading(parts, entity)
    if not names_measure and not leading:
        return None
    require_fixed(parts, found, (), over_time=False)
    plans = [_over_distinct(parts, found, conditions, measure, entity, convert) for conditions in found.alternatives]
    used = {measure.index, entity.index} | _indexes(parts, "group_by", "average", "unweighted", "each")
    return Draft(tuple(plans), found.used | used | require_named(parts, found, (entity.ref,)))


def _is_key(parts: Parts, entity: Slot) -> bool:
    """A column that other tables refer to or that refers to them: what it names are things, not classes."""
    paths = parts.reading.frame.paths.values()
    return any(entity.ref in (join.many, join.one) for path in paths for join in path) or bool(entity_name(entity.column.column.header))


def _per_entity_stop(parts: Parts, measure: Slot, entity: Slot) -> PlannerStop:
    """An average "je Kunde" can be the total over the number of customers, or one average for each of them."""
    forms = {
        "de": ("{0} geteilt durch Anzahl {1}", "Summe {0} je {1}"),
        "en": ("{0} divided by number of {1}", "total {0} per {1}"),
        "pl": ("{0} geteilt durch Anzahl {1}", "suma {0} na {1}"),
    }[parts.reading.question.language]
    questions = tuple(form.format(measure.name, entity.name) for form in forms)
    return PlannerStop("clarify", "ambiguous_term", "average_per", (measure.name, entity.name), tuple(Option(q, q) for q in questions))


def divided_by_count(parts: Parts) -> Draft | None:
    """ "Auftragswert geteilt durch Anzahl Kunden": a sum over the number of distinct things."""
    marks, counts = _indexes(parts, "divided_by"), _indexes(parts, "how_many")
    measures = own_measures(parts)
    if len(marks) != 1 or len(counts) != 1 or len(measures) != 1 or measures[0].column.aggregation != "sum":
        return None
    entity = _counted(parts, min(counts))
    if entity is None or is_measure(entity.column) or parts.place(min(counts)) < parts.place(min(marks)):
        return None
    found, convert = unit_where(parts, with_amounts(parts, where(parts), measures[0]), measures[0])
    require_fixed(parts, found, ())
    plans = [_over_distinct(parts, found, conditions, measures[0], entity, convert) for conditions in found.alternatives]
    used = {measures[0].index, entity.index} | marks | counts | _indexes(parts, "sum", "distinct")
    return Draft(tuple(plans), found.used | used | require_named(parts, found, (entity.ref,)))


def _over_distinct(
    parts: Parts, found: Where, conditions: tuple[Condition, ...], measure: Slot, entity: Slot, convert: str | None
) -> AggregatePlan:
    """Sum of the measure over the number of distinct entities that have a value in it."""
    total = make_term(parts, "sum", [measure.ref], found, conditions)
    with_value = (*conditions, Missing(measure.ref, negated=True))
    entities = make_term(parts, "count_distinct", [entity.ref], found, with_value)
    per = {"de": "je", "en": "per", "pl": "na"}[parts.reading.question.language]
    name = f"Ø {measure.name} {per} {entity.name}"
    ratio = Ratio(TermValue(0), TermValue(1))
    return AggregatePlan((total, entities), (Output(name, ratio, unit=measure.column.unit, convert_to=convert),))


def ratio_per(parts: Parts) -> Draft | None:
    """ "Nettoumsatz pro Kassenbon": one sum over another."""
    marks = _indexes(parts, "group_by")
    measures = own_measures(parts)
    if len(marks) != 1 or len(measures) != 2 or any(m.column.aggregation != "sum" for m in measures):
        return None
    above, below = sorted(measures, key=lambda slot: parts.place(slot.index))
    mark = min(marks)
    if not parts.place(above.index) < parts.place(mark) <= parts.place(below.index) - 1 <= parts.place(mark) + 1:
        return None
    found = with_amounts(parts, where(parts), None)
    require_fixed(parts, found, ())
    plans = []
    for conditions in found.alternatives:
        terms = tuple(make_term(parts, "sum", [slot.ref], found, conditions) for slot in (above, below))
        plans.append(AggregatePlan(terms, (Output(f"{above.name} / {below.name}", Ratio(TermValue(0), TermValue(1))),)))
    used = {above.index, below.index, mark} | _indexes(parts, "average")
    return Draft(tuple(plans), found.used | used | require_named(parts, found, ()))


def share_of_count(parts: Parts) -> Draft | None:
    """ "Wie viel Prozent der Belege haben Mahnstufe 3?": rows that meet the one condition, over all."""
    if not parts.reading.says("percent", "share") or parts.measures or not parts.entities or parts.reading.says("attained", "change", "increase"):
        return None
    found = with_amounts(parts, where(parts), None)
    if len(found.alternatives) != 1 or len(found.alternatives[0]) != 1 or parts.periods:
        return None
    subject = min(parts.entities, key=lambda slot: parts.place(slot.index))
    if subject.ref in found.columns or subject.ref.table != parts.main_name:
        return None
    require_fixed(parts, found, (subject.ref,))
    distinct = "count" if _numbers_lines(parts, subject) else "count_distinct"
    columns = [] if distinct == "count" else [subject.ref]
    part = make_term(parts, distinct, columns, found, found.alternatives[0])
    whole = make_term(parts, distinct, columns, found, ())
    name = {"de": "Anteil", "en": "Share of", "pl": "Udział"}[parts.reading.question.language]
    ratio = Ratio(TermValue(0), TermValue(1), percent=True, kind="share")
    used = {subject.index} | _indexes(parts, "percent", "share", "how_many")
    plan = AggregatePlan((part, whole), (Output(f"{name} {subject.name}", ratio, unit="%"),))
    return Draft((plan,), found.used | used | require_named(parts, found, (subject.ref,)))


def listing(parts: Parts) -> Draft | None:
    """ "Nenne alle Artikel der Warengruppe Grillen mit Listenpreis": an entity with its measures, one row each."""
    target = asked_entity(parts)
    measures = own_measures(parts)
    if target is None or not measures or parts.amounts or parts.reading.says("maximum", "minimum", "average", "median", "share", "top", "how_many"):
        return None
    if target.ref in where(parts).columns or not parts.reading.says("which", "list"):
        return None
    groups = _with_companions(parts, target)
    refs = tuple(slot.ref for slot in groups)
    found, convert = unit_where(parts, where(parts), measures[0])
    require_fixed(parts, found, refs)
    plans = plans_for(parts, found, measures, group_by=refs, group_names=[slot.name for slot in groups], convert=convert)
    used = {slot.index for slot in (*groups, *measures)} | _indexes(parts, "sum")
    return Draft(plans, found.used | used | require_named(parts, found, refs))


def same_stem(entity: VisibleColumn, measure: Slot) -> bool:
    """The measure's name begins with the entity's ("Auftragswert" of "Auftrag")."""
    stems = {part for name in entity.names for part in parts_key(tuple(t.text for t in tokenize(name)), "de")}
    heads = [parts_key((token.text,), "de") for token in tokenize(measure.name)]
    return any(len(head) > 1 and stems.intersection(head) for head in heads)


def _is_leading(parts: Parts, entity: Slot) -> bool:
    """The entity is the table's first column and, with the periods, tells its rows apart."""
    columns = [c for c in parts.main.columns if c.column.type in (ColumnType.TEXT, ColumnType.INTEGER) and not is_measure(c)]
    if not columns or columns[0].sql_name != entity.ref.column:
        return False
    index = parts.reading.names.values[parts.main_name]
    periods = 1
    for column in parts.main.columns:
        if column.column.type is ColumnType.PERIOD:
            periods *= max(1, index.distinct.get(column.sql_name, 1))
    return index.distinct.get(entity.ref.column, 0) * periods >= index.rows


# --- who is asked for


def asked_entity(parts: Parts) -> Slot | None:
    """The entity behind "welche", "nenne", "top 5": the first column after it that is no measure; else an entity that opens
    the question ("Kunden mit …")."""
    marks = sorted(_indexes(parts, "which", "list", "top"))
    for mark in marks:
        place = parts.place(mark)
        after = [slot for slot in parts.slots if parts.place(slot.index) > place and not is_measure(slot.column)]
        if after:
            nearest = min(after, key=lambda slot: parts.place(slot.index))
            between = [m for m in parts.reading.mentions if place < m.first < parts.place(nearest.index)]
            if all(m.kind in ("function_word", "amount", "concepts", "period", "unit") for m in between):
                return nearest
    first = next((m for m in parts.reading.mentions if m.kind not in ("function_word", "amount")), None)
    lead = next((slot for slot in parts.slots if first is not None and parts.place(slot.index) == first.first), None)
    return lead if lead is not None and not is_measure(lead.column) else None


def _with_companions(parts: Parts, target: Slot) -> tuple[Slot, ...]:
    """The entity and the columns said right behind it in brackets ("Kunden (Firma)"): all of them are shown."""
    text, tokens = parts.reading.question.text, parts.reading.question.tokens
    groups = [target]
    for slot in parts.slots:
        mention = parts.reading.mentions[slot.index]
        opened = text[: tokens[mention.first].start].rstrip().endswith("(")
        if slot is not target and opened and not is_measure(slot.column) and slot.ref not in {g.ref for g in groups}:
            groups.append(slot)
    return tuple(groups)


def _limit(parts: Parts, target: Slot) -> tuple[int, frozenset[int]]:
    """The number said before the entity ("fünf Kunden", "Top 3"), else 1 for a singular question. Raises Stop on zero."""
    for index, mention in enumerate(parts.reading.mentions):
        amount = mention.amount
        if amount is None or amount.unit is not None or parts.place(index) > parts.place(target.index) or index in {u.index for u in parts.amounts}:
            continue
        if amount.value == amount.value.to_integral_value() and 1 <= amount.value <= 1000:
            return int(amount.value), frozenset({index})
        raise Stop(PlannerStop("refused", "not_understood", "odd_number", (amount.code,)))
    return 1, frozenset()


def _ranked_by(parts: Parts, measure: Slot) -> set[int]:
    """ "Top 5 Kunden nach Umsatz": the word before the measure ranks, it does not group."""
    if measure.index < 0:
        return set()
    return {i for i in _indexes(parts, "group_by") if 0 <= parts.place(measure.index) - parts.reading.mentions[i].last <= 1}


def _counted(parts: Parts, asked: int) -> Slot | None:
    """The column right behind "wie viele" (with "verschiedene" or the like between)."""
    for index in range(asked + 1, len(parts.reading.mentions)):
        mention = parts.reading.mentions[index]
        if mention.kind == "columns":
            return next((slot for slot in parts.slots if slot.index == index), None)
        if mention.kind != "function_word" and not mention.says("distinct", "all", "sum"):
            return None
    return None


def _groups(parts: Parts) -> tuple[Slot, ...]:
    """Columns behind "je", "pro", "nach", and those joined to them by "und"."""
    groups: list[Slot] = []
    for mark in sorted(_indexes(parts, "group_by")):
        position = parts.reading.mentions[mark].last
        for slot in sorted(parts.slots, key=lambda slot: parts.place(slot.index)):
            mention = parts.reading.mentions[slot.index]
            between = [token.folded for token in parts.reading.question.tokens[position : mention.first]]
            near = len(between) <= 2 and (not groups or any(word in _AND for word in between))
            joined = near and not is_measure(slot.column)
            if mention.first >= position and joined and slot.ref not in {g.ref for g in groups}:
                groups.append(slot)
                position = mention.last
    return tuple(groups)


_AND = frozenset({"und", "and", "oraz", "i", "sowie"})


def _is_money(slot: Slot) -> bool:
    """ "Wie viele offene Posten": of amounts of money the entries are counted."""
    return slot.column.column.unit_column is not None or is_currency(slot.column.unit)


def _numbers_lines(parts: Parts, target: Slot) -> bool:
    """A column that numbers the lines within something else (Position 10, 20, 30): its rows are meant, not its few values."""
    if not is_number(target.column):
        return False
    index = parts.reading.names.values[target.ref.table]
    return index.distinct.get(target.ref.column, 0) * 4 < index.rows and target.column.column.type is ColumnType.INTEGER


def _only_additive(parts: Parts) -> tuple[Slot, ...]:
    """The only number column that may be added up ("Top 5 Kunden" of a list with one amount)."""
    additive = [c for c in parts.main.columns if is_measure(c) and c.aggregation == "sum" and c.column.role != "total"]
    return tuple(Slot(-1, ColumnRef(parts.main_name, c.sql_name), c) for c in additive) if len(additive) == 1 else ()


def _count_name(parts: Parts, target: Slot) -> str:
    word = {"de": "Anzahl", "en": "Number of", "pl": "Liczba"}[parts.reading.question.language]
    return f"{word} {target.name}"


def _indexes(parts: Parts, *concepts: str) -> set[int]:
    return {i for i, mention in enumerate(parts.reading.mentions) if mention.says(*concepts)}

