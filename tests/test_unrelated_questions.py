"""Five hundred questions from words that name nothing in the demo workspace: not one may be answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import yaml

WORDS: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "unrelated_words.yaml").read_text(encoding="utf-8"))
LISTS = {"noun": "nouns", "adjective": "adjectives", "verb": "verbs", "place": "places", "english": "english", "polish": "polish",
         "measure": "measures"}
HOW_MANY = 500


def unrelated_questions(seed: int, how_many: int = HOW_MANY) -> Iterator[str]:
    """Questions without repetition, every form about equally often."""
    random = Random(seed)
    asked: set[str] = set()
    while len(asked) < how_many:
        form = WORDS["forms"][len(asked) % len(WORDS["forms"])]
        question = re.sub(r"\{(\w+)\}", lambda slot: random.choice(WORDS[LISTS[slot.group(1)]]), form)
        if question not in asked:
            asked.add(question)
            yield question


def test_the_words_name_nothing_in_the_demo_files() -> None:
    """Otherwise a question might rightly be answered and the test would prove nothing."""
    from goldsets.demo.read_demo import ORDERS, branches, open_items, read_sheet

    records = [*branches(), *open_items(), *(r for name in ("Kunden", "Artikel") for r in read_sheet(ORDERS, name, 1))]
    data = {word.casefold() for r in records for head, cell in r.items() for word in re.findall(r"\w+", f"{head} {cell.value}")}
    unrelated = {word.casefold() for kind in ("nouns", "adjectives", "verbs", "places", "english", "polish") for word in WORDS[kind]}
    assert not data & unrelated


def test_no_unrelated_question_is_answered(demo_service: Any) -> None:
    answered = []
    for question in unrelated_questions(seed=20241015):
        answer = demo_service(question)
        if answer["status"] == "answered":
            answered.append(f"{question} -> {answer['text']}")
    assert not answered, f"{len(answered)} of {HOW_MANY} were answered, the first: {answered[:10]}"
