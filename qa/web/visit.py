"""One request of a browser: who it is from, in which language, and the page that answers it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

from litestar import MediaType, Request, Response
from litestar.response import Redirect

from qa.http.services import Services
from qa.http.sign_in import services_of, signed_in
from qa.person import Person
from qa.web.page_texts import LANGUAGE_COOKIE, PageLanguage, chosen_language, speaker
from qa.web.rendering import render_page, render_part
from qa.web.suggestions import Suggestions
from qa.wiring import Workspace

JsonObject = Mapping[str, Any]
AnyRequest = Request[Any, Any, Any]

_MOST_RECENT = 300

NOTICES = frozenset(
    {
        "meanings.proposed", "meanings.approved", "meanings.rejected", "versions.authorized", "review.approved",
        "review.rejected", "goldsets.started", "files.read", "files.already",
    }
)  # fmt: skip
"""Texts that a form's answer may ask the next page to show."""


class RecentAnswers:
    """The answers looked at last, as they were given. The log keeps them for good, but masks personal values of those who ask
    without a level for them; whoever has just been told them may look at them. Safe for several threads."""

    def __init__(self) -> None:
        self._answers: OrderedDict[tuple[Any, ...], tuple[JsonObject, object]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, person: Person, answer: JsonObject, tables: object) -> None:
        """Until some hundred others have come. `tables`: those of the scope in which its cells may be seen."""
        with self._lock:
            self._answers[self._key(person, answer["answer_id"])] = (answer, tables)
            while len(self._answers) > _MOST_RECENT:
                self._answers.popitem(last=False)

    def find(self, person: Person, answer_id: str) -> tuple[JsonObject, object] | None:
        """Only for the same person with the same levels."""
        with self._lock:
            return self._answers.get(self._key(person, answer_id))

    @staticmethod
    def _key(person: Person, answer_id: str) -> tuple[Any, ...]:
        return person.tenant, person.user, person.levels, answer_id


class PageState:
    """What the pages of one application keep in memory."""

    def __init__(self, workspace: Workspace) -> None:
        self.recent = RecentAnswers()
        self.suggestions = Suggestions(workspace)

    def close(self) -> None:
        self.suggestions.close()


@dataclass(frozen=True)
class Visit:
    """`here`: path and query."""

    request: AnyRequest
    services: Services
    person: Person
    language: PageLanguage
    here: str

    @property
    def workspace(self) -> Workspace:
        return self.services.workspace

    @property
    def page(self) -> PageState:
        return cast(PageState, self.request.app.state.page)

    def keep(self, answer: JsonObject) -> None:
        """An answer that this person may see now."""
        self.page.recent.keep(self.person, answer, self.workspace.scope(self.person.asker).tables)

    def given(self, answer_id: str) -> JsonObject | None:
        """An answer as it was given to this person; whether they may still see it is to be asked first."""
        found = self.page.recent.find(self.person, answer_id)
        return found[0] if found is not None else None

    def kept(self, answer_id: str) -> JsonObject | None:
        """An answer kept that this person certainly may still see: the log holds it, and nothing in their scope has changed."""
        found = self.page.recent.find(self.person, answer_id)
        if found is None or found[1] is not self.workspace.scope(self.person.asker).tables:
            return None
        return found[0] if self.workspace.audit.holds_answer(answer_id) else None

    def html(self, template: str, *, status: int = 200, **values: Any) -> Response[str]:
        """A page of this visit; with a word on what was just done, where it leads back from a form."""
        done = self.request.query_params.get("done")
        if done in NOTICES:
            values = {"notice": speaker(self.language)(done), **values}
        content = render_page(template, language=self.language, person=self.person, here=self.here, **values)
        return Response(content, status_code=status, media_type=MediaType.HTML)

    def part(self, template: str, **values: Any) -> Response[str]:
        """A part of a page, to be put into it."""
        content = render_part(template, language=self.language, person=self.person, **values)
        return Response(content, media_type=MediaType.HTML)


def visit_of(request: AnyRequest) -> Visit:
    """Raises ServiceProblem where nobody is signed in."""
    return Visit(request, services_of(request), signed_in(request), language_of(request), address_of(request))


def language_of(request: AnyRequest) -> PageLanguage:
    return chosen_language(request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language", ""))


def address_of(request: AnyRequest) -> str:
    """Path and query of what is shown; of a form that was sent, the start page."""
    if request.method != "GET":
        return "/"
    query = request.url.query
    return f"{request.url.path}?{query}" if query else request.url.path


def own_address(given: str) -> str:
    """An address of this service to go back to; the start page for anything else."""
    is_own = given.startswith("/") and not given.startswith(("//", "/\\")) and given.isprintable()
    return given if is_own else "/"


def address(path: str, **parameters: str) -> str:
    """A path with those parameters that are not empty."""
    query = urlencode({name: value for name, value in parameters.items() if value}, errors="surrogatepass")
    return f"{path}?{query}" if query else path


def to(place: str) -> Redirect:
    """On to another page, after a form was sent."""
    return Redirect(place, status_code=303)
