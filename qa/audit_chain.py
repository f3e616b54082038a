"""The chain itself: canonical text, hashes, signatures, and the checks that find a changed, removed or reordered record.

A record is a JSON object. Its hash is SHA-256 over its canonical JSON (keys sorted, no blanks, ASCII escapes, UTF-8) without the
field `hash`; its field `previous` holds the hash of the record before it (64 zeros for the first), `seq` counts from 1.
So an exported line can be checked without Beleg. Where there is a key, the field `signature` is the HMAC-SHA-256 of the same
canonical JSON without `hash` and `signature`.

A record that was deleted after its retention period keeps its place: its hash stays, its body is empty, and a later record
`audit_prune` names it and holds a digest of all that it deleted (the bridge over the gap).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from orchestrator.cell_ranges import compact_rows, expand_rows
from qa.audit_signature import KEY_VARIABLE, AuditKey

FIRST_PREVIOUS = "0" * 64
PRUNED, PRUNE = "pruned", "audit_prune"
"""The event of a record whose content was deleted, and that of the record which says so."""

JsonObject = Mapping[str, Any]


@dataclass(frozen=True)
class ChainRow:
    """A record as stored: `body` is its canonical JSON without the hash; the other fields repeat what stands in it.

    `origin`: the event of another store that this record repeats, unique in the log; None for what began here.
    """

    seq: int
    event: str
    tenant: str | None
    user: str | None
    answer_id: str | None
    session_id: str | None
    origin: str | None
    body: str
    previous: str
    hash: str


@dataclass(frozen=True)
class Checkpoint:
    """Kept outside the database: how many records there were and the hash of the last one; `signature` None: not signed."""

    count: int
    head: str
    signature: str | None = None

    def signed(self, key: AuditKey | None) -> Checkpoint:
        return replace(self, signature=key.sign("checkpoint", self._text()) if key is not None else None)

    def problem(self, key: AuditKey | None) -> str:
        """What is wrong with the signature, "" if nothing: one German clause."""
        if key is None:
            return f"ist signiert, aber {KEY_VARIABLE} fehlt in der Umgebung" if self.signature is not None else ""
        if self.signature is None:
            return "ist nicht signiert"
        return "" if key.fits("checkpoint", self._text(), self.signature) else f"trägt keine Signatur von {KEY_VARIABLE}"

    def _text(self) -> str:
        return f"{self.count}:{self.head}"


@dataclass(frozen=True)
class Finding:
    """One sign of tampering; `seq` is None where no single record is meant."""

    seq: int | None
    message: str


@dataclass(frozen=True)
class ChainReport:
    """`behind`: records after the checkpoint, left by a process that ended between writing the two; they are no finding.
    `pruned`: records deleted after their retention period. `signed`: the signatures were checked and are right."""

    count: int
    head: str
    behind: int
    findings: tuple[Finding, ...]
    pruned: int = 0
    signed: bool = False

    @property
    def ok(self) -> bool:
        return not self.findings


def canonical(record: JsonObject) -> str:
    """Raises ValueError for numbers that JSON does not have (NaN, infinity) and TypeError for types it does not have."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8")).hexdigest()


def chained(record: JsonObject, seq: int, previous: str, key: AuditKey | None = None) -> ChainRow:
    """The record with its place in the chain, signed where there is a key."""
    placed = {**record, "seq": seq, "previous": previous}
    body = canonical(placed)
    if key is not None:
        body = canonical({**placed, "signature": key.sign("record", body)})
    return ChainRow(
        seq=seq,
        event=record["event"],
        tenant=record.get("tenant"),
        user=record.get("user"),
        answer_id=record.get("answer_id"),
        session_id=record.get("session_id"),
        origin=record.get("origin"),
        body=body,
        previous=previous,
        hash=digest(body),
    )


def emptied(row: ChainRow) -> ChainRow:
    """What stays of a deleted record."""
    return replace(row, event=PRUNED, tenant=None, user=None, answer_id=None, session_id=None, body="")


def prune_detail(rows: Iterable[ChainRow]) -> dict[str, Any]:
    """What the record `audit_prune` says about the records it deletes; `rows` in order of `seq`."""
    gone = {row.seq: _trace(row) for row in rows}
    return {"records": compact_rows(tuple(gone)), "count": len(gone), "digest": digest("\n".join(gone.values()))}


def _trace(row: ChainRow) -> str:
    return f"{row.seq}:{row.hash}:{row.origin or ''}"


