"""The workspace that a goldset run, or the demo, works in: the product's own actions, with the goldset's settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from types import MappingProxyType

from goldsets.goldset import CorpusFile, Goldset
from goldsets.score import JsonObject
from orchestrator.scope import Asker
from qa.administration import IngestRequest, authorize, ingest
from qa.asking import ask
from qa.map_administration import apply_contract
from qa.relation_findings import unusable_relations
from qa.settings import STORE_VARIABLES
from qa.settings_file import TomlValue, write_workspace
from qa.wiring import Workspace, open_workspace
from schema_maps.contract import Contract

RUNNER = "goldset"
"""Who did it, in the log of such a workspace."""


class GoldsetWorkspace:
    """goldsets.run.RunWorkspace on a real workspace."""

    def __init__(self, workspace: Workspace, goldset: Goldset) -> None:
        self._workspace = workspace
        self._source = goldset.path.name

    def close(self) -> None:
        self._workspace.close()

    def read(self, entry: CorpusFile) -> None:
        request = IngestRequest(
            tenant=entry.tenant,
            access_level=entry.access_level,
            kind=entry.kind,
            label=entry.label,
            version_date=entry.version_date,
            status=entry.version_status,
            locale=entry.locale,
            sheet_levels=entry.sheet_levels,
            create_tenant=True,
            by=RUNNER,
        )
        ingest(self._workspace, entry.path, request)

    def declare_binding(self, tenant: str, document: str, version: str) -> None:
        authorize(self._workspace, tenant, document, version, RUNNER)

    def approve(self, tenant: str, contract: Contract) -> None:
        """A relation that cannot join is left out: its questions are asked all the same, and must be refused."""
        mine = contract.for_tenant(tenant)
        unusable = [relation for relation, _ in unusable_relations(self._workspace.catalog.tables(tenant), mine)]
        kept = mine.model_copy(update={"relations": tuple(each for each in mine.relations if each not in unusable)})
        if kept.schema_map or kept.relations or kept.synonyms or not unusable:
            apply_contract(self._workspace, tenant, kept, RUNNER, self._source)

    def ask(self, question: str, asker: Asker, session_id: str | None, today: date | None) -> JsonObject:
        return ask(self._workspace, question, asker, session_id=session_id, today=today)


def open_goldset_workspace(
    root: Path,
    goldset: Goldset,
    questions: Mapping[str, list[str]] = MappingProxyType({}),
    without: frozenset[str] = frozenset(),
) -> GoldsetWorkspace:
    """A fresh workspace in `root`, with stores of its own whatever the environment names for the service. `questions`: what the
    page offers to a tenant. `without`: features of the search in rows. Raises SettingsError if there is one."""
    said = goldset.settings
    settings: dict[str, TomlValue] = {}
    if said.fiscal_year_start is not None:
        settings["fiscal_year_start"] = said.fiscal_year_start
    if said.fiscal_year_named_by is not None:
        settings["fiscal_year_named_by"] = said.fiscal_year_named_by
    sections: dict[str, dict[str, TomlValue]] = {tenant: {"review": said.review} for tenant in goldset.tenants}
    for tenant, offered in questions.items():
        sections[tenant]["questions"] = offered
    write_workspace(root, settings, sections)
    return reopen_goldset_workspace(root, goldset, without)


def reopen_goldset_workspace(root: Path, goldset: Goldset, without: frozenset[str] = frozenset()) -> GoldsetWorkspace:
    """The workspace of an earlier run."""
    environment = {name: value for name, value in os.environ.items() if name not in STORE_VARIABLES}
    return GoldsetWorkspace(open_workspace(root, environment, without), goldset)
