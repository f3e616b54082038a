"""The engine from outside: one worker process for one tenant, started afresh whenever it had to be ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from indexer.stored import StoredTable
from orchestrator.confirmed_cells import ConfirmedCells
from orchestrator.rewrite_scope import segment_name
from orchestrator.segment_reader import SegmentReader
from orchestrator.sql_refusals import EngineFailed, LimitExceeded, SqlRefusal

_WORKER = Path(__file__).with_name("engine_worker.py")
_ENVIRONMENT = {"MALLOC_ARENA_MAX": "2", "ARROW_DEFAULT_MEMORY_POOL": "system"}
"""Allocators that reserve little address space ahead, since that is what the system limits."""
_LEAST_ROOM = 64_000_000
"""Bytes for segments that every worker starts with."""
_BYTES_OF_VALUE = 24
"""What a loaded value takes at most on average: 16 of a decimal or of a text's head, the rest for its letters and its mask."""
_KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ", "HOME")


@dataclass(frozen=True)
class EngineLimits:
    """`segment_bytes`: most that loaded segments may take (the oldest go first); `query_bytes`: for the work of one statement;
    `answer_bytes`: size of one answer; `load_seconds`: to load the segments of a statement; `threads` of the engine."""

    segment_bytes: int = 4_000_000_000
    query_bytes: int = 500_000_000
    answer_bytes: int = 400_000_000
    load_seconds: float = 120.0
    threads: int = 2


@dataclass(frozen=True)
class EngineAnswer:
    """`rows` as the engine gave them; `types` are its own names of the column types."""

    rows: pa.Table
    types: tuple[str, ...]


class Engine:
    """Runs regenerated SQL over the segments of one tenant. Requests wait for each other; nothing but loaded segments stays
    between them. Use as a context manager or close() it."""

    def __init__(self, limits: EngineLimits | None = None, reader: SegmentReader | None = None) -> None:
        self.limits = limits or EngineLimits()
        self._lock = threading.Lock()
        self.reader = reader or SegmentReader()
        self.confirmed = ConfirmedCells()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._room = _LEAST_ROOM
        self._start()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def processes(self) -> tuple[int, ...]:
        """Ids of the processes that work for it."""
        return () if self._process is None else (self._process.pid,)

    def close(self) -> None:
        """Ends the worker. The engine cannot be used afterwards."""
        self._closed = True
        self._end()

    def run(
        self,
        sql: str,
        tables: Collection[StoredTable],
        seconds: float,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> EngineAnswer:
        """Runs one statement that reads only these tables; `meanwhile` is called while it runs. Raises LimitExceeded (time,
        memory, digits) or EngineFailed."""
        segments = {segment_name(one.segment_sha256): one for one in tables}
        with self._lock:
            if self._closed:
                raise EngineFailed("closed", "Die SQL-Maschine ist schon beendet.", "Starten Sie Beleg neu.")
            self._make_ready(sum(map(_loaded_bytes, segments.values())))
            self._ask({"op": "load", "segments": _load_request(segments)}, self.limits.load_seconds)
            header, body = self._ask({"op": "query", "sql": sql, "tables": sorted(segments)}, seconds, meanwhile)
        return EngineAnswer(pa.ipc.open_stream(pa.py_buffer(body)).read_all(), tuple(header["types"]))

    # --- the process

    def _make_ready(self, wanted: int) -> None:
        """A running worker with room for segments of so many bytes; its limits are fixed when it starts, so it may be started
        again with wider ones."""
        if wanted > self.limits.segment_bytes:
            raise LimitExceeded("memory", "Die Tabellen der Abfrage sind zusammen zu groß für die SQL-Maschine.", _NARROW)
        if self._process is None or self._process.poll() is not None or wanted > self._room:
            while wanted > self._room:
                self._room = min(2 * self._room, self.limits.segment_bytes)
            self._end()
            self._start()

    def _start(self) -> None:
        settings = {
            "segment_bytes": self._room,
            "engine_bytes": 2 * self._room + self.limits.query_bytes,
            "address_space": 3 * self._room + 2 * self.limits.query_bytes,
            "threads": self.limits.threads,
        }
        environment = dict(_ENVIRONMENT) | {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path and not path.endswith(".zip"))
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_WORKER), json.dumps(settings)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, close_fds=True,
        )  # fmt: skip

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _ask(
        self, request: Mapping[str, Any], seconds: float, meanwhile: Callable[[], None] = lambda: None
    ) -> tuple[dict[str, Any], bytearray]:
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        data = json.dumps(request).encode()
        try:
            process.stdin.write(len(data).to_bytes(8, "big") + data)
            process.stdin.flush()
            self._call(meanwhile)
            deadline = time.monotonic() + seconds
            header = json.loads(self._receive(process, deadline, seconds))
            body = self._receive(process, deadline, seconds)
        except (OSError, EOFError):
            self._end()
            raise LimitExceeded("memory", "Die Abfrage brauchte zu viel Speicher und wurde beendet.", _NARROW) from None
        except SqlRefusal:
            self._end()
            raise
        if "refused" in header:
            if header["refused"] == "memory":
                self._end()  # what an exhausted process still holds is not known
            raise _refusal(header["refused"], header.get("detail", ""))
        return header, body

    def _call(self, meanwhile: Callable[[], None]) -> None:
        try:
            meanwhile()
        except BaseException:
            self._end()  # nobody will read its answer
            raise

    def _receive(self, process: subprocess.Popen[bytes], deadline: float, seconds: float) -> bytearray:
        size = int.from_bytes(self._read(process, 8, deadline, seconds), "big")
        if size > self.limits.answer_bytes:
            raise LimitExceeded("rows", "Das Ergebnis mit seinen Belegen ist zu groß.", _NARROW)
        return self._read(process, size, deadline, seconds)

    def _read(self, process: subprocess.Popen[bytes], size: int, deadline: float, seconds: float) -> bytearray:
        assert process.stdout is not None
        data = bytearray()
        descriptor = process.stdout.fileno()
        while len(data) < size:
            left = deadline - time.monotonic()
            ready = select.select([descriptor], [], [], max(left, 0))[0] if left > 0 else []
            if not ready:
                raise LimitExceeded("time", f"Die Abfrage dauerte länger als {seconds:g} Sekunden und wurde beendet.", _NARROW)
            chunk = os.read(descriptor, min(size - len(data), 1 << 20))
            if not chunk:
                raise EOFError
            data += chunk
        return data


_NARROW = "Grenzen Sie die Abfrage ein, etwa durch einen Filter."


def _loaded_bytes(stored: StoredTable) -> int:
    """An upper estimate of what a segment takes when it is loaded."""
    return _loaded_bytes_of(stored.segment)


@lru_cache(maxsize=4096)
def _loaded_bytes_of(segment: Path) -> int:
    try:
        meta = pq.read_metadata(segment)
    except (OSError, pa.ArrowInvalid):
        return 0  # loading it will say what is wrong
    values = meta.num_rows * meta.num_columns
    return int(values * _BYTES_OF_VALUE + 2 * sum(meta.row_group(group).total_byte_size for group in range(meta.num_row_groups)))


def _load_request(segments: Mapping[str, StoredTable]) -> list[dict[str, str]]:
    return [{"name": name, "path": str(one.segment), "sha256": one.segment_sha256} for name, one in segments.items()]


def _refusal(kind: str, detail: str) -> SqlRefusal:
    error: SqlRefusal
    match kind:
        case "memory":
            error = LimitExceeded("memory", "Die Abfrage brauchte zu viel Speicher und wurde beendet.", _NARROW)
        case "digits":
            error = LimitExceeded(
                "digits",
                "Ein Zwischenergebnis hat mehr als 38 Stellen oder passt nicht zu seiner Art.",
                "Rechnen Sie mit weniger Faktoren.",
            )
        case "subquery_rows":
            error = EngineFailed(
                "subquery_rows", "Eine Unterabfrage gab mehr als einen Wert.", "Aggregieren Sie dort oder verwenden Sie IN."
            )
        case "binary_number":
            error = LimitExceeded(
                "not_exact",
                "Die Abfrage würde mit Binärzahlen rechnen, die nicht exakt sind.",
                "Vermeiden Sie Divisionen in Bedingungen.",
            )
        case "segment_changed":
            error = EngineFailed(
                "segment_changed",
                "Eine gespeicherte Tabelle stimmt nicht mit ihrer Prüfsumme überein.",
                "Lesen Sie die Datei neu ein.",
            )
        case _:
            error = EngineFailed("engine", "Die Abfrage ließ sich nicht ausführen.", "Vereinfachen Sie sie.")
    error.detail = detail
    return error
