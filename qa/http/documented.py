"""Which errors a route is documented with, and the OpenAPI document as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, OpenAPIMediaType, OpenAPIResponse, Operation, Schema, SecurityScheme
from litestar.openapi.spec.enums import OpenAPIType
from litestar.router import Router

from qa.http.problem_details import KINDS, MEDIA_TYPE, Problem

_EVERYWHERE = ("bad_request", "too_slow", "rate_limited", "unavailable", "internal")
_SIGNED_IN = ("not_signed_in", "not_allowed", "cross_site")
_WITH_BODY = ("too_large", "unsupported")


def problems(*codes: str, public: bool = False, body: bool = False) -> dict[int, ResponseSpec]:
    """The errors that a route may end in: those of its own, those of a sign-in and of a body, and those of every route. A key
    that does not hold is refused on public routes, too."""
    named = (*_EVERYWHERE, *(("not_signed_in",) if public else _SIGNED_IN), *(_WITH_BODY if body else ()), *codes)
    found: dict[int, ResponseSpec] = {}
    for code in named:
        kind = KINDS[code]
        found.setdefault(kind.status, ResponseSpec(Problem, False, kind.title[1], MEDIA_TYPE))
    return found


@dataclass
class StreamedOperation(Operation):
    """A route that also answers with server-sent events."""

    def __post_init__(self) -> None:
        done = (self.responses or {}).get("200")
        if isinstance(done, OpenAPIResponse) and done.content is not None:
            done.content["text/event-stream"] = OpenAPIMediaType(schema=Schema(type=OpenAPIType.STRING))


@dataclass
class EmptyOperation(Operation):
    """A route whose answer has no content, only a head."""

    def __post_init__(self) -> None:
        done = (self.responses or {}).get("204")
        if isinstance(done, OpenAPIResponse):
            done.content = None


def openapi_config(version: str) -> OpenAPIConfig:
    """What the document says of the service as a whole."""
    return OpenAPIConfig(
        title="Beleg",
        version=version,
        description=(
            "Answers questions about company spreadsheets with numbers that are proved by cells. Errors are problem details "
            "(RFC 9457) with `code`, `message` and `hint`; Accept-Language chooses German or English."
        ),
        use_handler_docstrings=True,
        security=[{"key": []}, {"session": []}],
        components=Components(
            security_schemes={
                "key": SecurityScheme(type="http", scheme="bearer", description="An API key of `beleg keys create`."),
                "session": SecurityScheme(
                    type="apiKey", name="beleg_session", security_scheme_in="cookie", description="A browser session."
                ),
            }
        ),
        openapi_router=Router("/v1/openapi", route_handlers=[], include_in_schema=False),
        render_plugins=[JsonRenderPlugin()],
    )
