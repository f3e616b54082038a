"""Stored = parsed: a segment is read back from the disk and compared before the catalogue may name it."""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indexer.segments import read_segment
from parsers.exact_numbers import ExactNumbers
from parsers.table import Column, ColumnType, ParsedTable

_EXACT = decimal.Context(
    prec=100, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[decimal.Inexact, decimal.InvalidOperation]
)
"""38 digits times any number of rows fit into 100 digits; a rounding would be an exception."""


class NotReconciled(Exception):
    """What was written is not what was read; nothing of the file is made visible."""


def reconcile(parsed: ParsedTable, segment: Path, where: str = "") -> None:
    """Compares number of rows, and for every column the number of values and their sum (texts: their bytes) between the
    parsed table and the written file. Raises NotReconciled with what differs."""
    stored = read_segment(segment)
    name = where or parsed.table.name
    _same(name, "Zeilen", len(parsed.data.rows), stored.num_rows)
    _same(name, "Summe der Zeilennummern", sum(parsed.data.rows), exact_sum(stored["_row"]))
    for column in parsed.table.columns:
        place = f"{name}, Spalte „{column.header}“"
        values = parsed.data.values[column.sql_name]
        read = stored[column.sql_name]
        filled = sum(values.there()) if isinstance(values, ExactNumbers) else sum(value is not None for value in values)
        _same(place, "Werte", filled, len(read) - read.null_count)
        if column.type in (ColumnType.DECIMAL, ColumnType.INTEGER):
            _same(place, "Summe", _parsed_sum(values), exact_sum(read))
        elif column.type in (ColumnType.TEXT, ColumnType.PERIOD):
            _same(place, "Textlänge", _parsed_bytes(column, values), pc.sum(pc.binary_length(read)).as_py() or 0)


def exact_sum(numbers: pa.ChunkedArray) -> Decimal:
    """Sum of an int64 or decimal128 column without any rounding or overflow; 0 if it has no value."""
    total = 0
    scale = numbers.type.scale if pa.types.is_decimal128(numbers.type) else 0
    for chunk in numbers.chunks:
        total += _unscaled_sum(chunk)
    return Decimal(total).scaleb(-scale, _EXACT)


def _unscaled_sum(chunk: pa.Array) -> int:
    valid = chunk.drop_null()
    if not len(valid):
        return 0
    if pa.types.is_int64(valid.type):
        return _sum_signed(valid.to_numpy())
    words = np.frombuffer(valid.buffers()[1], dtype=np.int64)[2 * valid.offset : 2 * (valid.offset + len(valid))]
    return (_sum_signed(words[1::2]) << 64) + _sum_unsigned(words[0::2].view(np.uint64))


def _sum_signed(words: Any) -> int:
    return (int((words >> 32).sum()) << 32) + int((words & 0xFFFFFFFF).sum())


def _sum_unsigned(words: Any) -> int:
    return (int((words >> np.uint64(32)).sum()) << 32) + int((words & np.uint64(0xFFFFFFFF)).sum())


def _parsed_sum(values: Sequence[Any]) -> Decimal:
    with decimal.localcontext(_EXACT):
        if isinstance(values, ExactNumbers):
            return values.sum(0, len(values))[0]
        return sum((value for value in values if value is not None), Decimal(0))


def _parsed_bytes(column: Column, values: Sequence[Any]) -> int:
    if column.type is ColumnType.PERIOD:
        return sum(len(value.label.encode()) for value in values if value is not None)
    return sum(len(value.encode()) for value in values if value is not None)


def _same(place: str, what: str, parsed: object, stored: object) -> None:
    if parsed != stored:
        raise NotReconciled(
            f"{place}: {what} gelesen {parsed}, gespeichert {stored}; die Datei wurde nicht aufgenommen; "
            "bitte melden Sie das als Fehler von Beleg."
        )
