"""Two processes of the service on one PostgreSQL, and how a process ends: nothing is lost, nothing waits, the chain holds."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.service import Served, start, stop
from qa.administration import IngestRequest, ingest
from qa.client import Beleg, ServiceError
from qa.key_administration import create_key, revoke_key
from qa.settings_file import init_workspace
from qa.wiring import Workspace, open_workspace
from tests.http.conftest import SALES
from tests.postgresql_server import Databases, postgresql_server

SUM = "Wie hoch ist der Nettoumsatz in Danzig?"

pytestmark = pytest.mark.slow  # two services and a PostgreSQL server each time


@dataclass
class Pair:
    """A workspace on PostgreSQL, and the addresses of two processes that serve it."""

    workspace: Workspace
    first: str
    second: str

    def key(self, user: str = "weber", role: str = "analyst") -> str:
        said = {"user": user, "tenant": "nord", "levels": ["controlling"], "roles": [role]}
        return create_key(self.workspace, **said, expires_at=None, by="test")[0]  # type: ignore[arg-type]


def _address(served: Served) -> str:
    return f"http://127.0.0.1:{served.port}"


@contextmanager
def _started(root: Path, environment: dict[str, str] | None = None) -> Iterator[Served]:
    served = start(root, environment)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            stop(served)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    root = tmp_path_factory.mktemp("pair") / "workspace"
    with postgresql_server() as server:
        url = Databases(server).new()
        environment = {"BELEG_CATALOG_URL": url, "BELEG_AUDIT_URL": url}
        init_workspace(root)
        path = root.parent / "umsatz.csv"
        path.write_text(SALES, encoding="utf-8")
        with open_workspace(root, environment) as workspace:
            ingest(workspace, path, IngestRequest(tenant="nord", access_level="controlling", create_tenant=True, by="test"))
            with _started(root, environment) as one, _started(root, environment) as other:
                yield Pair(workspace, _address(one), _address(other))


def test_a_key_and_its_end_hold_in_both(pair: Pair) -> None:
    key = pair.key()
    for address in (pair.first, pair.second):
        with Beleg(address, key) as beleg:
            assert beleg.ask(SUM).facts[0].value == "1250.5"
    revoke_key(pair.workspace, key.split("_")[1], "test")
    for address in (pair.first, pair.second):
        with Beleg(address, key) as beleg, pytest.raises(ServiceError, match="Anmeldung"):
            beleg.ask(SUM)


def test_a_file_sent_to_one_is_asked_in_the_other_and_the_conversation_goes_on_there(pair: Pair, tmp_path: Path) -> None:
    path = tmp_path / "lager.csv"
    path.write_text("Lager;Bestand\nUlm;17\nHof;4\n", encoding="utf-8")
    key = pair.key()
    with Beleg(pair.first, key) as here, Beleg(pair.second, key) as there:
        here.wait(here.upload(path, "controlling"))
        answer = there.ask("Wie hoch ist der Bestand in Ulm?")
        assert answer.facts[0].value == "17"
        assert here.answer(answer.answer_id) == answer
        assert here.verify(answer.answer_id).ok
        assert here.ask("und in Hof?", session_id=answer.session_id).facts[0].value == "4"


def test_both_are_asked_at_once_while_files_are_read_and_the_chain_holds(pair: Pair, tmp_path: Path) -> None:
    before = sum(1 for _ in pair.workspace.audit.questions("nord"))
    wanted = {SUM: "1250.5", "Wie hoch ist der Nettoumsatz in Lublin?": "800"}

    def talk(number: int) -> list[str]:
        with Beleg((pair.first, pair.second)[number % 2], pair.key(f"asker{number}")) as beleg:
            asked = [(question, beleg.ask(question).facts[0].value) for question in wanted for _ in range(2)]
            return [f"{number}: {question}: {value}" for question, value in asked if value != wanted[question]]

    def send(number: int) -> None:
        path = tmp_path / f"fuhrpark_{number}.csv"
        path.write_text("Kennzeichen;Kilometer\n" + "".join(f"K{row};{row}\n" for row in range(300)), encoding="utf-8")
        with Beleg((pair.first, pair.second)[number % 2], pair.key(f"sender{number}")) as beleg:
            beleg.wait(beleg.upload(path, "controlling"))

    with ThreadPoolExecutor(12) as threads:
        sent = [threads.submit(send, number) for number in range(2)]
        wrong = [each for found in threads.map(talk, range(6)) for each in found]
        for each in sent:
            each.result()
    assert wrong == []
    assert sum(1 for _ in pair.workspace.audit.questions("nord")) - before == 6 * 4
    assert pair.workspace.audit.check().ok


# --- how a process ends


@pytest.fixture
def own(built: Path, tmp_path: Path) -> tuple[Path, str]:
    """A workspace of the test's own in SQLite, and a key."""
    root = tmp_path / "workspace"
    shutil.copytree(built, root)
    with open_workspace(root) as workspace:
        said = {"user": "weber", "tenant": "nord", "levels": ["controlling"], "roles": ["analyst"]}
        return root, create_key(workspace, **said, expires_at=None, by="test")[0]  # type: ignore[arg-type]


def test_who_is_told_to_end_finishes_the_questions_that_run(own: tuple[Path, str]) -> None:
    root, key = own
    with _started(root) as served, Beleg(_address(served), key) as beleg, ThreadPoolExecutor(6) as threads:
        beleg.ask(SUM)  # the first question of a process loads what the others use
        begun = threading.Semaphore(0)
        asked = [threads.submit(beleg.ask, SUM, on_stage=lambda _: begun.release()) for _ in range(6)]
        for _ in range(6):
            begun.acquire(timeout=30)
        assert stop(served) == 0
        assert [each.result().facts[0].value for each in asked] == ["1250.5"] * 6
    with open_workspace(root) as workspace:
        assert sum(1 for _ in workspace.audit.questions("nord")) == 7
        assert workspace.audit.check().ok


def test_a_killed_service_has_logged_every_answer_it_gave_and_goes_on(own: tuple[Path, str], tmp_path: Path) -> None:
    root, key = own
    given: list[str] = []
    path = tmp_path / "gross.csv"
    path.write_text("Kennzeichen;Kilometer\n" + "".join(f"K{row};{row}\n" for row in range(20_000)), encoding="utf-8")

    def ask_on(beleg: Beleg) -> None:
        while True:
            try:
                given.append(beleg.ask(SUM).answer_id)
            except ServiceError:
                return

    with _started(root) as served, Beleg(_address(served), key) as beleg, ThreadPoolExecutor(4) as threads:
        job = beleg.upload(path, "controlling")
        for _ in range(4):
            threads.submit(ask_on, beleg)
        end = time.monotonic() + 60
        while len(given) < 8 and time.monotonic() < end:
            time.sleep(0.05)
        served.process.kill()
        served.process.wait(30)
    with _started(root) as served, Beleg(_address(served), key) as beleg:
        assert len(given) >= 8
        assert all(beleg.answer(answer_id).status == "answered" for answer_id in given)
        assert beleg.wait(job).status == "done"
        assert beleg.ask("Wie viele Kennzeichen gibt es?").facts[0].value == "20000"
    with open_workspace(root) as workspace:
        assert workspace.audit.check().ok
