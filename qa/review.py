"""The analysts' side of review: the queue, the whole answer, the decision, what has become stale, the go-live sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import SystemRandom
from typing import Any

from indexer.stored import Version
from parsers.fold import fold
from qa.audit import ANSWER_FIELDS
from qa.problems import BelegError, CheckFailed, UsageProblem
from qa.review_decisions import Decisions, Verdict
from qa.review_gate import State, decisions_of, holds
from qa.verification import verify_record
from qa.wiring import Workspace

JsonObject = Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """A logged query. `record`: as the log holds it; `verdict`: the decision on it, or on the same question or shape since."""

    record: JsonObject
    state: State
    verdict: Verdict | None = None

    @property
    def answer_id(self) -> str:
        return str(self.record["answer_id"])


def entry_json(entry: Entry) -> dict[str, Any]:
    """One entry of the queue, for programs."""
    record, review = entry.record, entry.record["detail"]["review"]
    decision = None
    if entry.verdict is not None:
        decision = {"by": entry.verdict.by, "at": entry.verdict.at, "reason": entry.verdict.reason}
    return {
        "answer_id": entry.answer_id,
        "asked_at": record["asked_at"],
        "tenant": record["tenant"],
        "user": record["user"],
        "question": record["question"],
        "status": record["status"],
        "state": entry.state,
        "shape": review["shape"],
        "decision": decision,
    }


def queue(workspace: Workspace, tenant: str | None = None, state: State | None = "pending") -> Iterator[Entry]:
    """Logged queries, oldest first: those that wait, of one state, or all that can be reviewed (`state` None)."""
    decisions: dict[str, Decisions] = {}
    for record in workspace.audit.questions(tenant, "pending_review" if state == "pending" else None):
        if "review" not in record["detail"]:
            continue
        known = decisions.setdefault(record["tenant"], decisions_of(workspace, record["tenant"]))
        entry = _entry(record, known)
        if state is None or entry.state == state:
            yield entry


def entry_of(workspace: Workspace, answer_id: str) -> Entry:
    """Raises BelegError if the log holds no such answer, or one without a number."""
    record = workspace.audit.answer(answer_id)
    if record is None:
        raise BelegError(f"Eine Antwort „{answer_id}“ steht nicht im Protokoll; 'beleg review list --all' zeigt die Kennungen.")
    if "review" not in record["detail"]:
        raise BelegError(f"Zur Antwort „{answer_id}“ gibt es nichts zu prüfen ({record['status']}, keine Zahl aus den Daten).")
    return _entry(record, decisions_of(workspace, record["tenant"]))


def full_answer(record: JsonObject) -> dict[str, Any]:
    """The answer object as it was computed, also where it was held back."""
    return {name: record[name] for name in ANSWER_FIELDS} | dict(record["detail"].get("held", {}))


def approved_elsewhere(workspace: Workspace, record: JsonObject) -> Verdict | None:
    """The decision on the same form with other table versions or another schema map, if that was an approval."""
    review, known = record["detail"]["review"], decisions_of(workspace, record["tenant"])
    found = known.forms.get(review["form"])
    return found if found is not None and found.approved and known.shapes.get(review["shape"]) is None else None


def decide(workspace: Workspace, answer_id: str, *, approve: bool, by: str, reason: str) -> Entry:
    """Notes a person's decision; an approval is of an answer that the original files still prove.

    Raises BelegError (unknown answer, own question), UsageProblem (no person), CheckFailed (the numbers do not come out again).
    """
    if not by.strip():
        raise UsageProblem("Die Option --by ist leer; sie nennt, wer entscheidet.")
    entry = entry_of(workspace, answer_id)
    record, review = entry.record, entry.record["detail"]["review"]
    tenant = record["tenant"]
    if approve:
        if fold(by) == fold(record["user"] or "") and not workspace.settings.tenant(tenant).review_own:
            raise BelegError(
                f"{by} hat die Frage selbst gestellt; freigeben muss jemand anderes, oder review_own = true in beleg.toml."
            )
        if full_answer(record)["status"] == "answered":
            _check(workspace, record)
    said = {name: review[name] for name in ("shape", "form", "words")}
    event = "review_approve" if approve else "review_reject"
    workspace.audit.event(event, tenant, by.strip(), {"answer_id": answer_id, "reason": reason, **said})
    return entry_of(workspace, answer_id)


def _check(workspace: Workspace, record: JsonObject) -> None:
    found = verify_record(workspace, {**record, **full_answer(record)})
    if not found.ok:
        why = " ".join(found.messages) or "Die Zellen ergeben jetzt etwas anderes."
        raise CheckFailed(f"Die Antwort lässt sich nicht mehr nachrechnen und wird nicht freigegeben: {why}")


def _entry(record: JsonObject, decisions: Decisions) -> Entry:
    review = record["detail"]["review"]
    verdict = decisions.answers.get(record["answer_id"]) or decisions.words.get(review["words"])
    if verdict is None and review["policy"] != "all" and record["status"] == "pending_review":
        of_shape = decisions.shapes.get(review["shape"])
        verdict = of_shape if of_shape is not None and of_shape.approved else None
    if verdict is not None:
        return Entry(record, "approved" if verdict.approved else "rejected", verdict)
    waits = record["status"] == "pending_review" and holds(review["policy"], review["reach"])
    return Entry(record, "pending" if waits else "not_required")


# --- answers from versions that no longer hold


@dataclass(frozen=True)
class Stale:
    """`why`: one German clause a document."""

    record: JsonObject
    why: tuple[str, ...]


def stale(workspace: Workspace, tenant: str | None = None) -> Iterator[Stale]:
    """Answers given from a version that has been superseded or removed since, oldest first."""
    versions: dict[str, dict[str, list[Version]]] = {}
    for record in workspace.audit.questions(tenant):
        if record["status"] not in ("answered", "pending_review") or not record["tables"]:
            continue
        of_tenant = versions.setdefault(record["tenant"], _by_document(workspace, record["tenant"]))
        read: dict[str, set[str]] = {}
        for table in record["tables"]:
            read.setdefault(table["document"], set()).add(table["version_id"])
        why = [_why_stale(of_tenant.get(document, ()), ids, str(record["at"])) for document, ids in read.items()]
        if any(why):
            yield Stale(record, tuple(each for each in why if each))


def _by_document(workspace: Workspace, tenant: str) -> dict[str, list[Version]]:
    found: dict[str, list[Version]] = {}
    for version in workspace.catalog.versions(tenant, include_removed=True):
        found.setdefault(version.document, []).append(version)
    return found


def _why_stale(versions: Sequence[Version], read: set[str], asked_at: str) -> str:
    """ "" where the versions read still hold as they did."""
    gone = [version for version in versions if version.version_id in read and version.removed_at is not None]
    if gone:
        return f"{gone[0].document}: Version „{gone[0].label}“ wurde entfernt"
    live = [version for version in versions if version.removed_at is None]
    binding = next((version for version in live if version.binding), None)
    if binding is not None:
        later = binding.authorized_at is not None and _moment(binding.authorized_at) > asked_at
        superseded = binding.version_id not in read and later
        return f"{binding.document}: verbindlich ist jetzt „{binding.label}“" if superseded else ""
    newest = max(live, key=lambda version: version.number, default=None)
    if newest is not None and newest.version_id not in read and _moment(newest.ingested_at) > asked_at:
        return f"{newest.document}: Version „{newest.label}“ kam danach hinzu"
    return ""


def _moment(at: Any) -> str:
    """As the audit log writes a moment, so that the two compare as text."""
    from qa.audit import moment_text

    return moment_text(at)


# --- the go-live sample


@dataclass(frozen=True)
class Sample:
    """A draw of logged answers and what people said about them. `right` and `wrong` count decisions on these very answers."""

    entries: tuple[Entry, ...]
    drawn_at: str
    asked_for: int
    right: int
    wrong: int

    @property
    def marked(self) -> int:
        return self.right + self.wrong


def sample(workspace: Workspace, tenant: str, size: int, by: str, *, fresh: bool = False) -> Sample:
    """The latest draw of this size, else a new one: at random, each answer at most once, kept in the log so that everyone marks
    the same. `fresh`: a new one in any case. Raises BelegError if there is nothing to draw from."""
    workspace.catalog.place(tenant)
    drawn = [event for event in workspace.audit.events(tenant, ("review_sample",)) if event["detail"]["n"] == size]
    if fresh or not drawn:
        known = [entry.answer_id for entry in queue(workspace, tenant, None)]
        if not known:
            raise BelegError(f"Im Protokoll des Mandanten „{tenant}“ steht noch keine Antwort mit einer Zahl.")
        chosen = SystemRandom().sample(known, min(size, len(known)))
        workspace.audit.event("review_sample", tenant, by, {"n": size, "of": len(known), "answers": chosen})
        drawn = list(workspace.audit.events(tenant, ("review_sample",)))
    latest, decisions = drawn[-1], decisions_of(workspace, tenant)
    wanted = set(latest["detail"]["answers"])
    entries = []
    for record in workspace.audit.questions(tenant):
        if record["answer_id"] in wanted:
            verdict = decisions.answers.get(record["answer_id"])
            state: State = "pending" if verdict is None else "approved" if verdict.approved else "rejected"
            entries.append(Entry(record, state, verdict))
    states = [entry.state for entry in entries]
    return Sample(tuple(entries), latest["at"], size, states.count("approved"), states.count("rejected"))
