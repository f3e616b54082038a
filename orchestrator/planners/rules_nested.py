"""Nested filters: "Menge der Kunden, deren Umsatz über 10.000 EUR liegt": the members are chosen by their own total."""

from __future__ import annotations

from orchestrator.plan import Condition, HavingIn
from orchestrator.planners.conditions import amount_in
from orchestrator.planners.decision import Draft
from orchestrator.planners.parts import Parts, amount_slot, make_term, members_meant, plans_for, unit_where, where
from orchestrator.planners.requirements import require_fixed


def nested(parts: Parts) -> Draft | None:
    """One measure over the members of an entity whose total of a measure meets all amounts of the question.

    A further filter would leave open whether the total is to be under it too: then there is no answer."""
    if not parts.amounts or parts.reading.says("which", "list", "how_many", "maximum", "minimum", "group_by", "not", "without"):
        return None
    about = amount_slot(parts, parts.amounts[0])
    entity = members_meant(parts, parts.amounts[0])
    if about is None or entity is None or any(amount_slot(parts, use) != about for use in parts.amounts):
        return None
    asked = [slot for slot in parts.measures if parts.place(slot.index) < parts.place(entity.index)]
    if len(asked) != 1 or len(parts.measures) != 2 or about.ref.table != parts.main_name:
        return None
    found, convert = unit_where(parts, where(parts), asked[0])
    if any(found.alternatives):
        return None
    used = {entity.index, asked[0].index, about.index} | parts.marks("whose", "sum")
    chosen: list[Condition] = []
    total = make_term(parts, "sum", [about.ref], found, (), [entity.ref])
    for use in parts.amounts:
        value, unit_condition = amount_in(parts.reading, about, use.amount)
        if unit_condition:
            return None
        chosen.append(HavingIn(entity.ref, total, use.operator, value))
        used |= {use.index} | ({use.operator_index} if use.operator_index is not None else set())
    found = found.plus(chosen)
    require_fixed(parts, found, (entity.ref,))
    return Draft(plans_for(parts, found, asked, convert=convert), found.used | used)
