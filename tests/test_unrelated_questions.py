"""Five hundred questions from words that name nothing in the demo workspace: not one may be answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import cycle
from pathlib import Path
from random import Random

import pytest
import yaml

from goldsets.demo.read_demo import ORDERS, branches, open_items, read_sheet
from goldsets.read_goldset import read_goldset
from goldsets.run import RunWorkspace, prepare_workspace
from orchestrator.scope import Asker
from qa.goldset_workspace import open_goldset_workspace

DEMO = Path(__file__).resolve().parents[1] / "goldsets" / "demo" / "demo.yaml"
EVERYTHING = Asker("test", "silbertanne", frozenset({"controlling", "vertrieb", "vorstand"}))

WORDS: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "unrelated_words.yaml").read_text(encoding="utf-8"))
LISTS = {"noun": "nouns", "adjective": "adjectives", "verb": "verbs", "place": "places", "english": "english", "polish": "polish",
         "measure": "measures"}
HOW_MANY = 500


def unrelated_questions(seed: int, how_many: int = HOW_MANY) -> Iterator[str]:
    """Questions without repetition, every form about equally often."""
    random = Random(seed)
    asked: set[str] = set()
    for form in cycle(WORDS["forms"]):
        if len(asked) == how_many:
            return
        question = re.sub(r"\{(\w+)\}", lambda slot: random.choice(WORDS[LISTS[slot.group(1)]]), form)
        if question not in asked:
            asked.add(question)
            yield question


def test_the_words_name_nothing_in_the_demo_files() -> None:
    """Otherwise a question might rightly be answered and the test would prove nothing."""
    records = [*branches(), *open_items(), *(r for name in ("Kunden", "Artikel") for r in read_sheet(ORDERS, name, 1))]
    data = {word.casefold() for r in records for head, cell in r.items() for word in re.findall(r"\w+", f"{head} {cell.value}")}
    foreign = set(LISTS.values()) - {"measures"}
    unrelated = {word.casefold() for kind in foreign for word in WORDS[kind]}
    assert not data & unrelated


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> RunWorkspace:
    return prepare_workspace(read_goldset(DEMO), tmp_path_factory.mktemp("demo") / "workspace", open_goldset_workspace)


def test_the_workspace_answers_at_all(demo: RunWorkspace) -> None:
    question = "Wie hoch war der Nettoumsatz der Niederlassung in Danzig im Q3 2024?"
    answer = demo.ask(question, EVERYTHING, None, date(2024, 10, 16))
    assert (answer["status"], answer["result"]["rows"]) == ("answered", [["1247890"]])


def test_no_unrelated_question_is_answered(demo: RunWorkspace) -> None:
    answered = []
    for question in unrelated_questions(seed=20241015):
        answer = demo.ask(question, EVERYTHING, None, date(2024, 10, 16))
        if answer["status"] == "answered":
            answered.append(f"{question} -> {answer['text']}")
    assert not answered, f"{len(answered)} of {HOW_MANY} were answered, the first: {answered[:10]}"
