"""What a conversation remembers, across processes: the audit log holds it beside each answer."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from orchestrator.scope import Asker
from orchestrator.understand import Turn
from qa.audit import AuditLog

JsonObject = Mapping[str, Any]


class LoggedTurns:
    """orchestrator.ask.Turns on the audit log. `keep` only notes the turn; it is remembered once the answer is logged."""

    def __init__(self, audit: AuditLog) -> None:
        self._audit = audit
        self._fresh: dict[tuple[Asker, str], Turn] = {}
        self._branches: dict[tuple[Asker, str], Turn] = {}

    def last(self, asker: Asker, session_id: str) -> Turn | None:
        """The turn of the session's last question, if this person asked it with the same levels and it was not refused."""
        for record in reversed(self._audit.session(session_id, asker)):
            return _turn(record)
        return self._branches.pop((asker, session_id), None)

    def after(self, asker: Asker, record: JsonObject) -> str:
        """The session in which this person's next question follows this answer of theirs: the answer's own while it is the last
        one there, else a new one."""
        session_id = str(record["session_id"])
        questions = self._audit.session(session_id, asker)
        if questions and questions[-1]["answer_id"] == record["answer_id"]:
            return session_id
        branch, turn = uuid.uuid4().hex, _turn(record)
        if turn is not None and sorted(asker.levels) == list(record["levels"]):
            self._branches[asker, branch] = turn
        return branch

    def drop(self, asker: Asker, session_id: str) -> None:
        """Nothing to do: the record of a refused question has no turn."""

    def keep(self, asker: Asker, session_id: str, turn: Turn) -> None:
        self._fresh[asker, session_id] = turn

    def take(self, asker: Asker, session_id: str) -> Mapping[str, Any]:
        """The turn that `keep` noted, as JSON data for the record of this answer; {} if there was none."""
        turn = self._fresh.pop((asker, session_id), None)
        return {} if turn is None else {"turn": {"text": turn.text, "table": turn.table, "options": turn.options}}


def _turn(record: JsonObject) -> Turn | None:
    said = record["detail"].get("turn")
    if said is None:
        return None
    return Turn(said["text"], said["table"], tuple((label, text) for label, text in said.get("options", ())))
