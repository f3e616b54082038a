"""The Python client against a real service: everything it can do, and every way that it can fail."""

from __future__ import annotations

import ast
import re
import socket
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from qa.client import Beleg, ServiceError, Stage
from tests.http.running_service import Running

ROOT = Path(__file__).resolve().parents[2]
SUM = "Wie hoch ist der Nettoumsatz in Danzig?"


@pytest.fixture
def beleg(service: Running) -> Iterator[Beleg]:
    with Beleg(service.address, service.key("weber", "controlling", "analyst")) as client:
        yield client


def test_an_answer_is_asked_read_again_and_verified(beleg: Beleg) -> None:
    answer = beleg.ask(SUM)
    assert (answer.status, Decimal(answer.facts[0].value or "")) == ("answered", Decimal("1250.50"))
    assert answer.facts[0].provenance.sources[0].cells == ["C2"]
    assert beleg.answer(answer.answer_id) == answer
    checked = beleg.verify(answer.answer_id)
    assert (checked.ok, checked.facts[0].recomputed) == (True, "1250.5")
    assert beleg.ask("und in Lublin?", session_id=answer.session_id).facts[0].value == "800"


def test_the_stages_are_told_and_the_answer_is_the_same(beleg: Beleg) -> None:
    told: list[Stage] = []
    answer = beleg.ask(SUM, on_stage=told.append)
    assert answer.facts == beleg.answer(answer.answer_id).facts
    assert [stage.name for stage in told if stage.state == "done"] == [step.stage for step in answer.trace]
    assert all((stage.ms is not None) == (stage.state == "done") for stage in told)


def test_a_file_is_sent_read_and_asked(beleg: Beleg, tmp_path: Path) -> None:
    path = tmp_path / "lager & mehr.csv"
    path.write_text("Lager;Bestand\nUlm;17\nHof;4\n", encoding="utf-8")
    job = beleg.wait(beleg.upload(path, "controlling", version="Mai", locale="de"))
    assert job.result is not None and job.status == "done"
    assert [each.version for each in beleg.files() if each.document == path.name] == ["Mai"]
    assert [table.rows for table in beleg.tables() if table.document == path.name] == [2]
    assert beleg.ask("Wie hoch ist der Bestand in Ulm?").facts[0].value == "17"


def test_a_file_that_cannot_be_read_is_an_error_with_its_reason(beleg: Beleg, tmp_path: Path) -> None:
    path = tmp_path / "bild.xlsx"
    path.write_bytes(b"PK\x03\x04 no workbook")
    with pytest.raises(ServiceError) as caught:
        beleg.wait(beleg.upload(path, "controlling"))
    assert "bild.xlsx" in caught.value.message


@pytest.mark.parametrize(
    ("call", "code", "status"),
    [
        (lambda beleg: beleg.answer("0" * 32), "not_found", 404),
        (lambda beleg: beleg.answer("../session"), "not_found", 404),
        (lambda beleg: beleg.verify("x"), "not_found", 404),
        (lambda beleg: beleg.ask("x" * 3000), "bad_request", 400),
        (lambda beleg: beleg.ask("x" * 3000, on_stage=print), "bad_request", 400),
        (lambda beleg: beleg.upload(ROOT / "LICENSE", "vorstand"), "rejected", 422),
    ],
    ids=["no such answer", "another address", "no such answer to verify", "too long", "too long as a stream", "level one lacks"],
)
def test_an_error_of_the_service_is_raised_as_one(beleg: Beleg, call: object, code: str, status: int) -> None:
    with pytest.raises(ServiceError) as caught:
        call(beleg)  # type: ignore[operator]
    assert (caught.value.code, caught.value.status) == (code, status)
    assert caught.value.message


@pytest.mark.parametrize("on_stage", [None, print])
def test_without_a_key_that_holds_nothing_is_answered(service: Running, on_stage: object) -> None:
    with Beleg(service.address, "beleg_x", language="en") as beleg, pytest.raises(ServiceError) as caught:
        beleg.ask(SUM, on_stage=on_stage)  # type: ignore[arg-type]
    assert (caught.value.code, caught.value.message) == ("not_signed_in", "This needs a sign-in.")


def test_where_nobody_listens_the_error_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Beleg(f"http://127.0.0.1:{port}", "beleg_x") as beleg, pytest.raises(ServiceError, match="nicht erreichbar") as caught:
        beleg.ask(SUM)
    assert caught.value.code == "unreachable"


def test_what_the_documents_show_of_the_client_is_what_it_has() -> None:
    """Every attribute that a Python block uses of `beleg` exists, and the block is Python."""
    page = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert blocks
    used = {
        node.attr
        for block in blocks
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "beleg"
    }
    assert used and all(hasattr(Beleg, name) for name in used)
