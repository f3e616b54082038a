"""How questions over the demo workbooks are understood: one line of questions.yaml a wording."""

from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
import yaml

from goldsets.read_goldset import read_goldset
from goldsets.run import prepare_workspace
from orchestrator.explain import explain
from orchestrator.name_store import NameStore
from orchestrator.period_mention import Calendar
from orchestrator.plan import Plan
from orchestrator.scope import Asker, Scope
from orchestrator.understand import understand
from qa.goldset_workspace import open_goldset_workspace
from qa.wiring import open_workspace

ROOT = Path(__file__).parents[3]
CASES = yaml.safe_load(Path(__file__).with_name("questions.yaml").read_text(encoding="utf-8"))
ASKER = Asker("analyst", "silbertanne", frozenset({"controlling", "vertrieb"}))


@cache
def scope() -> Scope:
    root = Path(mkdtemp()) / "workspace"
    prepare_workspace(read_goldset(ROOT / "goldsets" / "demo" / "demo.yaml"), root, open_goldset_workspace)
    return open_workspace(root).scope(ASKER)


NAMES = NameStore()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["ask"])
def test_understanding(case: dict[str, object]) -> None:
    found = understand(str(case["ask"]), scope(), None, Calendar(date(2024, 10, 16)), NAMES.names)
    stop = found.decision.stop
    if "stop" in case:
        assert (stop.kind if stop else None) == case["stop"]
        return
    assert stop is None, stop
    plans = [plan for planned in found.decision.planned for plan in planned.draft.plans]
    said = list(dict.fromkeys(explain(plan, scope(), found.question.language) for plan in plans))
    assert said == case["is"]


@pytest.mark.parametrize("case", [case for case in CASES if "is" in case], ids=lambda case: case["ask"])
def test_no_unknown_word_is_passed_over(case: dict[str, object]) -> None:
    """Any content word replaced by a word that is nothing stops the answer."""
    question = str(case["ask"])
    for word in [word.strip(",?.") for word in question.split() if word[:1].isupper() and len(word) > 4]:
        changed = question.replace(word, "Blubberfax", 1)
        assert not plans_of(changed), changed


# Words that change what is asked; none of them may vanish into a name beside it.
OPERATORS = (
    "je",
    "pro",
    "ohne",
    "nicht",
    "außer",
    "oder",
    "nach",
    "vor",
    "über",
    "unter",
    "minus",
    "mehr als",
    "durchschnittlich",
)


@pytest.mark.parametrize("word", OPERATORS)
@pytest.mark.parametrize("name", ["Region", "Niederlassung", "Danzig", "Nettoumsatz"])
def test_no_operator_vanishes_into_a_name(word: str, name: str) -> None:
    changed = plans_of(f"Nettoumsatz {word} {name} im Q3 2024")
    assert not changed or changed != plans_of(f"Nettoumsatz {name} im Q3 2024")


def plans_of(question: str) -> list[Plan]:
    found = understand(question, scope(), None, Calendar(date(2024, 10, 16)), NAMES.names)
    return [plan for planned in found.decision.planned for plan in planned.draft.plans]
