"""What an ingest writes before the catalogue names it: a directory of its own, then renames into the final places.

A killed ingest leaves at most its staging directory and the files listed in its manifest; the next ingest of the tenant, which
holds the lock, removes those of them that the catalogue does not name. Nothing else is ever deleted.
"""

from __future__ import annotations

import hashlib
import shutil
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

import portalocker

from indexer.places import TenantPlace, sync_directory, sync_file
from parsers.problem import Problem, UnreadableFile

_MANIFEST = "manifest.txt"
_CHUNK = 1 << 20

InUse = Callable[[Collection[str]], Collection[str]]
"""Says which of some paths, relative to the tenant's place, the catalogue names."""


@contextmanager
def ingest_lock(place: TenantPlace) -> Iterator[None]:
    """One ingest at a time in a tenant; the system frees the lock when its process dies. Readers never take it."""
    place.create()
    with open(place.lock, "a", encoding="utf-8") as lock:
        portalocker.lock(lock, portalocker.LockFlags.EXCLUSIVE)
        yield


@contextmanager
def staging_directory(place: TenantPlace, in_use: InUse) -> Iterator[Path]:
    """A new directory for one ingest. At the end, whatever happens (but for a kill), it is gone, and with it what was
    published and not named by the catalogue."""
    directory = place.staging / uuid.uuid4().hex
    directory.mkdir(parents=True)
    try:
        yield directory
    finally:
        _clean(place, directory, in_use)


def clean_leftovers(place: TenantPlace, in_use: InUse) -> None:
    """Removes what killed ingests left. Call it with the tenant's lock held."""
    for directory in sorted(place.staging.iterdir()):
        _clean(place, directory, in_use)


def receive(source: Path, target: Path) -> str:
    """Copies a file and gives the SHA-256 of what was copied. Raises UnreadableFile if it cannot be read."""
    digest = hashlib.sha256()
    with _opened(source) as reader, open(target, "wb") as writer:
        while chunk := reader.read(_CHUNK):
            digest.update(chunk)
            writer.write(chunk)
    sync_file(target)
    return digest.hexdigest()


def content_digest(source: Path) -> str:
    """SHA-256 of a file. Raises UnreadableFile if it cannot be read."""
    with _opened(source) as reader:
        return hashlib.file_digest(reader, "sha256").hexdigest()


def publish(place: TenantPlace, directory: Path, moves: Sequence[tuple[Path, str]]) -> None:
    """Renames staged files to their final paths (relative to the place), after writing down which ones."""
    manifest = directory / _MANIFEST
    manifest.write_text("".join(f"{path}\n" for _, path in moves), encoding="utf-8")
    sync_file(manifest)
    sync_directory(directory)
    parents: set[Path] = set()
    for staged, path in moves:
        final = place.root / path
        final.parent.mkdir(parents=True, exist_ok=True)
        staged.replace(final)
        parents |= {final.parent, final.parent.parent}
    for parent in parents:
        sync_directory(parent)


def _clean(place: TenantPlace, directory: Path, in_use: InUse) -> None:
    manifest = directory / _MANIFEST
    if manifest.exists():
        listed = manifest.read_text(encoding="utf-8").splitlines()
        kept = in_use(listed)
        for path in listed:
            if path not in kept:
                (place.root / path).unlink(missing_ok=True)
    shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def _opened(source: Path) -> Iterator[BufferedReader]:
    try:
        reader = open(source, "rb")  # noqa: SIM115 - closed below; only the opening is translated
    except OSError as error:
        raise UnreadableFile(
            Problem(
                code="file_not_readable",
                where=str(source),
                message=f"Die Datei lässt sich nicht öffnen ({error.strerror}).",
                hint="Prüfen Sie Pfad und Leserecht.",
                blocking=True,
            )
        ) from error
    with reader:
        yield reader
