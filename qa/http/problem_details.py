"""Every error of the service as RFC 9457 problem details with code, message and hint, in German or English."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from indexer.catalog_errors import CatalogError, UnknownDocument, UnknownTenant, UnknownVersion
from orchestrator.sql_refusals import SqlRefusal
from parsers.problem import UnreadableFile
from qa.oidc import Unreachable
from qa.problems import AuditError, BelegError, CheckFailed, SettingsError, UsageProblem
from schema_maps.known_tables import SchemaMapError

MEDIA_TYPE = "application/problem+json"

CHAT_PATHS = ("/v1/chat/", "/v1/models")

PageLanguage = Literal["de", "en"]


class Problem(BaseModel):
    """RFC 9457. `code` is for programs, `message` and `hint` are for people; `detail` repeats the message."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    message: str
    hint: str
    request_id: str | None = None


@dataclass(frozen=True)
class _Kind:
    """What is said of a code, each text in German and English."""

    status: int
    title: tuple[str, str]
    message: tuple[str, str]
    hint: tuple[str, str]


KINDS: Mapping[str, _Kind] = {
    "not_signed_in": _Kind(
        401,
        ("Nicht angemeldet", "Not signed in"),
        ("Dafür ist eine Anmeldung nötig.", "This needs a sign-in."),
        (
            "Den Schlüssel als 'Authorization: Bearer …' senden oder sich im Browser anmelden.",
            "Send the key as 'Authorization: Bearer …' or sign in with the browser.",
        ),
    ),
    "not_allowed": _Kind(
        403,
        ("Nicht erlaubt", "Not allowed"),
        ("Ihre Rollen erlauben das nicht.", "Your roles do not allow this."),
        ("Wer Schlüssel verwaltet, kann eine Rolle dazugeben.", "Whoever manages the keys can add a role."),
    ),
    "cross_site": _Kind(
        403,
        ("Nicht von dieser Seite", "Not from this page"),
        ("Die Anfrage kam nicht von einer Seite dieses Dienstes.", "The request did not come from a page of this service."),
        ("Die Seite neu laden und noch einmal versuchen.", "Reload the page and try again."),
    ),
    "not_found": _Kind(
        404,
        ("Nicht gefunden", "Not found"),
        ("Das gibt es hier nicht.", "There is no such thing here."),
        ("Adresse und Kennung prüfen.", "Check address and identifier."),
    ),
    "method_not_allowed": _Kind(
        405,
        ("So nicht abrufbar", "Method not allowed"),
        ("Diese Adresse kennt die Methode nicht.", "This address does not know the method."),
        ("/v1/openapi.json nennt die Methoden.", "/v1/openapi.json names the methods."),
    ),
    "conflict": _Kind(
        409,
        ("Passt nicht zum Stand", "Conflict"),
        ("Das passt nicht zu dem, was gespeichert ist.", "This does not fit what is stored."),
        ("Den Stand neu laden und noch einmal versuchen.", "Load the current state and try again."),
    ),
    "too_large": _Kind(
        413,
        ("Zu groß", "Too large"),
        ("Die Anfrage ist zu groß.", "The request is too large."),
        ("Weniger auf einmal senden.", "Send less at once."),
    ),
    "unsupported": _Kind(
        415,
        ("Form nicht bekannt", "Unsupported media type"),
        ("Die Anfrage ist in einer Form, die hier nicht gelesen wird.", "The request is in a form that is not read here."),
        ("JSON senden; Dateien als multipart/form-data.", "Send JSON; files as multipart/form-data."),
    ),
    "bad_request": _Kind(
        400,
        ("Anfrage nicht verständlich", "Bad request"),
        ("Die Anfrage ist nicht so gebaut, wie es hier verlangt ist.", "The request is not built as required here."),
        ("/v1/openapi.json beschreibt jede Anfrage.", "/v1/openapi.json describes every request."),
    ),
    "unreadable_file": _Kind(
        422,
        ("Datei nicht lesbar", "Unreadable file"),
        ("Die Datei lässt sich nicht lesen.", "The file cannot be read."),
        ("Die Datei prüfen und noch einmal senden.", "Check the file and send it again."),
    ),
    "rejected": _Kind(
        422,
        ("Nicht möglich", "Not possible"),
        ("Das ist so nicht möglich.", "This is not possible."),
        ("Die Meldung nennt den Grund.", "The message says why."),
    ),
    "rate_limited": _Kind(
        429,
        ("Zu viele Anfragen", "Too many requests"),
        ("Es kamen zu viele Anfragen in kurzer Zeit.", "Too many requests came in a short time."),
        ("Die Zeit abwarten, die Retry-After nennt.", "Wait as long as Retry-After says."),
    ),
    "too_slow": _Kind(
        408,
        ("Zu langsam", "Too slow"),
        ("Die Anfrage kam nicht in der erlaubten Zeit an.", "The request did not arrive within the time allowed."),
        ("Die Verbindung prüfen und noch einmal senden.", "Check the connection and send it again."),
    ),
    "unavailable": _Kind(
        503,
        ("Gerade nicht bereit", "Not ready"),
        ("Der Dienst kann gerade nicht arbeiten.", "The service cannot work at the moment."),
        ("Später noch einmal versuchen; das Protokoll des Dienstes nennt den Grund.", "Try again later; the log says why."),
    ),
    "internal": _Kind(
        500,
        ("Fehler im Dienst", "Internal error"),
        ("Im Dienst ist ein Fehler aufgetreten.", "An error occurred in the service."),
        ("Die Kennung der Anfrage weitergeben; das Protokoll des Dienstes nennt den Grund.", "Pass on the request id."),
    ),
}
"""Code -> what it means. The codes are part of the public interface."""


