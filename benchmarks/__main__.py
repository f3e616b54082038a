"""`python -m benchmarks`: every measurement in turn, as Markdown tables."""

from __future__ import annotations

import argparse
import os
import platform
import sys

from benchmarks import evidence, planning, reading, retrieval, service


def _numbers(text: str) -> list[int]:
    return [int(part.replace("_", "")) for part in text.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cells", type=int, default=200_000, help="cells of the plain workbook (default: %(default)s)")
    parser.add_argument("--merged-cells", type=int, default=300_000, help="cells of that with merges (default: %(default)s)")
    parser.add_argument("--merges", type=int, default=10_000, help="its merged areas (default: %(default)s)")
    parser.add_argument(
        "--sizes", type=_numbers, default=[100_000, 200_000, 400_000], help="cells, for growth (default: 100000,200000,400000)"
    )
    parser.add_argument(
        "--rows", type=_numbers, default=[10_000, 1_000_000], help="rows, for evidence and proof (default: 10000,1000000)"
    )
    parser.add_argument("--tables", type=int, default=20, help="tables of 50 columns, for planning (default: %(default)s)")
    parser.add_argument("--distinct", type=int, default=10_000, help="distinct values in all of them (default: %(default)s)")
    parser.add_argument("--questions", type=int, default=80, help="questions, for planning (default: %(default)s)")
    parser.add_argument(
        "--answer-rows", type=int, default=20_000, help="rows of the one table, for whole answers (default: %(default)s)"
    )
    parser.add_argument(
        "--index-rows", type=_numbers, default=[10_000, 100_000], help="rows, for the row index (default: 10000,100000)"
    )
    parser.add_argument("--only-retrieval", action="store_true", help="measure the row index alone")
    parser.add_argument("--askers", type=int, default=50, help="people asking the service at once (default: %(default)s)")
    parser.add_argument("--load-seconds", type=float, default=60, help="how long they ask (default: %(default)s)")
    parser.add_argument("--only-service", action="store_true", help="measure the service alone")
    parser.add_argument("--runs", type=int, default=1, help="runs of each measurement; the best counts (default: %(default)s)")
    given = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    if given.only_service:
        print("\n".join(service.table(given.askers, given.load_seconds)), flush=True)
        return
    if not given.only_retrieval:
        _all_but_retrieval(given)
    for lines in (retrieval.engine(given.index_rows), retrieval.beside_a_splitter()):
        print("\n".join(lines), end="\n\n", flush=True)
    if not given.only_retrieval:
        print("\n".join(service.table(given.askers, given.load_seconds)), flush=True)


def _all_but_retrieval(given: argparse.Namespace) -> None:
    for lines in (
        reading.compare(given.cells, 0, given.runs),
        reading.compare(given.merged_cells, given.merges, given.runs),
        reading.growth(given.sizes, given.runs),
    ):
        print("\n".join(lines), end="\n\n", flush=True)
    for lines in evidence.tables(given.rows, max(given.runs, evidence.LEAST_RUNS)):
        print("\n".join(lines), end="\n\n", flush=True)
    print("\n".join(planning.planning(given.tables, given.distinct, given.questions)), end="\n\n", flush=True)
    print("\n".join(planning.whole_answer(given.answer_rows, max(given.runs, evidence.LEAST_RUNS))), flush=True)


if __name__ == "__main__":
    main()
