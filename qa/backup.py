"""A backup of a workspace while it is in use, and a workspace from a backup.

A backup is a folder: the settings file, the catalogue and the audit log as SQLite files whatever they are kept in, the
checkpoint, every file of the workspace, and `manifest.json` with the size and SHA-256 of each. The audit log is copied first,
while nobody writes it, then the catalogue, then the files it names: these never change, so whatever log or catalogue speak of
is there.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from indexer.catalog import Catalog
from indexer.catalog_engine import open_engine, writing
from indexer.catalog_schema import metadata
from indexer.places import place_name
from qa.audit import moment_text
from qa.audit_chain import ChainReport
from qa.audit_store import AuditStore
from qa.copy_database import copy_rows, copy_sqlite_file, is_sqlite_file, sqlite_engine
from qa.problems import BelegError, CheckFailed
from qa.settings import FILE_NAME, Settings, load_settings

FORMAT = 1
MANIFEST = "manifest.json"
_CATALOG, _AUDIT, _CHECKPOINT = "catalog.sqlite", "audit.sqlite", "audit.checkpoint.json"
_DATA, _TENANTS = "data", "tenants"
_PASSING = frozenset({"staging", "index"})
"""Folders of a tenant that hold only what is under way or can be made again."""
_PASSING_SUFFIXES = (".lock", "-wal", "-shm", "-journal", ".tmp")

Progress = Callable[[int], None]
"""Told after each file how many have been written."""


class BadBackup(CheckFailed):
    """The folder is no backup, or is not as it was written."""


@dataclass(frozen=True)
class BackupReport:
    """`records`: of the audit log; `head`: its last hash, to be noted apart from the backup."""

    directory: Path
    files: int
    size: int
    records: int
    head: str


@dataclass(frozen=True)
class RestoreReport:
    root: Path
    files: int
    tenants: tuple[str, ...]
    audit: ChainReport


def back_up(
    settings: Settings, catalog: Catalog, audit: AuditStore, directory: Path, progress: Progress = lambda _: None
) -> BackupReport:
    """Writes a backup into a new or empty folder. Raises BelegError for one that holds something or lies inside the workspace."""
    _empty(directory, "Die Sicherung")
    if directory.resolve().is_relative_to(settings.data.resolve()):
        raise BelegError(
            f"{directory}: Eine Sicherung gehört nicht in den Arbeitsbereich {settings.root}; einen Ordner außerhalb nennen."
        )
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    checkpoint = audit.copy_to(directory / _AUDIT, directory / _CHECKPOINT)
    with catalog.engine.connect() as source, sqlite_engine(directory / _CATALOG).begin() as target:
        metadata.create_all(target)
        copy_rows(source, target, metadata.sorted_tables)
    tenants = {name: place_name(name) for name in catalog.tenants()}
    places = {name: catalog.place(name).root.resolve() for name in tenants}
    own = {settings.audit_checkpoint.resolve(), *_files_of(settings.catalog_url), *_files_of(settings.audit_url)}
    copied = 0
    for source_file, name in _files(settings, tenants, places):
        if source_file.resolve() not in own:
            copied += 1
            _copy(source_file, directory / name)
            progress(copied)
    files = {path: _fingerprint(directory / path) for path in _listed(directory)}
    manifest = {
        "format": FORMAT,
        "created_at": moment_text(datetime.now(UTC)),
        "tenants": tenants,
        "audit": {"records": checkpoint.count, "head": checkpoint.head},
        "files": files,
    }
    (directory / MANIFEST).write_text(json.dumps(manifest, ensure_ascii=False, indent=1), encoding="utf-8")
    size = sum(int(found["bytes"]) for found in files.values())
    return BackupReport(directory, len(files), size, checkpoint.count, checkpoint.head)


def restore(
    directory: Path, root: Path, environment: Mapping[str, str] | None = None, progress: Progress = lambda _: None
) -> RestoreReport:
    """Makes a workspace of a backup. A beleg.toml that is there already decides where its databases and tenants lie.

    Raises BadBackup where a file of the backup is missing, changed or foreign, or the audit log does not pass its check;
    BelegError where the workspace holds data already."""
    manifest = _checked_manifest(directory)
    if not (root / FILE_NAME).exists() and (directory / FILE_NAME).exists():
        root.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(directory / FILE_NAME, root / FILE_NAME)
    settings = load_settings(root, environment)
    audit = AuditStore(settings.audit_url, settings.audit_checkpoint, settings.audit_key)
    tenants: dict[str, str] = manifest["tenants"]
    settings.check_places(tenants)
    places = {place: settings.tenant(name).data_dir for name, place in tenants.items()}
    for folder in (settings.data, *places.values()):
        _empty(folder, "Der Arbeitsbereich")
    done = 0
    for name in manifest["files"]:
        target = _target(name, settings.data, places)
        if target is not None:
            done += 1
            _copy(directory / name, target)
            progress(done)
    if (directory / _AUDIT).exists():
        audit.fill_from(directory / _AUDIT, directory / _CHECKPOINT)
    fill_catalog(directory / _CATALOG, settings.catalog_url, settings.data)
    report = audit.check()
    if not report.ok:
        raise BadBackup(
            f"{directory}: Die Dateien sind wiederhergestellt, aber das Protokoll besteht seine Prüfung nicht "
            f"({report.findings[0].message.rstrip('.')}); 'beleg audit verify' zeigt alles, vor der Nutzung klären."
        )
    return RestoreReport(root, done, tuple(tenants), report)


def fill_catalog(database: Path, url: str, data: Path) -> None:
    """Takes over a catalogue from a SQLite file, in one transaction: until then nothing of it can be asked for."""
    engine = open_engine(url, data)
    try:
        with sqlite_engine(database).connect() as source, writing(engine).begin() as target:
            copy_rows(source, target, metadata.sorted_tables)
    finally:
        engine.dispose()


def _files(settings: Settings, tenants: Mapping[str, str], places: Mapping[str, Path]) -> Iterator[tuple[Path, str]]:
    """Every file that is kept, and its name in the backup."""
    if (settings.root / FILE_NAME).is_file():
        yield settings.root / FILE_NAME, FILE_NAME
    for tenant, place in places.items():
        for path in _walk(place, frozenset()):
            yield path, f"{_TENANTS}/{tenants[tenant]}/{path.relative_to(place).as_posix()}"
    data = settings.data.resolve()
    for path in _walk(data, frozenset(places.values())):
        yield path, f"{_DATA}/{path.relative_to(data).as_posix()}"


def _walk(folder: Path, without: frozenset[Path]) -> Iterator[Path]:
    """The plain files below a folder in a stable order; links are not followed."""
    for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
        if entry.is_symlink() or entry in without:
            continue
        if entry.is_dir():
            if entry.name not in _PASSING:
                yield from _walk(entry, without)
        elif entry.is_file() and not entry.name.endswith(_PASSING_SUFFIXES):
            yield entry


def _files_of(url: str) -> tuple[Path, ...]:
    import sqlalchemy as sa

    parsed = sa.make_url(url)
    return (Path(parsed.database).resolve(),) if parsed.get_backend_name() == "sqlite" and parsed.database else ()


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if is_sqlite_file(source):
        copy_sqlite_file(source, target)
    else:
        shutil.copyfile(source, target)


def _empty(folder: Path, what: str) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BelegError(f"{folder}: {what} braucht einen leeren Ordner, hier liegt schon etwas; einen anderen nennen.")


def _listed(directory: Path) -> list[str]:
    return [path.relative_to(directory).as_posix() for path in _walk(directory, frozenset())]


def _fingerprint(path: Path) -> dict[str, Any]:
    with open(path, "rb") as reader:
        return {"sha256": hashlib.file_digest(reader, "sha256").hexdigest(), "bytes": os.fstat(reader.fileno()).st_size}


def _target(name: str, data: Path, places: Mapping[str, Path]) -> Path | None:
    """Where a file of the backup belongs; None for the databases and the settings file, which are not plain copies."""
    first, *rest = PurePosixPath(name).parts
    if first == _DATA:
        return data.joinpath(*rest)
    if first == _TENANTS:
        return places[rest[0]].joinpath(*rest[1:])
    return None


def _checked_manifest(directory: Path) -> dict[str, Any]:
    """The manifest, each file of which is there and as it was written. Names are foreign data: none leads out of its folder."""
    try:
        manifest = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
        files: dict[str, dict[str, Any]] = manifest["files"]
        tenants: dict[str, str] = manifest["tenants"]
        known = manifest["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadBackup(
            f"{directory}: Das ist keine Sicherung von Beleg ({MANIFEST} fehlt oder ist nicht lesbar); den Ordner prüfen."
        ) from error
    if known != FORMAT:
        raise BadBackup(
            f"{directory}: Die Sicherung hat das Format {known}, diese Version liest {FORMAT}; mit einer neueren Version "
            "wiederherstellen."
        )
    for name, found in files.items():
        path = PurePosixPath(name)
        outside = path.is_absolute() or ".." in path.parts or "\\" in name
        if outside or (path.parts[0] == _TENANTS and (len(path.parts) < 3 or path.parts[1] not in tenants.values())):
            raise BadBackup(
                f"{directory}: Der Eintrag „{name}“ in {MANIFEST} führt aus der Sicherung hinaus; sie wird nicht verwendet."
            )
        file = directory / path
        if file.is_symlink() or not file.is_file():
            raise BadBackup(f"{directory}: Die Datei {name} fehlt in der Sicherung; eine andere Sicherung verwenden.")
        if _fingerprint(file) != found:
            raise BadBackup(f"{directory}: Die Datei {name} wurde seit der Sicherung verändert; eine andere Sicherung verwenden.")
    if _CATALOG not in files or any(place != place_name(name) for name, place in tenants.items()):
        raise BadBackup(
            f"{directory}: {MANIFEST} und die Dateien der Sicherung passen nicht zusammen; eine andere Sicherung verwenden."
        )
    return {**manifest, "files": files, "tenants": tenants}
