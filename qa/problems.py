"""Errors that a command reports as one sentence, with the exit code that belongs to each."""

from __future__ import annotations


class BelegError(Exception):
    """Anything a person can put right; the text is one German sentence: what, where, what to do. Exit code 1."""

    exit_code = 1


class SettingsError(BelegError):
    """`beleg.toml` or the environment holds something that cannot be used."""


class UsageProblem(BelegError):
    """The command was called with options that do not fit together. Exit code 2."""

    exit_code = 2


class CheckFailed(BelegError):
    """A check ran and found a difference. Exit code 4."""

    exit_code = 4


class AuditError(BelegError):
    """The audit log cannot be written or read; no answer may be shown then."""
