"""Load on the HTTP service: many askers at once over the demo workspace while files are read in, every answer scored."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from goldsets.goldset import Case, Goldset
from goldsets.read_goldset import read_goldset
from goldsets.score import score

ROOT = Path(__file__).resolve().parents[1]
WRONG = ("wrong_number", "false_answer", "bad_source")
"""Scores that must never occur; `missed` is counted apart."""


@dataclass
class Served:
    """A service in a process of its own. `keys`: one for each tenant and set of levels that the cases ask with."""

    root: Path
    process: subprocess.Popen[str]
    port: int


@dataclass
class Load:
    """What the askers saw. `seconds`: of each question that was answered with an answer object; `processor`: seconds of processor
    time that all of them took where they were answered."""

    seconds: list[float] = field(default_factory=list)
    scores: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    answer_ids: list[str] = field(default_factory=list)
    ingested: int = 0
    clock: float = 0.0
    processor: float = 0.0

    def percentile(self, share: float) -> float:
        """By nearest rank; 0 without a question."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    @property
    def processor_ms(self) -> float:
        return self.processor * 1000 / max(len(self.seconds), 1)

    def count(self, *scores: str) -> int:
        return sum(self.scores.count(each) for each in scores)


@contextmanager
def demo_goldset() -> Iterator[Goldset]:
    """The shipped goldset."""
    with as_file(files("goldsets") / "demo") as folder:
        yield read_goldset(folder / "demo.yaml")


def questions(goldset: Goldset) -> list[Case]:
    """The cases that stand alone and expect an answer or a stop, in the order of the file."""
    return [case for case in goldset.cases if case.after is None]


def build(root: Path) -> None:
    """The demo workspace. In a process of its own: this one shall hold nothing that the service uses."""
    _run("-c", f"from pathlib import Path; from qa.demo import build_demo; build_demo(Path({str(root)!r}), lambda line: None)")


def make_keys(root: Path, cases: Sequence[Case]) -> dict[tuple[str, frozenset[str]], str]:
    """An API key for every tenant and set of levels of the cases."""
    keys: dict[tuple[str, frozenset[str]], str] = {}
    for case in cases:
        if (case.tenant, case.levels) not in keys:
            given = ("--user", f"load{len(keys)}", "--tenant", case.tenant, "--levels", ",".join(sorted(case.levels)))
            said = _run("-m", "qa", "keys", "create", *given, "--json", "--workspace", str(root))
            keys[case.tenant, case.levels] = json.loads(said)["key"]
    return keys


def start(root: Path, environment: dict[str, str] | None = None) -> Served:
    """`beleg serve` on a free port; returns when it is ready. Raises RuntimeError if it ends before."""
    command = [sys.executable, "-m", "qa", "serve", "--port", "0", "--workspace", str(root)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})}
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "http://" in line:
            port = int(line.partition("http://")[2].split(";")[0].rstrip("/").rpartition(":")[2])
            threading.Thread(target=lambda: [None for _ in process.stderr or ()], daemon=True).start()
            served = Served(root, process, port)
            _wait_until_ready(served)
            return served
    raise RuntimeError(f"the service ended with {process.wait()} before it listened")


def stop(served: Served) -> int:
    """Asks it to end; its exit code."""
    served.process.send_signal(signal.SIGTERM)
    return served.process.wait(30)


