"""An earlier answer checked once more, for the person who may read it."""

from __future__ import annotations

from typing import Any

from qa.person import Person
from qa.verification import verify
from qa.visible_cells import readable_record
from qa.wiring import Workspace


def verify_visible(workspace: Workspace, person: Person, answer_id: str) -> dict[str, Any] | None:
    """The contract's shape without the path of the file and without cells beyond those cited; None where the person may not read
    the answer or there is none. Raises BelegError where it has no number to check."""
    if readable_record(workspace, person.asker, answer_id, of_others=person.may("review")) is None:
        return None
    found = verify(workspace, answer_id)
    told = {name: value for name, value in found.to_json().items() if name not in ("original", "differences", "messages")}
    reasons = tuple(dict.fromkeys(fact.why for fact in found.facts if fact.why))
    return {**told, "messages": list(reasons)}
