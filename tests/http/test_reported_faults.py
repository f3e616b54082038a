"""Faults that other services were reported for, over HTTP: hostile files (section e) and running them (section f)."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from qa.key_administration import create_key
from qa.wiring import open_workspace
from tests.http.running_service import Running
from tests.http.test_files import finished, upload

SUM = "Wie hoch ist der Nettoumsatz in Danzig?"


def _ask(client: httpx.Client, question: str) -> Any:
    said = client.post("/v1/ask", json={"question": question})
    assert said.status_code == 200, said.text
    return said.json()


def _rows(count: int) -> str:
    return "Vorgang;Menge\n" + "".join(f"V{number};10\n" for number in range(count))


def test_who_asks_while_a_file_is_read_gets_the_old_state_or_the_new_one(service: Running) -> None:
    """F01."""
    client, admin = service.asker("lang", "controlling", "analyst"), service.asker("amt", "*", "admin")
    question = "Wie hoch ist die Menge insgesamt?"
    finished(client, upload(client, "mengen.csv", _rows(10)))
    assert admin.post("/v1/files/authorize", params={"document": "mengen.csv", "version": "1"}).status_code == 200
    started, ended = upload(client, "mengen.csv", _rows(20_000)), threading.Event()
    found: list[Any] = []

    def keep_asking() -> None:
        asker = service.asker("frager")
        while not ended.is_set():
            found.append(_ask(asker, question))

    with ThreadPoolExecutor(1) as thread:
        asking = thread.submit(keep_asking)
        try:
            assert finished(client, started)["status"] == "done"
            assert admin.post("/v1/files/authorize", params={"document": "mengen.csv", "version": "2"}).status_code == 200
            time.sleep(0.3)
        finally:
            ended.set()
        asking.result()
    said = {(each["result"]["rows"][0][0], each["facts"][0]["provenance"]["sources"][0]["version"]["label"]) for each in found}
    assert said <= {("100", "1"), ("200000", "2")} and ("100", "1") in said, said
    assert _ask(client, question)["result"]["rows"] == [["200000"]]


@contextmanager
def _process(root: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`beleg serve` as people start it: its address, and the process."""
    command = [sys.executable, "-m", "qa", "serve", "--port", "0", "--workspace", str(root)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        address = next(match[0] for line in process.stdout if (match := re.search(r"http://127\.0\.0\.1:\d+", line)))
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield address, process
    finally:
        process.kill()
        process.wait()


def test_two_processes_serve_one_folder_and_end_when_they_are_told_to(copied: Path) -> None:
    """F02: no question fails, an upload to the one is answered by the other, the log is whole; SIGTERM ends with 0."""
    with open_workspace(copied) as workspace:
        keys = [
            create_key(workspace, user=user, tenant="nord", levels=["controlling"], roles=["analyst"], expires_at=None, by="t")[0]
            for user in ("eins", "zwei")
        ]
    with _process(copied) as (one, first), _process(copied) as (two, second):
        clients = [
            httpx.Client(base_url=address, headers={"Authorization": f"Bearer {key}"}, timeout=120, trust_env=False)
            for address, key in zip((one, two), keys, strict=True)
        ]
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda number: _ask(clients[number % 2], SUM), range(20)))
        assert {str(answer["result"]["rows"]) for answer in answers} == {"[['1250.5']]"}
        job = finished(clients[0], upload(clients[0], "preise.csv", "Artikel;Preis [EUR]\nHammer;300\n"))
        assert job["status"] == "done", job
        assert _ask(clients[1], "Wie hoch ist der Preis von Hammer?")["result"]["rows"] == [["300"]]
        for process in (first, second):
            process.send_signal(signal.SIGTERM)
        assert [process.wait(60) for process in (first, second)] == [0, 0]
        for client in clients:
            client.close()
    with open_workspace(copied) as workspace:
        assert workspace.audit.check().ok
        assert len(list(workspace.audit.questions("nord"))) == 21


def _package(**parts: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return data.getvalue()


def _bomb() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr("xl/workbook.xml", "<workbook/>")
        with package.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            for _ in range(300):
                part.write(bytes(1_000_000))
    return data.getvalue()


def _many_parts() -> bytes:
    return _package(**{f"xl/x{number}": b"" for number in range(20_000)})


@pytest.mark.parametrize("make", [_bomb, _many_parts], ids=["unpacks to much", "many parts"])
def test_a_package_that_is_made_to_exhaust_is_refused(service: Running, make: Any) -> None:
    """E14."""
    client = service.asker("lang", "controlling", "analyst")
    job = finished(client, upload(client, "bombe.xlsx", make()))
    assert job["status"] == "failed" and "bombe.xlsx" in job["result"]["message"], job
    assert job["result"]["code"] not in ("failed", "interrupted")
    assert _ask(client, SUM)["status"] == "answered"


NAMES = [
    'Umsatz"); DROP TABLE umsatz;--.csv',
    "<svg onload=alert(1)>.csv",
    "a';SELECT 1;--.csv",
    "{{7*7}}${7*7}.csv",
    "%2e%2e%2fx.csv",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_a_name_and_nothing_else(service: Running, name: str) -> None:
    """E10, E13: in the report, in an answer, on the pages."""
    client = service.asker("lang", "controlling", "analyst")
    header = f"Gewicht {NAMES.index(name)}"
    content = f'"<img src=x onerror=alert(1)>";{header} [kg]\n"<script>alert(1)</script>";{NAMES.index(name) + 5}\n'
    body = io.BytesIO(content.encode())
    job = finished(client, client.post("/v1/files", files={"file": (name, body)}, data={"access_level": "controlling"}))
    assert job["status"] == "done", job
    document = job["result"]["document"]
    assert document in [each["document"] for each in client.get("/v1/files").json()]
    assert client.get("/v1/files/report", params={"document": document, "version": "1"}).status_code == 200
    answer = _ask(client, f"Wie hoch ist {header} insgesamt?")
    page = client.get(f"/answers/{answer['answer_id']}", headers={"Accept": "text/html"})
    assert page.status_code == 200
    for markup in ("<script>alert", "<img src=x", "<svg onload"):
        assert markup not in page.text
    assert _ask(client, SUM)["result"]["rows"] == [["1250.5"]]
