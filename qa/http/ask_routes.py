"""Questions."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, cast

from litestar import Request, Response, post
from litestar.params import JSONBody
from litestar.response import ServerSentEvent, ServerSentEventMessage

from orchestrator.cell_lists import written_out
from qa.asking import ask
from qa.http.asking_in_stages import asked_in_stages
from qa.http.documented import StreamedOperation, problems
from qa.http.problem_details import problem_body
from qa.http.services import Services
from qa.http.shapes import AnswerShape, AskBody
from qa.http.sign_in import needs, services_of, signed_in
from qa.person import Person

EVENT_STREAM = "text/event-stream"
STREAM_HEADERS = {"X-Accel-Buffering": "no"}
"""So that proxies pass each event on at once."""


@post(
    "/v1/ask",
    status_code=200,
    guards=[needs("ask")],
    responses=problems(body=True),
    operation_class=StreamedOperation,
    tags=["questions"],
)
async def ask_route(request: Request[Any, Any, Any], data: JSONBody[AskBody]) -> Response[AnswerShape]:
    """One question, one answer object: answered, refused, asked back, or waiting for review. With `Accept: text/event-stream` the
    same as events: `stage` (`stage`, `state` begun or done, `ms`) as the work goes on, then `answer` with the answer object, or
    `error` with the problem."""
    services, person = services_of(request), signed_in(request)
    if EVENT_STREAM in request.headers.get("accept", ""):
        return cast(Response[AnswerShape], ServerSentEvent(_events(request, services, person, data), headers=STREAM_HEADERS))
    answer = await services.asked(
        ask, services.workspace, data.question, person.asker, session_id=data.session_id, today=data.today
    )
    request.state.answer_id = answer["answer_id"]
    return Response(cast(AnswerShape, answer))


async def _events(
    request: Request[Any, Any, Any], services: Services, person: Person, data: AskBody
) -> AsyncIterator[ServerSentEventMessage]:
    """An error that came after the head was sent is an event of its own."""
    try:
        async for name, said in asked_in_stages(services, person, data.question, session_id=data.session_id, today=data.today):
            if name == "answer":
                request.state.answer_id = said["answer_id"]
            yield _event(name, said) if name != "alive" else ServerSentEventMessage(data=None, comment="")
    except Exception as error:
        yield _event("error", problem_body(request, error).model_dump())


def _event(name: str, said: Any) -> ServerSentEventMessage:
    """JSON escapes every line break, so that no text of a cell ends the event."""
    return ServerSentEventMessage(event=name, data=json.dumps(said, ensure_ascii=False, default=written_out))
