"""Rules for counts: of things, of rows, and the share of those that meet a condition."""

from __future__ import annotations

from orchestrator.compounds import entity_name
from orchestrator.link_names import find_table_nouns, is_measure, is_number
from orchestrator.plan import AggregatePlan, Output, Ratio, TermValue
from orchestrator.planners.asked import AND, counted, groups_said, leading_name
from orchestrator.planners.decision import Draft
from orchestrator.planners.parts import Parts, make_term, own_measures, where, with_amounts
from orchestrator.planners.requirements import require_fixed, require_named
from orchestrator.planners.slots import Slot
from orchestrator.units import is_currency
from parsers.table import ColumnType


def count(parts: Parts) -> Draft | None:
    """ "Wie viele X …": distinct X of an entity column, rows where X numbers the lines of something else."""
    asked = sorted(parts.marks("how_many"))
    if not asked:
        return None
    target = counted(parts, asked[0])
    if target is None:
        return _rows_of_table(parts, asked[0])
    if is_measure(target.column) and (not is_money(target) or parts.reading.question.language == "pl"):  # "ile" is both
        return None
    if _counts_another(parts, target):
        return None
    groups = groups_said(parts)
    refs = tuple(slot.ref for slot in groups)
    measures = [slot for slot in own_measures(parts) if slot.index >= 0]
    found = with_amounts(parts, where(parts), None)
    used = {asked[0], target.index} | {slot.index for slot in groups} | parts.marks("distinct", "group_by", "sum", "exists")
    used |= {slot.index for slot in measures if slot.ref in found.columns}
    if target.ref.table != parts.main_name:
        return None
    require_fixed(parts, found, (*refs, target.ref), over_time=True)
    counts_lines = numbers_lines(parts, target)
    plans = []
    for conditions in found.alternatives:
        if is_measure(target.column):
            term = make_term(parts, "count", [target.ref], found, conditions, refs)
        elif counts_lines and not parts.reading.says("distinct"):
            term = make_term(parts, "count", [], found, conditions, refs)
        else:
            term = make_term(parts, "count_distinct", [target.ref], found, conditions, refs)
        output = (Output(_count_name(parts, target), TermValue(0)),)
        plans.append(AggregatePlan((term,), output, refs, tuple(s.name for s in groups)))
        if term.aggregation == "count_distinct" and _rows_may_be_meant(parts, target):
            rows = make_term(parts, "count", [target.ref], found, conditions, refs)
            plans.append(AggregatePlan((rows,), output, refs, tuple(s.name for s in groups)))
    named = require_named(parts, found, (*refs, target.ref))
    return Draft(tuple(plans), found.used | used | named)


def _rows_may_be_meant(parts: Parts, target: Slot) -> bool:
    """In English, of a column that is no key, each row may be one of the things ("tournaments" held in the same town), unless the
    first names tell the rows apart: where rows and different names are not equally many, the asker chooses. So of days
    ("Eintritte") in every language, several of which may be the same."""
    ends = {end for path in parts.reading.frame.paths.values() for join in path for end in (join.many, join.one)}
    is_key = target.ref in ends or entity_name(target.column.column.header) is not None
    if target.column.column.type in (ColumnType.DATE, ColumnType.TIMESTAMP) and not parts.reading.says("distinct"):
        return True
    if parts.reading.question.language != "en" or is_key or parts.reading.says("distinct"):
        return False
    if _repeats_over_time(parts, target):
        return False
    subject = leading_name(parts)
    return subject is None or subject.ref == target.ref


def _repeats_over_time(parts: Parts, target: Slot) -> bool:
    """A report of the same things for several periods: each thing has one row a period at most."""
    index = parts.reading.names.values[parts.main_name]
    times = [column.sql_name for column in parts.main.columns if column.column.type is ColumnType.PERIOD]
    return any(index.distinct.get(name, 0) * 2 <= index.rows and index.tell_apart(target.ref.column, name) for name in times)


def how_often(parts: Parts) -> Draft | None:
    """ "How many times was grass the surface?": the rows that meet the conditions, of which there must be one."""
    marks = parts.marks("how_often")
    if not marks or parts.measures or parts.marks("not", "without") or parts.reading.says("group_by", "maximum", "minimum"):
        return None
    found = with_amounts(parts, where(parts), None)
    if not found.columns or not all(found.alternatives):
        return None
    require_fixed(parts, found, (), over_time=True)
    name = {"de": "Anzahl", "en": "Number of times", "pl": "Liczba"}[parts.reading.question.language]
    output = (Output(name, TermValue(0)),)
    plans = tuple(AggregatePlan((make_term(parts, "count", [], found, conditions),), output) for conditions in found.alternatives)
    return Draft(plans, found.used | marks | {slot.index for slot in parts.slots if slot.ref in found.columns})


