"""Proposals of a language model for the schema map: kept like those of the rules, for a person to decide on."""

from __future__ import annotations

from orchestrator.language_model.exchange import ModelFailure, Spending
from orchestrator.language_model.propose_meanings import propose_names
from parsers.problem import Problem
from qa.map_administration import document_tables
from qa.problems import BelegError
from qa.wiring import Workspace
from schema_maps.known_tables import KnownSheet, SchemaMapError, known_sheets
from schema_maps.layout import header_key
from schema_maps.schema_map import ColumnMeaning


def propose_by_model(workspace: Workspace, tenant: str, document: str | None, by: str) -> int:
    """Asks for every sheet with columns that nobody has decided on and nothing is proposed for; gives how many proposals were
    stored. Headers are sent, cells are not. Raises BelegError: no model is set, it does not reply, or no such document."""
    tables = document_tables(workspace, tenant)
    second = workspace.tenant_data(tenant).second
    if second is None:
        raise BelegError(f"Für den Mandanten „{tenant}“ ist kein Sprachmodell eingestellt; [llm] in beleg.toml nennt eines.")
    sheets = known_sheets(tables)
    if document is not None and document not in {known.document for known in sheets}:
        message = "Eine Datei dieses Namens ist nicht eingelesen."
        raise SchemaMapError(Problem("unknown_document", document, message, "'beleg tables' nennt die Dateien."))
    decided = {
        (each.document, each.sheet): {header_key(column.header) for column in each.columns}
        for each in workspace.schema_maps.load(tenant).sheets
    }
    found: list[tuple[KnownSheet, ColumnMeaning]] = []
    spent = Spending()
    for known in sheets:
        done = decided.get((known.document, known.sheet), set())
        wanted = [header for header in known.headers if header_key(header) not in done]
        if not wanted or document not in (None, known.document):
            continue
        try:
            names = propose_names(second.model, known.document, known.sheet, known.headers, wanted, "de", spent)
        except ModelFailure as failure:
            raise BelegError(f"Das Sprachmodell hat nicht geantwortet ({failure.kind}); es schlägt nichts vor.") from failure
        reason = f"Vorschlag des Sprachmodells {second.settings.model}, nur nach den Spaltenköpfen."
        found += [(known, ColumnMeaning(each.header, each.name, each.unit, each.synonyms, reason=reason)) for each in names]
    workspace.schema_maps.propose_named(tenant, tables, found)
    detail = {"document": document, "model": second.settings.model, "proposals": len(found), "tokens": spent.tokens}
    workspace.audit.event("schema_map_propose", tenant, by, detail)
    return len(found)
