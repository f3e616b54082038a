"""Where a tenant's files lie. Nothing of one tenant is ever in another's place."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from indexer.catalog_errors import BadTenantName
from parsers.fold import fold

_TENANT = re.compile(r"[^\W_][\w.\-]{0,63}\Z")
_NOT_PLAIN = re.compile(r"[^a-z0-9._-]+")


@dataclass(frozen=True)
class TenantPlace:
    """The directories of one tenant; paths in the catalogue are relative to `root`."""

    root: Path

    @property
    def segments(self) -> Path:
        return self.root / "segments"

    @property
    def originals(self) -> Path:
        return self.root / "originals"

    @property
    def cells(self) -> Path:
        return self.root / "cells"

    @property
    def staging(self) -> Path:
        return self.root / "staging"

    @property
    def lock(self) -> Path:
        return self.root / "ingest.lock"

    def create(self) -> None:
        for directory in (self.segments, self.originals, self.cells, self.staging):
            directory.mkdir(parents=True, exist_ok=True)


def place_name(tenant: str) -> str:
    """Directory name of a tenant: folded, so that two tenants never differ by letter case or accents alone, which some file
    systems take for the same name. Raises BadTenantName."""
    if not _TENANT.match(tenant) or tenant.endswith("."):
        raise BadTenantName(tenant)
    name = _NOT_PLAIN.sub("-", fold(tenant))
    if not name.strip(".-_"):
        raise BadTenantName(tenant)
    return name


def sync_file(path: Path) -> None:
    """Writes a file's content through to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_directory(path: Path) -> None:
    """Writes a directory's entries through to the disk, where the system can."""
    if os.name == "nt":
        return
    sync_file(path)
