"""Dense vectors by the digest of the text they stand for: a row that comes again in another version is not embedded again.

A SQLite file, so that several processes may use it at once. Everything in it can be made again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import RLock

import numpy as np

from indexer.embed import Dense, Embedder

_BATCH = 64
_IN_ONE_QUERY = 500


class VectorCache:
    """Opened when it is first asked."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._path = path
        self._embedder = embedder
        self._connection: sqlite3.Connection | None = None
        self._lock = RLock()

    def vectors(
        self, texts: Mapping[str, str], progress: Callable[[int, int], None] = lambda done, of: None
    ) -> dict[str, Dense]:
        """`texts`: digest -> text. What is not there is embedded, kept, and reported by `progress` (done, of)."""
        found = self._known(list(texts))
        missing = [digest for digest in texts if digest not in found]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            made = dict(zip(batch, self._embedder.rows([texts[digest] for digest in batch]), strict=True))
            self._keep(made)
            found |= made
            progress(min(start + _BATCH, len(missing)), len(missing))
        return found

    def forget_all_but(self, digests: set[str]) -> int:
        """Removes the vectors of texts that no longer exist and gives their number."""
        with self._lock:
            connection = self._open()
            known = {row[0] for row in connection.execute("SELECT digest FROM vector")}
            gone = sorted(known - digests)
            connection.executemany("DELETE FROM vector WHERE digest = ?", [(digest,) for digest in gone])
            connection.commit()
            return len(gone)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _known(self, digests: Sequence[str]) -> dict[str, Dense]:
        found: dict[str, Dense] = {}
        with self._lock:
            connection = self._open()
            for start in range(0, len(digests), _IN_ONE_QUERY):
                part = digests[start : start + _IN_ONE_QUERY]
                marks = ", ".join("?" * len(part))
                query = f"SELECT digest, data FROM vector WHERE model = ? AND digest IN ({marks})"
                for digest, data in connection.execute(query, (self._embedder.name, *part)):
                    found[digest] = np.frombuffer(data, dtype="<f4")
        return found

    def _keep(self, made: Mapping[str, Dense]) -> None:
        rows = [(self._embedder.name, digest, vector.astype("<f4").tobytes()) for digest, vector in made.items()]
        with self._lock:
            connection = self._open()
            connection.executemany("INSERT OR REPLACE INTO vector (model, digest, data) VALUES (?, ?, ?)", rows)
            connection.commit()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._path, timeout=30, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS vector (model TEXT, digest TEXT, data BLOB NOT NULL, PRIMARY KEY (model, digest))"
            )
        return self._connection
