"""Which values stand in which columns of one table, as one person may see them: exact, by word, nearly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from rapidfuzz import process
from rapidfuzz.distance import OSA

from indexer.folded_texts import TextGroups, fold_array, loose_array
from parsers.fold import fold_loose


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
    """Distinct values of one text or period column in order of first appearance (a string array); `rows` and `total_rows`,
    int64 arrays of the same length, count the rows without and with the total mark."""

    column: str
    values: pa.Array
    rows: Any
    total_rows: Any


class ValueIndex:
    """Built by indexer.value_build.value_index. Folded texts are those of parsers.fold.fold."""

    def __init__(
        self,
        columns: Sequence[ColumnValues],
        periods: dict[str, tuple[PeriodValue, ...]],
        date_spans: dict[str, tuple[date, date]],
    ) -> None:
        self._columns = {column.column: column for column in columns}
        self._names = tuple(self._columns)
        self._periods = periods
        self._date_spans = date_spans
        self._column = np.repeat(np.arange(len(columns)), [len(column.values) for column in columns])
        self._values = pa.concat_arrays([pa.array([], pa.string()), *(column.values for column in columns)])
        self._rows = np.concatenate([np.empty(0, np.int64), *(column.rows for column in columns)])
        self._total_rows = np.concatenate([np.empty(0, np.int64), *(column.total_rows for column in columns)])
        self._folded = fold_array(self._values)
        self._by_folded = TextGroups(self._folded, np.arange(len(self._values)))

    def __len__(self) -> int:
        """Number of distinct values over all columns."""
        return len(self._values)

    def exact(self, folded: str) -> tuple[ValueHit, ...]:
        """Values whose folded form is this one."""
        return self._hits(self._by_folded.find(folded))

    def exact_loose(self, text: str) -> tuple[ValueHit, ...]:
        """Values equal under fold_loose: umlauts may also be written without their dots."""
        return self._hits(self._by_loose.find(fold_loose(text)))

    def containing_token(self, folded_token: str) -> tuple[ValueHit, ...]:
        """Values of several words of which this is one, and values that are this word."""
        return self._hits(self._by_token.find(folded_token))

    def near(self, folded: str, limit: int = 5) -> tuple[ValueHit, ...]:
        """Values that are a few letter edits away, as a whole or in one of their words, nearest first; equal ones are not
        among them. How many edits: see allowed_edits."""
        most = allowed_edits(folded)
        found: dict[int, int] = {}
        for by_length, groups in ((self._folded_by_length, self._by_folded), (self._tokens_by_length, self._by_token)):
            for text, edits in _within(folded, by_length, most):
                for entry in groups.find(text):
                    found[entry] = min(edits, found.get(entry, edits))
        for equal in (*self._by_folded.find(folded), *self._by_token.find(folded)):
            found.pop(equal, None)
        best = sorted(found, key=lambda entry: (found[entry], self._values[entry].as_py(), entry))[:limit]
        return tuple(self._hit(entry, found[entry]) for entry in best)

    def columns(self) -> tuple[str, ...]:
        """sql_names of the text and period columns, in table order."""
        return self._names

    def values(self, sql_name: str) -> tuple[str, ...]:
        """Distinct values of a column in order of first appearance, without those that stand in total rows only; empty for
        a column that is not in the index."""
        column = self._columns.get(sql_name)
        return () if column is None else tuple(column.values.filter(pa.array(column.rows > 0)).to_pylist())

    def value_count(self, sql_name: str) -> int:
        """Number of `values`."""
        column = self._columns.get(sql_name)
        return 0 if column is None else int((column.rows > 0).sum())

    def periods(self, sql_name: str) -> tuple[PeriodValue, ...]:
        """Distinct periods of a period column, oldest first, without those that stand in total rows only."""
        return self._periods.get(sql_name, ())

    def date_span(self, sql_name: str) -> tuple[date, date] | None:
        """First and last day in a date or timestamp column; None if it has no value or is no such column."""
        return self._date_spans.get(sql_name)

    @cached_property
    def _by_loose(self) -> TextGroups:
        return TextGroups(loose_array(self._folded), np.arange(len(self._values)))

    @cached_property
    def _by_token(self) -> TextGroups:
        return TextGroups.of_words(self._folded)

    @cached_property
    def _folded_by_length(self) -> dict[int, list[str]]:
        return _by_length(self._by_folded.texts())

    @cached_property
    def _tokens_by_length(self) -> dict[int, list[str]]:
        return _by_length(self._by_token.texts())

    def _hits(self, entries: Iterable[int]) -> tuple[ValueHit, ...]:
        return tuple(self._hit(entry, 0) for entry in entries)

    def _hit(self, entry: int, edits: int) -> ValueHit:
        rows = int(self._rows[entry])
        return ValueHit(
            column=self._names[self._column[entry]],
            value=self._values[entry].as_py(),
            rows=rows or int(self._total_rows[entry]),
            total_only=not rows,
            edits=edits,
        )


def allowed_edits(folded: str) -> int:
    """How many letter edits a misspelling may have: none below 3 letters, 1 from 3, 2 from 5, 3 from 11."""
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
