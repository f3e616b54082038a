"""A real PostgreSQL server for tests: started from installed binaries in a folder of its own, reached by a socket only."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

_DEBIAN = Path("/usr/lib/postgresql")
_NOBODY = 65534
"""User and group id of `nobody`: the server refuses to run as root."""


@contextmanager
def postgresql_server() -> Iterator[str]:
    """The SQLAlchemy URL of an empty database; skips the test, saying why, where no server can be started."""
    pytest.importorskip("psycopg")
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else sorted(_DEBIAN.glob("*/bin"))
    if not folders:
        pytest.skip("no PostgreSQL server is installed here (initdb is not found)")
    place = Path(tempfile.mkdtemp(prefix="beleg-pg-"))
    if os.geteuid() == 0:
        os.chown(place, _NOBODY, _NOBODY)
    try:
        made = _run(folders[-1] / "initdb", "-D", place / "data", "-U", "beleg", "-A", "trust", "-E", "UTF8", "--no-sync")
        if made.returncode:
            pytest.skip(f"initdb does not run here: {made.stderr.decode()[-200:]}")
        options = f"-c listen_addresses='' -c unix_socket_directories='{place}' -c fsync=off"
        started = _run(folders[-1] / "pg_ctl", "-D", place / "data", "-w", "-l", place / "log", "-o", options, "start")
        assert started.returncode == 0, (place / "log").read_text(encoding="utf-8", errors="replace")
        try:
            yield f"postgresql+psycopg://beleg@/postgres?host={place}"
        finally:
            _run(folders[-1] / "pg_ctl", "-D", place / "data", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)


@dataclass
class Databases:
    """The databases of one server, each of them one test's own. `server`: the URL of the database that is there already."""

    server: str
    _made: list[str] = field(default_factory=list)

    def new(self, template: str | None = None) -> str:
        """The URL of an empty database, or of a copy of the one that `template` is the URL of."""
        name = f"t{len(self._made)}_{os.getpid()}"
        of = ""
        if template is not None:
            copied = _name(template)
            self._say(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{copied}'")
            of = f" TEMPLATE {copied}"
        self._say(f"CREATE DATABASE {name}{of}")
        self._made.append(name)
        return self.server.replace("/postgres?", f"/{name}?")

    def drop(self, url: str) -> None:
        self._say(f"DROP DATABASE {_name(url)} WITH (FORCE)")

    def _say(self, statement: str) -> None:
        import psycopg

        with closing(psycopg.connect(self.server.replace("+psycopg", ""), autocommit=True)) as connection:
            connection.execute(statement)  # type: ignore[call-overload]


def _name(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def _run(*command: object) -> subprocess.CompletedProcess[bytes]:
    """pg_ctl leaves the server with its own output, so that goes to no pipe that would be waited for."""
    as_nobody = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    words = [str(part) for part in command]
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(words, stdout=said, stderr=said, check=False, cwd="/", **as_nobody)  # type: ignore[call-overload]
        said.seek(0)
        return subprocess.CompletedProcess(words, done.returncode, b"", said.read())
