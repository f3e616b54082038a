"""A lock that several processes share: one file, held while the block runs, freed by the system when a process dies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def _acquire(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _acquire(file: IO[bytes]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Waits until this process alone holds `path` (made if absent, never removed: removing it would split the lock)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        _acquire(file)
        yield
