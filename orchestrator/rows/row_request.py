"""What a question about rows is read from."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.link_names import Names
from orchestrator.period_mention import Calendar
from orchestrator.question import Question
from orchestrator.scope import Scope


@dataclass(frozen=True)
class RowRequest:
    """A question about rows, or the part of a mixed question that is. `subject`: what the other part is about: a question of its
    own, and names that its answer gave."""

    question: Question
    scope: Scope
    names: Names
    calendar: Calendar
    subject: Question | None = None
    subject_values: tuple[str, ...] = ()
