"""What people decided about answers, as the audit log holds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

DECISIONS = ("review_approve", "review_reject")
"""Events of the audit log that a person's decisions are."""

JsonObject = Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """One decision of a person. `at` as the log writes it."""

    approved: bool
    by: str
    at: str
    answer_id: str
    reason: str = ""

    @property
    def day(self) -> str:
        return self.at[:10]


@dataclass
class Decisions:
    """The latest decision on each shape, form, question and answer of one tenant."""

    shapes: dict[str, Verdict] = field(default_factory=dict)
    forms: dict[str, Verdict] = field(default_factory=dict)
    words: dict[str, Verdict] = field(default_factory=dict)
    answers: dict[str, Verdict] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Iterable[JsonObject]) -> Decisions:
        """From the events of the log, oldest first."""
        found = cls()
        for event in events:
            said = event["detail"]
            verdict = Verdict(
                event["event"] == "review_approve", event["user"], event["at"], said["answer_id"], said.get("reason", "")
            )
            found.shapes[said["shape"]] = found.forms[said["form"]] = found.words[said["words"]] = verdict
            found.answers[verdict.answer_id] = verdict
        return found
