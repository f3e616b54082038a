"""The numbers of a column, held as the short texts that the file stores: a Decimal is made when one is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import islice
from typing import overload

Held = Decimal | str | None
"""A value; as text only if `Decimal` of it is the value."""


class ExactNumbers(Sequence[Decimal | None]):
    """One value or None a row."""

    __slots__ = ("held",)

    def __init__(self, held: list[Held]) -> None:
        self.held = held

    def __len__(self) -> int:
        return len(self.held)

    @overload
    def __getitem__(self, index: int) -> Decimal | None: ...

    @overload
    def __getitem__(self, index: slice) -> list[Decimal | None]: ...

    def __getitem__(self, index: int | slice) -> Decimal | list[Decimal | None] | None:
        if isinstance(index, slice):
            return [Decimal(value) if isinstance(value, str) else value for value in self.held[index]]
        value = self.held[index]
        return Decimal(value) if isinstance(value, str) else value

    def __iter__(self) -> Iterator[Decimal | None]:
        return (Decimal(value) if isinstance(value, str) else value for value in self.held)

    def texts(self) -> list[str | None]:
        """Every value in plain notation."""
        return [format(value, "f") if isinstance(value, Decimal) else value for value in self.held]

    @property
    def has_negative(self) -> bool:
        if set(map(type, self.held)) <= {str, type(None)}:
            return "-" in "".join(filter(None, self.held))  # type: ignore[arg-type]
        return any(value is not None and value < 0 for value in self)

    def sum(self, start: int, end: int) -> tuple[Decimal, int]:
        """(sum of the values from `start` to before `end`, how many are not zero)."""
        held = self.held[start:end]
        if set(map(type, held)) != {str}:
            held = [value for value in self[start:end] if value]
        return sum(map(Decimal, held), Decimal(0)), len(held) - held.count("0")  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str) or len(self) != len(other):
            return NotImplemented
        return all(own == value for own, value in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        first = ", ".join(map(str, islice(self, 3)))
        return f"ExactNumbers({len(self)}: {first}{', …' if len(self) > 3 else ''})"
