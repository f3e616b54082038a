"""What a planner decides: plans that explain every word, or a stop with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from orchestrator.plan import Plan


@dataclass(frozen=True)
class Option:
    """One way out of a clarification: asking `question` gives an answer."""

    label: str
    question: str


@dataclass(frozen=True)
class PlannerStop:
    """No plan. `kind` picks the sentence (orchestrator/clarify.py), `words` are the words of the question or names from the
    asker's own scope that it is about."""

    status: Literal["refused", "clarify"]
    code: str
    kind: str
    words: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class Draft:
    """Plans of one reading (several where a word can stand for values of several columns) and the mentions they use, by
    index in the reading."""

    plans: tuple[Plan, ...]
    used: frozenset[int]


class Stop(Exception):
    """Raised inside a rule where the question cannot be answered in this reading; carries the stop."""

    def __init__(self, stop: PlannerStop) -> None:
        super().__init__(f"{stop.code}: {stop.kind}")
        self.stop = stop
