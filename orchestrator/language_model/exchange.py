"""One exchange with a language model, whoever serves it: what is asked, what comes back, and how it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

FailureKind = Literal[
    "not_reached", "timeout", "rate_limited", "server_error", "rejected", "budget", "circuit_open", "busy", "cut", "declined",
    "unreadable", "too_long",
]  # fmt: skip
"""Why there is no reply. `rejected`: the server does not take the request (key, model name); `cut`: it ended in the middle;
`declined`: the model refused; `unreadable`: no chat completion came back."""


@dataclass(frozen=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class ReplyFormat:
    """The JSON schema of the reply that is wanted. `name` is shown to the server."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Completion:
    """`tokens`: of prompt and reply, as the server says or, where it is silent, as counted here (an upper bound)."""

    text: str
    prompt_tokens: int
    reply_tokens: int


class ModelFailure(Exception):
    """No reply that could be used; the caller goes on without the model."""

    def __init__(self, kind: FailureKind, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind
        self.detail = detail


class ChatModel(Protocol):
    """A model that completes a conversation. `spent` counts what one question has used so far."""

    def complete(
        self, messages: Sequence[Message], reply: ReplyFormat | None, spent: Spending, seed_offset: int = 0
    ) -> Completion:
        """Raises ModelFailure, nothing else."""


@dataclass
class Spending:
    """Tokens and calls of one question."""

    prompt_tokens: int = 0
    reply_tokens: int = 0
    calls: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.reply_tokens


def count_tokens(text: str) -> int:
    """An upper bound of the tokens of a text that needs no vocabulary: one for every two bytes of words and every sign. Common
    vocabularies need about one for every four letters of English and three of German."""
    return len(text.encode("utf-8")) // 2 + 1
