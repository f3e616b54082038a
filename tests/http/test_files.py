"""Files over HTTP: upload, report, versions, levels; the cases F04 and F10 of what went wrong elsewhere."""

from __future__ import annotations

import io
import json
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.http.conftest import PAY
from tests.http.running_service import Running, running

PRICES = "Artikel;Preis [EUR]\nHammer;300\n"


def upload(client: httpx.Client, name: str, content: bytes | str, level: str = "controlling", **said: str) -> httpx.Response:
    data = content.encode() if isinstance(content, str) else content
    return client.post("/v1/files", files={"file": (name, data)}, data={"access_level": level, **said})


def finished(client: httpx.Client, said: httpx.Response) -> dict[str, Any]:
    """The job of an upload once it is over."""
    assert said.status_code == 202, said.text
    for _ in range(300):
        job: dict[str, Any] = client.get(said.headers["location"]).json()
        if job["status"] in ("done", "failed"):
            return job
        time.sleep(0.1)
    raise AssertionError(job)


def _sum(client: httpx.Client, question: str) -> Any:
    answer = client.post("/v1/ask", json={"question": question}).json()
    return answer["result"]["rows"] if answer["status"] == "answered" else answer["status"]


def test_an_upload_is_read_in_the_background_and_answers(service: Running) -> None:
    client = service.asker("lang", "controlling", "analyst")
    job = finished(client, upload(client, "preise.csv", PRICES, version="Stand Mai", version_date="2024-05-01", status="draft"))
    assert (job["status"], job["result"]["document"], job["result"]["already_there"]) == ("done", "preise.csv", False)
    assert _sum(client, "Wie hoch ist der Preis von Hammer?") == [["300"]]
    line = next(each for each in client.get("/v1/files").json() if each["document"] == "preise.csv")
    assert (line["version"], line["date"], line["status"], line["binding"]) == ("Stand Mai", "2024-05-01", "draft", False)
    report = client.get("/v1/files/report", params={"document": "preise.csv", "version": "Stand Mai"}).json()
    assert [column["header"] for column in report["tables"][0]["columns"]] == ["Artikel", "Preis [EUR]"]
    original = client.get("/v1/files/original", params={"document": "preise.csv", "version": "Stand Mai"})
    assert (original.text, original.headers["content-disposition"].partition(";")[0]) == (PRICES, "attachment")
    assert not list((service.workspace.settings.data / "uploads").iterdir())


def test_the_same_file_again_is_no_second_one(service: Running) -> None:
    """F04: twice, under another name, at the same moment, in another tenant."""
    client = service.asker("lang", "controlling", "analyst")
    content = "Posten;Summe [EUR]\nMiete;100\nStrom;200\n"
    with ThreadPoolExecutor(2) as threads:
        both = list(threads.map(lambda _: finished(client, upload(client, "doppelt.csv", content)), range(2)))
    assert sorted(job["result"]["already_there"] for job in both) == [False, True]
    copy = finished(client, upload(client, "kopie.csv", content))["result"]
    assert (copy["already_there"], copy["document"], copy["file"]) == (True, "doppelt.csv", "kopie.csv")
    assert _sum(client, "Wie hoch ist die Summe aller Posten?") == [["300"]]
    south = service.asker("ost", "controlling", "analyst", tenant="sued")
    theirs = finished(south, upload(south, "eigene.csv", content))["result"]
    assert (theirs["already_there"], theirs["document"]) == (False, "eigene.csv")
    assert "doppelt" not in json.dumps(theirs)


def test_content_that_one_may_not_see_is_not_named(service: Running) -> None:
    client = service.asker("lang", "controlling", "analyst")
    result = finished(client, upload(client, "meins.csv", PAY))["result"]
    assert "gehalt" not in json.dumps(result)


