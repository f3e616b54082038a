"""Wall-clock time and peak memory of a function, each call in a process of its own."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection


@dataclass(frozen=True)
class Measured:
    """`seconds`: the best of the runs. `peak_mb`: the process's greatest resident memory, imports included. `result`: what the
    function gave back, for checking that both sides did the same work."""

    seconds: float
    peak_mb: float
    result: object


def measure(function: Callable[[str], object], argument: str, runs: int = 2) -> Measured:
    """Runs `function(argument)` so many times, each in a fresh process, and keeps the best time and the highest memory.

    The function must be importable by name. Raises RuntimeError if a run fails.
    """
    results = [_in_process(function, argument) for _ in range(runs)]
    return Measured(min(r.seconds for r in results), max(r.peak_mb for r in results), results[0].result)


def _in_process(function: Callable[[str], object], argument: str) -> Measured:
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(function, argument, sender))
    process.start()
    sender.close()
    try:
        measured: Measured = receiver.recv()
    except EOFError:
        raise RuntimeError(f"{function.__module__}.{function.__name__} ended without a result") from None
    finally:
        process.join()
    return measured


def _run(function: Callable[[str], object], argument: str, sender: Connection) -> None:
    start = time.perf_counter()
    result = function(argument)
    seconds = time.perf_counter() - start
    sender.send(Measured(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, result))