def load(
    served: Served, goldset: Goldset, keys: dict[tuple[str, frozenset[str]], str], *, askers: int, seconds: float,
    pause: float = 1.0, ingest: bool = True,
) -> Load:  # fmt: skip
    """`askers` threads, each asking question after question with a pause between them, for so long. What the service cannot
    answer because it was killed counts as an error."""
    found, cases, lock = Load(), questions(goldset), threading.Lock()
    begun, used = time.monotonic(), processor_seconds(served.process.pid)
    end = begun + seconds
    turn = itertools.count()

    def ask(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
        time.sleep(pause * number / askers)
        while time.monotonic() < end:
            with lock:
                case = cases[next(turn) % len(cases)]
            asked = time.perf_counter()
            try:
                answer = _ask(connection, keys[case.tenant, case.levels], case)
            except (OSError, http.client.HTTPException, ValueError) as error:
                connection.close()
                with lock:
                    found.errors.append(f"{case.case_id}: {type(error).__name__}: {error}")
            else:
                took = time.perf_counter() - asked
                verdict = score(case, answer, goldset).score
                with lock:
                    found.seconds.append(took)
                    found.scores.append(verdict)
                    found.answer_ids.append(str(answer["answer_id"]))
            time.sleep(max(0.0, min(pause, end - time.monotonic())))
        connection.close()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(askers)]
    if ingest:
        threads.append(threading.Thread(target=_ingest, args=(served.root, goldset.tenants[0], end, found)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found.clock = time.monotonic() - begun
    found.processor = processor_seconds(served.process.pid) - used
    return found


def warm_up(served: Served, keys: dict[tuple[str, frozenset[str]], str], cases: Sequence[Case]) -> None:
    """Each question once: the first one of a kind loads what the others use."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=120)
    for case in cases:
        _ask(connection, keys[case.tenant, case.levels], case)
    connection.close()


def table(askers: int, seconds: float) -> list[str]:
    """The load on a fresh demo workspace, and one asker over HTTP and in the process, as Markdown."""
    with TemporaryDirectory(prefix="beleg-load-") as place, demo_goldset() as goldset:
        root = Path(place) / "workspace"
        build(root)
        keys = make_keys(root, questions(goldset))
        served = start(root)
        try:
            warm_up(served, keys, questions(goldset))
            alone = load(served, goldset, keys, askers=1, seconds=seconds / 4, pause=0.0, ingest=False)
            found = load(served, goldset, keys, askers=askers, seconds=seconds)
            memory = resident_mb(served.process.pid)
        finally:
            stop(served)
        intact = json.loads(_run("-m", "qa", "audit", "verify", "--json", "--workspace", str(root)))
        inside = in_process(root, questions(goldset), seconds / 4)
    return [
        f"{askers} askers with one second between their questions for {found.clock:.0f} s, "
        f"{found.ingested} files read in meanwhile; memory of the service and its engines {memory:.0f} MB",
        "",
        "| questions | a second | p50 ms | p95 ms | p99 ms | errors | wrong numbers | other than expected | log intact |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
        f"| {len(found.seconds)} | {len(found.seconds) / found.clock:.1f} | {_ms(found, 0.5)} | {_ms(found, 0.95)} "
        f"| {_ms(found, 0.99)} | {len(found.errors)} | {found.count(*WRONG)} "
        f"| {len(found.scores) - found.count('correct', 'other_stop', *WRONG)} | {'yes' if intact['ok'] else 'NO'} |",
        "",
        "One asker without a pause, nothing read in meanwhile",
        "",
        "| way | questions | a second | p50 ms | p95 ms | p50, times | p95, times | processor ms a question | times |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        *(
            f"| {way} | {len(each.seconds)} | {len(each.seconds) / each.clock:.1f} | {_ms(each, 0.5)} | {_ms(each, 0.95)} "
            f"| {_ratio(each, inside, 0.5)} | {_ratio(each, inside, 0.95)} "
            f"| {each.processor_ms:.0f} | {each.processor_ms / max(inside.processor_ms, 1e-9):.1f} |"
            for way, each in (("over HTTP", alone), ("in the process", inside))
        ),
        *(f"error: {error}" for error in found.errors[:5]),
    ]


def _ms(found: Load, share: float) -> str:
    return f"{found.percentile(share) * 1000:.0f}"


def _ratio(found: Load, other: Load, share: float) -> str:
    return f"{found.percentile(share) / max(other.percentile(share), 1e-9):.1f}"


def in_process(root: Path, cases: Sequence[Case], seconds: float) -> Load:
    """The same questions asked without HTTP, logged like those; each once before the clock starts."""
    from orchestrator.scope import Asker
    from qa.asking import ask
    from qa.wiring import open_workspace

    found = Load()
    with open_workspace(root) as workspace:
        for case in cases:
            ask(workspace, case.question, Asker("load", case.tenant, case.levels), today=case.asked_on)
        begun, used = time.monotonic(), processor_seconds(os.getpid())
        for case in itertools.cycle(cases):
            if time.monotonic() >= begun + seconds:
                break
            asked = time.perf_counter()
            ask(workspace, case.question, Asker("load", case.tenant, case.levels), today=case.asked_on)
            found.seconds.append(time.perf_counter() - asked)
        found.clock = time.monotonic() - begun
        found.processor = processor_seconds(os.getpid()) - used
    return found


def resident_mb(process: int) -> float:
    """Resident memory of a process and of all that it started, in MB (Linux; elsewhere 0)."""
    pages = sum(int(text.split()[1]) for folder in _and_started(process) for text in _texts(folder, "statm"))
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor_seconds(process: int) -> float:
    """Processor time of a process and of all that it started and that still run (Linux; elsewhere 0)."""
    return sum(int(text.split()[0]) for folder in _and_started(process) for text in _texts(folder, "task/*/schedstat")) / 1e9


def _and_started(process: int) -> list[Path]:
    found, waiting = [], [process]
    while waiting:
        folder = Path(f"/proc/{waiting.pop()}")
        found.append(folder)
        waiting += [int(child) for text in _texts(folder, "task/*/children") for child in text.split()]
    return found


def _texts(folder: Path, pattern: str) -> list[str]:
    """What stands in files that may be gone the next moment."""
    texts = []
    for path in folder.glob(pattern):
        with suppress(OSError):
            texts.append(path.read_text())
    return texts


def _ask(connection: http.client.HTTPConnection, key: str, case: Case) -> dict[str, Any]:
    body: dict[str, str] = {"question": case.question} | ({"today": case.asked_on.isoformat()} if case.asked_on else {})
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/ask", json.dumps(body), headers)
    response = connection.getresponse()
    content = response.read()
    if response.status != 200:
        raise ValueError(f"{response.status} {content[:200]!r}")
    answer: dict[str, Any] = json.loads(content)
    return answer


def _ingest(root: Path, tenant: str, end: float, found: Load) -> None:
    """One file after the other, each a document of its own, with a second between them."""
    for number in itertools.count(1):
        if time.monotonic() >= end:
            return
        path = root.parent / f"fuhrpark_{number}.csv"
        rows = "".join(f"K-{number}-{row};{row * 17 % 9000}\n" for row in range(500))
        path.write_text(f"Kennzeichen;Kilometerstand\n{rows}", encoding="utf-8")
        try:
            _run("-m", "qa", "ingest", str(path), "--tenant", tenant, "--access-level", "controlling", "--workspace", str(root))
            found.ingested += 1
        except subprocess.CalledProcessError as error:
            found.errors.append(f"ingest: {error.stderr[-300:]}")
        time.sleep(1)


def _wait_until_ready(served: Served) -> None:
    for _ in range(600):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=5)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise RuntimeError("the service is not ready after 30 seconds")


def _run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout
