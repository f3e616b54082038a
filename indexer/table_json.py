"""parsers.table.Table <-> JSON text, faithful: decimals travel as strings, dates as ISO, tuples come back as tuples."""

from __future__ import annotations

from pydantic import TypeAdapter

from parsers.problem import Problem
from parsers.table import Table

_TABLE = TypeAdapter(Table)
_PROBLEMS = TypeAdapter(tuple[Problem, ...])
_NOTES = TypeAdapter(tuple[str, ...])


def encode_table(table: Table) -> str:
    return _TABLE.dump_json(table).decode()


def decode_table(text: str) -> Table:
    """Raises pydantic.ValidationError on anything that encode_table did not write. Fields that a later version of Beleg
    added take their defaults."""
    return _TABLE.validate_json(text)


def encode_problems(problems: tuple[Problem, ...]) -> str:
    return _PROBLEMS.dump_json(problems).decode()


def decode_problems(text: str) -> tuple[Problem, ...]:
    return _PROBLEMS.validate_json(text)


def encode_notes(notes: tuple[str, ...]) -> str:
    return _NOTES.dump_json(notes).decode()


def decode_notes(text: str) -> tuple[str, ...]:
    return _NOTES.validate_json(text)
