"""The chain itself: canonical text, hashes, and the checks that find a changed, removed or reordered record.

A record is a JSON object. Its hash is SHA-256 over its canonical JSON (keys sorted, no blanks, ASCII escapes, UTF-8) without the
field `hash`; its field `previous` holds the hash of the record before it (64 zeros for the first), `seq` counts from 1.
So an exported line can be checked without Beleg.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

FIRST_PREVIOUS = "0" * 64

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
    """Kept outside the database: how many records there were and the hash of the last one."""

    count: int
    head: str


@dataclass(frozen=True)
class Finding:
    """One sign of tampering; `seq` is None where no single record is meant."""

    seq: int | None
    message: str


@dataclass(frozen=True)
class ChainReport:
    """`behind`: records after the checkpoint, left by a process that ended between writing the two; they are no finding."""

    count: int
    head: str
    behind: int
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        return not self.findings


def canonical(record: JsonObject) -> str:
    """Raises ValueError for numbers that JSON does not have (NaN, infinity) and TypeError for types it does not have."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8")).hexdigest()


def chained(record: JsonObject, seq: int, previous: str) -> ChainRow:
    """The record with its place in the chain."""
    body = canonical({**record, "seq": seq, "previous": previous})
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


def check_chain(rows: Iterable[ChainRow], checkpoint: Checkpoint | None) -> ChainReport:
    """Reads every record once, in order of `seq`. `checkpoint` None: its file is missing, a finding unless the log is empty."""
    count, head = 0, FIRST_PREVIOUS
    findings: list[Finding] = []
    head_at_checkpoint = FIRST_PREVIOUS
    for row in rows:
        findings += _row_findings(row, count + 1, head)
        count, head = row.seq, row.hash
        if checkpoint is not None and row.seq == checkpoint.count:
            head_at_checkpoint = row.hash
    if checkpoint is None:
        if count:
            findings.append(
                Finding(None, "Die Prüfpunktdatei fehlt; ob am Ende Einträge entfernt wurden, ist nicht feststellbar.")
            )
        return ChainReport(count, head, 0, tuple(findings))
    if count < checkpoint.count:
        findings.append(
            Finding(
                None, f"Das Protokoll endet bei Eintrag {count}, der Prüfpunkt kennt {checkpoint.count}: am Ende fehlen Einträge."
            )
        )
    elif head_at_checkpoint != checkpoint.head:
        findings.append(Finding(checkpoint.count, f"Eintrag {checkpoint.count} ist nicht der, den der Prüfpunkt festhält."))
    return ChainReport(count, head, max(0, count - checkpoint.count), tuple(findings))


def _row_findings(row: ChainRow, expected_seq: int, previous: str) -> Iterator[Finding]:
    if row.seq != expected_seq:
        yield Finding(row.seq, f"Vor Eintrag {row.seq} fehlt Eintrag {expected_seq}.")
    elif row.previous != previous:
        yield Finding(row.seq, f"Eintrag {row.seq} schließt nicht an den Eintrag davor an.")
    if digest(row.body) != row.hash:
        yield Finding(row.seq, f"Der Inhalt von Eintrag {row.seq} wurde geändert.")
        return
    try:
        record = json.loads(row.body)
        expected = chained({k: v for k, v in record.items() if k not in ("seq", "previous")}, row.seq, row.previous)
    except (ValueError, KeyError, AttributeError):
        yield Finding(row.seq, f"Eintrag {row.seq} ist kein gültiger Eintrag.")
        return
    if expected != row:
        yield Finding(row.seq, f"Die Spalten von Eintrag {row.seq} passen nicht zu seinem Inhalt.")
