"""The process that runs SQL: an in-memory DuckDB with nothing but the loaded segments, locked, with limits that the system holds.

Started by orchestrator.engine as a plain script (it imports nothing of the project). Requests and answers are frames: eight
bytes of length (big-endian), a JSON header, eight bytes of length, a body (an Arrow stream or nothing).
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import threading
import time
from collections import OrderedDict
from typing import Any, BinaryIO

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

_BINARY_TYPES = ("DOUBLE", "FLOAT", "REAL")


class Refused(Exception):
    """`kind`: a word that orchestrator.engine turns into a sentence; `detail` is for developers only."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(kind)
        self.kind = kind
        self.detail = detail


def read_frame(stream: BinaryIO) -> bytes | None:
    head = stream.read(8)
    if len(head) < 8:
        return None
    return stream.read(int.from_bytes(head, "big"))


def write_frame(stream: BinaryIO, data: bytes | pa.Buffer) -> None:
    stream.write(len(data).to_bytes(8, "big"))
    stream.write(data)


class Worker:
    """One locked connection and the segments loaded into it, least recently used first."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._connection = duckdb.connect(":memory:")
        self._segments: OrderedDict[str, int] = OrderedDict()
        self._segment_bytes = int(settings["segment_bytes"])
        for statement in (
            f"SET memory_limit='{int(settings['engine_bytes'])}B'",
            f"SET threads={int(settings['threads'])}",
            "SET python_enable_replacements=false",
            "SET autoinstall_known_extensions=false",
            "SET autoload_known_extensions=false",
            "SET arrow_large_buffer_size=true",
            "SET temp_directory=''",
            "SET enable_external_access=false",
            "SET lock_configuration=true",
        ):
            self._connection.execute(statement).fetchall()

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes | pa.Buffer]:
        match request["op"]:
            case "load":
                return {"loaded": [self._load(**segment) for segment in request["segments"]]}, b""
            case "query":
                return self._query(request["sql"], frozenset(request["tables"]))
        raise Refused("request")

    # --- segments

    def _load(self, name: str, path: str, sha256: str) -> bool:
        if name in self._segments:
            self._segments.move_to_end(name)
            return False
        with open(path, "rb") as file:
            data = file.read()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise Refused("segment_changed", name)
        table = pq.read_table(pa.BufferReader(data), use_threads=False)
        table = table.append_column("_id", pa.array(range(table.num_rows), type=pa.int32()))
        self._make_room(table.nbytes)
        self._connection.register("incoming", table)
        try:
            self._connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM incoming').fetchall()
        finally:
            self._connection.unregister("incoming")
        self._segments[name] = table.nbytes
        return True

    def _make_room(self, wanted: int) -> None:
        while self._segments and sum(self._segments.values()) + wanted > self._segment_bytes:
            name, _ = self._segments.popitem(last=False)
            self._connection.execute(f'DROP TABLE "{name}"').fetchall()

    # --- queries

    def _query(self, sql: str, tables: frozenset[str]) -> tuple[dict[str, Any], pa.Buffer]:
        if not tables <= self._segments.keys():
            raise Refused("not_loaded")
        self._check_plan(sql, tables)
        relation = self._connection.sql(sql)
        if relation is None:
            raise Refused("not_a_select")
        types = [str(one) for one in relation.types]
        if any(word in one for one in types for word in _BINARY_TYPES):
            raise Refused("binary_number")
        result = relation.to_arrow_table()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, result.schema) as writer:
            writer.write_table(result)
        return {"types": types, "rows": result.num_rows}, sink.getvalue()

    def _check_plan(self, sql: str, tables: frozenset[str]) -> None:
        """The engine's own view of the statement: one SELECT, only these tables are read, no binary number occurs anywhere."""
        statements = self._connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise Refused("not_a_select")
        quoted = "'" + sql.replace("'", "''") + "'"
        row = self._connection.execute(f"SELECT json_serialize_plan({quoted}, optimize := false)").fetchall()[0]
        plan = json.loads(row[0])
        if plan.get("error"):
            if plan.get("error_type") == "not implemented":
                self._check_explained(sql, tables)
                return
            raise Refused("other", str(plan.get("error_message")))
        for node in _objects(plan):
            if node.get("type") == "LOGICAL_GET":
                read = node.get("function_data", {})
                if (read.get("catalog"), read.get("schema")) != ("memory", "main") or read.get("table") not in tables:
                    raise Refused("foreign_table")
            elif node.get("id") in _BINARY_TYPES:
                raise Refused("binary_number")
        self._check_explained(sql, tables)

    def _check_explained(self, sql: str, tables: frozenset[str]) -> None:
        row = self._connection.execute(f"EXPLAIN (FORMAT json) {sql}").fetchall()[0]
        for node in _objects(json.loads(row[1])):
            table = node.get("extra_info", {}).get("Table") if isinstance(node.get("extra_info"), dict) else None
            if table is not None and table not in {f"memory.main.{one}" for one in tables}:
                raise Refused("foreign_table")


def _objects(value: Any) -> Any:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _refusal(error: BaseException) -> Refused:
    if isinstance(error, Refused):
        return error
    text = str(error)
    if isinstance(error, MemoryError | duckdb.OutOfMemoryException | pa.ArrowMemoryError) or "bad_alloc" in text:
        return Refused("memory", text)
    if isinstance(error, duckdb.OutOfRangeException | duckdb.ConversionException):
        return Refused("digits", text)
    if "More than one row returned" in text:
        return Refused("subquery_rows", text)
    return Refused("other", f"{type(error).__name__}: {text}")


def _end_with_parent(parent: int) -> None:
    """Ends this process when its parent is gone, also in the middle of a statement."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _limit_process(address_space: int) -> None:
    """`address_space`: bytes of address space that may be added to what the process has now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + address_space, now + address_space))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def main() -> None:
    """Answers requests from standard input until it is closed. The first argument is the settings as JSON (EngineLimits)."""
    settings = json.loads(sys.argv[1])
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not mix with the answers
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    worker = Worker(settings)
    if sys.platform == "linux":
        _limit_process(int(settings["address_space"]))
    while (head := read_frame(incoming)) is not None:
        body: bytes | pa.Buffer = b""
        try:
            header, body = worker.answer(json.loads(head))
        except BaseException as error:
            refused = _refusal(error)
            header = {"refused": refused.kind, "detail": refused.detail[:2000]}
        write_frame(outgoing, json.dumps(header).encode())
        write_frame(outgoing, body)
        outgoing.flush()


if __name__ == "__main__":
    main()
