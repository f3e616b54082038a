"""The client of an OpenAI-compatible server: one door, with every bound that the settings give.

Replies are never streamed: a half reply is no reply. Redirects are not followed, so that the key goes to the one address set.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from orchestrator.language_model.breaker import CircuitBreaker
from orchestrator.language_model.budget import SpendingBook, SpendingInMemory, check_budget
from orchestrator.language_model.exchange import Completion, Message, ModelFailure, ReplyFormat, Spending, count_tokens
from orchestrator.language_model.model_settings import ModelSettings, StructuredOutput
from orchestrator.language_model.structured_output import ORDER, request_fields

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.chat import ChatCompletion

MOST_BYTES = 1_000_000
"""A longer body of a response is not read to its end."""
LONGEST_WAIT = 5.0
"""Longest pause before a retry, whatever the server's Retry-After says."""


class OpenAiModel:
    """One tenant's door to the server. `sleep` and `clock` can be replaced in tests; `today` decides the day of the budget."""

    def __init__(
        self,
        settings: ModelSettings,
        tenant: str,
        book: SpendingBook | None = None,
        *,
        breaker: CircuitBreaker | None = None,
        places: threading.BoundedSemaphore | None = None,
        sleep: Callable[[float], None] = time.sleep,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self.settings = settings
        self._tenant = tenant
        self._book = book or SpendingInMemory()
        self._breaker = breaker or CircuitBreaker(settings.breaker_failures, settings.breaker_seconds)
        self._places = places or threading.BoundedSemaphore(settings.concurrency)
        self._sleep, self._today = sleep, today
        self._taken: StructuredOutput | None = None if settings.structured_output == "auto" else settings.structured_output

    @cached_property
    def _client(self) -> OpenAI:
        """Made with the first question that needs it; the package is imported only then."""
        import httpx2
        from openai import OpenAI

        transport = _capped(httpx2.HTTPTransport())
        http = httpx2.Client(transport=transport, follow_redirects=False, timeout=self.settings.timeout_seconds)
        key = self.settings.api_key or "none"
        return OpenAI(base_url=self.settings.base_url, api_key=key, max_retries=0, http_client=http)

    def complete(
        self, messages: Sequence[Message], reply: ReplyFormat | None, spent: Spending, seed_offset: int = 0
    ) -> Completion:
        """Raises ModelFailure, nothing else: within the budgets, the time limit over all retries, and the number of places."""
        limit = self.settings.answer_tokens
        asked = sum(count_tokens(message.content) for message in messages)
        _ = self._client  # loading the package is no time of the server's
        deadline = time.monotonic() + self.settings.timeout_seconds
        check_budget(self.settings, self._book.spent(self._tenant, self._today()), spent.tokens, asked + limit)
        if not self._breaker.admits():
            raise ModelFailure("circuit_open")
        if not self._places.acquire(timeout=self.settings.timeout_seconds):
            raise ModelFailure("busy")
        try:
            return self._within_bounds(messages, reply, spent, limit, deadline, seed_offset)
        except ModelFailure as failure:
            if failure.kind in ("not_reached", "timeout", "server_error", "rate_limited", "rejected"):
                self._breaker.failed()
            raise
        finally:
            self._places.release()

    def _within_bounds(
        self,
        messages: Sequence[Message],
        reply: ReplyFormat | None,
        spent: Spending,
        limit: int,
        deadline: float,
        seed_offset: int,
    ) -> Completion:
        longer = False
        while True:
            found = self._in_some_format(messages, reply, limit, deadline, seed_offset)
            self._breaker.succeeded()
            completion = _read(found, messages)
            spent.calls += 1
            spent.prompt_tokens += completion.prompt_tokens
            spent.reply_tokens += completion.reply_tokens
            self._book.add(self._tenant, self._today(), completion.prompt_tokens, completion.reply_tokens)
            reason = found.choices[0].finish_reason
            if reason == "length" and not longer:  # once more with twice the room; what was cut is never used
                longer, limit = True, limit * 2
                asked = sum(count_tokens(message.content) for message in messages)
                check_budget(self.settings, self._book.spent(self._tenant, self._today()), spent.tokens, asked + limit)
                continue
            _check_ended(found)
            return completion

    def _in_some_format(
        self, messages: Sequence[Message], reply: ReplyFormat | None, limit: int, deadline: float, seed_offset: int
    ) -> ChatCompletion:
        """In the format set; under "auto" the next one where the server does not take it, and what it took is kept."""
        if reply is None:
            return self._with_retries(messages, {}, limit, deadline, seed_offset)
        modes = [self._taken] if self._taken is not None else list(ORDER)
        for place, mode in enumerate(modes):
            try:
                last = place == len(modes) - 1
                fields = request_fields(mode, reply)
                found = self._with_retries(messages, fields, limit, deadline, seed_offset, tries=None if last else 1)
            except ModelFailure as failure:
                if last or failure.kind not in ("server_error", "rejected", "unreadable"):
                    raise
                continue
            self._taken = mode
            return found
        raise ModelFailure("rejected", "no format of replies is taken")

    def _with_retries(
        self,
        messages: Sequence[Message],
        fields: Mapping[str, Any],
        limit: int,
        deadline: float,
        seed_offset: int,
        tries: int | None = None,
    ) -> ChatCompletion:
        left = 1 + self.settings.retries if tries is None else tries
        pause = 0.25
        while True:
            left -= 1
            try:
                return self._once(messages, fields, limit, deadline, seed_offset)
            except _Passing as passing:
                wait = min(max(pause, passing.retry_after), LONGEST_WAIT)
                if left <= 0 or time.monotonic() + wait >= deadline:
                    raise passing.failure from None
                self._sleep(wait)
                pause *= 2

    def _once(
        self, messages: Sequence[Message], fields: Mapping[str, Any], limit: int, deadline: float, seed_offset: int
    ) -> ChatCompletion:
        """Raises _Passing for what may be different the next time, ModelFailure for the rest."""
        import openai
        from openai.types.chat import ChatCompletion

        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise ModelFailure("timeout")
        try:
            found: object = self._client.with_options(timeout=remaining).chat.completions.create(
                model=self.settings.model,
                messages=[{"role": message.role, "content": message.content} for message in messages],  # type: ignore[misc]
                temperature=0 if seed_offset == 0 else 0.5,
                seed=self.settings.seed + seed_offset,
                max_tokens=limit,
                extra_body=dict(fields),
            )
        except openai.APITimeoutError:
            raise ModelFailure("timeout") from None
        except openai.APIConnectionError as error:
            raise _Passing(ModelFailure("not_reached", type(error.__cause__ or error).__name__)) from None
        except openai.RateLimitError as error:
            raise _Passing(ModelFailure("rate_limited"), _retry_after(error.response.headers)) from None
        except openai.APIStatusError as error:
            status = error.status_code
            if status >= 500:
                raise _Passing(ModelFailure("server_error", str(status)), _retry_after(error.response.headers)) from None
            raise ModelFailure("rejected", str(status)) from None
        except _TooLong:
            raise ModelFailure("too_long") from None
        except Exception as error:  # whatever a broken body does to the package is a failure of the server
            raise ModelFailure("unreadable", type(error).__name__) from None
        if not isinstance(found, ChatCompletion) or not found.choices:
            raise ModelFailure("unreadable", "no chat completion")
        return found


class _Passing(Exception):
    """A failure after which it is worth trying again."""

    def __init__(self, failure: ModelFailure, retry_after: float = 0.0) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.retry_after = retry_after


class _TooLong(Exception):
    """The body of a response is longer than MOST_BYTES."""


def _capped(inner: Any) -> Any:
    """A transport that stops reading a body at MOST_BYTES, and one that drips at the time limit."""
    import httpx2

    class Stream(httpx2.SyncByteStream):
        def __init__(self, stream: httpx2.SyncByteStream, deadline: float) -> None:
            self._stream, self._deadline = stream, deadline

        def __iter__(self) -> Iterator[bytes]:
            read = 0
            for chunk in self._stream:
                read += len(chunk)
                if read > MOST_BYTES:
                    raise _TooLong
                if time.monotonic() > self._deadline:
                    raise httpx2.ReadTimeout("the body comes too slowly")
                yield chunk

        def close(self) -> None:
            self._stream.close()

    class Transport(httpx2.BaseTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            deadline = time.monotonic() + (request.extensions.get("timeout", {}).get("read") or 0.0)
            response: httpx2.Response = inner.handle_request(request)
            assert isinstance(response.stream, httpx2.SyncByteStream)
            response.stream = Stream(response.stream, deadline)
            return response

        def close(self) -> None:
            inner.close()

    return Transport()


def _read(found: ChatCompletion, messages: Sequence[Message]) -> Completion:
    """Counts what the server does not say; a claim below nothing counts as nothing."""
    text = found.choices[0].message.content
    text = text if isinstance(text, str) else ""
    asked = found.usage.prompt_tokens if found.usage is not None else None
    replied = found.usage.completion_tokens if found.usage is not None else None
    counted = sum(count_tokens(message.content) for message in messages)
    return Completion(text, _whole(asked, counted), _whole(replied, count_tokens(text)))


def _whole(said: object, otherwise: int) -> int:
    return said if isinstance(said, int) and said >= 0 else otherwise


def _check_ended(found: ChatCompletion) -> None:
    """Only a reply that ended by itself and is nothing but text is used. Raises ModelFailure."""
    choice = found.choices[0]
    if choice.finish_reason == "length":
        raise ModelFailure("cut")
    if choice.finish_reason == "content_filter" or getattr(choice.message, "refusal", None):
        raise ModelFailure("declined")
    if choice.finish_reason != "stop" or getattr(choice.message, "tool_calls", None):
        raise ModelFailure("unreadable", "no text")
    if not isinstance(choice.message.content, str):
        raise ModelFailure("unreadable", "no text")


def _retry_after(headers: Mapping[str, str]) -> float:
    said = headers.get("retry-after", "")
    return float(said) if said.isdigit() else 0.0
