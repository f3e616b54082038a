"""Files: what has been read, uploading, and the reading report drawn as the sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from litestar import Response, get
from litestar.params import FromQuery

from qa.http.file_routes import visible_jobs
from qa.http.sign_in import needs
from qa.map_administration import undecided
from qa.sheet_excerpt import Excerpt, table_excerpt
from qa.visible_files import VisibleVersion, chosen_version, version_line, version_report, visible_versions
from qa.web.visit import AnyRequest, JsonObject, Visit, visit_of

_MOST_GRIDS, _MOST_JOBS, _MOST_DOCUMENTS = 12, 6, 100


@dataclass(frozen=True)
class Document:
    """`versions`: newest first."""

    name: str
    versions: tuple[JsonObject, ...]


@dataclass(frozen=True)
class ReadTable:
    """A table as the report describes it, and its first rows."""

    said: JsonObject
    grid: Excerpt | None


def documents(visit: Visit) -> list[Document]:
    """Every document of which this person sees something."""
    found: dict[str, list[JsonObject]] = {}
    for each in visible_versions(visit.workspace, visit.person):
        found.setdefault(each.version.document, []).insert(0, version_line(each))
    return [Document(name, tuple(versions)) for name, versions in found.items()]


@get("/files", guards=[needs("ask")], include_in_schema=False)
async def files_page(request: AnyRequest) -> Response[str]:
    """The documents, and a form to upload where one may."""
    visit = visit_of(request)

    def work() -> Response[str]:
        found = documents(visit)
        jobs = visible_jobs(visit.services, visit.person)[:_MOST_JOBS] if visit.person.may("upload") else []
        return visit.html(
            "files.html",
            documents=found[:_MOST_DOCUMENTS],
            left_out=max(0, len(found) - _MOST_DOCUMENTS),
            jobs=[job for job in jobs if job["status"] != "done"],
            levels=sorted(visit.person.levels),
            most_megabytes=visit.workspace.settings.limits.max_file_mb,
        )

    return await visit.services.run(work)


@get("/files/report", guards=[needs("ask")], include_in_schema=False)
async def report_page(request: AnyRequest, document: FromQuery[str], version: FromQuery[str]) -> Response[str]:
    """How a version was read."""
    visit = visit_of(request)
    return await visit.services.run(lambda: _report(visit, document, version))


def _report(visit: Visit, document: str, label: str) -> Response[str]:
    seen = chosen_version(visit.workspace, visit.person, document, label)
    report = version_report(visit.workspace, seen)
    tables = [each for each in seen.tables if each.stored.table.layout != "tidy"]
    read = [
        ReadTable(said, table_excerpt(table, visit.language) if place < _MOST_GRIDS else None)
        for place, (said, table) in enumerate(zip(report["tables"], tables, strict=True))
    ]
    return visit.html(
        "report.html",
        report=report,
        tables=read,
        undecided=_undecided(visit, seen) if visit.person.may("meanings") else 0,
        original=f"/originals/{seen.version.version_id}" if seen.whole and seen.tables else None,
    )


def _undecided(visit: Visit, seen: VisibleVersion) -> int:
    """How many visible columns have a technical head about which nobody has decided."""
    visible = {column.column.header for table in seen.tables for column in table.columns}
    stored = visit.workspace.catalog.tables(visit.person.tenant)
    own = [each for each in stored if each.version.version_id == seen.version.version_id]
    return len(visible & set(undecided(visit.workspace, own))) if own else 0


FILE_PAGES: Sequence[Any] = (files_page, report_page)
