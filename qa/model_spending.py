"""What every tenant spent on the language model, by day, in a file that all processes of a workspace share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import portalocker
from pydantic import TypeAdapter, ValidationError

from orchestrator.language_model.budget import DaySpending
from orchestrator.language_model.exchange import ModelFailure

_KEPT_DAYS = 62
_BOOK = TypeAdapter(dict[str, dict[str, tuple[int, int]]])


class SpendingFile:
    """tenant -> day -> tokens of prompts and replies; a lock keeps two processes apart. Where it cannot be read or written, the
    model is not asked (ModelFailure)."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def spent(self, tenant: str, day: date) -> DaySpending:
        """What the tenant used on that day."""
        prompt_tokens, reply_tokens = self._read().get(tenant, {}).get(day.isoformat(), (0, 0))
        return DaySpending(prompt_tokens, reply_tokens)

    def add(self, tenant: str, day: date, prompt_tokens: int, reply_tokens: int) -> None:
        """Counts a request; days long past are forgotten."""
        with self._locked():
            book = self._read()
            days = book.setdefault(tenant, {})
            before = days.get(day.isoformat(), (0, 0))
            days[day.isoformat()] = (before[0] + prompt_tokens, before[1] + reply_tokens)
            book[tenant] = dict(sorted(days.items())[-_KEPT_DAYS:])
            fresh = self._path.with_suffix(".new")
            fresh.write_text(json.dumps(book, ensure_ascii=False, indent=1), encoding="utf-8")
            fresh.replace(self._path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            with portalocker.Lock(str(self._path.with_suffix(".lock")), timeout=10):
                yield
        except (OSError, portalocker.LockException) as error:
            raise ModelFailure("budget", type(error).__name__) from error

    def _read(self) -> dict[str, dict[str, tuple[int, int]]]:
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise ModelFailure("budget", type(error).__name__) from error
        try:
            return _BOOK.validate_json(text)
        except ValidationError:
            raise ModelFailure("budget", f"{self._path.name} cannot be read") from None
