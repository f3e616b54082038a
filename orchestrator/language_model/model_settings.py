"""What is set about the language model, and what one question cost of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

StructuredOutput = Literal["auto", "json_schema", "json_object", "grammar", "none"]
"""How a server is told the shape of a reply; "auto": tried in this order, and what it takes is kept."""


@dataclass(frozen=True)
class ModelSettings:
    """An endpoint and its bounds. A budget of 0 is no bound. Prices are in cents for a million tokens."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    structured_output: StructuredOutput = "auto"
    seed: int = 42
    timeout_seconds: int = 20
    retries: int = 2
    prompt_tokens: int = 6_000
    answer_tokens: int = 700
    tokens_per_question: int = 50_000
    tokens_per_day: int = 2_000_000
    cents_per_day: int = 0
    input_price_cents: int = 0
    output_price_cents: int = 0
    concurrency: int = 2
    breaker_failures: int = 5
    breaker_seconds: int = 60
    cross_check: bool = False
    samples: int = 1
    free_sql: bool = False
    prose: bool = False
    examples: int = 3
