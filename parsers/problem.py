"""What the reader could not read, or read with a decision that a person should know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One finding in a file.

    `code` is a stable snake_case word, `where` names file, sheet and cell or row ("GuV!C47", "Zeile 5"),
    `message` says in one German sentence what is the matter, `hint` what to do.
    `blocking` means that nothing of the file may be stored.
    """

    code: str
    where: str
    message: str
    hint: str = ""
    blocking: bool = False


class UnreadableFile(Exception):
    """The file cannot be read at all; carries the one Problem that says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.where}: {problem.message} {problem.hint}".strip())
        self.problem = problem
