"""Why a statement does not run. The texts name rules and what the asker wrote, never anything from the data."""

from __future__ import annotations


class SqlRefusal(Exception):
    """`rule` is a stable snake_case word, `message` one German sentence, `hint` what to do. `detail` is the engine's own text,
    which may hold data: for developers only, never shown or logged."""

    def __init__(self, rule: str, message: str, hint: str = "") -> None:
        super().__init__(f"{message} {hint}".strip())
        self.rule = rule
        self.message = message
        self.hint = hint
        self.detail = ""


class GuardRefusal(SqlRefusal):
    """The statement is not allowed (answer code `unsafe_query`)."""


class NoProvenance(SqlRefusal):
    """The statement is harmless, but which cells its values come from cannot be derived (answer code `no_provenance`)."""


class LimitExceeded(SqlRefusal):
    """Too much time, memory, rows or digits (answer code `limit`)."""


class EngineFailed(SqlRefusal):
    """The engine refused or lost the statement for another reason."""


def shown(name: str) -> str:
    """A word of the asker's own statement for a message, shortened and on one line."""
    plain = " ".join(name.split())
    return f"„{plain[:60]}…“" if len(plain) > 60 else f"„{plain}“"
