"""Proposals for a table's technical headers, each with its reason. Business names need none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parsers.table import Column
from schema_maps.lexicon import read_code
from schema_maps.schema_map import ColumnMeaning
from schema_maps.technical import is_technical
from schema_maps.units import contradicts


@dataclass(frozen=True)
class Unread:
    """A technical header for which the lexicon has no proposal, with the parts that it does not know."""

    header: str
    parts: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Proposal:
    meanings: tuple[ColumnMeaning, ...]
    unread: tuple[Unread, ...]


def propose(columns: Sequence[Column]) -> Proposal:
    """Proposed meanings for those columns whose header is technical. The unit that the file prints wins over the header's code;
    where the two contradict each other, no unit is proposed and the reason says so."""
    meanings: list[ColumnMeaning] = []
    unread: list[Unread] = []
    for column in columns:
        if not is_technical(column.header):
            continue
        reading = read_code(column.name if column.name.strip() else column.header)
        if reading.name is None:
            unread.append(Unread(column.header, reading.unclear, reading.reason))
            continue
        unit, reason = column.unit or reading.unit, reading.reason
        if contradicts(reading.unit, column.unit, printed_in_header=False):
            unit, reason = None, f"{reason} Einheit offen: der Code sagt {reading.unit}, die Datei {column.unit}."
        meanings.append(ColumnMeaning(column.header, reading.name, unit, status="proposed", reason=reason))
    return Proposal(tuple(meanings), tuple(unread))