class ServiceProblem(Exception):
    """An error that a caller is told. `message`: one sentence in place of the kind's own; `headers` of the response."""

    def __init__(self, code: str, message: str | None = None, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message or KINDS[code].message[0])
        self.code = code
        self.message = message
        self.headers = dict(headers or {})


_BY_STATUS = {401: "not_signed_in", 403: "not_allowed", 404: "not_found", 405: "method_not_allowed", 408: "too_slow",
              413: "too_large", 415: "unsupported", 429: "rate_limited", 503: "unavailable"}  # fmt: skip

_BY_ERROR: tuple[tuple[type[Exception], str], ...] = (
    (UsageProblem, "bad_request"),
    (UnknownTenant, "not_found"),
    (UnknownDocument, "not_found"),
    (UnknownVersion, "not_found"),
    (CatalogError, "rejected"),
    (SchemaMapError, "rejected"),
    (SqlRefusal, "rejected"),
    (UnreadableFile, "unreadable_file"),
    (CheckFailed, "conflict"),
    (AuditError, "unavailable"),
    (SettingsError, "unavailable"),
    (Unreachable, "unavailable"),
    (BelegError, "rejected"),
    (SQLAlchemyError, "unavailable"),
)
_SILENT = frozenset({"not_found", "unavailable", "internal"})
"""Codes whose errors may name what the asker may not see, or places of the machine: only the kind's own words are said."""


def problem_of(error: Exception) -> ServiceProblem:
    """What a caller is told about any error."""
    if isinstance(error, ServiceProblem):
        return error
    if isinstance(error, ValidationException):
        return ServiceProblem("bad_request", _first_finding(error))
    if isinstance(error, HTTPException):
        code = _BY_STATUS.get(error.status_code, "bad_request" if error.status_code < 500 else "internal")
        return ServiceProblem(code, headers=error.headers if code in ("method_not_allowed", "rate_limited") else None)
    for kind, code in _BY_ERROR:
        if isinstance(error, kind):
            return ServiceProblem(code, None if code in _SILENT else str(error))
    return ServiceProblem("internal")


def problem_response(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """The answer to a request that ended in an error."""
    problem = problem_of(error)
    headers = dict(problem.headers)
    if problem.code == "not_signed_in":
        headers["WWW-Authenticate"] = 'Bearer realm="beleg"'
    body = problem_body(request, error)
    return Response(_said(request, body), status_code=body.status, media_type=MEDIA_TYPE, headers=headers)


def _said(request: Request[Any, Any, Any], body: Problem) -> dict[str, Any]:
    """Chat clients look for the message in `error`; for them it stands there, too."""
    said = body.model_dump()
    if request.scope["path"].startswith(CHAT_PATHS):
        said["error"] = {"message": body.message, "type": "beleg", "code": body.code, "param": None}
    return said


def problem_body(request: Request[Any, Any, Any], error: Exception) -> Problem:
    """What is said of an error, in the language of the request; one of the service itself goes to the log in full."""
    said = problem_for(error, request.headers.get("accept-language", ""), request.scope.get("state", {}).get("request_id"))
    if said.status >= 500:
        request.state.failure = error
    return said


def problem_for(error: Exception, accepted: str, request_id: str | None) -> Problem:
    """`accepted`: the header Accept-Language."""
    problem = problem_of(error)
    kind = KINDS[problem.code]
    here = 0 if page_language(accepted) == "de" else 1
    message = problem.message or kind.message[here]
    return Problem(
        type=f"urn:beleg:problem:{problem.code}",
        title=kind.title[here],
        status=kind.status,
        detail=message,
        code=problem.code,
        message=message,
        hint=kind.hint[here],
        request_id=request_id,
    )


def page_language(accepted: str) -> PageLanguage:
    """German unless the browser prefers English to it."""
    for part in accepted.lower().split(","):
        code = part.partition(";")[0].strip()[:2]
        if code in ("de", "en"):
            return "en" if code == "en" else "de"
    return "de"


def _first_finding(error: ValidationException) -> str | None:
    """Where the request does not fit, as far as it can be said without repeating what was sent."""
    for finding in error.extra if isinstance(error.extra, list) else ():
        if isinstance(finding, dict) and finding.get("key"):
            return f"Die Angabe '{finding['key']}' passt nicht: {finding.get('message', '')}".rstrip(": ") + "."
    return None
