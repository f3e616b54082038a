"""The chat interface that other programs know: messages in, a completion out, as the `openai` clients have it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MODEL = "beleg"
MOST_MESSAGES = 2_000


class _Lenient(BaseModel):
    """Clients send more than is read here."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class ContentPart(_Lenient):
    type: str = Field(max_length=100)
    text: str | None = Field(None, max_length=100_000)


class ChatMessage(_Lenient):
    """`content`: text, or parts of which all are text."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str, Field(max_length=500_000)] | Annotated[list[ContentPart], Field(max_length=100)] | None = None

    @property
    def text(self) -> str | None:
        """None where a part is something other than text."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        if any(part.type != "text" for part in self.content):
            return None
        return "\n".join(part.text or "" for part in self.content)


class StreamOptions(_Lenient):
    include_usage: bool = False


class ChatBody(_Lenient):
    """The last message is the question. Its conversation is known by the link to the answer in the message before it. What steers
    a language model (temperature, tools, and so on) is not read: the same question has the same answer."""

    model: str = Field(MODEL, min_length=1, max_length=200)
    messages: list[ChatMessage] = Field(
        min_length=1,
        max_length=MOST_MESSAGES,
        examples=[[{"role": "user", "content": "Wie hoch war der Nettoumsatz der Niederlassung Danzig im Q3 2024?"}]],
    )
    stream: bool = False
    stream_options: StreamOptions | None = None


class ReplyShape(BaseModel):
    """`content`: Markdown; every number has a note with a link to its cells."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None


class ChoiceShape(BaseModel):
    index: Literal[0] = 0
    message: ReplyShape
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class UsageShape(BaseModel):
    """No tokens are counted: no language model is paid for by the asker."""

    prompt_tokens: Literal[0] = 0
    completion_tokens: Literal[0] = 0
    total_tokens: Literal[0] = 0


class AnsweredShape(BaseModel):
    """Which answer of Beleg this is; `GET /v1/answers/{answer_id}` gives it with its evidence."""

    answer_id: str
    session_id: str
    status: Literal["answered", "refused", "clarify", "pending_review"]


class ChatCompletionShape(BaseModel):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: Literal["beleg"] = "beleg"
    choices: list[ChoiceShape]
    usage: UsageShape = UsageShape()
    beleg: AnsweredShape


class ModelShape(BaseModel):
    id: Literal["beleg"] = "beleg"
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: Literal["beleg"] = "beleg"


class ModelsShape(BaseModel):
    object: Literal["list"] = "list"
    data: list[ModelShape]


def chunk(completion_id: str, created: int, **said: Any) -> dict[str, Any]:
    """One piece of a streamed completion."""
    choices = said.pop("choices", None)
    if choices is None:
        reason = said.pop("finish_reason", None)
        choices = [{"index": 0, "delta": said.pop("delta", {}), "logprobs": None, "finish_reason": reason}]
    head = {"id": completion_id, "object": "chat.completion.chunk", "created": created, "model": MODEL}
    return {**head, "choices": choices, **said}
