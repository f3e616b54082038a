"""`/v1/chat/completions` and `/v1/models`, so that chat clients can talk to Beleg."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, cast

from litestar import Request, Response, get, post
from litestar.params import FromPath, JSONBody
from litestar.response import Stream

from orchestrator.scope import Asker
from qa.asking import ask
from qa.chat_text import chat_text, named_answer
from qa.http.ask_routes import EVENT_STREAM, STREAM_HEADERS
from qa.http.asking_in_stages import Event, asked_in_stages
from qa.http.chat_shapes import (
    MODEL,
    AnsweredShape,
    ChatBody,
    ChatCompletionShape,
    ChatMessage,
    ChoiceShape,
    ModelShape,
    ModelsShape,
    ReplyShape,
    UsageShape,
    chunk,
)
from qa.http.documented import StreamedOperation, problems
from qa.http.problem_details import ServiceProblem, problem_body
from qa.http.services import Services
from qa.http.sign_in import needs, services_of, signed_in
from qa.visible_cells import readable_record

JsonObject = Mapping[str, Any]

_LETTERS_AT_ONCE = 400
"""How long the pieces of a streamed message are; all of it is there before the first one leaves."""


@post(
    "/v1/chat/completions",
    status_code=200,
    guards=[needs("ask")],
    responses=problems(body=True),
    operation_class=StreamedOperation,
    tags=["chat"],
)
async def chat_route(request: Request[Any, Any, Any], data: JSONBody[ChatBody]) -> Response[ChatCompletionShape]:
    """The last message is the question; the reply is Markdown with a note for each number. With `stream` as server-sent events:
    nothing of the reply leaves before it is checked and logged; a stream that ends without `[DONE]` is none."""
    services, person = services_of(request), signed_in(request)
    question = _question(data.messages)
    session_id = await services.run(_session, services, person.asker, data.messages)
    if data.stream:
        usage = data.stream_options is not None and data.stream_options.include_usage
        events = _events(request, asked_in_stages(services, person, question, session_id=session_id), usage=usage)
        return cast(Response[ChatCompletionShape], Stream(events, media_type=EVENT_STREAM, headers=STREAM_HEADERS))
    answer = await services.asked(ask, services.workspace, question, person.asker, session_id=session_id)
    request.state.answer_id = answer["answer_id"]
    reply = ReplyShape(content=chat_text(answer, _address(request)))
    return Response(
        ChatCompletionShape(
            id=_completion_id(),
            created=int(time.time()),
            choices=[ChoiceShape(message=reply)],
            beleg=_answered(answer),
        )
    )


def _question(messages: Sequence[ChatMessage]) -> str:
    last = messages[-1]
    if last.role != "user":
        raise ServiceProblem("bad_request", "Die letzte Nachricht ist keine von einem Menschen (role: user); sie ist die Frage.")
    text = last.text
    if text is None:
        raise ServiceProblem("bad_request", "Die letzte Nachricht hat Teile, die kein Text sind; Beleg liest nur Text.")
    if not text.strip():
        raise ServiceProblem("bad_request", "Die letzte Nachricht ist leer; sie ist die Frage.")
    return text


def _session(services: Services, asker: Asker, messages: Sequence[ChatMessage]) -> str | None:
    """The conversation of the reply before this question, if it was one of this person's own."""
    before = next((message.text or "" for message in reversed(messages[:-1]) if message.role == "assistant"), "")
    answer_id = named_answer(before)
    record = readable_record(services.workspace, asker, answer_id) if answer_id is not None else None
    return services.workspace.turns.after(asker, record) if record is not None else None


def _address(request: Request[Any, Any, Any]) -> str:
    public = services_of(request).settings.public_url
    return (public or str(request.base_url)).rstrip("/")


def _completion_id() -> str:
    return f"chatcmpl-{uuid.uuid4().hex}"


def _answered(answer: JsonObject) -> AnsweredShape:
    return AnsweredShape(answer_id=answer["answer_id"], session_id=answer["session_id"], status=answer["status"])


async def _events(request: Request[Any, Any, Any], steps: AsyncGenerator[Event], *, usage: bool) -> AsyncIterator[bytes]:
    """Chunks as the clients know them; an error is an event of its own, and no `[DONE]` follows it."""
    completion_id, created = _completion_id(), int(time.time())

    def piece(**said: Any) -> bytes:
        return _data(chunk(completion_id, created, **said, **({"usage": None} if usage and "usage" not in said else {})))

    yield piece(delta={"role": "assistant", "content": ""})
    try:
        async with aclosing(steps) as told:
            async for name, said in told:
                if name != "answer":
                    yield f": {said.get('stage', '')}\n\n".encode()
                    continue
                request.state.answer_id = said["answer_id"]
                text = chat_text(said, _address(request))
                for start in range(0, len(text), _LETTERS_AT_ONCE):
                    yield piece(delta={"content": text[start : start + _LETTERS_AT_ONCE]})
                yield piece(finish_reason="stop", beleg=_answered(said).model_dump())
                if usage:
                    yield piece(choices=[], usage=UsageShape().model_dump())
                yield b"data: [DONE]\n\n"
    except Exception as error:
        problem = problem_body(request, error)
        yield _data({"error": {"message": problem.message, "type": "beleg", "code": problem.code, "param": None}})


def _data(said: object) -> bytes:
    return f"data: {json.dumps(said, ensure_ascii=False)}\n\n".encode()


@get("/v1/models", guards=[needs("ask")], responses=problems(), tags=["chat"])
async def models_route() -> ModelsShape:
    """The one model there is: Beleg itself."""
    return ModelsShape(data=[ModelShape()])


@get("/v1/models/{model:str}", guards=[needs("ask")], responses=problems("not_found"), tags=["chat"])
async def model_route(model: FromPath[str]) -> ModelShape:
    """The model of this name."""
    if model != MODEL:
        raise ServiceProblem("not_found")
    return ModelShape()


CHAT_ROUTES = (chat_route, models_route, model_route)
