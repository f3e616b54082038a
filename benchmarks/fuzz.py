"""`python -m benchmarks.fuzz --seconds 600`: damaged files, each read in a process of its own within bounds.

A finding is anything but a parsed file or one sentence of refusal: another exception, more than the allowed time or memory, a
refusal without a sentence. Findings are written to `--keep` under a name that tells what happened.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from benchmarks.fuzz_files import MUTATIONS, text_seeds, workbook_seeds
from parsers.inspection import draw, inspection
from parsers.parse import parse_file
from parsers.problem import UnreadableFile

SECONDS_A_FILE = 30
SLOW_SECONDS = 5
BYTES_A_FILE = 1 << 30
LARGEST_SEED = 200_000


def outcome_of(path: Path, seconds: int = SECONDS_A_FILE, memory: int = BYTES_A_FILE) -> tuple[str, float]:
    """("read", "refused CODE", or what went wrong: "crash EXCEPTION at PLACE: TEXT", "hang", "memory", "died SIGNAL";
    processor seconds).

    `seconds` bounds the processor time and, times ten, the time by the clock; `memory` the address space, in bytes.
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receiver)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.write(sender, _read(path).encode("utf-8", "replace")[:4000])
        os._exit(0)
    os.close(sender)
    ready, _, _ = select.select([receiver], [], [], seconds * 10)
    if not ready:
        os.kill(child, signal.SIGKILL)
    said = os.read(receiver, 4000).decode("utf-8", "replace")
    os.close(receiver)
    _, status, usage = os.wait4(child, 0)
    if not said:
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        hung = not ready or number in (signal.SIGXCPU, signal.SIGKILL)
        said = "hang" if hung else f"died {signal.Signals(number).name}" if number else "died without a word"
    return said, usage.ru_utime + usage.ru_stime


def _read(path: Path) -> str:
    try:
        parsed = parse_file(path)
        json.dumps(inspection(parsed))
        draw(parsed).encode()
    except UnreadableFile as refusal:
        message = refusal.problem.message.strip()
        return f"refused {refusal.problem.code}" if message and "\n" not in str(refusal) else "crash refusal without one sentence"
    except MemoryError:
        return "memory"
    except BaseException as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "parsers" in frame.filename]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].name}:{frames[-1].lineno}" if frames else "?"
        return f"crash {type(error).__name__} at {place}: {str(error)[:200]}"
    return "read"


def fuzz(seconds: float, seed: int, keep: Path, seeds: Path | None, only: str) -> Counter[str]:
    """Runs until the time is over; how often each outcome came. `seeds`: a folder whose XLSX and CSV files are damaged too."""
    files = {**workbook_seeds(), **text_seeds()}
    if seeds is not None:
        given = (path for path in seeds.rglob("*") if path.suffix in MUTATIONS and path.stat().st_size < LARGEST_SEED)
        files |= {path.name: path.read_bytes() for path in given}
    files = {name: data for name, data in files.items() if name.endswith(only)}
    names = sorted(files)
    outcomes: Counter[str] = Counter()
    kept: set[str] = set()
    keep.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    number = seed << 32
    with tempfile.TemporaryDirectory() as place:
        while time.monotonic() < end:
            number += 1
            chance = random.Random(number)
            name = chance.choice(names)
            suffix = Path(name).suffix
            try:
                data = MUTATIONS[suffix](files[name], chance)
            except Exception:  # a given seed that is no package itself
                continue
            path = Path(place) / f"datei{suffix}"
            path.write_bytes(data)
            said, took = outcome_of(path)
            found = said.partition(":")[0] if said.startswith("crash") else said
            if took > SLOW_SECONDS and said == "read":
                found = "slow"
            outcomes[found] += 1
            if said.partition(" ")[0] not in ("read", "refused") or found == "slow":
                if outcomes[found] <= 3:
                    print(f"{number:#x} {name} {took:.1f} s: {said}", flush=True)
                line = said.split(":")[:3] if said.startswith("crash") else [found]
                key = "_".join(line).replace(" ", "_").replace("/", "_")[:80]
                if key not in kept:
                    kept.add(key)
                    (keep / f"{key}-{number:x}{suffix}").write_bytes(data)
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long to run (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="the same number gives the same files")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"), help="where findings are written")
    parser.add_argument("--seeds", type=Path, help="a folder of files to damage besides the built-in ones")
    parser.add_argument("--only", default="", help="only files whose name ends so, as .csv")
    given = parser.parse_args()
    outcomes = fuzz(given.seconds, given.seed, given.keep, given.seeds, given.only)
    for said, count in outcomes.most_common():
        print(f"{count:7}  {said}")
    sys.exit(0 if all(said.startswith(("read", "refused")) for said in outcomes) else 1)


if __name__ == "__main__":
    main()