def _counts_another(parts: Parts, target: Slot) -> bool:
    """ "Wie viele Lehrer und Kurse": two numbers are asked for."""
    tokens, end = parts.reading.question.tokens, parts.reading.mentions[target.index].last
    joined = end < len(tokens) and tokens[end].folded in AND
    return joined and any(parts.place(slot.index) == end + 1 for slot in parts.entities)


def _rows_of_table(parts: Parts, asked: int) -> Draft | None:
    """ "Wie viele Autos …" of a table of that name: its rows, where its first column tells them apart."""
    noun = next((i for i, m in enumerate(parts.reading.mentions) if i > asked and m.kind != "function_word"), None)
    if noun is None or parts.reading.mentions[noun].kind != "tables" or parts.measures or parts.reading.says("group_by"):
        return None
    token = parts.reading.question.tokens[parts.reading.mentions[noun].first]
    index = parts.reading.names.values[parts.main_name]
    first = parts.main.columns[0]
    layout = parts.main.stored.table.layout
    described = sum(column.column.type is ColumnType.TEXT for column in parts.main.columns) > 1  # more than the labels of figures
    is_list = index.distinct.get(first.sql_name) == index.rows and (layout == "list" or (layout == "crosstab" and described))
    if parts.main_name not in find_table_nouns(parts.reading.names, token, parts.reading.question.language) or not is_list:
        return None
    found = with_amounts(parts, where(parts), None)
    require_fixed(parts, found, ())
    name = {"de": "Anzahl", "en": "Number of", "pl": "Liczba"}[parts.reading.question.language]
    output = (Output(f"{name} {token.text}", TermValue(0)),)
    plans = tuple(AggregatePlan((make_term(parts, "count", [], found, conditions),), output) for conditions in found.alternatives)
    return Draft(plans, found.used | {asked, noun} | parts.marks("exists", "sum") | require_named(parts, found, ()))


def share_of_count(parts: Parts) -> Draft | None:
    """ "Wie viel Prozent der Belege haben Mahnstufe 3?": rows that meet the one condition, over all. In a tidied cross-tab the
    rows are cells, and how many of them there are says nothing of what they count."""
    if (
        parts.main.stored.table.layout == "tidy"
        or not parts.reading.says("percent", "share")
        or parts.measures
        or not parts.entities
        or parts.reading.says("attained", "change", "increase")
    ):
        return None
    found = with_amounts(parts, where(parts), None)
    if len(found.alternatives) != 1 or len(found.alternatives[0]) != 1 or parts.periods:
        return None
    subject = min(parts.entities, key=lambda slot: parts.place(slot.index))
    if subject.ref in found.columns or subject.ref.table != parts.main_name:
        return None
    require_fixed(parts, found, (subject.ref,))
    distinct = "count" if numbers_lines(parts, subject) else "count_distinct"
    columns = [] if distinct == "count" else [subject.ref]
    part = make_term(parts, distinct, columns, found, found.alternatives[0])
    whole = make_term(parts, distinct, columns, found, ())
    name = {"de": "Anteil", "en": "Share of", "pl": "Udział"}[parts.reading.question.language]
    ratio = Ratio(TermValue(0), TermValue(1), percent=True, kind="share")
    used = {subject.index} | parts.marks("percent", "share", "how_many")
    plan = AggregatePlan((part, whole), (Output(f"{name} {subject.name}", ratio, unit="%"),))
    return Draft((plan,), found.used | used | require_named(parts, found, (subject.ref,)))


def _count_name(parts: Parts, target: Slot) -> str:
    word = {"de": "Anzahl", "en": "Number of", "pl": "Liczba"}[parts.reading.question.language]
    return f"{word} {target.name}"


def is_money(slot: Slot) -> bool:
    """ "Wie viele offene Posten": of amounts of money the entries are counted."""
    return slot.column.column.unit_column is not None or is_currency(slot.column.unit)


def numbers_lines(parts: Parts, target: Slot) -> bool:
    """A column that numbers the lines within something else (Position 10, 20, 30): its rows are meant, not its few values."""
    if not is_number(target.column):
        return False
    index = parts.reading.names.values[target.ref.table]
    return index.distinct.get(target.ref.column, 0) * 4 < index.rows and target.column.column.type is ColumnType.INTEGER
