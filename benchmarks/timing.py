"""Time and peak memory of a function, each call in a process of its own."""

from __future__ import annotations

import importlib
import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path


@dataclass(frozen=True)
class Measured:
    """`seconds`: processor time; `clock`: time by the clock; of both the best of the runs. `peak_mb`: the process's greatest
    resident memory, imports included. `result`: what the function gave back, for checking that both sides did the same work."""

    seconds: float
    clock: float
    peak_mb: float
    result: object


def measure(function: Callable[[str], object], argument: str, runs: int = 2, modules: Sequence[str] = ()) -> Measured:
    """Runs `function(argument)` so many times, each in a fresh process, and keeps the best times and the highest memory.

    The function must be importable by name. `modules` are imported before the clock starts. Raises RuntimeError if a run fails.
    """
    results = [_in_process(function, argument, modules) for _ in range(runs)]
    return Measured(
        min(run.seconds for run in results),
        min(run.clock for run in results),
        max(run.peak_mb for run in results),
        results[0].result,
    )


def _in_process(function: Callable[[str], object], argument: str, modules: Sequence[str]) -> Measured:
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(function, argument, tuple(modules), sender))
    process.start()
    sender.close()
    try:
        measured: Measured = receiver.recv()
    except EOFError:
        raise RuntimeError(f"{function.__module__}.{function.__name__} ended without a result") from None
    finally:
        process.join()
    return measured


def _run(function: Callable[[str], object], argument: str, modules: Sequence[str], sender: Connection) -> None:
    for module in modules:
        importlib.import_module(module)
    start, clock = time.process_time(), time.perf_counter()
    result = function(argument)
    seconds, clock = time.process_time() - start, time.perf_counter() - clock
    sender.send(Measured(seconds, clock, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, result))


def processor_seconds(others: Sequence[int] = ()) -> float:
    """Processor time of this process and of others that still run, by their ids (Linux; elsewhere of this one only)."""
    total = time.process_time()
    for process in others:
        for task in Path(f"/proc/{process}/task").glob("*/schedstat"):
            total += int(task.read_text().split()[0]) / 1e9
    return total
