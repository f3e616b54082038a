"""The one composition root: from a directory to everything that works on it. Nothing else puts stores and services together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from indexer.catalog import Catalog
from qa.audit import AuditLog
from qa.audit_store import AuditStore
from qa.settings import Settings, load_settings
from schema_maps.store import SchemaMapStore


@dataclass(frozen=True)
class Workspace:
    """A workspace that is open: settings, catalogue, schema maps, audit log."""

    settings: Settings
    catalog: Catalog
    schema_maps: SchemaMapStore
    audit: AuditLog


def open_workspace(root: Path) -> Workspace:
    """Raises SettingsError, and refuses two tenants in one place, also one that only the catalogue knows."""
    settings = load_settings(root)
    places = {name: settings.tenant(name).data_dir for name in settings.sections}
    catalog = Catalog.open(settings.catalog_url, settings.data, places)
    settings.check_places(catalog.tenants())
    audit = AuditLog(AuditStore(settings.audit_url, settings.audit_checkpoint))
    return Workspace(settings, catalog, SchemaMapStore(settings.data / "schema_maps"), audit)
