"""What a tenant may spend on the model in one day, in tokens and money."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Protocol

from orchestrator.language_model.exchange import ModelFailure
from orchestrator.language_model.model_settings import ModelSettings


@dataclass(frozen=True)
class DaySpending:
    """What one tenant used on one day."""

    prompt_tokens: int = 0
    reply_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.reply_tokens

    def cents(self, settings: ModelSettings) -> Fraction:
        """What it cost, exact."""
        spent = self.prompt_tokens * settings.input_price_cents + self.reply_tokens * settings.output_price_cents
        return Fraction(spent, 1_000_000)


class SpendingBook(Protocol):
    """Keeps what was spent, for all processes of a workspace."""

    def spent(self, tenant: str, day: date) -> DaySpending: ...

    def add(self, tenant: str, day: date, prompt_tokens: int, reply_tokens: int) -> None: ...


class SpendingInMemory:
    """For one process."""

    def __init__(self) -> None:
        self._spent: dict[tuple[str, date], DaySpending] = {}

    def spent(self, tenant: str, day: date) -> DaySpending:
        return self._spent.get((tenant, day), DaySpending())

    def add(self, tenant: str, day: date, prompt_tokens: int, reply_tokens: int) -> None:
        before = self.spent(tenant, day)
        self._spent[tenant, day] = DaySpending(before.prompt_tokens + prompt_tokens, before.reply_tokens + reply_tokens)


def check_budget(settings: ModelSettings, spent: DaySpending, of_question: int, wanted: int) -> None:
    """`of_question`: tokens that the question has used; `wanted`: what the next call may use. Raises ModelFailure (budget)."""
    if settings.tokens_per_question and of_question + wanted > settings.tokens_per_question:
        raise ModelFailure("budget", f"tokens_per_question = {settings.tokens_per_question}")
    if settings.tokens_per_day and spent.tokens + wanted > settings.tokens_per_day:
        raise ModelFailure("budget", f"tokens_per_day = {settings.tokens_per_day}")
    if settings.cents_per_day and spent.cents(settings) >= settings.cents_per_day:
        raise ModelFailure("budget", f"cents_per_day = {settings.cents_per_day}")
