"""A small OpenAI-compatible server that replays scripted replies over real HTTP, and keeps every request it got.

A script is a list of replies, one for each request, the last one repeated; or a function from the request to a reply. A reply:
`text` (the message), `status` (an HTTP error), `wait` (seconds before the answer), `body` (raw bytes instead of a completion),
`cut` (the connection ends in the middle of the body), `finish` (another finish_reason), `message` (fields beside the content).
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Mapping[str, Any]
Script = Sequence[Reply] | Callable[[Mapping[str, Any]], Reply]


@dataclass
class Scripted:
    """A running server: its address, what was asked of it, and the script, which a test may change."""

    script: Script
    requests: list[Mapping[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    port: int = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def prompts(self) -> list[str]:
        return ["\n".join(str(message["content"]) for message in asked["messages"]) for asked in self.requests]

    def reply(self, asked: Mapping[str, Any]) -> Reply:
        self.requests.append(asked)
        if callable(self.script):
            return self.script(asked)
        return self.script[min(len(self.requests), len(self.script)) - 1]


@contextmanager
def scripted_server(script: Script) -> Iterator[Scripted]:
    """The server on a free port of loopback, until the block ends."""
    scripted = Scripted(script)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(scripted))
    server.daemon_threads = True
    scripted.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(scripted: Scripted) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            scripted.headers.append({name.lower(): value for name, value in self.headers.items()})
            reply = scripted.reply(asked)
            time.sleep(reply.get("wait", 0))
            status = reply.get("status", 200)
            body = reply["body"] if "body" in reply else json.dumps(_body(reply, asked, status)).encode()
            try:
                self._send(status, body, reply)
            except (BrokenPipeError, ConnectionResetError):  # the client has not waited
                self.close_connection = True

        def _send(self, status: int, body: bytes, reply: Reply) -> None:
            self.send_response(status)
            self.send_header("Content-Type", reply.get("content_type", "application/json"))
            self.send_header("Content-Length", str(len(body)))
            for name, value in reply.get("headers", {}).items():
                self.send_header(name, value)
            self.end_headers()
            if reply.get("cut"):
                self.wfile.write(body[: len(body) // 2])
                self.wfile.flush()
                self.close_connection = True
                return
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def _body(reply: Reply, asked: Mapping[str, Any], status: int) -> Mapping[str, Any]:
    if status >= 400:
        return {"error": {"message": "scripted", "type": "scripted", "code": None}}
    message = {"role": "assistant", "content": reply.get("text", ""), **reply.get("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": reply.get("finish", "stop"), "logprobs": None}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return {
        "id": "scripted", "object": "chat.completion", "created": 0, "model": asked.get("model", "scripted"), "choices": [choice],
        "usage": reply.get("usage", usage),
    }  # fmt: skip
