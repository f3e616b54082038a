"""The review desk: what waits, the whole answer with its cells, the decision."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Literal

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect

from qa.foreign_findings import foreign_findings
from qa.http.review_routes import visible_entry, visible_queue
from qa.http.sign_in import needs
from qa.review import approved_elsewhere, decide, entry_json, full_answer
from qa.web.answer_routes import Index, OptionalIndex, answer_values
from qa.web.answer_view import Direction
from qa.web.asking_routes import Form
from qa.web.visit import AnyRequest, address, to, visit_of

_MOST = 200

Shown = Literal["pending", "approved", "rejected", "all"]


@get("/review", guards=[needs("review")], include_in_schema=False)
async def review_page(request: AnyRequest, shown: FromQuery[Shown] = "pending") -> Response[str]:
    """What waits, oldest first; or what was decided, or all that can be reviewed."""
    visit = visit_of(request)

    def work() -> Response[str]:
        entries = [entry_json(each) for each in islice(visible_queue(visit.services, visit.person, shown), _MOST)]
        return visit.html("review.html", entries=entries, shown=shown)

    return await visit.services.run(work)


@get("/review/{answer_id:str}", guards=[needs("review")], include_in_schema=False)
async def review_entry_page(
    request: AnyRequest,
    answer_id: FromPath[str],
    page: Index = 1,
    sort: OptionalIndex = None,
    direction: FromQuery[Direction] = "asc",
) -> Response[str]:
    """The answer in full, also where it is held back."""
    visit = visit_of(request)

    def work() -> Response[str]:
        entry = visible_entry(visit.services, visit.person, answer_id)
        answer = full_answer(entry.record)
        return visit.html(
            "review_entry.html",
            **answer_values(answer, f"/review/{answer_id}", page=page, sort=sort, direction=direction),
            entry=entry_json(entry),
            elsewhere=approved_elsewhere(visit.workspace, entry.record),
            foreign=foreign_findings(visit.workspace, entry.record, visit.workspace.scope(visit.person.asker)),
        )

    return await visit.services.run(work)


@post("/review/{answer_id:str}", guards=[needs("review")], include_in_schema=False, status_code=303)
async def decide_by_form(request: AnyRequest, answer_id: FromPath[str], data: Form) -> Redirect:
    """Approves or rejects, and back to what waits."""
    visit = visit_of(request)
    approve = data.get("act") == "approve"

    def work() -> None:
        visible_entry(visit.services, visit.person, answer_id)
        decide(visit.workspace, answer_id, approve=approve, by=visit.person.user, reason=data.get("reason", "")[:2_000])

    await visit.services.run(work)
    return to(address("/review", done="review.approved" if approve else "review.rejected"))


REVIEW_PAGES: Sequence[Any] = (review_page, review_entry_page, decide_by_form)
