"""The numbers of a column, held as texts many to a string: a Decimal is made when one is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain, islice
from typing import overload

Held = Decimal | str | None
"""A value; as text only in plain notation and if `Decimal` of it is the value."""

_PIECE = 1 << 10
_BETWEEN = " "


class ExactNumbers(Sequence[Decimal | None]):
    """One value or None a row."""

    __slots__ = ("_cut", "_last", "_pieces", "_size")

    def __init__(self, values: Iterable[Held] = ()) -> None:
        self._pieces: list[str] = []
        self._last: list[str] = []
        self._size = 0
        self._cut: tuple[int, list[str]] = (-1, [])
        self.extend(values)

    def extend(self, values: Iterable[Held]) -> None:
        """Append values; only while the column is put together."""
        texts = list(values)
        if not set(map(type, texts)) <= {str}:
            texts = [format(value, "f") if isinstance(value, Decimal) else value or "" for value in texts]
        self._size += len(texts)
        self._last += texts  # type: ignore[arg-type]
        full = len(self._last) - len(self._last) % _PIECE
        self._pieces += [_BETWEEN.join(self._last[start : start + _PIECE]) for start in range(0, full, _PIECE)]
        del self._last[:full]

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Decimal | None: ...

    @overload
    def __getitem__(self, index: slice) -> list[Decimal | None]: ...

    def __getitem__(self, index: int | slice) -> Decimal | list[Decimal | None] | None:
        if isinstance(index, slice):
            first, last, step = index.indices(self._size)
            if step != 1:
                return [self[each] for each in range(first, last, step)]
            return [Decimal(text) if text else None for text in self._between(first, last)]
        if index < 0:
            index += self._size
        if not 0 <= index < self._size:
            raise IndexError(index)
        text = self._piece(index // _PIECE)[index % _PIECE]
        return Decimal(text) if text else None

    def __iter__(self) -> Iterator[Decimal | None]:
        return (Decimal(text) if text else None for text in self._all())

    def texts(self) -> list[str | None]:
        """Every value in plain notation."""
        return [text or None for text in self._all()]

    def there(self) -> list[bool]:
        """Of every row, whether it has a value."""
        return list(map(bool, self._all()))

    @property
    def has_negative(self) -> bool:
        return any("-" in piece for piece in (*self._pieces, *self._last)) and any(
            value is not None and value < 0 for value in self
        )

    def sum(self, start: int, end: int) -> tuple[Decimal, int]:
        """(sum of the values from `start` to before `end`, how many are not zero)."""
        values = [Decimal(text) for text in self._between(start, min(end, self._size)) if text]
        return sum(values, Decimal(0)), len(values) - values.count(Decimal(0))

    def _piece(self, number: int) -> list[str]:
        """The texts of one piece; those asked for last are kept cut."""
        if number == len(self._pieces):
            return self._last
        if self._cut[0] != number:
            self._cut = (number, self._pieces[number].split(_BETWEEN))
        return self._cut[1]

    def _between(self, start: int, end: int) -> Iterator[str]:
        """The texts from `start` to before `end`; "" where there is no value."""
        for number in range(start // _PIECE, -(-end // _PIECE)):
            first = number * _PIECE
            yield from self._piece(number)[max(0, start - first) : end - first]

    def _all(self) -> Iterator[str]:
        return chain(chain.from_iterable(piece.split(_BETWEEN) for piece in self._pieces), self._last)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str) or len(self) != len(other):
            return NotImplemented
        return all(own == value for own, value in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        first = ", ".join(map(str, islice(self, 3)))
        return f"ExactNumbers({len(self)}: {first}{', …' if len(self) > 3 else ''})"
