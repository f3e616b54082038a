"""`beleg verify`: a logged answer once more, from the cells as they stand in the original files now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from orchestrator.scope import Asker
from orchestrator.verify_answer import Verification, VerifiedFact, verify_answer
from qa.audit_signature import AuditKey
from qa.personal_values import MASK
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
    return verify_record(workspace, record)


def verify_record(workspace: Workspace, record: Mapping[str, Any]) -> Verification:
    """`record`: of the log, with the answer that is to be verified in its fields."""
    table_of = partial(workspace.catalog.table, record["tenant"])
    if not any(fact.get("masked") for fact in record["facts"]):
        return _run_again(workspace, record, verify_answer(record, record["recipes"], table_of))
    open_record = {**record, "facts": [_without_mask(fact) for fact in record["facts"]]}
    return _masked(verify_answer(open_record, record["recipes"], table_of), record["facts"], workspace.settings.audit_key)


def _run_again(workspace: Workspace, record: Mapping[str, Any], found: Verification) -> Verification:
    """An analyst's own statement is run once more, as long as it reads the same table versions with the same levels; its values
    are then compared too, beside the cells."""
    if not any(step["stage"] == "guard" for step in record["trace"] or ()) or not found.facts:
        return found
    from orchestrator.ask_sql import ask_sql

    asker = Asker(record["user"], record["tenant"], frozenset(record["levels"]))
    most_rows = max(len(record["result"]["rows"]), 1)
    again = ask_sql(record["question"], asker, workspace.tenant_data(record["tenant"]), most_rows=most_rows)
    if {table.table_id for table in again.log.tables} != set(record["recipes"].get("tables", {})):
        return found
    values = {(fact.row, fact.column): fact.value for fact in again.answer.facts}
    facts = tuple(_compared(fact, values) for fact in found.facts)
    messages = dict.fromkeys((*found.messages, *(fact.why for fact in facts if fact.why)))
    return replace(found, facts=facts, messages=tuple(messages), ok=found.ok and all(fact.equal for fact in facts))


def _compared(fact: VerifiedFact, values: Mapping[tuple[int | None, int | None], str | None]) -> VerifiedFact:
    if not fact.equal:
        return fact
    value = values.get((fact.row, fact.column))
    if value == fact.value:
        return replace(fact, recomputed=value, checked="rerun")
    return replace(
        fact, recomputed=value, equal=False, why=f"Gezeigt wurde {fact.value}, die Abfrage ergibt jetzt {value}.", checked="rerun"
    )


_NO_VALUE = "0"
"""Stands for a masked value while it is computed again; the signature of the true one decides whether it is right."""


def _without_mask(fact: Mapping[str, Any]) -> dict[str, Any]:
    return {**fact, "value": _NO_VALUE} if fact.get("masked") else dict(fact)


def _masked(found: Verification, facts: Sequence[Mapping[str, Any]], key: AuditKey | None) -> Verification:
    """Masked values are compared by the signature that the log keeps of them, and stay masked."""
    shown, messages = [], []
    for verified, logged in zip(found.facts, facts, strict=True):
        if not logged.get("masked"):
            shown.append(verified)
            messages += [verified.why] if verified.why else []
            continue
        equal = key is not None and key.fits("value", str(verified.recomputed), logged.get("value_hmac"))
        shown.append(replace(verified, value=MASK, recomputed=MASK if equal else None, equal=equal, why=""))
        if not equal and "value_hmac" in logged and key is not None:
            messages.append("Ein maskierter Wert kommt nicht mehr heraus.")
        elif not equal:
            messages.append("Maskierte Werte lassen sich nur vergleichen, wenn das Protokoll mit BELEG_AUDIT_KEY geführt wird.")
    about_files = [message for message in found.messages if message not in {fact.why for fact in found.facts}]
    ok = all(fact.equal for fact in shown) and not about_files
    return replace(found, facts=tuple(shown), messages=tuple(dict.fromkeys((*messages, *about_files))), ok=ok, differences=())
