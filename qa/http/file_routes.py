"""Files: upload, how far it is, what is there, declare binding, remove, change levels, the original."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, cast
from urllib.parse import quote

from litestar import Request, Response, delete, get, post, put
from litestar.datastructures import UploadFile
from litestar.params import FromPath, JSONBody, MultipartBody, QueryParameter
from litestar.response import File

from indexer.catalog_changes import clean_level, document_name
from indexer.catalog_errors import UnknownDocument
from qa.administration import authorize, remove, set_level
from qa.diff_shape import diff_json
from qa.http.bodies import TAKES_FILES
from qa.http.documented import problems
from qa.http.file_shapes import (
    DiffShape,
    JobShape,
    LevelBody,
    TableLineShape,
    VersionLineShape,
    VersionReportShape,
)
from qa.http.problem_details import ServiceProblem
from qa.http.services import Services
from qa.http.sign_in import needs, services_of, signed_in
from qa.job_worker import upload_path
from qa.jobs import Job, new_job_id
from qa.person import Person
from qa.visible_files import (
    chosen_version,
    version_line,
    version_report,
    visible_diff,
    visible_document,
    visible_tables,
    visible_versions,
)

MOST_WAITING = 100
"""Jobs of one tenant that may wait at once."""
_LONGEST_NAME = 200

Name = Annotated[str, QueryParameter(min_length=1, max_length=200)]
OptionalName = Annotated[str | None, QueryParameter(max_length=200)]


@dataclass
class UploadForm:
    """A file and what is said about it. `sheet_levels`: a JSON object, sheet -> level."""

    file: UploadFile
    access_level: str
    kind: Literal["financial", "sales", "hr", "other"] = "other"
    version: str = ""
    version_date: date | None = None
    status: Literal["", "draft", "corrected", "final"] = ""
    locale: Literal["", "de", "en", "pl", "ch"] = ""
    sheet_levels: str = ""


@post(
    "/v1/files",
    status_code=202,
    guards=[needs("upload")],
    opt={TAKES_FILES: True},
    responses=problems("rejected", body=True),
    tags=["files"],
)
async def upload_route(request: Request[Any, Any, Any], data: MultipartBody[UploadForm]) -> Response[JobShape]:
    """Takes a file in; it is read in the background. The same content again changes nothing; new content under the same name is a
    new version."""
    services, person = services_of(request), signed_in(request)
    try:
        said = _said_about(person, data)
        name = file_name(data.file.filename)
        job = await services.run(_store, services, person, data.file, name, said)
    finally:
        await data.file.close()
    services.runner.wake()
    return Response(cast(JobShape, job.to_json()), headers={"Location": f"/v1/jobs/{job.job_id}"})


def _said_about(person: Person, form: UploadForm) -> dict[str, Any]:
    try:
        sheets = json.loads(form.sheet_levels) if form.sheet_levels.strip() else {}
    except ValueError:
        sheets = None
    if not isinstance(sheets, dict) or not all(isinstance(level, str) for level in sheets.values()):
        raise ServiceProblem("bad_request", "Die Angabe 'sheet_levels' ist kein JSON-Objekt aus Tabellenblatt und Stufe.")
    levels = {sheet: clean_level(level) for sheet, level in sheets.items()}
    own = clean_level(form.access_level)
    for level in (own, *levels.values()):
        if not person.may_give(level):
            raise ServiceProblem("rejected", "Diese Zugriffsstufe ist keine von Ihren; nehmen Sie eine, die Sie selbst haben.")
    return {
        "access_level": own,
        "kind": form.kind,
        "label": form.version.strip() or None,
        "version_date": form.version_date.isoformat() if form.version_date is not None else None,
        "status": form.status or None,
        "locale": form.locale or None,
        "sheet_levels": levels,
    }


def file_name(given: str) -> str:
    """The base name of an uploaded file, whatever folders stand before it. Raises ServiceProblem."""
    name = document_name(given).strip()
    if name in ("", ".", "..") or len(name) > _LONGEST_NAME or any(ord(letter) < 32 or ord(letter) == 127 for letter in name):
        raise ServiceProblem(
            "bad_request", f"Der Dateiname passt nicht; verlangt sind 1 bis {_LONGEST_NAME} Zeichen ohne Steuerzeichen."
        )
    return name


def _store(services: Services, person: Person, file: UploadFile, name: str, said: dict[str, Any]) -> Job:
    if services.jobs.waiting(person.tenant) >= MOST_WAITING:
        raise ServiceProblem("rate_limited", headers={"Retry-After": "30"})
    limit = services.workspace.settings.limits.max_file_mb
    job_id = new_job_id()
    path = upload_path(services.workspace.settings, job_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with path.open("xb") as target:
            file.file.seek(0)
            shutil.copyfileobj(file.file, target, 1 << 20)
        if path.stat().st_size > limit * 1_000_000:
            raise ServiceProblem("too_large", f"{name} ist größer als {limit} MB; die Datei teilen.")
        return services.jobs.add(
            "ingest", tenant=person.tenant, user=person.user, levels=person.levels, subject=name, request=said, job_id=job_id
        )
    except BaseException:
        path.unlink(missing_ok=True)
        raise


# --- what goes on


def own_job(services: Services, person: Person, job_id: str) -> Job:
    """A job that this person may look at: their own, or any of the tenant for who manages versions. Raises ServiceProblem."""
    job = services.jobs.of(job_id)
    mine = job is not None and job.tenant == person.tenant and (job.user == person.user or person.may("versions"))
    if job is None or not mine or not job.levels <= person.levels:
        raise ServiceProblem("not_found")
    return job


def job_json(services: Services, person: Person, job: Job) -> dict[str, Any]:
    """Content that was there already is not named to those who may not see it."""
    said = job.to_json()
    result = said["result"]
    if job.kind == "ingest" and job.status == "done":
        try:
            chosen_version(services.workspace, person, result["document"], result["version_id"])
        except Exception:
            said["result"] = {"file": job.subject, "already_there": result["already_there"], "tables": [], "problems": []}
    return said


@get("/v1/jobs/{job_id:str}", guards=[needs("upload")], responses=problems("not_found"), tags=["files"])
async def job_route(request: Request[Any, Any, Any], job_id: FromPath[str]) -> Response[JobShape]:
    """How far an upload or a goldset run is, and what came of it."""
    services, person = services_of(request), signed_in(request)

    def found() -> dict[str, Any]:
        return job_json(services, person, own_job(services, person, job_id))

    return Response(cast(JobShape, await services.run(found)))


@get("/v1/jobs", guards=[needs("upload")], responses=problems(), tags=["files"])
async def jobs_route(request: Request[Any, Any, Any]) -> Response[list[JobShape]]:
    """One's own latest uploads, newest first; of the whole tenant for those who manage versions."""
    services, person = services_of(request), signed_in(request)

    return Response(cast(list[JobShape], await services.run(visible_jobs, services, person)))


