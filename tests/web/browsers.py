"""Headless Chromium for the end-to-end tests; where there is none, they are skipped with a sentence."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest

from tests.http.running_service import Running

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
_MILLISECONDS = 180_000
"""So long a step may take on a machine with much else to do."""


def chromium_path() -> str:
    """The browser of the system, or the one that BELEG_TEST_CHROMIUM names; skips the test where there is none."""
    found = os.environ.get("BELEG_TEST_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("There is no Chromium here; install the package chromium or name one in BELEG_TEST_CHROMIUM.")
    return found


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser of Playwright."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed; the extra 'dev' brings it.")
    path = chromium_path()
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visitor(
    browser: Any, service: Running, *, width: int = 1280, scheme: Literal["light", "dark"] = "light", language: str = "de-DE"
) -> Iterator[Any]:
    """A page of a fresh profile. Fails where a request leaves for another host, a dialog opens or a script fails."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, locale=language)
    context.set_default_timeout(_MILLISECONDS)
    page = context.new_page()
    wrong: list[str] = []
    own = urlsplit(service.address).netloc

    def requested(request: Any) -> None:
        if urlsplit(request.url).scheme not in ("data", "blob") and urlsplit(request.url).netloc != own:
            wrong.append(f"request to {request.url}")

    def opened(dialog: Any) -> None:
        wrong.append(f"dialog {dialog.message}")
        dialog.dismiss()

    context.on("request", requested)
    page.on("dialog", opened)
    page.on("pageerror", lambda error: wrong.append(f"script {error}"))
    page.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
    try:
        yield page
    finally:
        context.close()
    assert not wrong


def sign_in(page: Any, service: Running, user: str, levels: str = "controlling", *roles: str) -> None:
    """With a key of its own, in tenant nord."""
    page.goto(f"{service.address}/sign-in")
    page.fill("#key", service.key(user, levels, *roles))
    page.press("#key", "Enter")
    page.wait_for_selector(".side")


def ask(page: Any, question: str) -> None:
    """From whatever page has a question box; waits for the answer."""
    page.fill("#question", question)
    with page.expect_navigation(url="**/answers/*"):
        page.press("#question", "Enter")


def cited_cells(page: Any) -> list[tuple[str, str]]:
    """Address and text of the cells marked in the open panel."""
    page.wait_for_selector("#panel[open] .cited")
    found: list[list[str]] = page.eval_on_selector_all(
        "#panel .cited", "cells => cells.map(cell => [cell.dataset.cell, cell.querySelector('mark').textContent])"
    )
    return [(address, text) for address, text in found]
