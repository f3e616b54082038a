"""A person at the page, as far as no script is needed: signs in, sends forms, follows where they lead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

import httpx

from tests.http.running_service import Running


@dataclass
class Browser:
    """`client`: keeps cookies, sends what browsers send."""

    client: httpx.Client

    def get(self, path: str, **parameters: str | int) -> httpx.Response:
        return self.client.get(path, params=parameters or None)

    def send(self, path: str, **fields: str) -> httpx.Response:
        """A form of the page, with the session's token, and on to where the answer leads."""
        token = re.search(r'data-csrf="([^"]*)"', self.get("/history").text)
        assert token is not None
        said = self.client.post(path, data={**fields, "csrf_token": unescape(token.group(1))})
        return self.client.get(said.headers["location"]) if said.status_code == 303 else said

    def ask(self, question: str, **more: str) -> httpx.Response:
        """The page of the answer."""
        return self.send("/ask", question=question, **more)


def browser(
    service: Running, user: str = "weber", levels: str = "controlling", *roles: str, tenant: str = "nord", language: str = "de"
) -> Browser:
    """Signed in with a key of its own."""
    client = service.client(**{"Accept": "text/html", "Accept-Language": language, "Origin": service.address})
    said = client.post("/sign-in", data={"key": service.key(user, levels, *roles, tenant=tenant)})
    assert said.status_code == 303, said.text
    return Browser(client)


def text_of(page: httpx.Response | str) -> str:
    """What a reader sees, on one line."""
    html = page if isinstance(page, str) else page.text
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
