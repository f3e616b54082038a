"""Periods that people say, with the days they mean."""

from datetime import date
from pathlib import Path

import pytest
import yaml

from orchestrator.link_periods import find_periods
from orchestrator.period_mention import Calendar, PeriodMention
from orchestrator.question import read_question

CASES = yaml.safe_load(Path(__file__).with_name("periods.yaml").read_text(encoding="utf-8"))
CALENDAR = Calendar(date(2024, 10, 16), fiscal_start=(10, 1))


def written(mention: PeriodMention) -> str:
    if mention.period is None:
        until = f"-{mention.until_number}" if mention.until_number else ""
        return f"{mention.grain} {mention.number}{until}"
    return f"{mention.bound} {mention.period.start}..{mention.period.end}".strip()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["ask"])
def test_days(case: dict[str, object]) -> None:
    found = find_periods(read_question(str(case["ask"])), CALENDAR)
    assert [written(mention) for mention in found] == case["is"]
