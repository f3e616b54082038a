"""Periods: Q3 2024, 09.2024, KW 34, GJ 2024/25 -> first and last day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

Grain = Literal["day", "week", "month", "quarter", "half_year", "year", "fiscal_year", "range"]


@dataclass(frozen=True)
class Period:
    """A stretch of days, both ends included. `label` is the text as it stands in the file or question."""

    start: date
    end: date
    grain: Grain
    label: str
