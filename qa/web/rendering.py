"""Templates to pages. Everything that a template prints is escaped; foreign text shows its control characters instead of obeying
them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from qa.http.sign_in import CSRF_FIELD
from qa.person import Person
from qa.web.page_texts import PageLanguage, speaker

_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]")
"""Control characters, and those that turn the direction of what follows: shown, so that no cell can look like another."""

_HIDDEN_FIELD = Markup('<input type="hidden" name="{}" value="{}">')

SECTIONS = (
    ("/", "nav.ask", "ask"),
    ("/files", "nav.files", "ask"),
    ("/meanings", "nav.meanings", "meanings"),
    ("/versions", "nav.versions", "ask"),
    ("/review", "nav.review", "review"),
    ("/goldsets", "nav.goldsets", "goldsets"),
    ("/audit", "nav.audit", "audit"),
)
"""Address, text and needed right of each entry of the navigation."""


def visible_text(value: object) -> object:
    """Text with its control characters made visible; anything else as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _ACTING.sub(_shown, value)
    return "" if value is None else value


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"[U+{code:04X}]"


def as_given(value: object) -> Markup:
    """Escaped, but with its control characters: for values of form fields, which go back as they are."""
    return Markup(escape("" if value is None else value))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("qa.web"),
        autoescape=True,
        finalize=visible_text,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["as_given"] = as_given
    return environment


@cache
def static_file(name: str) -> bytes | None:
    """A file of the page; None for one there is not."""
    return (files("qa.web") / "static" / name).read_bytes() if name in STATIC_TYPES else None


STATIC_TYPES: Mapping[str, str] = {
    "beleg.css": "text/css; charset=utf-8",
    "beleg.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


@cache
def static_address(name: str) -> str:
    """With a digest of the content, so that it may be cached for ever."""
    content = static_file(name) or b""
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


def render_page(template: str, *, language: PageLanguage, person: Person | None, here: str, **values: Any) -> str:
    """HTML. `here`: path and query of the page, for what leads back to it."""
    path = here.partition("?")[0]
    section = "/" if path.startswith(("/answers", "/history")) else "/" + path.split("/")[1]
    navigation = [
        {"href": href, "text": text, "is_current": href == section, "count": 0}
        for href, text, right in SECTIONS
        if person is not None and person.may(right)
    ]
    said: dict[str, Any] = {"here": here, "navigation": navigation, "notice": None, "notice_is_bad": False}
    return render_part(template, language=language, person=person, **{**said, **values})


def render_part(template: str, *, language: PageLanguage, person: Person | None, **values: Any) -> str:
    """A part of a page, to be put into it."""
    csrf = person.csrf or "" if person is not None else ""
    said: dict[str, Any] = {
        "language": language, "person": person, "t": speaker(language), "static": static_address,
        "csrf_field": lambda: _HIDDEN_FIELD.format(CSRF_FIELD, csrf),
        "day": lambda value: day_text(value, language), "moment": lambda value: moment_text(value, language),
    }  # fmt: skip
    return _environment().get_template(template).render(**{**said, **values})


def day_text(value: object, language: PageLanguage) -> str:
    """15.10.2024, or 2024-10-15 on the English page."""
    if isinstance(value, str):
        value = date.fromisoformat(value[:10])
    if isinstance(value, date):
        return value.strftime("%d.%m.%Y") if language == "de" else value.strftime("%Y-%m-%d")
    return ""


def moment_text(value: object, language: PageLanguage) -> str:
    """Day and minute, UTC."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return f"{day_text(value.date(), language)} {value:%H:%M}" if isinstance(value, datetime) else ""
