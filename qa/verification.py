"""`beleg verify`: a logged answer once more, from the cells as they stand in the original files now."""

from __future__ import annotations

from functools import partial

from orchestrator.verify_answer import Verification, verify_answer
from qa.problems import BelegError
from qa.wiring import Workspace


def verify(workspace: Workspace, answer_id: str) -> Verification:
    """Raises BelegError if the log holds no such answer, or one without a number."""
    record = workspace.audit.answer(answer_id)
    if record is None:
        raise BelegError(f"Eine Antwort „{answer_id}“ steht nicht im Protokoll; die Kennung steht am Ende jeder Antwort.")
    if record["status"] == "pending_review":
        raise BelegError(f"Die Antwort „{answer_id}“ wartet auf eine Prüfung; 'beleg review show {answer_id}' zeigt sie Prüfern.")
    if record["status"] != "answered":
        raise BelegError(f"Die Frage „{answer_id}“ wurde nicht beantwortet ({record['status']}); es gibt keine Zahl zu prüfen.")
    return verify_answer(record, record["recipes"], partial(workspace.catalog.table, record["tenant"]))