def visible_jobs(services: Services, person: Person) -> list[dict[str, Any]]:
    """Uploads that this person may look at, newest first."""
    jobs = services.jobs.latest(person.tenant, "ingest", None if person.may("versions") else person.user)
    return [job_json(services, person, job) for job in jobs if job.levels <= person.levels]


# --- what is there


@get("/v1/files", guards=[needs("ask")], responses=problems(), tags=["files"])
async def files_route(request: Request[Any, Any, Any]) -> Response[list[VersionLineShape]]:
    """Every version of every document of which one may see something."""
    services, person = services_of(request), signed_in(request)

    def found() -> list[dict[str, Any]]:
        return [version_line(each) for each in visible_versions(services.workspace, person)]

    return Response(cast(list[VersionLineShape], await services.run(found)))


@get("/v1/tables", guards=[needs("ask")], responses=problems(), tags=["files"])
async def tables_route(request: Request[Any, Any, Any]) -> Response[list[TableLineShape]]:
    """Every table of which one may see something, with the columns one may see."""
    services, person = services_of(request), signed_in(request)
    return Response(cast(list[TableLineShape], await services.run(visible_tables, services.workspace, person)))


@get("/v1/files/report", guards=[needs("ask")], responses=problems("not_found"), tags=["files"])
async def report_route(request: Request[Any, Any, Any], document: Name, version: Name) -> Response[VersionReportShape]:
    """How a version was read: its tables and columns; what the reader found, for those who see the whole file."""
    services, person = services_of(request), signed_in(request)

    def found() -> dict[str, Any]:
        return version_report(services.workspace, chosen_version(services.workspace, person, document, version))

    return Response(cast(VersionReportShape, await services.run(found)))


