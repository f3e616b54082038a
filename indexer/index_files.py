"""What is known of each view in the index: a small file beside the vectors, written last, so that a view is there as a whole or
not at all; and how often each feature occurs in its rows."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from indexer.embed import SparseEmbedder
from indexer.note_text import NoteChunk, NoteView, note_chunks
from indexer.row_text import RowChunk, row_chunks
from indexer.row_view import RowView

IndexedView = RowView | NoteView
Chunk = RowChunk | NoteChunk


@dataclass(frozen=True)
class ViewFile:
    """`levels`: of a person who sees this view; `rows`: points it has; `digest`: of all its texts; `dense`: the model that made
    its dense vectors, "" where it has none."""

    view: str
    document: str
    version_id: str
    sheet: str | None
    levels: tuple[str, ...]
    rows: int
    digest: str
    sparse: str
    dense: str


@dataclass(frozen=True)
class Rarity:
    """In how many of `rows` rows each feature occurs; `hashes` sorted."""

    rows: int
    hashes: Any
    counts: Any

    def count(self, feature: int) -> int:
        place = int(np.searchsorted(self.hashes, feature))
        return int(self.counts[place]) if place < len(self.hashes) and int(self.hashes[place]) == feature else 0


def chunks_of(view: IndexedView) -> tuple[Chunk, ...]:
    """The texts of a view, one a row or section."""
    return row_chunks(view) if isinstance(view, RowView) else note_chunks(view)


def digest_of(chunks: Sequence[Chunk]) -> str:
    """One digest for all texts and their places."""
    lines = "\n".join(f"{chunk.row} {chunk.digest} {chunk.total:d}" for chunk in chunks)
    return hashlib.sha256(lines.encode()).hexdigest()


def rarity_of(chunks: Iterable[Chunk], sparse: SparseEmbedder) -> Rarity:
    """Counts the features of texts, as `sparse` sees them."""
    counts: Counter[int] = Counter()
    rows = 0
    for chunk in chunks:
        counts.update(sparse.question(chunk.searched).indices)
        rows += 1
    hashes = np.array(sorted(counts), dtype=np.uint32)
    return Rarity(rows, hashes, np.array([counts[int(one)] for one in hashes], dtype=np.uint32))


class ViewFiles:
    """The files of one index."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, file: ViewFile, rarity: Rarity) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        np.savez(self._folder / f"{file.view}.npz", hashes=rarity.hashes, counts=rarity.counts)
        draft = self._folder / f"{file.view}.draft"
        draft.write_text(json.dumps(asdict(file), ensure_ascii=False), encoding="utf-8")
        os.replace(draft, self._folder / f"{file.view}.json")

    def read(self, view: str) -> ViewFile | None:
        """None where there is none, or what is there cannot be read."""
        try:
            data = json.loads((self._folder / f"{view}.json").read_text(encoding="utf-8"))
            return ViewFile(**{**data, "levels": tuple(data["levels"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def rarity(self, view: str, rows: int) -> Rarity | None:
        try:
            with np.load(self._folder / f"{view}.npz") as data:
                return Rarity(rows, data["hashes"], data["counts"])
        except (OSError, ValueError, KeyError):
            return None

    def all(self) -> tuple[ViewFile, ...]:
        found = (self.read(path.stem) for path in sorted(self._folder.glob("*.json")))
        return tuple(file for file in found if file is not None)

    def delete(self, view: str) -> None:
        for ending in ("json", "npz", "draft"):
            (self._folder / f"{view}.{ending}").unlink(missing_ok=True)