@dataclass
class ChainCheck:
    """Reads records in order of `seq`, from the first or from any known place in the chain. `signing`: from here on every record
    must be signed."""

    key: AuditKey | None
    count: int = 0
    head: str = FIRST_PREVIOUS
    signing: bool = False
    findings: list[Finding] = field(default_factory=list)
    _pruned: dict[int, str] = field(default_factory=dict)
    _prunes: list[tuple[int, JsonObject]] = field(default_factory=list)
    _unchecked: bool = False

    @property
    def pruned(self) -> int:
        return len(self._pruned)

    def read(self, row: ChainRow) -> None:
        self.findings += self._row(row)
        self.count, self.head = row.seq, row.hash

    def _row(self, row: ChainRow) -> Iterator[Finding]:
        if row.seq != self.count + 1:
            yield Finding(row.seq, f"Vor Eintrag {row.seq} fehlt Eintrag {self.count + 1}.")
        elif row.previous != self.head:
            yield Finding(row.seq, f"Eintrag {row.seq} schließt nicht an den Eintrag davor an.")
        if not row.body and row == emptied(row):
            self._pruned[row.seq] = _trace(row)
            return
        if digest(row.body) != row.hash:
            yield Finding(row.seq, f"Der Inhalt von Eintrag {row.seq} wurde geändert.")
            return
        try:
            record = json.loads(row.body)
            signature = record.pop("signature", None)
            expected = chained({k: v for k, v in record.items() if k not in ("seq", "previous")}, row.seq, row.previous)
            whole = canonical({**record, "signature": signature}) if signature is not None else expected.body
        except (ValueError, KeyError, AttributeError):
            yield Finding(row.seq, f"Eintrag {row.seq} ist kein gültiger Eintrag.")
            return
        if replace(expected, body=whole, hash=digest(whole)) != row:
            yield Finding(row.seq, f"Die Spalten von Eintrag {row.seq} passen nicht zu seinem Inhalt.")
        yield from self._signature(row.seq, expected.body, signature)
        if record["event"] == PRUNE:
            self._prunes.append((row.seq, record["detail"]))

    def _signature(self, seq: int, body: str, signature: str | None) -> Iterator[Finding]:
        """From the first signed record on every record is signed; the ones before are vouched for by its `previous`."""
        if self.key is None:
            if signature is not None and not self._unchecked:
                self._unchecked = True
                yield Finding(seq, f"Ab Eintrag {seq} ist das Protokoll signiert, aber {KEY_VARIABLE} fehlt in der Umgebung.")
            return
        if signature is None:
            if self.signing:
                yield Finding(seq, f"Eintrag {seq} ist nicht signiert, Einträge davor sind es.")
            return
        self.signing = True
        if not self.key.fits("record", body, signature):
            yield Finding(seq, f"Die Signatur von Eintrag {seq} ist nicht von {KEY_VARIABLE}.")

    def gaps(self) -> tuple[Finding, ...]:
        """Emptied records that no later record names, and bridges that do not fit; once everything was read."""
        found: list[Finding] = []
        covered: set[int] = set()
        for seq, detail in self._prunes:
            try:
                named = list(expand_rows(str(detail["records"]))) if detail["records"] else []
                fits = digest("\n".join(self._pruned[each] for each in named)) == detail["digest"] and max(named, default=0) < seq
            except (KeyError, ValueError, TypeError):
                fits, named = False, []
            covered.update(named)
            if not fits:
                found.append(Finding(seq, f"Die Löschung in Eintrag {seq} passt nicht zu dem, was im Protokoll fehlt."))
        lost = [seq for seq in self._pruned if seq not in covered]
        unnamed = (Finding(seq, f"Der Inhalt von Eintrag {seq} fehlt, ohne dass eine Löschung ihn nennt.") for seq in lost)
        return (*found, *unnamed)


def check_chain(rows: Iterable[ChainRow], checkpoint: Checkpoint | None, key: AuditKey | None = None) -> ChainReport:
    """Reads every record once, in order of `seq`. `checkpoint` None: its file is missing, a finding unless the log is empty."""
    check = ChainCheck(key)
    check.signing = key is not None and checkpoint is not None and checkpoint.count == 0
    head_at_checkpoint = FIRST_PREVIOUS
    for row in rows:
        check.read(row)
        if checkpoint is not None and row.seq == checkpoint.count:
            head_at_checkpoint, check.signing = row.hash, key is not None
    findings = [*check.findings, *check.gaps(), *_end_findings(check.count, head_at_checkpoint, checkpoint, key)]
    behind = max(0, check.count - checkpoint.count) if checkpoint is not None else 0
    signed = key is not None and not findings and checkpoint is not None
    return ChainReport(check.count, check.head, behind, tuple(findings), check.pruned, signed)


def _end_findings(count: int, head: str, checkpoint: Checkpoint | None, key: AuditKey | None) -> Iterator[Finding]:
    if checkpoint is None:
        if count:
            yield Finding(None, "Die Prüfpunktdatei fehlt; ob am Ende Einträge entfernt wurden, ist nicht feststellbar.")
        return
    if problem := checkpoint.problem(key):
        yield Finding(None, f"Der Prüfpunkt {problem}.")
    if count < checkpoint.count:
        yield Finding(
            None, f"Das Protokoll endet bei Eintrag {count}, der Prüfpunkt kennt {checkpoint.count}: am Ende fehlen Einträge."
        )
    elif head != checkpoint.head:
        yield Finding(checkpoint.count, f"Eintrag {checkpoint.count} ist nicht der, den der Prüfpunkt festhält.")