@get(
    "/v1/files/original",
    guards=[needs("ask")],
    responses=problems("not_found"),
    media_type="application/octet-stream",
    tags=["files"],
)
async def original_route(request: Request[Any, Any, Any], document: Name, version: Name) -> File:
    """The file as it was taken in, for those who may see all of it."""
    services, person = services_of(request), signed_in(request)
    seen = await services.run(chosen_version, services.workspace, person, document, version)
    if not seen.whole:
        raise ServiceProblem("not_found")
    path: Path = seen.version.original
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(seen.version.document, safe='')}"}
    return File(path, media_type="application/octet-stream", headers=headers, content_disposition_type="attachment")


@get("/v1/files/diff", guards=[needs("ask")], responses=problems("not_found", "rejected"), tags=["files"])
async def diff_route(
    request: Request[Any, Any, Any],
    document: Name,
    old: Annotated[str, QueryParameter(name="from", min_length=1, max_length=200)],
    new: Annotated[str, QueryParameter(name="to", min_length=1, max_length=200)],
) -> Response[DiffShape]:
    """The cells that differ between two versions, for those who may see all of both."""
    services, person = services_of(request), signed_in(request)

    def found() -> dict[str, Any]:
        return diff_json(visible_diff(services.workspace, person, document, old, new))

    return Response(cast(DiffShape, await services.run(found)))


# --- changes


@post("/v1/files/authorize", status_code=200, guards=[needs("versions")], responses=problems("not_found"), tags=["files"])
async def authorize_route(request: Request[Any, Any, Any], document: Name, version: Name) -> Response[VersionLineShape]:
    """Declares a version binding."""
    services, person = services_of(request), signed_in(request)

    def done() -> dict[str, Any]:
        seen = chosen_version(services.workspace, person, document, version)
        authorize(services.workspace, person.tenant, document, seen.version.version_id, person.user)
        return version_line(chosen_version(services.workspace, person, document, seen.version.version_id))

    return Response(cast(VersionLineShape, await services.run(done)))


@delete("/v1/files", status_code=204, guards=[needs("versions")], responses=problems("not_found"), tags=["files"])
async def remove_route(request: Request[Any, Any, Any], document: Name, version: OptionalName = None) -> None:
    """Takes a version, or every version that one may see, out of all answers."""
    services, person = services_of(request), signed_in(request)

    def done() -> None:
        seen = visible_document(services.workspace, person, document)
        if version is not None:
            seen = [chosen_version(services.workspace, person, document, version)]
        for each in seen:
            remove(services.workspace, person.tenant, document, each.version.version_id, person.user)

    await services.run(done)


@put(
    "/v1/files/level",
    status_code=204,
    guards=[needs("versions")],
    responses=problems("not_found", "rejected", body=True),
    tags=["files"],
)
async def level_route(request: Request[Any, Any, Any], document: Name, data: JSONBody[LevelBody]) -> None:
    """Changes who may see a document, or one sheet of it. Only for those who see all of it, and never to a level they lack."""
    services, person = services_of(request), signed_in(request)

    def done() -> None:
        seen = visible_document(services.workspace, person, document)
        versions = [each for each in services.workspace.catalog.versions(person.tenant) if each.document == document]
        if len(seen) < len(versions) or not all(each.whole for each in seen):
            raise UnknownDocument(person.tenant, document, ())
        if not person.may_give(clean_level(data.level)):
            raise ServiceProblem("rejected", "Diese Zugriffsstufe ist keine von Ihren; nehmen Sie eine, die Sie selbst haben.")
        set_level(services.workspace, person.tenant, document, data.level, data.sheet, person.user)

    await services.run(done)


FILE_ROUTES = (
    upload_route, job_route, jobs_route, files_route, tables_route, report_route, original_route, diff_route, authorize_route,
    remove_route, level_route,
)  # fmt: skip
