"""Questions."""

from __future__ import annotations

from typing import Any, cast

from litestar import Request, Response, post
from litestar.params import JSONBody

from qa.asking import ask
from qa.http.documented import problems
from qa.http.shapes import AnswerShape, AskBody
from qa.http.sign_in import needs, services_of, signed_in


@post("/v1/ask", status_code=200, guards=[needs("ask")], responses=problems(body=True), tags=["questions"])
async def ask_route(request: Request[Any, Any, Any], data: JSONBody[AskBody]) -> Response[AnswerShape]:
    """One question, one answer object: answered, refused, asked back, or waiting for review."""
    services, person = services_of(request), signed_in(request)
    answer = await services.asked(
        ask, services.workspace, data.question, person.asker, session_id=data.session_id, today=data.today
    )
    request.state.answer_id = answer["answer_id"]
    return Response(cast(AnswerShape, answer))
