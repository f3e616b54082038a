"""The application: routes, sign-in, errors, put together for one open workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from litestar import Litestar
from litestar.datastructures import State
from litestar.middleware.base import DefineMiddleware
from litestar.types import ControllerRouterHandler

from orchestrator.cell_lists import CellRanges, RowNumbers, written_out
from qa.http.answer_routes import answer_route, cells_route, verify_route
from qa.http.ask_routes import ask_route
from qa.http.audit_routes import AUDIT_ROUTES
from qa.http.bodies import BodyLimits
from qa.http.chat_routes import CHAT_ROUTES
from qa.http.documented import openapi_config
from qa.http.file_routes import FILE_ROUTES
from qa.http.goldset_routes import GOLDSET_ROUTES
from qa.http.health_routes import healthz, metrics_route, openapi_document, readyz
from qa.http.key_routes import KEY_ROUTES
from qa.http.meaning_routes import MEANING_ROUTES
from qa.http.oidc_routes import OIDC_ROUTES
from qa.http.outside import AsgiApp, Outside
from qa.http.review_routes import REVIEW_ROUTES
from qa.http.services import make_services
from qa.http.session_routes import SESSION_ROUTES
from qa.http.sign_in import SignIn, check_same_site
from qa.web.answer_routes import ANSWER_ROUTES
from qa.web.asking_routes import ASKING_ROUTES
from qa.web.audit_routes import AUDIT_PAGES
from qa.web.error_pages import page_or_problem
from qa.web.file_routes import FILE_PAGES
from qa.web.goldset_routes import GOLDSET_PAGES
from qa.web.meaning_routes import MEANING_PAGES
from qa.web.review_routes import REVIEW_PAGES
from qa.web.version_routes import VERSION_PAGES
from qa.web.visit import PageState
from qa.wiring import Workspace

ROUTES: tuple[ControllerRouterHandler, ...] = (
    ask_route,
    answer_route,
    cells_route,
    *CHAT_ROUTES,
    verify_route,
    *FILE_ROUTES,
    *MEANING_ROUTES,
    *REVIEW_ROUTES,
    *AUDIT_ROUTES,
    *GOLDSET_ROUTES,
    *KEY_ROUTES,
    *SESSION_ROUTES,
    *OIDC_ROUTES,
    healthz,
    readyz,
    metrics_route,
    openapi_document,
    *ASKING_ROUTES,
    *ANSWER_ROUTES,
    *FILE_PAGES,
    *MEANING_PAGES,
    *VERSION_PAGES,
    *REVIEW_PAGES,
    *GOLDSET_PAGES,
    *AUDIT_PAGES,
)


def make_litestar(
    workspace: Workspace, version: str, routes: Sequence[ControllerRouterHandler] = ROUTES, *, warm: bool = False
) -> Litestar:
    """The application without its outermost layer. It closes the service's own store when it ends, not the workspace. `warm`: it
    makes itself ready for the first visitor as soon as it listens."""
    services, page = make_services(workspace), PageState(workspace)

    async def start(_: Any) -> None:
        services.runner.start()
        if warm:
            page.suggestions.warm()

    async def close(_: Any) -> None:
        await services.runner.stop()
        await services.finish()
        await services.run(page.close)
        services.close()

    return Litestar(
        route_handlers=list(routes),
        state=State({"services": services, "page": page}),
        middleware=[BodyLimits(workspace.settings), DefineMiddleware(SignIn, exclude_from_auth_key="nobody_is_asked")],
        before_request=check_same_site,
        exception_handlers={Exception: page_or_problem},
        openapi_config=openapi_config(version),
        request_max_body_size=None,
        type_encoders={RowNumbers: written_out, CellRanges: written_out},
        on_startup=[start],
        on_shutdown=[close],
        logging_config=None,
        pdb_on_exception=False,
        debug=False,
    )


def create_app(workspace: Workspace, version: str = "0", *, warm: bool = False) -> AsgiApp:
    """The ASGI application of a workspace that stays open as long as it runs."""
    app = make_litestar(workspace, version, warm=warm)
    return Outside(cast(AsgiApp, app), app.state.services)
