"""Searching the log, and whether it is whole."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Literal

from litestar import Response, get
from litestar.params import FromQuery, QueryParameter

from qa.audit import Selection
from qa.audit_chain import ChainReport
from qa.http.sign_in import needs
from qa.visible_log import LogSearch, log_page
from qa.web.visit import AnyRequest, JsonObject, Visit, address, visit_of

_ON_A_PAGE = 50

Text = Annotated[str, QueryParameter(max_length=200)]
Place = Annotated[int | None, QueryParameter(ge=1, le=2**62)]
Check = Literal["", "1"]


@get("/audit", guards=[needs("audit")], include_in_schema=False)
async def audit_page(
    request: AnyRequest,
    words: Text = "",
    user: Text = "",
    event: Text = "",
    since: Text = "",
    until: Text = "",
    before: Place = None,
    check: FromQuery[Check] = "",
) -> Response[str]:
    """Records that one may read, newest first."""
    visit = visit_of(request)

    def work() -> Response[str]:
        selection = Selection(_day(since), _day(until), user.strip() or None, visit.person.tenant)
        page = log_page(
            visit.workspace, visit.person, LogSearch(selection, words, event or None), before=before, most=_ON_A_PAGE
        )
        said = {"words": words, "user": user, "event": event, "since": since, "until": until}
        return visit.html(
            "audit.html",
            records=[_line(record) for record in page.records],
            said=said,
            older=address("/audit", **said, before=str(page.before)) if page.before is not None else None,
            chain=_chain(visit) if check else None,
        )

    return await visit.services.run(work)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _chain(visit: Visit) -> ChainReport | None:
    return visit.workspace.audit.check() if visit.person.may("events") else None


def _line(record: JsonObject) -> JsonObject:
    """A record for the list; of an event what it is about."""
    detail = record["detail"] or {}
    about = [f"{name}: {value}" for name, value in detail.items() if isinstance(value, str | int | bool) and value != ""]
    return {**record, "about": about if record["question"] is None else []}


AUDIT_PAGES: Sequence[Any] = (audit_page,)
