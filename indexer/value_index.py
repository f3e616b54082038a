"""Which values stand in which columns of one table, as one person may see them: exact, by word, nearly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from rapidfuzz import process
from rapidfuzz.distance import OSA

from parsers.fold import fold, fold_loose

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ValueHit:
    """A stored value. `column`: sql_name; `rows`: rows that hold it, printed total rows left out; `total_only`: it stands in
    printed total rows only, and `rows` counts those. `edits`: single-letter edits away from what was looked for, 0 if equal."""

    column: str
    value: str
    rows: int
    total_only: bool
    edits: int = 0


@dataclass(frozen=True, slots=True)
class PeriodValue:
    """A period of a period column: label as printed, both days included, rows without printed totals."""

    label: str
    start: date
    end: date
    rows: int


@dataclass(frozen=True)
class ColumnValues:
    """Distinct values of one text or period column in order of first appearance, all of the same length. `rows` and
    `total_rows` count the rows without and with the total mark."""

    column: str
    values: Sequence[str]
    rows: Sequence[int]
    total_rows: Sequence[int]


class ValueIndex:
    """Built by indexer.value_build.value_index. Folded texts are those of parsers.fold.fold."""

    def __init__(
        self,
        columns: Iterable[ColumnValues],
        periods: dict[str, tuple[PeriodValue, ...]],
        date_spans: dict[str, tuple[date, date]],
    ) -> None:
        self._columns = {column.column: column for column in columns}
        self._periods = periods
        self._date_spans = date_spans
        self._entries = [(column, position) for column in self._columns.values() for position in range(len(column.values))]
        self._by_folded: dict[str, list[int]] = {}
        for entry, (column, position) in enumerate(self._entries):
            self._by_folded.setdefault(fold(column.values[position]), []).append(entry)

    def __len__(self) -> int:
        """Number of distinct values over all columns."""
        return len(self._entries)

    def exact(self, folded: str) -> tuple[ValueHit, ...]:
        """Values whose folded form is this one."""
        return self._hits(self._by_folded.get(folded, ()))

    def exact_loose(self, text: str) -> tuple[ValueHit, ...]:
        """Values equal under fold_loose: umlauts may also be written without their dots."""
        return self._hits(self._by_loose.get(fold_loose(text), ()))

    def containing_token(self, folded_token: str) -> tuple[ValueHit, ...]:
        """Values of several words of which this is one, and values that are this word."""
        return self._hits(self._by_token.get(folded_token, ()))

    def near(self, folded: str, limit: int = 5) -> tuple[ValueHit, ...]:
        """Values that are a few letter edits away, as a whole or in one of their words, nearest first; equal ones are not
        among them. Allowed edits grow with the length: 1 from 3 letters, 2 from 5, 3 from 11."""
        most = allowed_edits(folded)
        found: dict[int, int] = {}
        for by_length, index in ((self._folded_by_length, self._by_folded), (self._tokens_by_length, self._by_token)):
            for text, edits in _within(folded, by_length, most):
                for entry in index[text]:
                    found[entry] = min(edits, found.get(entry, edits))
        best = sorted(found, key=lambda entry: (found[entry], self._value(entry), entry))[:limit]
        return tuple(self._hit(entry, found[entry]) for entry in best)

    def columns(self) -> tuple[str, ...]:
        """sql_names of the text and period columns, in table order."""
        return tuple(self._columns)

    def values(self, sql_name: str) -> tuple[str, ...]:
        """Distinct values of a column in order of first appearance, without those that stand in total rows only; empty for
        a column that is not in the index."""
        column = self._columns.get(sql_name)
        if column is None:
            return ()
        return tuple(value for value, rows in zip(column.values, column.rows, strict=True) if rows)

    def value_count(self, sql_name: str) -> int:
        """Number of `values`."""
        column = self._columns.get(sql_name)
        return 0 if column is None else sum(1 for rows in column.rows if rows)

    def periods(self, sql_name: str) -> tuple[PeriodValue, ...]:
        """Distinct periods of a period column, oldest first, without those that stand in total rows only."""
        return self._periods.get(sql_name, ())

    def date_span(self, sql_name: str) -> tuple[date, date] | None:
        """First and last day in a date or timestamp column; None if it has no value or is no such column."""
        return self._date_spans.get(sql_name)

    @cached_property
    def _by_loose(self) -> dict[str, list[int]]:
        index: dict[str, list[int]] = {}
        for folded, entries in self._by_folded.items():
            index.setdefault(fold_loose(folded), []).extend(entries)
        return index

    @cached_property
    def _by_token(self) -> dict[str, list[int]]:
        index: dict[str, list[int]] = {}
        for folded, entries in self._by_folded.items():
            for token in dict.fromkeys(_WORD.findall(folded)):
                index.setdefault(token, []).extend(entries)
        return index

    @cached_property
    def _folded_by_length(self) -> dict[int, list[str]]:
        return _by_length(self._by_folded)

    @cached_property
    def _tokens_by_length(self) -> dict[int, list[str]]:
        return _by_length(self._by_token)

    def _value(self, entry: int) -> str:
        column, position = self._entries[entry]
        return column.values[position]

    def _hits(self, entries: Iterable[int]) -> tuple[ValueHit, ...]:
        return tuple(self._hit(entry, 0) for entry in entries)

    def _hit(self, entry: int, edits: int) -> ValueHit:
        column, position = self._entries[entry]
        rows = column.rows[position]
        return ValueHit(
            column=column.column,
            value=column.values[position],
            rows=rows or column.total_rows[position],
            total_only=not rows,
            edits=edits,
        )


def allowed_edits(folded: str) -> int:
    """How many letter edits a misspelling of this text may have."""
    length = len(folded)
    return 0 if length < 3 else 1 if length < 5 else 2 if length < 11 else 3


def _by_length(texts: Iterable[str]) -> dict[int, list[str]]:
    grouped: dict[int, list[str]] = {}
    for text in texts:
        grouped.setdefault(len(text), []).append(text)
    return grouped


def _within(folded: str, by_length: dict[int, list[str]], most: int) -> Iterable[tuple[str, int]]:
    """Texts of 1 to `most` edits (a swap of neighbouring letters is one edit), only among lengths that can be so near."""
    for length in range(len(folded) - most, len(folded) + most + 1):
        candidates = by_length.get(length)
        if candidates:
            for text, edits, _ in process.extract(folded, candidates, scorer=OSA.distance, score_cutoff=most, limit=None):
                if edits:
                    yield text, int(edits)
