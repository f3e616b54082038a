"""Rules about the data themselves, and about questions that do not say what to measure by."""

from __future__ import annotations

from orchestrator.link_names import display_name, is_measure
from orchestrator.plan import CatalogPlan
from orchestrator.planners.decision import Draft, Option, PlannerStop, Stop
from orchestrator.planners.parts import Parts


def catalog(parts: Parts) -> Draft | None:
    """ "Welche Spalten gibt es?", "Which tables are there?": names from the asker's own scope."""
    columns, tables = parts.marks("catalog_columns"), parts.marks("catalog_tables")
    if bool(columns) == bool(tables) or not parts.reading.says("which", "list", "exists", "how_much"):
        return None
    if parts.slots or parts.values or parts.periods:
        return None
    about_this = any(mention.kind == "tables" and parts.main_name in mention.tables for mention in parts.reading.mentions)
    plan = CatalogPlan("columns" if columns else "tables", parts.main_name if about_this and columns else None)
    return Draft((plan,), frozenset(columns | tables | parts.marks("exists")))


def vague(parts: Parts) -> Draft | None:
    """ "Wer ist unser bester Kunde?": by what is not said; asks for the measure. Raises Stop."""
    marks = parts.marks("vague_best")
    if not marks or not parts.entities:
        return None
    measures = [c for c in parts.main.columns if is_measure(c) and c.aggregation == "sum" and c.column.role != "total"]
    if not measures or parts.measures:
        return None
    entity = parts.entities[0].name
    said = parts.reading.text_of(parts.reading.mentions[min(marks)])
    forms = {"de": "Top 1 {0} nach {1}", "en": "Top 1 {0} by {1}", "pl": "Top 1 {0} według {1}"}
    form = forms[parts.reading.question.language]
    labels = [display_name(column) for column in measures][:6]
    options = tuple(Option(label, form.format(entity, label)) for label in labels)
    raise Stop(PlannerStop("clarify", "ambiguous_term", "which_measure", (said,), options))
