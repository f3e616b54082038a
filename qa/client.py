"""A small client of the HTTP service.

    from qa.client import Beleg

    with Beleg("http://127.0.0.1:8080", key) as beleg:
        answer = beleg.ask("Wie hoch war der Nettoumsatz der Niederlassung Danzig im Q3 2024?")
        print(answer.text, answer.facts[0].provenance.sources[0].cells)

Numbers stay decimal strings, as everywhere; `Decimal(fact.value)` is exact.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar

import httpx2
from pydantic import BaseModel

from qa.http.file_shapes import JobShape, TableLineShape, VersionLineShape
from qa.http.shapes import AnswerShape, VerificationShape

Answer = AnswerShape
Verification = VerificationShape
Table = TableLineShape
Version = VersionLineShape
Job = JobShape

_Model = TypeVar("_Model", bound=BaseModel)
_SECONDS_BETWEEN_LOOKS = 0.3


class ServiceError(Exception):
    """What the service said instead: `code` for programs, `message` and `hint` for people. `status` 0, `code` "unreachable":
    nothing came back. `retry_after`: seconds to wait before asking again, where the service named them."""

    def __init__(
        self, code: str, message: str, hint: str = "", status: int = 0, request_id: str | None = None,
        retry_after: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(f"{message} {hint}".strip())
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after


@dataclass(frozen=True)
class Stage:
    """A stage of the work on a question as it begins, then as it is done. `ms`: how long it took, once it is done."""

    name: str
    state: Literal["begun", "done"]
    ms: float | None


class Beleg:
    """The service at this address, as the holder of this key. `language` of errors: de or en. Every method raises ServiceError.
    Close it, or use it as a context manager; one client serves several threads."""

    def __init__(self, address: str, key: str, *, seconds: float = 60.0, language: Literal["de", "en"] = "de") -> None:
        headers = {"Authorization": f"Bearer {key}", "Accept-Language": language}
        self._http = httpx2.Client(base_url=address.rstrip("/"), headers=headers, timeout=seconds)

    def __enter__(self) -> Beleg:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def ask(
        self,
        question: str,
        *,
        session_id: str | None = None,
        today: date | None = None,
        on_stage: Callable[[Stage], None] | None = None,
    ) -> Answer:
        """One question, one answer: look at `status` first. `session_id` of an earlier answer continues its conversation; `today`
        fixes what "letzter Monat" means. `on_stage` is told of the work as it goes on."""
        body: dict[str, str] = {"question": question}
        body |= {"session_id": session_id} if session_id is not None else {}
        body |= {"today": today.isoformat()} if today is not None else {}
        if on_stage is None:
            return _read(Answer, self._send("POST", "/v1/ask", json=body))
        for name, said in self._events(body):
            if name == "stage":
                on_stage(Stage(said["stage"], said["state"], said.get("ms")))
            elif name == "answer":
                return Answer.model_validate(said)
            elif name == "error":
                raise _problem(said)
        raise ServiceError("unreachable", "Die Verbindung endete vor der Antwort.", "Noch einmal fragen.")

    def answer(self, answer_id: str) -> Answer:
        """An earlier answer of one's own."""
        return _read(Answer, self._send("GET", f"/v1/answers/{_id(answer_id)}"))

    def verify(self, answer_id: str) -> Verification:
        """Every number of an earlier answer read again from the original files and recomputed."""
        return _read(Verification, self._send("GET", f"/v1/answers/{_id(answer_id)}/verify"))

    def tables(self) -> list[Table]:
        """The tables and columns that one may see."""
        return [Table.model_validate(each) for each in self._send("GET", "/v1/tables").json()]

    def files(self) -> list[Version]:
        """The versions of the documents of which one may see something."""
        return [Version.model_validate(each) for each in self._send("GET", "/v1/files").json()]

    def upload(
        self,
        path: Path,
        access_level: str,
        *,
        kind: Literal["financial", "sales", "hr", "other"] = "other",
        version: str | None = None,
        version_date: date | None = None,
        status: Literal["draft", "corrected", "final"] | None = None,
        locale: Literal["de", "en", "pl", "ch"] | None = None,
        sheet_levels: Mapping[str, str] | None = None,
    ) -> Job:
        """Sends a file; it is read in the background: `wait` for the job that this gives. Raises OSError for the file itself."""
        said = {"access_level": access_level, "kind": kind, "version": version, "status": status, "locale": locale}
        said |= {"version_date": version_date.isoformat() if version_date is not None else None}
        said |= {"sheet_levels": json.dumps(dict(sheet_levels)) if sheet_levels else None}
        form = {name: value for name, value in said.items() if value is not None}
        with path.open("rb") as content:
            return _read(Job, self._send("POST", "/v1/files", data=form, files={"file": (path.name, content)}))

    def job(self, job_id: str) -> Job:
        """How far an upload is."""
        return _read(Job, self._send("GET", f"/v1/jobs/{_id(job_id)}"))

    def wait(self, job: Job, seconds: float = 300.0) -> Job:
        """The job once it is done. Raises ServiceError with the job's own code and sentence where it failed, `too_slow` where it
        is not done in this time; it goes on all the same."""
        end = time.monotonic() + seconds
        while job.status not in ("done", "failed"):
            if time.monotonic() >= end:
                raise ServiceError("too_slow", f"{job.subject} ist nach {seconds:.0f} s noch nicht gelesen.", "Später nachsehen.")
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            job = self.job(job.job_id)
        if job.status == "failed":
            said = job.result or {}
            raise ServiceError(str(said.get("code", "rejected")), str(said.get("message", f"{job.subject} ist nicht gelesen.")))
        return job

    def _send(self, method: str, path: str, **more: Any) -> httpx2.Response:
        try:
            response = self._http.request(method, path, **more)
        except httpx2.HTTPError as error:
            raise _unreachable(error) from error
        if not response.is_success:
            raise _refusal(response)
        return response

    def _events(self, body: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """(name, data) of each server-sent event."""
        name = ""
        try:
            with self._http.stream("POST", "/v1/ask", json=body, headers={"Accept": "text/event-stream"}) as response:
                if not response.is_success:
                    response.read()
                    raise _refusal(response)
                for line in response.iter_lines():
                    field, _, value = line.partition(":")
                    if field == "event":
                        name = value.strip()
                    elif field == "data":
                        yield name, json.loads(value)
        except httpx2.HTTPError as error:
            raise _unreachable(error) from error


def _read(model: type[_Model], response: httpx2.Response) -> _Model:
    return model.model_validate(response.json())


def _id(given: str) -> str:
    """An identifier as part of an address. Raises ServiceError for anything else: no text of ours leads to another address."""
    if not given.isalnum() or not given.isascii():
        raise ServiceError("not_found", f"„{given}“ ist keine Kennung.", "Die Kennung aus der Antwort nehmen.", 404)
    return given


def _refusal(response: httpx2.Response) -> ServiceError:
    after = response.headers.get("retry-after", "")
    try:
        said = response.json()
    except ValueError:
        said = None
    if not isinstance(said, dict) or "code" not in said:
        return ServiceError("unreachable", f"Es antwortet nicht Beleg (Status {response.status_code}).", "Die Adresse prüfen.")
    return _problem(said, int(after) if after.isdecimal() else None)


def _problem(said: Mapping[str, Any], retry_after: int | None = None) -> ServiceError:
    code, message, hint = (str(said.get(name, "")) for name in ("code", "message", "hint"))
    return ServiceError(code, message, hint, int(said.get("status", 0)), said.get("request_id"), retry_after)


def _unreachable(error: Exception) -> ServiceError:
    return ServiceError("unreachable", f"Der Dienst ist nicht erreichbar ({type(error).__name__}).", "Adresse und Netz prüfen.")