def _docx() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as package:
        package.writestr("[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>')
        package.writestr("word/document.xml", "<document/>")
    return data.getvalue()


OLE = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(2000)

UNREADABLE = [
    ("bericht.xlsx", _docx()),
    ("geheim.xlsx", OLE),
    ("seite.xls", b"<html><body><table><tr><td>1</td></tr></table></body></html>"),
    ("leer.csv", b""),
    ("leer.xlsx", b""),
    ("bild.xlsx", b"\x89PNG\r\n\x1a\n" + bytes(100)),
]


@pytest.mark.parametrize(("name", "content"), UNREADABLE, ids=[name for name, _ in UNREADABLE])
def test_a_foreign_file_is_refused_with_its_own_message(service: Running, name: str, content: bytes) -> None:
    """F10."""
    client = service.asker("lang", "controlling", "analyst")
    job = finished(client, upload(client, name, content))
    assert job["status"] == "failed", job
    assert name in job["result"]["message"] and job["result"]["code"] not in ("failed", "interrupted")
    assert "uploads" not in json.dumps(job) and service.workspace.settings.root.as_posix() not in json.dumps(job)


def test_a_file_of_headers_only_is_taken_and_answers_with_no_data(service: Running) -> None:
    client = service.asker("lang", "controlling", "analyst")
    job = finished(client, upload(client, "nurkopf.csv", "Baustelle;Aufwand [EUR]\n"))
    assert job["status"] == "done"
    assert client.post("/v1/ask", json={"question": "Wie hoch ist der Aufwand aller Baustellen?"}).json()["status"] == "refused"


@pytest.mark.parametrize(
    "name",
    ["../../x.csv", "..\\..\\x.csv", "/etc/x.csv", "C:\\x.csv", "a/b/x.csv"],
    ids=["up", "up with backslash", "root", "drive", "down"],
)
def test_a_name_leads_out_of_no_folder(service: Running, name: str) -> None:
    client = service.asker("lang", "controlling", "analyst")
    before = {path for path in service.workspace.settings.root.parent.rglob("x.csv")}
    job = finished(client, upload(client, name, f"Weg;Zahl\n{name.replace(';', '')};1\n"))
    assert job["subject"] == "x.csv"
    assert {path for path in service.workspace.settings.root.parent.rglob("x.csv")} == before


@pytest.mark.parametrize("name", ["..", ".", " ", "a\x01.csv", "a\x7f.csv", "a\x00.csv", "x" * 201 + ".csv"])
def test_a_name_that_is_none_is_refused(service: Running, name: str) -> None:
    """The body is written by hand: clients clean such names."""
    client = service.asker("lang", "controlling", "analyst")
    parts = ['name="access_level"\r\n\r\ncontrolling', f'name="file"; filename="{name}"\r\n\r\n{PRICES}']
    body = "".join(f"--x\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--x--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    said = client.post("/v1/files", content=body.encode(), headers=headers)
    assert (said.status_code, said.json()["code"]) == (400, "bad_request")


@pytest.mark.parametrize(
    ("levels", "roles", "level", "sheet_levels", "status"),
    [
        ("controlling", ("asker",), "controlling", "", 403),
        ("controlling", ("analyst",), "hr", "", 422),
        ("controlling", ("analyst",), "controlling", '{"Blatt": "hr"}', 422),
        ("controlling", ("analyst",), "controlling", "[1]", 400),
        ("controlling", ("analyst",), "a,b", "", 422),
        ("controlling", ("admin",), "neu", "", 422),
        ("*", ("admin",), "neu", "", 202),
    ],
)
def test_nobody_puts_a_file_under_a_level_they_lack(
    service: Running, levels: str, roles: tuple[str, ...], level: str, sheet_levels: str, status: int
) -> None:
    client = service.asker("lang", levels, *roles)
    assert upload(client, "stufe.csv", "Feld;Wert\na;1\n", level, sheet_levels=sheet_levels).status_code == status


def test_too_large_a_file_is_refused_before_it_is_read(copied: Path) -> None:
    (copied / "beleg.toml").write_text("[limits]\nmax_file_mb = 1\n", encoding="utf-8")
    with running(copied) as service:
        client = service.asker("lang", "controlling", "analyst")
        said = upload(client, "gross.csv", "a;b\n" + "1;2\n" * 600_000)
        assert (said.status_code, said.json()["code"]) == (413, "too_large")
        assert upload(client, "klein.csv", PRICES).status_code == 202


def test_versions_levels_and_removal_are_for_who_sees_all_of_a_file(service: Running) -> None:
    """What an administrator without the level may not see does not exist for them either."""
    half = service.asker("amt", "controlling", "admin")
    full = service.asker("chef", "*", "admin")
    for client, status in ((half, 404), (full, 200)):
        assert client.post("/v1/files/authorize", params={"document": "gehalt.csv", "version": "1"}).status_code == status
    assert half.put("/v1/files/level", params={"document": "gehalt.csv"}, json={"level": "controlling"}).status_code == 404
    assert half.put("/v1/files/level", params={"document": "umsatz.csv"}, json={"level": "hr"}).status_code == 422
    assert half.delete("/v1/files", params={"document": "gehalt.csv"}).status_code == 404
    assert half.get("/v1/files/original", params={"document": "gehalt.csv", "version": "1"}).status_code == 404
    finished(full, upload(full, "weg.csv", "Ding;Gewicht\nStein;7\n", "hr"))
    answer = full.post("/v1/ask", json={"question": "Wie hoch ist das Gewicht von Stein?"}).json()
    assert answer["status"] == "answered"
    assert full.delete("/v1/files", params={"document": "weg.csv"}).status_code == 204
    assert full.get(f"/v1/answers/{answer['answer_id']}").status_code == 404
    assert full.post("/v1/ask", json={"question": "Wie hoch ist das Gewicht von Stein?"}).json()["status"] == "refused"


def test_two_versions_are_compared_cell_by_cell(service: Running) -> None:
    client = service.asker("lang", "controlling", "analyst")
    for content in ("Kurs;Wert\nA;1\nB;2\n", "Kurs;Wert\nA;1\nB;3\n"):
        finished(client, upload(client, "kurse.csv", content))
    said = client.get("/v1/files/diff", params={"document": "kurse.csv", "from": "1", "to": "2"}).json()
    assert [(each["cell_to"], each["old"], each["new"]) for each in said["changed"]] == [("B3", "2", "3")]
