"""What administrators do to a workspace: each action changes the catalogue and leaves its event in the audit log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from indexer.ingest import IngestReport, ingest_file
from indexer.stored import Kind, Version, VersionStatus
from qa.problems import BelegError
from qa.settings import month_and_day
from qa.wiring import Workspace

READABLE_SUFFIXES = frozenset({".xlsx", ".xlsm", ".xls", ".xlsb", ".ods", ".csv", ".tsv"})
"""What is taken from a folder; a file that is named itself is read whatever its name, by its content."""


@dataclass(frozen=True)
class IngestRequest:
    """What is said about a file; `locale` None: the tenant's. `file_name` stands for the path's own (an upload)."""

    tenant: str
    access_level: str | None
    kind: Kind = "other"
    label: str | None = None
    version_date: date | None = None
    status: VersionStatus | None = None
    locale: str | None = None
    sheet_levels: Mapping[str, str] = field(default_factory=dict)
    create_tenant: bool = False
    by: str = ""
    file_name: str | None = None


def ingest(
    workspace: Workspace,
    path: Path,
    request: IngestRequest,
    progress: Callable[[str, int], None] | None = None,
    checkpoint: Callable[[str], None] = lambda step: None,
) -> IngestReport:
    """Reads one file into its tenant; `progress` and `checkpoint` as indexer.ingest.ingest_file has them. Raises what that
    raises, and BelegError for too large a file."""
    limit = workspace.settings.limits.max_file_mb
    if path.is_file() and path.stat().st_size > limit * 1_000_000:
        raise BelegError(
            f"{request.file_name or path} ist größer als {limit} MB (limits.max_file_mb in beleg.toml); die Datei teilen oder "
            "die Grenze anheben."
        )
    tenant = workspace.settings.tenant(request.tenant)
    report = ingest_file(
        workspace.catalog,
        path,
        tenant=request.tenant,
        access_level=request.access_level,
        kind=request.kind,
        label=request.label,
        version_date=request.version_date,
        status=request.status,
        locale=request.locale or tenant.locale,
        sheet_levels=request.sheet_levels,
        create_tenant=request.create_tenant or request.tenant in workspace.settings.sections,
        fiscal_year_start=month_and_day(tenant.fiscal_year_start),
        progress=progress,
        checkpoint=checkpoint,
        file_name=request.file_name,
        by=request.by,
    )
    _note(workspace, request.tenant)
    return report


def files_under(path: Path) -> Iterator[Path]:
    """The file itself, or every readable file of a folder, in order of their paths. Raises BelegError where there is none."""
    if not path.exists():
        raise BelegError(f"{path} gibt es nicht; den Pfad prüfen.")
    if not path.is_dir():
        yield path
        return
    found = [each for each in sorted(path.rglob("*")) if each.is_file() and each.suffix.lower() in READABLE_SUFFIXES]
    found = [each for each in found if not each.name.startswith(("~$", "."))]  # lock files of a spreadsheet program
    if not found:
        raise BelegError(
            f"Im Ordner {path} liegt keine Tabellendatei (XLSX, XLSM, XLS, XLSB, ODS, CSV, TSV); einen anderen nennen."
        )
    yield from found


def authorize(workspace: Workspace, tenant: str, document: str, version: str, by: str) -> Version:
    """A person says which version is binding. Raises as indexer.catalog.Catalog.authorize."""
    chosen = workspace.catalog.authorize(tenant, document, version, by)
    _note(workspace, tenant)
    return chosen


def remove(workspace: Workspace, tenant: str, document: str, version: str | None, by: str) -> tuple[Version, ...]:
    """Takes a document or one version out of every answer. Raises as indexer.catalog.Catalog.remove."""
    gone = workspace.catalog.remove(tenant, document, version, by=by)
    workspace.row_indexes.forget_what_is_gone(tenant)
    _note(workspace, tenant)
    return gone


def set_level(workspace: Workspace, tenant: str, document: str, level: str, sheet: str | None, by: str) -> None:
    """Changes who may see a document or one sheet of it. Raises as indexer.catalog.Catalog.set_level."""
    workspace.catalog.set_level(tenant, document, level, sheet, by=by)
    workspace.row_indexes.forget_what_is_gone(tenant)
    _note(workspace, tenant)


def _note(workspace: Workspace, tenant: str) -> None:
    workspace.audit.carry_over(workspace.catalog, [tenant])
