"""What a conversation remembers, across processes: the audit log holds it beside each answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.scope import Asker
from orchestrator.understand import Turn
from qa.audit import AuditLog


class LoggedTurns:
    """orchestrator.ask.Turns on the audit log. `keep` only notes the turn; it is remembered once the answer is logged."""

    def __init__(self, audit: AuditLog) -> None:
        self._audit = audit
        self._fresh: dict[tuple[Asker, str], Turn] = {}

    def last(self, asker: Asker, session_id: str) -> Turn | None:
        """The turn of the session's last question, if this person asked it with the same levels and it was not refused."""
        for record in reversed(self._audit.session(session_id, asker)):
            turn = record["detail"].get("turn")
            if turn is None:
                return None
            return Turn(turn["text"], turn["table"], tuple((label, text) for label, text in turn.get("options", ())))
        return None

    def drop(self, asker: Asker, session_id: str) -> None:
        """Nothing to do: the record of a refused question has no turn."""

    def keep(self, asker: Asker, session_id: str, turn: Turn) -> None:
        self._fresh[asker, session_id] = turn

    def take(self, asker: Asker, session_id: str) -> Mapping[str, Any]:
        """The turn that `keep` noted, as JSON data for the record of this answer; {} if there was none."""
        turn = self._fresh.pop((asker, session_id), None)
        return {} if turn is None else {"turn": {"text": turn.text, "table": turn.table, "options": turn.options}}
