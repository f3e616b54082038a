"""Text for people: colour on a terminal, plain lines in a pipe. JSON for programs."""

from __future__ import annotations

import json
import shutil
import sys
import time
import unicodedata
from collections.abc import Iterable, Sequence
from threading import Event, Thread
from typing import Any

import click


def write_json(value: Any) -> None:
    """One JSON value, indented, letters as they are."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_text))


def write(text: str = "", *, bold: bool = False, colour: str | None = None, dim: bool = False) -> None:
    """A line of text; style only where stdout is a terminal (click strips it elsewhere)."""
    click.echo(click.style(shown(text), fg=colour, bold=bold or None, dim=dim or None))


def shown(text: str) -> str:
    """Foreign text whose control and direction characters, which could rewrite what a terminal shows, stand as \\x1b or \\u202e.
    Blanks of every width (the non-breaking ones of Polish numbers too) stay as they are."""
    return text if text.isprintable() else "".join(map(_harmless, text))


def _harmless(letter: str) -> str:
    if letter.isprintable() or letter in "\n\t" or unicodedata.category(letter) == "Zs":
        return letter
    return letter.encode("unicode_escape").decode("ascii")


def write_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: frozenset[int] = frozenset()) -> None:
    """Columns, those whose index is in `right` to the right. Ruled on a terminal that is wide enough; else aligned lines, whole
    and unwrapped."""
    texts = [[shown(cell).replace("\n", " ") for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in [list(headings), *texts]) for column in range(len(headings))]
    if sys.stdout.isatty() and sum(widths) + 3 * len(widths) <= shutil.get_terminal_size().columns:
        _write_ruled_table(headings, texts, right)
        return
    for row in (list(headings), *texts):
        pairs = enumerate(zip(row, widths, strict=True))
        padded = [cell.rjust(width) if column in right else cell.ljust(width) for column, (cell, width) in pairs]
        write("  ".join(padded).rstrip())


def _write_ruled_table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: frozenset[int]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for column, heading in enumerate(headings):
        table.add_column(Text(heading), justify="right" if column in right else "left")
    for row in rows:
        table.add_row(*map(Text, row))  # Text: square brackets of a cell are no markup
    Console().print(table)


def tell(text: str) -> None:
    """Progress and remarks: on stderr, so that stdout holds the result alone."""
    click.echo(shown(text), err=True)


def progress_line(text: str) -> None:
    """A line that the next one overwrites; nothing where stderr is no terminal."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[2K{shown(text)}", err=True, nl=False)


class Progress:
    """How far a long step is, on stderr: on a terminal one line that is overwritten, at most ten times a second; elsewhere the
    latest text as a plain line after two seconds and then every ten, also while the step says nothing new. A context manager."""

    def __init__(self, first_after: float = 2.0, then_every: float = 10.0) -> None:
        self._terminal = sys.stderr.isatty()
        self._next = 0.0
        self._text = ""
        self._ended = Event()
        self._pauses = (first_after, then_every)

    def __enter__(self) -> Progress:
        if not self._terminal:
            Thread(target=self._tell_now_and_then, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        end_progress()

    def __call__(self, text: str) -> None:
        self._text = text
        now = time.monotonic()
        if self._terminal and now >= self._next:
            self._next = now + 0.1
            progress_line(text)

    def _tell_now_and_then(self) -> None:
        first, every = self._pauses
        pause = first
        while not self._ended.wait(pause):
            pause = every
            if self._text:
                tell(self._text)


def end_progress() -> None:
    if sys.stderr.isatty():
        click.echo("\r\x1b[2K", err=True, nl=False)


def _text(value: object) -> str | list[str]:
    if type(value).__name__ in ("RowNumbers", "CellRanges"):  # by name: most commands need not load what they are made of
        from orchestrator.cell_lists import written_out

        return written_out(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
