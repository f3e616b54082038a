"""Rows sorted into groups of equal keys, on whole columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orchestrator.exact_vectors import Array, CodedVector, Vector

_DIGIT = 16
"""Bits that one pass of sorting looks at: numpy sorts numbers of two bytes without comparing them."""
_LARGEST = 2**62


def grouped(keys: Sequence[Vector], size: int) -> tuple[Array, Array]:
    """Positions of the rows, group after group and in their order within each; where each group begins and the last ends."""
    codes, width = _combined(keys, size)
    if width <= 1 << _DIGIT:
        narrow = codes.astype(np.uint16)
        counts = np.bincount(narrow, minlength=1)
        return np.argsort(narrow, kind="stable"), _offsets(counts[counts > 0])
    order = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    for shift in range(_DIGIT, int(width).bit_length(), _DIGIT):
        order = order[np.argsort((codes[order] >> shift & 0xFFFF).astype(np.uint16), kind="stable")]
    ordered = codes[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if size else np.zeros(0, dtype=np.int64)
    return order, np.append(starts, size)


def _offsets(counts: Array) -> Array:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _combined(keys: Sequence[Vector], size: int) -> tuple[Array, int]:
    """One number a row, equal where all keys are; and a bound on it."""
    combined, width = np.zeros(size, dtype=np.int64), 1
    for key in keys:
        codes, count = _codes(key)
        if width * count > _LARGEST:
            combined, width = _dense(combined)
        combined, width = (codes if width == 1 else combined * count + codes), width * count
    return combined, width


def _codes(key: Vector) -> tuple[Array, int]:
    """0 for a missing value, else a number from 1."""
    if isinstance(key, CodedVector):
        return key.codes.astype(np.int64) + 1, len(key.words)
    if not key.valid.any():
        return np.zeros(len(key), dtype=np.int64), 1
    known = key.data if key.valid.all() else key.data[key.valid]
    low, high = int(known.min()), int(known.max())
    if high - low < _LARGEST >> _DIGIT:
        return np.where(key.valid, key.data - low + 1, 0), high - low + 2
    codes, count = _dense(key.data)
    return np.where(key.valid, codes + 1, 0), count + 1


def _dense(numbers: Array) -> tuple[Array, int]:
    words, codes = np.unique(numbers, return_inverse=True)
    return codes.astype(np.int64), len(words)
