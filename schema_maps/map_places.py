"""Where schema maps lie in the workspace, and how a file there is replaced: whole or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import portalocker

from parsers.problem import Problem
from schema_maps.known_tables import SchemaMapError

_UNSAFE = re.compile(r"[^\w .()+-]|^\.|\.$")
# Longest file name that common file systems take is 255 bytes; room for suffix and digest.
_LONGEST = 180
TENANT_FILE = "tenant.yaml"
DOCUMENT_SUFFIX = ".map.yaml"


def safe_name(name: str) -> str:
    """A file name for any document or tenant name: unsafe characters as %XX, long names cut and told apart by a digest."""
    escaped = _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), name)
    if len(escaped.encode()) <= _LONGEST and escaped:
        return escaped
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return escaped.encode()[:_LONGEST].decode(errors="ignore") + "~" + digest


def replace_file(path: Path, text: str) -> None:
    """Writes through a temporary file in the same directory, so a reader sees the old or the new text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_file(path: Path) -> str:
    """Raises SchemaMapError if the file cannot be read as UTF-8 text."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problem = Problem("unreadable", str(path), "Die Schema-Map ist nicht lesbar.", "Rechte und Zeichensatz (UTF-8) prüfen.")
        raise SchemaMapError(problem) from error


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """One writer a tenant, also between processes; readers are never blocked."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / ".lock").open("a") as lock:
        portalocker.lock(lock, portalocker.LockFlags.EXCLUSIVE)
        yield
