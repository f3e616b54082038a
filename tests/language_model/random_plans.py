"""A model that answers every question with a plan that could be run, drawn at random from what its prompt tells it; often with
the columns, values and periods that the question itself says, so that it comes near and is wrong in one thing."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestrator.language_model.exchange import Completion, Message, ReplyFormat, Spending

_NUMBERS, _TIMES = ("decimal", "integer"), ("period", "date", "timestamp")
_SPANS = (("01-01", "12-31"), ("01-01", "03-31"), ("04-01", "06-30"), ("07-01", "09-30"), ("10-01", "12-31"), ("08-01", "08-31"))


@dataclass
class RandomPlans:
    """`seed` and the prompt decide the reply. `asked`: how many replies it gave."""

    seed: int
    asked: int = field(default=0)

    def complete(
        self, messages: Sequence[Message], reply: ReplyFormat | None, spent: Spending, seed_offset: int = 0
    ) -> Completion:
        self.asked += 1
        draw = random.Random(f"{self.seed} {messages[1].content} {len(messages)}")
        lines = [json.loads(line) for line in messages[1].content.splitlines() if line.startswith('{"table"')]
        tables = [line for line in lines if "columns" in line]
        values = [line for line in lines if "value" in line]
        if not tables:
            return Completion('{"plan": null}', 0, 0)
        question = messages[1].content.rpartition("Question (")[2].casefold()
        return Completion(json.dumps({"plan": _plan(draw, tables, values, question)}), 0, 0)


def _plan(
    draw: random.Random, tables: Sequence[Mapping[str, Any]], values: Sequence[Mapping[str, Any]], question: str
) -> dict[str, Any]:
    """Mostly of the table that the question names first, with the values that it says."""
    table = tables[0] if draw.random() < 0.7 else draw.choice(tables)
    columns = {each["column"]: each["type"] for each in table["columns"]}
    numbers = [name for name, kind in columns.items() if kind in _NUMBERS]
    times = [name for name, kind in columns.items() if kind in _TIMES]
    texts = [name for name in columns if name not in numbers and name not in times]
    said = [each for each in values if each["table"] == table["table"]]
    named = [each["column"] for each in table["columns"] if each["name"].casefold() in question]
    numbers = [name for name in numbers if name in named and draw.random() < 0.8] or numbers
    texts = [name for name in texts if name in named and draw.random() < 0.8] or texts
    plan: dict[str, Any] = {"table": table["table"]}
    if numbers and draw.random() < 0.8:
        kinds = ("sum", "sum", "value", "average", "maximum", "minimum", "median", "count_distinct")
        plan["measures"] = [{"aggregation": draw.choice(kinds), "column": draw.choice(numbers)}]
    elif draw.random() < 0.6:
        plan["measures"] = [{"aggregation": "count", "column": None}]
    else:
        plan["columns"] = draw.sample(named or list(columns), min(len(named or columns), draw.randint(1, 2)))
    kept = [each for each in said if draw.random() < 0.85]
    plan["filters"] = [{"column": each["column"], "operator": "=", "value": each["value"]} for each in kept]
    if times and draw.random() < (0.9 if re.search(r"\b(?:19|20)\d\d\b", question) else 0.3):
        years = [int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", question)]
        quarters = [_SPANS[int(number)] for number in re.findall(r"\bq([1-4])\b", question)]
        year = draw.choice(years if years and draw.random() < 0.8 else (2023, 2024))
        first, last = draw.choice(quarters if quarters and draw.random() < 0.8 else _SPANS)
        plan["periods"] = [{"column": draw.choice(times), "first_day": f"{year}-{first}", "last_day": f"{year}-{last}"}]
    if texts and "measures" in plan and draw.random() < 0.4:
        plan["group_by"] = [draw.choice(texts)]
        if draw.random() < 0.5:
            plan["order"] = {"descending": draw.random() < 0.5, "limit": draw.choice((None, 1, 3, 5))}
    return plan
